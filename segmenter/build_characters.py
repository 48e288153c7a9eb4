"""Compile `data/characters.npz` from Unicode's data and `data/traditional.tsv`: `python -m segmenter.build_characters`.

A character's normal form is the fixed point of NFKC, case folding and traditional to simplified, computed alone;
`normalise` composes what stands next to each other. Forms with a space in them (spacing accents) are left as they are.
"""

import sys
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from segmenter.characters import CODE_POINTS, DATA_FILE, DELETED, Shape

# Default_Ignorable_Code_Point of the Unicode Character Database.
_IGNORABLE = (
    "00AD 034F 061C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF FFA0 FFF0-FFF8 "
    "1BCA0-1BCA3 1D173-1D17A E0000-E0FFF"
)
# Variation selectors and tags: they belong to the character before them.
_SELECTORS = "180B-180D 180F FE00-FE0F E0020-E007F E0100-E01EF"
# Extended_Pictographic of the Unicode emoji data.
_EMOJI = (
    "A9 AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 2388 23CF 23E9-23F3 23F8-23FA 24C2 25AA-25AB 25B6 "
    "25C0 25FB-25FE 2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716 271D 2721 2728 2733-2734 2744 2747 "
    "274C 274E 2753-2755 2757 2763-2767 2795-2797 27A1 27B0 27BF 2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D "
    "3297 3299 1F000-1F0FF 1F10D-1F10F 1F12F 1F16C-1F171 1F17E-1F17F 1F18E 1F191-1F19A 1F1AD-1F1E5 1F201-1F20F 1F21A "
    "1F22F 1F232-1F23A 1F23C-1F23F 1F249-1F3FA 1F400-1F53D 1F546-1F64F 1F680-1F6FF 1F774-1F77F 1F7D5-1F7FF 1F80C-1F80F "
    "1F848-1F84F 1F85A-1F85F 1F888-1F88F 1F8AE-1F8FF 1F90C-1F93A 1F93C-1F945 1F947-1FAFF 1FC00-1FFFD"
)
# Later ranges override earlier ones.
_BLOCKS = (
    (Shape.HAN, "2E80-2FDF 3005-3007 3021-3029 3038-303B 3400-4DBF 4E00-9FFF F900-FAFF 20000-2FFFD 30000-3FFFD"),
    (Shape.DENSE, "0E01-0E3A 0E40-0E4E 0E81-0EDF 0F00-0F12 0F40-0FBC 1000-103F 1050-109F 1780-17D3 17D7 17DC-17DD"),
    (Shape.DENSE, "1950-197F 1980-19DF 1A20-1AAD 3100-312F 31A0-31BF A000-A4CF A9E0-A9FE AA60-AADF"),
    (Shape.DENSE, "16FE0-18DFF 1B100-1B2FF"),
    (Shape.HIRAGANA, "3041-309F 1B001-1B11F 1B132 1B150-1B152"),
    (Shape.KATAKANA, "30A1-30FA 30FC-30FF 31F0-31FF 1AFF0-1AFFF 1B000 1B120-1B122 1B155 1B164-1B167"),
    (Shape.HANGUL, "1100-11FF 3131-318E A960-A97F AC00-D7FB"),
    (Shape.PUNCT, "2500-259F"),
    (Shape.EMOJI, _EMOJI),
    (Shape.SKIN, "1F3FB-1F3FF"),
    (Shape.FLAG, "1F1E6-1F1FF"),
    (Shape.KEYCAP, "20E3"),
    (Shape.DEGREE, "B0"),
    (Shape.APOSTROPHE, "2019"),
    (ord("%"), "2030-2031"),
    (Shape.IGNORED, _IGNORABLE),
    (Shape.SELECTOR, _SELECTORS),
    (Shape.JOINER, "200D"),
)
_OF_CATEGORY = {
    "L": Shape.LETTER,
    "Lu": Shape.UPPER,
    "Lt": Shape.UPPER,
    "M": Shape.MARK,
    "N": Shape.SYMBOL,
    "Nd": Shape.DIGIT,
    "P": Shape.PUNCT,
    "S": Shape.SYMBOL,
    "Cc": Shape.CONTROL,
    "Cf": Shape.CONTROL,
    "C": Shape.OTHER,
}
_LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_TRADITIONAL = Path(__file__).parent / "data" / "traditional.tsv"


def code_points_of(ranges: str) -> Iterator[int]:
    """The code points of a list such as "00AD 2060-206F"."""
    for part in ranges.split():
        first, _, last = part.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def read_pairs(lines: Iterable[str]) -> dict[str, str]:
    """Character pairs, one a line with a tab between, `#` starts a comment line."""
    rows = (line.rstrip("\n").split("\t") for line in lines if not line.startswith("#"))
    return dict(rows)


def radicals() -> dict[str, str]:
    """Radicals that look like a character (as PDF files hold them) by the names Unicode gives them."""
    looks = "⺝⺟⺠⻁⻄⻅⻆⻉⻋⻓⻔⻘⻙⻚⻛⻜⻝⻢⻤⻥⻦⻧⻨⻩⻬⻮⻰⻳"
    return dict(zip(looks, "月母民虎西见角贝车长门青韦页风飞食马鬼鱼鸟卤麦黄齐齿龙龟", strict=True))


def normal_form(character: str, pairs: dict[str, str]) -> str:
    """The fixed point of NFKC, case folding and `pairs` over one character."""
    if character.isspace():
        return "\n" if character in _LINE_BREAKS else " "
    form = character
    for _ in range(8):
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", form).casefold())
        following = "".join(pairs.get(one, one) for one in folded)
        if following == form:
            break
        form = following
    return character if " " in form else form


def shape_of(code_point: int) -> int:
    """The shape by general category; blocks and properties override it."""
    character = chr(code_point)
    if character.isspace():
        return Shape.LINE if character in _LINE_BREAKS else Shape.SPACE
    category = unicodedata.category(character)
    if code_point < 128 and category[0] in "PS":
        return code_point
    return _OF_CATEGORY.get(category, _OF_CATEGORY.get(category[0], Shape.OTHER))


def composing() -> list[int]:
    """Characters that canonical composition or reordering may join to what stands before them."""
    found = set(code_points_of("1161-1175 11A8-11C2"))
    for code_point in range(CODE_POINTS):
        character = chr(code_point)
        if unicodedata.combining(character):
            found.add(code_point)
        parts = unicodedata.decomposition(character).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            found.add(int(parts[1], 16))
    return sorted(found)


def compile_table(pairs: dict[str, str]) -> dict[str, NDArray[np.generic]]:
    """The arrays of the file; `characters.CharacterTable` says what they mean."""
    deleted = set(code_points_of(_IGNORABLE))
    mapped: list[tuple[int, int]] = []
    expansions: list[str] = []
    for code_point in range(CODE_POINTS):
        if 0xD800 <= code_point < 0xE000:
            continue
        form = "" if code_point in deleted else normal_form(chr(code_point), pairs)
        if len(form) == 1 and form != chr(code_point):
            mapped.append((code_point, ord(form)))
        elif len(form) > 1:
            mapped.append((code_point, -2 - len(expansions)))
            expansions.append(form)
        elif not form:
            mapped.append((code_point, DELETED))
    shape = np.fromiter(map(shape_of, range(CODE_POINTS)), dtype=np.uint8, count=CODE_POINTS)
    for value, ranges in _BLOCKS:
        shape[list(code_points_of(ranges))] = value
    shape_start = np.flatnonzero(np.diff(shape, prepend=255 - shape[0]))
    return {
        "mapped_from": np.array([source for source, _ in mapped], dtype=np.uint32),
        "mapped_to": np.array([target for _, target in mapped], dtype=np.int32),
        "expansion_start": np.cumsum([0, *map(len, expansions)]).astype(np.int64),
        "expansion_points": np.array([ord(one) for one in "".join(expansions)], dtype=np.uint32),
        "composes": np.array(composing(), dtype=np.uint32),
        "shape_start": shape_start.astype(np.uint32),
        "shape_value": shape[shape_start],
    }


def main() -> int:
    """Write the compiled table beside the sources."""
    with _TRADITIONAL.open(encoding="utf-8") as lines:
        pairs = read_pairs(lines)
    arrays = compile_table(radicals() | pairs)
    np.savez_compressed(DATA_FILE, allow_pickle=False, **arrays)
    print(f"Unicode {unicodedata.unidata_version}, {DATA_FILE.stat().st_size} bytes: {DATA_FILE}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
