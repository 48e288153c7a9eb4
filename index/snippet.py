"""Marks and snippets from stored positions: what was found, shown in the original text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from index.passages import BODY, TITLE, spans_at
from index.reader import StoredPassage

WIDTH = 140
"""Characters of a snippet, about."""

LEAD = 24
"""Characters before the first mark, at most."""

MAX_PLACES = 30
"""Places looked at for one needle in one passage."""

MAX_STARTS = 100
"""Marks from which a snippet may begin, about."""

_PAUSES = "。！？；.!?;\n"


@dataclass(frozen=True, slots=True)
class Needle:
    """Something to mark: a piece of a stream. `at_word` ones (Latin) must begin where a word begins."""

    text: str
    at_word: bool = False


class Mark(NamedTuple):
    """A place of a needle: original offsets, the needle, and whether it stands between borders of words."""

    start: int
    end: int
    needle: str
    stands: bool


@dataclass(frozen=True, slots=True)
class Cut:
    """A stretch of the original body and the marks that lie in it, in the body's offsets."""

    start: int
    length: int
    marks: tuple[tuple[int, int], ...]


_Row = tuple[int, int, str, bool]
"""A `Mark` before anybody looks at it by name: there are hundreds in a page of hits."""


def marks_in(passages: Iterable[StoredPassage], field: int, needles: Sequence[Needle]) -> list[Mark]:
    """Where the needles stand in one field, in order. Where a needle stands as a word, only those places count.

    Passages after the first `MAX_STARTS` marks are not looked at.
    """
    return [Mark._make(row) for row in _rows_in(passages, field, needles)]


def _rows_in(passages: Iterable[StoredPassage], field: int, needles: Sequence[Needle]) -> list[_Row]:
    rows: set[_Row] = set()
    for passage in passages:
        if passage.field == field and len(rows) <= MAX_STARTS:
            rows.update(_rows(passage, needles))
    standing = {needle for _, _, needle, stands in rows if stands}
    return sorted([row for row in rows if row[3] or row[2] not in standing])


def _rows(passage: StoredPassage, needles: Sequence[Needle]) -> list[_Row]:
    firsts: list[int] = []
    lasts: list[int] = []
    found: list[Needle] = []
    for needle in needles:
        places = _find_all(passage.stream, needle.text)
        size = len(needle.text)
        firsts += places
        lasts += [place + size for place in places]
        found += [needle] * len(places)
    if not found:
        return []
    columns = [column.tolist() for column in spans_at(passage.offsets, firsts, lasts)]
    return [
        (start, end, needle.text, before and behind)
        for needle, start, end, before, behind in zip(found, *columns, strict=True)
        if before or not needle.at_word
    ]


def _find_all(text: str, needle: str) -> list[int]:
    found: list[int] = []
    place = text.find(needle)
    while place >= 0:
        found.append(place)
        place = text.find(needle, place + 1) if len(found) < MAX_PLACES else -1
    return found


def merged(marks: Iterable[_Row]) -> tuple[tuple[int, int], ...]:
    """The marked stretches, without overlaps; neighbours stay apart."""
    result: list[tuple[int, int]] = []
    for start, end, *_ in sorted(marks):
        if result and start < result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return tuple(result)


def title_marks(passages: Iterable[StoredPassage], needles: Sequence[Needle]) -> tuple[tuple[int, int], ...]:
    """Marked stretches of the title."""
    return merged(_rows_in(passages, TITLE, needles))


def cut_body(passages: Sequence[StoredPassage], needles: Sequence[Needle]) -> Cut:
    """The stretch of the body that shows most of what was found; its beginning when nothing was found there."""
    rows = _rows_in(passages, BODY, needles)
    if not rows:
        return Cut(0, WIDTH, ())
    first = _best_start(rows)
    start = max(0, first - LEAD)
    end = max(start + WIDTH, next(row[1] for row in rows if row[0] == first))
    inside = merged([row for row in rows if start <= row[0] and row[1] <= end])
    return Cut(start, end - start, inside)


def _best_start(rows: Sequence[_Row]) -> int:
    """The mark from which a snippet holds the most different needles, longer ones counting more; the first such."""
    best, best_value = rows[0][0], -1
    held = dict.fromkeys([needle for _, _, needle, _ in rows], 0)
    value = stop = 0
    size = len(rows)
    for start, _, needle, _ in rows[:MAX_STARTS]:
        while stop < size and rows[stop][1] <= start + WIDTH - LEAD:
            other = rows[stop][2]
            value += 0 if held[other] else len(other)
            held[other] += 1
            stop += 1
        if value > best_value:
            best, best_value = start, value
        if held[needle]:
            held[needle] -= 1
            value -= 0 if held[needle] else len(needle)
    return best


def render(cut: Cut, text: str, is_end: bool) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The snippet and its marks. `text` is the stretch `cut` of the original; line breaks and tabs become spaces."""
    skipped = _lead_in(cut, text)
    lead = "…" if cut.start + skipped else ""
    shift = len(lead) - cut.start - skipped
    body = text[skipped:].translate(_BLANKS)
    marks = tuple((start + shift, end + shift) for start, end in cut.marks)
    return lead + body + ("" if is_end else "…"), marks


_BLANKS = dict.fromkeys((*range(32), 127, 8232, 8233), " ")


def _lead_in(cut: Cut, text: str) -> int:
    """How many characters to drop so that the snippet begins after a pause, if one comes before the first mark."""
    if not cut.start or not cut.marks:
        return 0
    before = text[: cut.marks[0][0] - cut.start]
    return max(before.rfind(pause) for pause in _PAUSES) + 1
