"""Marks and snippets from stored positions: what was found, shown in the original text."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
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


def marks_in(passages: Iterable[StoredPassage], field: int, needles: Sequence[Needle]) -> list[Mark]:
    """Where the needles stand in one field, in order. Where a needle stands as a word, only those places count.

    Passages after the first `MAX_STARTS` marks are not looked at.
    """
    marks: set[Mark] = set()
    for passage in passages:
        if passage.field == field and len(marks) <= MAX_STARTS:
            marks.update(_marks(passage, needles))
    standing = {mark.needle for mark in marks if mark.stands}
    return sorted(mark for mark in marks if mark.stands or mark.needle not in standing)


def _marks(passage: StoredPassage, needles: Sequence[Needle]) -> Iterator[Mark]:
    stream = passage.stream
    found = [(start, needle) for needle in needles for start in _find_all(stream, needle.text)]
    if not found:
        return iter(())
    spans = spans_at(
        passage.offsets, [start for start, _ in found], [start + len(needle.text) for start, needle in found]
    )
    columns = (column.tolist() for column in spans)
    rows = zip(found, *columns, strict=True)
    return (
        Mark(start, end, needle.text, before and behind)
        for (_, needle), start, end, before, behind in rows
        if before or not needle.at_word
    )


def _find_all(text: str, needle: str) -> list[int]:
    found: list[int] = []
    place = text.find(needle)
    while place >= 0:
        found.append(place)
        place = text.find(needle, place + 1) if len(found) < MAX_PLACES else -1
    return found


def merged(marks: Iterable[Mark]) -> tuple[tuple[int, int], ...]:
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
    return merged(marks_in(passages, TITLE, needles))


def cut_body(passages: Sequence[StoredPassage], needles: Sequence[Needle]) -> Cut:
    """The stretch of the body that shows most of what was found; its beginning when nothing was found there."""
    marks = marks_in(passages, BODY, needles)
    if not marks:
        return Cut(0, WIDTH, ())
    first = _best_start(marks)
    start = max(0, first - LEAD)
    end = max(start + WIDTH, next(mark.end for mark in marks if mark.start == first))
    inside = merged(mark for mark in marks if start <= mark.start and mark.end <= end)
    return Cut(start, end - start, inside)


def _best_start(marks: Sequence[Mark]) -> int:
    """The mark from which a snippet holds the most different needles, longer ones counting more; the first such."""
    best, best_value = marks[0].start, -1
    held: defaultdict[str, int] = defaultdict(int)
    value = stop = 0
    size = len(marks)
    for mark in marks[:MAX_STARTS]:
        while stop < size and marks[stop].end <= mark.start + WIDTH - LEAD:
            value += 0 if held[marks[stop].needle] else len(marks[stop].needle)
            held[marks[stop].needle] += 1
            stop += 1
        if value > best_value:
            best, best_value = mark.start, value
        if held[mark.needle]:
            held[mark.needle] -= 1
            value -= 0 if held[mark.needle] else len(mark.needle)
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
