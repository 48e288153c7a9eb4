"""Why a text is cut the way it is: what the dictionary offered, what the model believed, which rule decided each gap.

>>> from segmenter.analyzer import Analyzer
>>> found = Analyzer.default(mode="dictionary").explain("产品和服务")
>>> [(gap.at, gap.border, gap.reason.value, [word.text for word in gap.crossed_by]) for gap in found.gaps[1:3]]
[(2, True, 'uncrossed', []), (3, True, 'path', ['和服'])]
"""

import math
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final

import numpy as np

from segmenter.dictionary import GRID
from segmenter.errors import SegmenterError
from segmenter.lattice import Edges
from segmenter.normalise import Normalized
from segmenter.runner_up import two_best
from segmenter.runs import KINDS, Units, find_units
from segmenter.segment import Lattice, Pieces, Segmenter, pieces_of
from segmenter.tagger import GapScores
from segmenter.types import Source
from segmenter.user_words import FORCED_SCORE

LONGEST_TEXT: Final = 1000
"""Characters, in the original and in normal form."""


class ExplainTooLongError(SegmenterError):
    """The text is too long to be explained."""

    def __init__(self, length: int) -> None:
        super().__init__(f"the text has {length} characters; {LONGEST_TEXT} at most are explained at once")


class Reason(StrEnum):
    """What decided a gap."""

    RULE = "rule"
    """The gap lies inside a unit (a Latin word, a number, a date, ...) or inside one original character."""
    RULED = "ruled"
    """A rule parts here, or keeps whole, what the model or the dictionary would not (`docs/rules.md`)."""
    FORCED = "forced"
    """It is an end of a forced user word, or lies inside one."""
    UNCROSSED = "uncrossed"
    """No word crosses it, so it is a border on every path."""
    USER = "user"
    """The best path takes a user word that begins, ends or goes on here."""
    PATH = "path"
    """The best path, by the scores of its words; see the stretch for its rival and the margin."""


@dataclass(frozen=True, slots=True)
class OfferedWord:
    """A word of the lattice: original offsets, source, score in natural log units, and whether it was taken."""

    text: str
    start: int
    end: int
    source: str
    score: float
    taken: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """The gap before original offset `at`, between two characters.

    probability: of a border as the decision uses it; wide, deep: that of each part, None where it was not asked or is
    not known; all None in dictionary mode
    crossed_by: the words that were offered and go across; unit: the kind of unit around it where a rule decided
    stretch: the number of the stretch it lies in, None where nothing was open
    """

    at: int
    left: str
    right: str
    border: bool
    reason: Reason
    probability: float | None
    wide: float | None
    deep: float | None
    crossed_by: tuple[OfferedWord, ...]
    unit: str | None = None
    stretch: int | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the text with something to decide: the path taken, the best other path, and by how much it lost.

    score, margin: in natural log units; runner_up and margin are None where a forced word leaves no other path
    """

    start: int
    end: int
    path: tuple[str, ...]
    score: float
    runner_up: tuple[str, ...] | None
    margin: float | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that was looked at for one text; `criterion` is the standard that was asked for, if any."""

    text: str
    mode: str
    criterion: str | None
    words: tuple[str, ...]
    offered: tuple[OfferedWord, ...]
    gaps: tuple[Gap, ...]
    stretches: tuple[Stretch, ...]
    fingerprint: str

    def as_dict(self) -> dict[str, Any]:
        """JSON values only."""
        return asdict(self)


def explain(
    segmenter: Segmenter, normalized: Normalized, text: str, criterion: str | None, fingerprint: str
) -> Explanation:
    """Explain the cut of one text. Raises ExplainTooLongError, UnknownCriterionError."""
    if max(len(text), len(normalized.points)) > LONGEST_TEXT:
        raise ExplainTooLongError(max(len(text), len(normalized.points)))
    cut = segmenter.cut(normalized, criterion)
    units = find_units(normalized)
    lattice = segmenter.lattice(normalized, units, criterion)
    view = _View(text, normalized, units, lattice, pieces_of(lattice), set(cut.start.tolist()))
    offered = view.offered()
    scores = segmenter.gap_scores(normalized, criterion) if text else None
    return Explanation(
        text=text,
        mode="model" if segmenter.criteria else "dictionary",
        criterion=criterion,
        words=tuple(view.original(a, b) for a, b in zip(cut.start.tolist(), cut.end.tolist(), strict=True)),
        offered=tuple(word for word, _, _ in offered),
        gaps=tuple(view.gaps(offered, scores)),
        stretches=tuple(view.stretches()),
        fingerprint=fingerprint,
    )


_Placed = tuple[OfferedWord, int, int]
"""A word with its place in the normalised text."""


class _View:
    """A decided lattice with the original text behind it."""

    def __init__(
        self,
        text: str,
        normalized: Normalized,
        units: Units,
        lattice: Lattice,
        pieces: Pieces,
        borders: set[int],
    ) -> None:
        self._text, self._normalized, self._units = text, normalized, units
        self._lattice, self._pieces = lattice, pieces
        self._borders = borders | {len(normalized.points)}
        self._user = _places(lattice.user)
        self._model = _places(lattice.model)

    def original(self, start: int, end: int) -> str:
        """The original text of normalised characters [start, end)."""
        return self._text[self._normalized.starts[start] : self._normalized.ends[end - 1]]

    def offered(self) -> list[_Placed]:
        """The words of the lattice, each once, and the single units that are words, by start and length."""
        best: dict[tuple[int, int], int] = {}
        lattice = self._lattice
        single = np.flatnonzero(lattice.border[:-1] & lattice.known)
        ends = self._unit_ends(single.tolist())
        for start, end, score in (
            *zip(*(column.tolist() for column in lattice.words), strict=True),
            *zip(single.tolist(), ends, lattice.score[single].tolist(), strict=True),
        ):
            best[start, end] = max(score, best.get((start, end), score))
        return [(self._word(start, end, score), start, end) for (start, end), score in sorted(best.items())]

    def _unit_ends(self, starts: list[int]) -> list[int]:
        bounds = np.flatnonzero(self._lattice.border)
        found: list[int] = bounds[np.searchsorted(bounds, starts, side="right")].tolist()
        return found

    def _word(self, start: int, end: int, score: int) -> OfferedWord:
        place = (start, end)
        source = Source.USER if place in self._user else Source.MODEL if place in self._model else Source.DICTIONARY
        plain = score - FORCED_SCORE if score >= FORCED_SCORE // 2 else score
        taken = start in self._borders and end in self._borders
        taken = taken and not any(inner in self._borders for inner in range(start + 1, end))
        low, high = int(self._normalized.starts[start]), int(self._normalized.ends[end - 1])
        return OfferedWord(self._text[low:high], low, high, source.value, plain / GRID, taken)

    def gaps(self, offered: list[_Placed], scores: GapScores | None) -> list[Gap]:
        """Every gap between two normalised characters."""
        size = len(self._normalized.points)
        crossed: list[list[OfferedWord]] = [[] for _ in range(size + 1)]
        deciding: list[Reason | None] = [None] * (size + 1)
        forced = self._forced()
        for word, start, end in offered:
            for place in range(start + 1, end):
                crossed[place].append(word)
            if word.taken and word.source == Source.USER:
                reason = Reason.FORCED if (start, end) in forced else Reason.USER
                for place in range(start, end + 1):
                    deciding[place] = Reason.FORCED if Reason.FORCED in (deciding[place], reason) else reason
        return [self._gap(place, crossed[place], deciding[place], scores) for place in range(1, size)]

    def _forced(self) -> set[tuple[int, int]]:
        lattice = self._lattice
        single = np.flatnonzero(lattice.score >= FORCED_SCORE // 2)
        alone = zip(single.tolist(), self._unit_ends(single.tolist()), strict=True)
        return _places(lattice.words.where(lattice.words.score >= FORCED_SCORE // 2)) | set(alone)

    def _gap(self, place: int, crossed: list[OfferedWord], user: Reason | None, scores: GapScores | None) -> Gap:
        form, border = self._normalized, self._lattice.border
        unit = None
        if not border[place]:
            first = int(np.flatnonzero(border[:place])[-1])
            unit, reason = KINDS[int(self._units.kind[first])].value, Reason.RULE
        elif user is not None:
            reason = user
        elif self._lattice.ruled[place] and (place in self._borders) == (
            scores is None or scores.decided[place - 1] <= 0
        ):
            reason = Reason.RULED
        else:
            reason = Reason.UNCROSSED if self._pieces.sure[place] else Reason.PATH
        inside = np.searchsorted(self._pieces.start, place, side="right") - 1
        is_open = inside >= 0 and place < self._pieces.end[inside] and place > self._pieces.start[inside]
        return Gap(
            at=int(form.starts[place]),
            left=form.text[place - 1],
            right=form.text[place],
            border=place in self._borders,
            reason=reason,
            probability=_probability(scores.decided[place - 1]) if scores else None,
            wide=_probability(scores.wide[place - 1]) if scores and scores.wide is not None else None,
            deep=_deep(scores, place - 1) if scores else None,
            crossed_by=tuple(crossed),
            unit=unit,
            stretch=int(inside) if is_open else None,
        )

    def stretches(self) -> list[Stretch]:
        """The open stretches with their best two paths."""
        starts, ends, edges = self._pieces.start, self._pieces.end, self._pieces.edges
        low_high = np.searchsorted(edges.start, [starts, ends]).tolist()
        bounds = zip(starts.tolist(), ends.tolist(), *low_high, strict=True)
        return [
            self._stretch(first, last, Edges(*(column[low:high] for column in edges)))
            for first, last, low, high in bounds
        ]

    def _stretch(self, first: int, last: int, edges: Edges) -> Stretch:
        best, *others = two_best(edges, first, last)
        margin = best.score - others[0].score if others else None
        if margin is not None and margin >= FORCED_SCORE // 2:
            margin = None
        forced = sum(first <= start and end <= last for start, end in self._forced())
        return Stretch(
            start=int(self._normalized.starts[first]),
            end=int(self._normalized.ends[last - 1]),
            path=self._words_of(best.borders),
            score=(best.score - forced * FORCED_SCORE) / GRID,
            runner_up=self._words_of(others[0].borders) if margin is not None else None,
            margin=None if margin is None else margin / GRID,
        )

    def _words_of(self, borders: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(self.original(start, end) for start, end in pairwise(borders))


def _places(words: Edges) -> set[tuple[int, int]]:
    return set(zip(words.start.tolist(), words.end.tolist(), strict=True))


def _deep(scores: GapScores, gap: int) -> float | None:
    if scores.deep is None or scores.asked is None or not scores.asked[gap]:
        return None
    return _probability(scores.deep[gap])


def _probability(odds: int) -> float:
    """Of a border, from log-odds in units of 1/64."""
    return 1 / (1 + math.exp(-int(odds) / GRID))
