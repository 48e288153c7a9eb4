"""Best path through overlapping words, for all the independent stretches of a text at once.

Scores are integers on a fixed grid, so that no rounding can flip a cut. Ties go to the longer word, from the left.
A border that no word crosses is on every path: between two of them lies a *piece*, and pieces do not know each other.
"""

from array import array
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.types import BoolArray

Int64Array = NDArray[np.int64]

_LONGEST_VECTORISED = 48
_LENGTH_BITS = 20
_LENGTH_MASK = (1 << _LENGTH_BITS) - 1
_CHUNK = 1 << 14
_UNREACHABLE = -(1 << 40)


class Edges(NamedTuple):
    """Words as edges between borders: `start`, `end` and `score`, int64[m] each."""

    start: Int64Array
    end: Int64Array
    score: Int64Array

    def where(self, chosen: BoolArray) -> "Edges":
        """The edges chosen by a mask, bool[m]."""
        return Edges(self.start[chosen], self.end[chosen], self.score[chosen])

    def merged(self, other: "Edges") -> "Edges":
        """These edges and the others, sorted by start."""
        start, end, score = (np.concatenate(pair) for pair in zip(self, other, strict=True))
        order = np.argsort(start, kind="stable")
        return Edges(start[order], end[order], score[order])


def no_edges() -> Edges:
    """An empty set of edges."""
    return Edges(*(np.zeros(0, dtype=np.int64) for _ in Edges._fields))


def uncrossed(border: BoolArray, edges: Edges) -> BoolArray:
    """The borders that no edge crosses: bool[n + 1]."""
    depth = np.bincount(edges.start + 1, minlength=len(border)) - np.bincount(edges.end, minlength=len(border))
    found: BoolArray = border & (np.cumsum(depth)[: len(border)] == 0)
    return found


def best_path(piece_start: Int64Array, piece_end: Int64Array, edges: Edges, size: int) -> Int64Array:
    """The length of the edge taken at each place where the best path of a piece stands: int64[size + 1], 0 elsewhere.

    Every edge lies within one piece, and edges are sorted by start. A piece without a path has 0 at its start.
    """
    taken = np.zeros(size + 1, dtype=np.int64)
    piece = np.searchsorted(piece_start, edges.start, side="right") - 1
    is_long = piece_end - piece_start > _LONGEST_VECTORISED
    edge_is_long = is_long[piece]
    short = edges.where(~edge_is_long)
    _solve_short(short, piece_end[piece[~edge_is_long]], taken)
    chosen = _follow(piece_start[~is_long], piece_end[~is_long], taken)
    for first, last in zip(piece_start[is_long].tolist(), piece_end[is_long].tolist(), strict=True):
        inside = slice(*np.searchsorted(edges.start, [first, last]).tolist())
        _solve_long(Edges(*(column[inside] for column in edges)), first, last, chosen)
    return chosen


def _solve_short(edges: Edges, piece_end: Int64Array, taken: Int64Array) -> None:
    """Fill `taken` from the ends of the pieces backwards, all places at one distance from their end at once."""
    total = np.full(len(taken), _UNREACHABLE, dtype=np.int64)
    distance = piece_end - edges.start
    order = np.lexsort((edges.start, distance))
    start, end, score = (column[order] for column in edges)
    ends_piece = end == piece_end[order]
    bounds = np.searchsorted(distance[order], np.arange(1, int(distance.max(initial=0)) + 2))
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        if first == last:
            continue
        here = slice(first, last)
        value = score[here] + np.where(ends_piece[here], 0, total[end[here]])
        ranked = (value << _LENGTH_BITS) | (end[here] - start[here])
        groups = np.flatnonzero(np.diff(start[here], prepend=-1))
        best = np.maximum.reduceat(ranked, groups)
        places = start[here][groups]
        total[places] = best >> _LENGTH_BITS
        taken[places] = np.where(total[places] > _UNREACHABLE // 2, best & _LENGTH_MASK, 0)


def _follow(piece_start: Int64Array, piece_end: Int64Array, taken: Int64Array) -> Int64Array:
    """Keep of `taken` what lies on the paths from the starts of the pieces."""
    chosen = np.zeros_like(taken)
    place = piece_start
    end = piece_end
    while len(place):
        chosen[place] = taken[place]
        following = place + taken[place]
        going = (following < end) & (following > place)
        place, end = following[going], end[going]
    return chosen


def _solve_long(edges: Edges, first: int, last: int, chosen: Int64Array) -> None:
    """One piece by itself, in time linear in its edges, which are sorted by start."""
    total = array("q", [_UNREACHABLE]) * (last - first + 1)
    taken = array("q", [0]) * (last - first + 1)
    total[-1] = 0
    for start, length, score in _backwards(edges, first):
        after = total[start + length]
        value = after + score
        best = total[start]
        if after > _UNREACHABLE and (value > best or (value == best and length > taken[start])):
            total[start], taken[start] = value, length
    place = 0
    while taken[place]:
        chosen[first + place] = taken[place]
        place += taken[place]


def _backwards(edges: Edges, first: int) -> Iterator[tuple[int, int, int]]:
    """(start - first, length, score) from the last edge to the first, a bounded number of them made at a time."""
    for high in range(len(edges.start), 0, -_CHUNK):
        start, end, score = (column[max(high - _CHUNK, 0) : high][::-1] for column in edges)
        yield from zip((start - first).tolist(), (end - start).tolist(), score.tolist(), strict=True)
