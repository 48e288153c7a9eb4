"""Marks and snippets from stored positions: what was found, shown in the original text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from index.passages import BODY, TITLE, Places, decode_places
from index.reader import StoredPassage

WIDTH = 140
"""Characters of a snippet, about."""

LEAD = 24
"""Characters before the first mark, at most."""

MAX_PLACES = 30
"""Places looked at for one needle in one passage."""

MAX_STARTS = 100
"""Marks from which a snippet may begin."""

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
    """Where the needles stand in one field, in order. Where a needle stands as a word, only those places count."""
    marks = {mark for passage in passages if passage.field == field for mark in _marks(passage, needles)}
    standing = {mark.needle for mark in marks if mark.stands}
    return sorted(mark for mark in marks if mark.stands or mark.needle not in standing)


def _marks(passage: StoredPassage, needles: Sequence[Needle]) -> Iterator[Mark]:
    present = [needle for needle in needles if needle.text in passage.stream]
    if not present:
        return
    places = decode_places(passage.offsets, len(passage.stream))
    for needle in present:
        for start in _find_all(passage.stream, needle.text):
            end = start + len(needle.text)
            if places.edges[start] or not needle.at_word:
                stands = bool(places.edges[start] and places.edges[end])
                yield Mark(_original(places, start)[0], _original(places, end - 1)[1], needle.text, stands)


def _original(places: Places, index: int) -> tuple[int, int]:
    return int(places.starts[index]), int(places.ends[index])


def _find_all(text: str, needle: str) -> Iterator[int]:
    place = text.find(needle)
    for _ in range(MAX_PLACES):
        if place < 0:
            return
        yield place
        place = text.find(needle, place + 1)


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
    for index, mark in enumerate(marks[:MAX_STARTS]):
        needles = set()
        for other in islice(marks, index, None):
            if other.end > mark.start + WIDTH - LEAD:
                break
            needles.add(other.needle)
        value = sum(map(len, needles))
        if value > best_value:
            best, best_value = mark.start, value
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
