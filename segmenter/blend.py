"""Wide and deep together: the wide part decides what it is sure of, the Encoder is asked about the rest.

In a gap where the wide part's log-odds are within `doubt`, a border scores `(deep_share * deep + bias) / 64` more,
rounded down, with `deep` the Encoder's log-odds there; and the sentence's chain (`segmenter.chain`) is decided anew
with that: a log-linear mixture of whole paths (Hinton 2002, "products of experts", section 2), two weights a criterion,
fitted on dev data. A sentence without such a gap keeps the wide part's scores.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.chain import Emissions, gap_log_odds
from segmenter.deep import DeepModel, windows_around
from segmenter.deep_inputs import DeepInputs
from segmenter.dictionary import Dictionary
from segmenter.features import Layout, lay_out
from segmenter.hashing import code_points
from segmenter.sentences import split_sentences
from segmenter.tagger import GapScores
from segmenter.types import BoolArray, Int16Array
from segmenter.wide import CERTAIN, WideTagger

_SCALE = 64
_SENTENCES = 512


@dataclass(frozen=True)
class Mixture:
    """How the two are mixed: `doubt` in units of 1/64 of log-odds, `deep_share` in 1/64, `bias` in 1/4096."""

    doubt: int = 64
    deep_share: int = 16
    bias: int = 0


class _Question(NamedTuple):
    """A window to be read, and where its answers belong in the group of sentences: int64[k] each."""

    window: DeepInputs
    gaps_in_window: NDArray[np.int64]
    gaps_in_group: NDArray[np.int64]


class _Group(NamedTuple):
    """Sentences with gaps in doubt: n characters laid out, sentences' starts among them, and the questions.

    text: int64[n], where the characters stand in the text
    """

    layout: Layout
    starts: NDArray[np.int64]
    questions: list[_Question]
    text: NDArray[np.int64]


class Answers(NamedTuple):
    """The Encoder's log-odds behind each of n characters, int64[n], and where it was asked, bool[n]."""

    deep: NDArray[np.int64]
    asked: BoolArray


class BlendedTagger:
    """A `Tagger` of both parts. A sentence's scores are the same alone, in a text, in a batch, on any thread."""

    def __init__(
        self,
        wide: WideTagger,
        deep: DeepModel,
        dictionary: Dictionary,
        mixtures: Mapping[str, Mixture] | None = None,
        threads: int = 1,
    ) -> None:
        """`mixtures`: by criterion; `threads`: how many windows are read at once."""
        self._wide, self._deep, self._dictionary = wide, deep, dictionary
        self._mixtures = dict(mixtures or {})
        self._threads = threads

    @property
    def criteria(self) -> tuple[str, ...]:
        """The segmentation standards it knows; the first is the default."""
        return self._wide.criteria

    def fingerprint(self) -> str:
        """Changes when any score may change."""
        mixtures = sorted(self._mixtures.items())
        return f"{self._wide.fingerprint()} {self._deep.fingerprint()} {mixtures}"

    def boundary_scores(self, texts: Sequence[str], criterion: str | None = None) -> list[Int16Array]:
        """Log-odds of a border in each gap of each normalised text, in units of 1/64: int16[len(text) - 1] each."""
        name = criterion or self.criteria[0]
        scores = self._wide.boundary_scores(texts, name)
        return [self._decided(text, wide, name)[0] for text, wide in zip(texts, scores, strict=True)]

    def explain_scores(self, text: str, criterion: str | None = None) -> GapScores:
        """The scores of one normalised text, and what either part said."""
        name = criterion or self.criteria[0]
        wide = self._wide.boundary_scores([text], name)[0]
        decided, answers = self._decided(text, wide, name)
        return GapScores(decided, wide, answers.deep.astype(np.int16), answers.asked)

    def _decided(self, text: str, wide: Int16Array, criterion: str) -> tuple[Int16Array, Answers]:
        """The scores of the gaps of a text, and what the Encoder said of them."""
        mixture = self._mixtures.get(criterion, Mixture())
        decided = wide.copy()
        said = Answers(np.zeros(len(wide), dtype=np.int64), np.zeros(len(wide), dtype=np.bool_))
        unsure = np.flatnonzero(np.abs(wide) < mixture.doubt)
        for group in self._groups(text, unsure):
            answers = self._answers(group, criterion)
            emissions = self._wide.emissions(group.layout, criterion)
            odds = mixed(emissions, group.starts, answers, mixture)
            is_gap = group.text < len(wide)
            gaps = group.text[is_gap]
            decided[gaps] = odds[is_gap]
            said.deep[gaps], said.asked[gaps] = answers.deep[is_gap], answers.asked[is_gap]
        return decided, said

    def _answers(self, group: _Group, criterion: str) -> Answers:
        size = len(group.text)
        found = Answers(np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.bool_))
        for question, odds in zip(group.questions, self._read(group.questions, criterion), strict=True):
            found.deep[question.gaps_in_group] = odds[question.gaps_in_window]
            found.asked[question.gaps_in_group] = True
        return found

    def _read(self, questions: Sequence[_Question], criterion: str) -> list[Int16Array]:
        """What the Encoder says of each window: int16[gaps of the window] each."""
        if self._threads > 1:
            with ThreadPoolExecutor(self._threads) as pool:
                return list(pool.map(lambda question: self._deep.odds(question.window, criterion), questions))
        return [self._deep.odds(question.window, criterion) for question in questions]

    def _groups(self, text: str, unsure: NDArray[np.int64]) -> Iterator[_Group]:
        """The sentences with gaps in doubt, some at a time."""
        if not len(unsure):
            return
        points = code_points(text)
        start, length = split_sentences(points)
        sentence = np.searchsorted(start, unsure, side="right") - 1
        which, first = np.unique(sentence, return_index=True)
        gaps = np.split(unsure, first[1:])
        for low in range(0, len(which), _SENTENCES):
            chosen = which[low : low + _SENTENCES]
            size, begin = length[chosen], start[chosen]
            starts = np.cumsum(size) - size
            in_text = np.arange(int(size.sum())) + np.repeat(begin - starts, size)
            layout = lay_out(points[in_text], size)
            inputs = self._deep.inputs(layout, self._dictionary)
            questions = [
                _Question(inputs.at(slice(place + left, place + right)), group - left, group + place)
                for place, in_sentence, count in zip(
                    starts.tolist(), _relative(gaps[low : low + _SENTENCES], begin), size.tolist(), strict=True
                )
                for left, right, group in windows_around(in_sentence, count)
            ]
            yield _Group(layout, starts, questions, in_text)


def _relative(gaps: Sequence[NDArray[np.int64]], begin: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Gaps of a text as gaps of their sentences."""
    return (inside - first for inside, first in zip(gaps, begin, strict=True))


def mixed(emissions: Emissions, starts: NDArray[np.int64], answers: Answers, mixture: Mixture) -> Int16Array:
    """Log-odds behind each of n characters, with the Encoder's answers in the chain: int16[n].

    emissions: the wide part's; starts: the sentences' first characters, int64[sentences].
    """
    more = np.where(answers.asked, (mixture.deep_share * answers.deep + mixture.bias) // _SCALE, 0).astype(np.int32)
    first, middle, last, only = emissions
    odds = gap_log_odds(Emissions(first, middle, last + more, only + more), starts)
    return np.clip(odds, -CERTAIN, CERTAIN).astype(np.int16)
