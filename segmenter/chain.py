"""Exact inference in a chain of word borders, in integers: equal on every platform, however texts are batched.

The state of a gap is "border" (1) or "no border" (0). A character between gaps l and r scores `B` (1, 0), `M` (0, 0),
`E` (0, 1) or `S` (1, 1), in whatever unit. The log-odds of a gap is the score of the best path with a border there
less that of the best without. Scores compose in the (max, +) semiring, which is associative and exact in integers, so a
long chain may be cut into chunks, wherever, without changing anything (Kschischang et al., 2001, generalised
distributive law).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.int32]

FORCED = 1 << 20
"""Stands for infinity: more than any difference that scores of one character can make."""

_CHUNK = 128
_FEW = 640
"""Characters that are gone through one by one; of more, chunks side by side are faster."""


class Emissions(NamedTuple):
    """Scores of each character as first, middle, last and only one of a word: int32[n] each."""

    first: Scores
    middle: Scores
    last: Scores
    only: Scores


def gap_log_odds(emissions: Emissions, starts: NDArray[np.int64]) -> Scores:
    """Log-odds of a border behind each character: int32[n]; `FORCED` or more at the ends of sentences.

    The chain holds sentences one after the other; `starts` are their first characters. Borders are forced between them.
    """
    size = len(emissions.first)
    if not size:
        return np.zeros(0, dtype=np.int32)
    emissions = _with_forced_borders(emissions, starts)
    if size <= _FEW:
        return _one_chunk(emissions)
    columns = _chunks(emissions, _CHUNK)
    entry, leaving = _borders_of_chunks(columns)
    odds = _forward(columns, entry) + _backward(columns, leaving)
    return odds.T.reshape(-1)[:size]


def _one_chunk(emissions: Emissions) -> Scores:
    """The log-odds of a chain so short that numbers one by one are faster than columns."""
    rows = list(zip(*(column.tolist() for column in emissions), strict=True))
    before: list[int] = []
    odds = FORCED
    for first, middle, last, only in rows:
        odds = max(last, odds + only) - max(middle, odds + first)
        before.append(odds)
    behind: list[int] = []
    odds = FORCED
    for first, middle, last, only in reversed(rows):
        behind.append(odds)
        odds = max(first, only + odds) - max(middle, last + odds)
    return np.array(before, dtype=np.int32) + np.array(behind[::-1], dtype=np.int32)


def _certain(count: int) -> Scores:
    return np.full(count, FORCED, dtype=np.int32)


def _with_forced_borders(emissions: Emissions, starts: NDArray[np.int64]) -> Emissions:
    first, middle, last, only = (column.copy() for column in emissions)
    ends = np.append(starts[1:], len(first)) - 1
    for column, places in ((middle, starts), (last, starts), (first, ends), (middle, ends)):
        column[places] -= FORCED
    return Emissions(first, middle, last, only)


def _chunks(emissions: Emissions, length: int) -> Emissions:
    """Each column as a table, one chunk a column: int32[length, chunks], filled up with words of one character."""
    count = -(-len(emissions.first) // length)
    tables = []
    for column, fill in zip(emissions, (-FORCED, -FORCED, -FORCED, 0), strict=True):
        padded = np.full(count * length, fill, dtype=np.int32)
        padded[: len(column)] = column
        tables.append(np.ascontiguousarray(padded.reshape(count, length).T))
    return Emissions(*tables)


def _forward(columns: Emissions, entry: Scores) -> Scores:
    """What the characters up to each gap say for a border there: int32[length, chunks]."""
    said = np.empty_like(columns.first)
    odds = entry
    for i, (first, middle, last, only) in enumerate(zip(*columns, strict=True)):
        odds = np.maximum(last, odds + only) - np.maximum(middle, odds + first)
        said[i] = odds
    return said


def _backward(columns: Emissions, leaving: Scores) -> Scores:
    """What the characters behind each gap say for a border there: int32[length, chunks]."""
    said = np.empty_like(columns.first)
    odds = leaving
    for i in range(len(said) - 1, -1, -1):
        said[i] = odds
        first, middle, last, only = (table[i] for table in columns)
        odds = np.maximum(first, only + odds) - np.maximum(middle, last + odds)
    return said


def _borders_of_chunks(columns: Emissions) -> tuple[Scores, Scores]:
    """Forward odds with which each chunk is entered and backward odds with which it is left: int32[chunks] each."""
    whole = _products(columns)
    entry, leaving = _certain(len(whole)), _certain(len(whole))
    rows = whole.tolist()
    for chunk, (none, last, first, both) in enumerate(rows[:-1]):
        odds = int(entry[chunk])
        entry[chunk + 1] = max(last, odds + both) - max(none, odds + first)
    for chunk in range(len(rows) - 1, 0, -1):
        none, last, first, both = rows[chunk]
        odds = int(leaving[chunk])
        leaving[chunk - 1] = max(first, both + odds) - max(none, last + odds)
    return entry, leaving


def _products(columns: Emissions) -> NDArray[np.int64]:
    """Best score through each chunk by its outer gaps (0, 0), (0, 1), (1, 0), (1, 1): int64[chunks, 4]."""
    tables = [table.astype(np.int64) for table in columns]
    best_10, best_00, best_01, best_11 = (table[0] for table in tables)
    for first, middle, last, only in zip(*(table[1:] for table in tables), strict=True):
        best_00, best_01 = (
            np.maximum(best_00 + middle, best_01 + first),
            np.maximum(best_00 + last, best_01 + only),
        )
        best_10, best_11 = (
            np.maximum(best_10 + middle, best_11 + first),
            np.maximum(best_10 + last, best_11 + only),
        )
    return np.stack([best_00, best_01, best_10, best_11], axis=1)
