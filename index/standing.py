"""How a short query stands in a post: as a word, as several, inside one, or only across a border of words."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from index.reader import StoredPassage
from segmenter.types import Int16Array

Odds = Callable[[Sequence[str]], Sequence[Int16Array] | None]
"""Log-odds of a border in each gap of texts, in units of 1/64 (`Analyzer.border_odds`)."""

SHORT = 4
"""Characters of a query whose standing is looked at; longer ones hardly lie across a border by chance."""

MAX_PLACES = 30
"""Places looked at in one passage."""

AROUND = 12
"""Characters on each side of a place that the model is shown."""

SURE = 5.0
GRID = 64

WORD, WORDS, INSIDE, HALF, ACROSS = 4, 3, 2, 1, 0
"""One coarse word; several whole ones; inside a longer one; bordered on one side; on none, with a border within."""


def is_short(text: str) -> bool:
    """Whether the standing of this query matters: up to `SHORT` letters of a script without spaces."""
    return 0 < len(text) <= SHORT and text.isalpha() and not text.isascii()


class Place(NamedTuple):
    """Where a query stands best: its grade, and its start in the stream of a passage; ACROSS and "" where nowhere."""

    grade: int
    stream: str
    start: int


def standing(text: str, passages: Iterable[StoredPassage]) -> int:
    """The best of the grades `WORD` to `ACROSS` over the places of `text`; `ACROSS` where there is none."""
    return best_place(text, passages).grade


def best_place(text: str, passages: Iterable[StoredPassage]) -> Place:
    """The first of the places with the best grade."""
    best = Place(ACROSS, "", 0)
    for passage in passages:
        for start in _places(text, passage.stream):
            grade = _grade(passage.offsets, start, start + len(text))
            if grade > best.grade or not best.stream:
                best = Place(grade, passage.stream, start)
            if grade == WORD:
                return best
    return best


def firmness(text: str, places: Sequence[Place], odds_of: Odds) -> list[float]:
    """How firmly the model sees a border on both sides of `text` and none within, from 0 to 1 for each place.

    Log-odds count up to `SURE` either way; 0.5 where the place is none, or the model says nothing.
    """
    contexts = [(max(place.start - AROUND, 0), place) for place in places]
    pieces = [place.stream[first : place.start + len(text) + AROUND] for first, place in contexts]
    found = odds_of(pieces)
    if found is None:
        return [0.5] * len(places)
    return [
        _firm(odds, place.start - first, len(text)) if place.stream else 0.5
        for (first, place), odds in zip(contexts, found, strict=True)
    ]


def _firm(odds: Int16Array, start: int, length: int) -> float:
    """`odds[i]` is that of the gap behind character i; the ends of a text are borders."""
    bounded = np.clip(odds / GRID, -SURE, SURE)
    left = bounded[start - 1] if start else SURE
    right = bounded[start + length - 1] if start + length - 1 < len(odds) else SURE
    total = left + right - bounded[start : start + length - 1].sum()
    return float(0.5 + total / (2 * SURE * (length + 1)))


def _places(text: str, stream: str) -> Iterator[int]:
    place = stream.find(text)
    for _ in range(MAX_PLACES):
        if place < 0:
            return
        yield place
        place = stream.find(text, place + 1)


def _grade(offsets: bytes, start: int, end: int) -> int:
    outer = _is_edge(offsets, start) + _is_edge(offsets, end)
    inner = any(_is_edge(offsets, place) for place in range(start + 1, end))
    if outer == 2:
        return WORDS if inner else WORD
    if not inner:
        return INSIDE
    return HALF if outer else ACROSS


def _is_edge(offsets: bytes, place: int) -> int:
    """One bit of the edges that `index.passages.encode_places` wrote."""
    bits = 4 + 12 * int.from_bytes(offsets[:4], "little")
    return offsets[bits + (place >> 3)] >> (7 - (place & 7)) & 1
