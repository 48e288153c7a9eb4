"""What the segmenter asks of a model: how likely a word border is in every gap of a text."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from segmenter.hashing import CodePoints
from segmenter.normalise import Normalizer
from segmenter.types import BoolArray, Int16Array

ScalarT = TypeVar("ScalarT", bound=np.generic)
_SPACE: Final = ord(" ")


class Tagger(Protocol):
    """Gives border log-odds on a fixed grid; the scores depend on the text and the criterion alone."""

    @property
    def criteria(self) -> tuple[str, ...]:
        """The segmentation standards it knows; the first is the default."""

    def fingerprint(self) -> str:
        """Changes when any score may change."""

    def boundary_scores(self, texts: Sequence[str], criterion: str | None = None) -> list[Int16Array]:
        """Log-odds of a border in each gap of each normalised text, in units of 1/64: int16[len(text) - 1] each."""


class GapScores(NamedTuple):
    """Log-odds of a border in each gap of one text, in units of 1/64: int16[len(text) - 1] each.

    decided: what the decision uses; wide, deep: the parts it comes of, None where a tagger does not tell
    asked: bool[len(text) - 1], where the deep part was asked; elsewhere `deep` is 0 and means nothing
    """

    decided: Int16Array
    wide: Int16Array | None = None
    deep: Int16Array | None = None
    asked: BoolArray | None = None

    def spread(self, kept: BoolArray) -> "GapScores":
        """The same for the gaps of a text of which the tagger saw the characters that were kept; see `spread`."""
        wide, deep = (None if column is None else spread(column, kept) for column in (self.wide, self.deep))
        asked = None if self.asked is None else spread(self.asked, kept)
        return GapScores(spread(self.decided, kept), wide, deep, asked)


@runtime_checkable
class ExplainingTagger(Protocol):
    """A tagger that can tell its parts apart."""

    def explain_scores(self, text: str, criterion: str | None = None) -> GapScores:
        """The scores of `boundary_scores`, and those of the parts."""


@runtime_checkable
class ManyTagger(Protocol):
    """A tagger that follows several standards at once, for less than one after the other."""

    def boundary_scores_by(self, texts: Sequence[str], criteria: Sequence[str]) -> list[list[Int16Array]]:
        """`boundary_scores` by each of the criteria."""


def scores_by_standard(tagger: Tagger, texts: Sequence[str], criteria: Sequence[str]) -> list[list[Int16Array]]:
    """`boundary_scores` by each of the criteria, at once where the tagger can."""
    if isinstance(tagger, ManyTagger):
        return tagger.boundary_scores_by(texts, criteria)
    return [tagger.boundary_scores(texts, criterion) for criterion in criteria]


def scores_by_part(tagger: Tagger, text: str, criterion: str | None = None) -> GapScores:
    """The scores of one normalised text, by parts where the tagger tells them."""
    if isinstance(tagger, ExplainingTagger):
        return tagger.explain_scores(text, criterion)
    return GapScores(tagger.boundary_scores([text], criterion)[0])


def single_spaces(points: CodePoints) -> BoolArray:
    """Which characters of a text a tagger gets to see: all but a space behind a space. bool[n]"""
    space = points == _SPACE
    kept: BoolArray = ~space
    kept[1:] |= ~space[:-1]
    kept[:1] = True
    return kept


def spread(column: NDArray[ScalarT], kept: BoolArray) -> NDArray[ScalarT]:
    """A column over the gaps of the kept characters as one over all gaps, n - 1 of n; zero beside what was left out."""
    found = np.zeros(len(kept) - 1, dtype=column.dtype)
    found[np.flatnonzero(kept)[1:] - 1] = column
    return found


def tagger_cutter(tagger: Tagger, criterion: str | None = None) -> Callable[[str], list[tuple[int, int]]]:
    """A cutter that follows a tagger alone: a border where the log-odds are above zero, or equal.

    Returned offsets lie in the original text; what the normaliser deletes belongs to the word before it.
    """
    normalizer = Normalizer()

    def cut(text: str) -> list[tuple[int, int]]:
        form = normalizer.normalize(text)
        if not form.text:
            return [(0, len(text))] if text else []
        scores = tagger.boundary_scores([form.text], criterion)[0]
        inner = form.starts[1:][(scores >= 0) & (form.starts[1:] != form.starts[:-1])]
        borders = np.concatenate([[0], inner, [len(text)]]).tolist()
        return list(pairwise(borders))

    return cut
