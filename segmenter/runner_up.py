"""The best two paths through one stretch of a lattice, exactly: a Viterbi search that keeps two paths at each place.

The first is the path that `lattice.best_path` takes: ties go to the longer word, from the left. The second is the best
of all others (the k-best recursion of Huang and Chiang 2005, section 4, with k = 2 and one kind of step).
"""

from typing import NamedTuple

from segmenter.lattice import Edges

_Candidate = tuple[int, int, int]
"""(score, length of the first word, rank of the path behind it): larger is better, but for the rank."""


class Path(NamedTuple):
    """A path: the sum of the scores of its words, and the places where it begins, passes and ends."""

    score: int
    borders: tuple[int, ...]


def two_best(edges: Edges, first: int, last: int) -> list[Path]:
    """The best path from `first` to `last` and, if there is another, the second best.

    Edges lie within [first, last]; of those with the same ends the best counts. Time and memory are linear in them.
    """
    kept: dict[int, list[_Candidate]] = {last: [(0, 0, 0)]}
    following: dict[int, dict[int, int]] = {}
    for start, end, score in zip(*(column.tolist() for column in edges), strict=True):
        ends = following.setdefault(start, {})
        ends[end] = max(score, ends.get(end, score))
    for place in sorted(following, reverse=True):
        found = [
            (score + behind[0], end - place, -rank)
            for end, score in following[place].items()
            for rank, behind in enumerate(kept.get(end, []))
        ]
        kept[place] = sorted(found, reverse=True)[:2]
    return [_path(kept, first, last, rank) for rank in range(len(kept.get(first, [])))]


def _path(kept: dict[int, list[_Candidate]], first: int, last: int, rank: int) -> Path:
    score = kept[first][rank][0]
    place, borders = first, [first]
    while place < last:
        _, length, negative = kept[place][rank]
        place, rank = place + length, -negative
        borders.append(place)
    return Path(score, tuple(borders))
