"""Ambiguous places: is the gold border inside a crossed dictionary word kept?

    python bench/ambiguity.py [--mined FILE] [--classic FILE] [--mode M] [--json]

`mined`: rows of corpus, file, type, string, start, end, jieba_right and gold; the place counts as right when the cut
has every gold border inside `start:end` (places of the unspaced sentence) and no other. `classic`: sentence, gold cut,
and a note that may name a second reading behind `also:`. `classic_right`: the whole cut is that of a reading;
`classic_read`: every border of a reading is kept, smaller words (完 了 for 完了) do not count against it.
Keys: queries, right, share, classic, classic_right, classic_read, classic_wrong, peers.
"""

from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import jieba
from corpus import DATA, parser, report

from segmenter.analyzer import Analyzer

Cutter = Callable[[str, str | None], list[str]]


def borders(words: list[str]) -> set[int]:
    """Where words end."""
    return set(accumulate(len(word) for word in words))


def rows(path: Path) -> list[list[str]]:
    """The fields of each line of a tab-separated file."""
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]


def mined_right(path: Path, cut: Cutter) -> tuple[int, int]:
    """(places, right ones)."""
    head, *lines = rows(path)
    right = 0
    for line in lines:
        row = dict(zip(head, line, strict=True))
        gold = row["gold"].split(" ")
        inside = set(range(int(row["start"]) + 1, int(row["end"])))
        right += borders(cut("".join(gold), row["corpus"])) & inside == borders(gold) & inside
    return len(lines), right


def classic(path: Path, cut: Cutter) -> dict[str, Any]:
    """How many sentences there are, are cut as a reading has it, keep a reading; and the cuts that differ."""
    lines = rows(path)
    wrong, read = [], 0
    for sentence, gold, *notes in lines:
        readings = [gold, *(note.partition("also:")[2].strip() for note in notes if "also:" in note)]
        found = cut(sentence, None)
        if " ".join(found) not in readings:
            wrong.append(f"{' '.join(found)}  (gold: {' or '.join(readings)})")
        read += any(borders(reading.split(" ")) <= borders(found) for reading in readings)
    right = len(lines) - len(wrong)
    return {"classic": len(lines), "classic_right": right, "classic_read": read, "classic_wrong": wrong}


def main() -> None:
    """Print the figures."""
    arguments = parser(__doc__ or "")
    arguments.add_argument("--mined", type=Path, default=DATA / "ambiguity" / "mined_dev.tsv")
    arguments.add_argument("--classic", type=Path, default=DATA / "ambiguity" / "classic.tsv")
    arguments.add_argument("--mode", default="hybrid")
    args = arguments.parse_args()
    analyzer = Analyzer.default(mode=args.mode)

    def ours(text: str, criterion: str | None) -> list[str]:
        known = criterion if criterion in analyzer.criteria else None
        return [token.text for token in analyzer.segment(text, criterion=known)]

    result: dict[str, Any] = {"peers": {}}
    for name, cut in (("wenci", ours), ("jieba", lambda text, criterion: jieba.lcut(text))):
        total, right = mined_right(args.mined, cut)
        found = {"right": right, "share": round(right / total, 4), **classic(args.classic, cut)}
        result |= {"queries": total, **found} if name == "wenci" else {"peers": {name: found}}
    report(result, args.json)


if __name__ == "__main__":
    main()
