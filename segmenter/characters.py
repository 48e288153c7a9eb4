"""What every Unicode character is to the segmenter, read from a compiled table.

The table is data, not `unicodedata` of the running Python, so that one version of the segmenter cuts alike everywhere.
A *shape* is one ASCII byte for a class of characters; a text's shapes are a bytes object that regular expressions read.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

CODE_POINTS: Final = 0x110000
DELETED: Final = -1
DATA_FILE: Final = Path(__file__).parent / "data" / "characters.npz"


class Shape:
    """The shapes; ASCII punctuation and ASCII symbols stand for themselves."""

    LETTER: Final = ord("a")
    UPPER: Final = ord("A")
    DIGIT: Final = ord("0")
    MARK: Final = ord("m")
    HAN: Final = ord("H")
    KATAKANA: Final = ord("K")
    HIRAGANA: Final = ord("J")
    HANGUL: Final = ord("G")
    DENSE: Final = ord("T")
    SPACE: Final = ord(" ")
    LINE: Final = ord("\n")
    CONTROL: Final = ord("c")
    PUNCT: Final = ord("p")
    SYMBOL: Final = ord("s")
    APOSTROPHE: Final = ord("q")
    DEGREE: Final = ord("d")
    EMOJI: Final = ord("e")
    JOINED_EMOJI: Final = ord("E")
    FLAG: Final = ord("f")
    SKIN: Final = ord("t")
    KEYCAP: Final = ord("k")
    OTHER: Final = ord("x")
    IGNORED: Final = ord("i")
    SELECTOR: Final = ord("v")
    JOINER: Final = ord("j")


@dataclass(frozen=True, slots=True)
class CharacterTable:
    """Columns over all code points, and the texts of those that become several characters.

    mapping: int32[CODE_POINTS], the normalised code point, DELETED, or -2 - i for the i-th expansion
    shape: uint8[CODE_POINTS]; composes: bool[CODE_POINTS], may change or be changed by what stands before it
    expansion_start: int64[expansions + 1] into expansion_points: uint32
    """

    mapping: NDArray[np.int32]
    shape: NDArray[np.uint8]
    composes: NDArray[np.bool_]
    expansion_start: NDArray[np.int64]
    expansion_points: NDArray[np.uint32]
    fingerprint: str


@cache
def character_table() -> CharacterTable:
    """The compiled table that is shipped; read once a process, a few milliseconds."""
    with np.load(DATA_FILE, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    mapping = np.arange(CODE_POINTS, dtype=np.int32)
    mapping[arrays["mapped_from"]] = arrays["mapped_to"]
    composes = np.zeros(CODE_POINTS, dtype=np.bool_)
    composes[arrays["composes"]] = True
    shape = np.repeat(arrays["shape_value"], np.diff(arrays["shape_start"], append=CODE_POINTS))
    digest = hashlib.sha256(b"".join(name.encode() + arrays[name].tobytes() for name in sorted(arrays)))
    return CharacterTable(
        mapping, shape, composes, arrays["expansion_start"], arrays["expansion_points"], digest.hexdigest()[:16]
    )


def shapes_in(characters: str) -> NDArray[np.bool_]:
    """bool[256], True at each of these shapes: a look-up table for `shape` columns."""
    table = np.zeros(256, dtype=np.bool_)
    table[[ord(character) for character in characters]] = True
    return table
