"""Wide and deep together: the wide part decides what it is sure of, the Encoder is asked about the rest.

In a gap where the wide part's log-odds are within `doubt`, the score becomes
`(wide_share * wide + deep_share * deep + bias) / 64`, rounded down: a log-linear mixture of the two (Hinton 2002,
"products of experts", section 2) with two weights fitted on dev data. Elsewhere the wide score stands.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.deep import DeepModel, windows_around
from segmenter.deep_inputs import DeepInputs
from segmenter.dictionary import Dictionary
from segmenter.features import lay_out
from segmenter.hashing import code_points
from segmenter.sentences import split_sentences
from segmenter.tagger import GapScores
from segmenter.types import Int16Array
from segmenter.wide import CERTAIN, WideTagger

_SCALE = 64
_SENTENCES = 512


@dataclass(frozen=True)
class Mixture:
    """How the two are mixed: `doubt` in units of 1/64 of log-odds, shares in 1/64, `bias` in 1/4096 of log-odds."""

    doubt: int = 64
    wide_share: int = 64
    deep_share: int = 16
    bias: int = 0


class _Question(NamedTuple):
    """A window to be read, and where its answers belong in the text: int64[k] each."""

    window: DeepInputs
    gaps_in_window: NDArray[np.int64]
    gaps_in_text: NDArray[np.int64]


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
        mixture = self._mixtures.get(name, Mixture())
        return [self._asked(text, odds, name, mixture) for text, odds in zip(texts, scores, strict=True)]

    def explain_scores(self, text: str, criterion: str | None = None) -> GapScores:
        """The scores of one normalised text, and what either part said."""
        name = criterion or self.criteria[0]
        wide = self._wide.boundary_scores([text], name)[0]
        mixture = self._mixtures.get(name, Mixture())
        deep, asked = np.zeros_like(wide), np.zeros(len(wide), dtype=np.bool_)
        places, answers = self._deep_answers(text, np.flatnonzero(np.abs(wide) < mixture.doubt), name)
        deep[places], asked[places] = answers, True
        return GapScores(mixed(wide, places, answers, mixture), wide, deep, asked)

    def _asked(self, text: str, odds: Int16Array, criterion: str, mixture: Mixture) -> Int16Array:
        """The scores, with the mixed ones put where the wide part is in doubt."""
        places, deep = self._deep_answers(text, np.flatnonzero(np.abs(odds) < mixture.doubt), criterion)
        return mixed(odds, places, deep, mixture)

    def _deep_answers(
        self, text: str, unsure: NDArray[np.int64], criterion: str
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(places, log-odds) of the Encoder for these gaps: int64[k] each."""
        if not len(unsure):
            return unsure, unsure
        questions = self._questions(text, unsure)
        if self._threads > 1:
            with ThreadPoolExecutor(self._threads) as pool:
                answers = pool.map(lambda question: self._answer(question, criterion), questions)
                found = list(answers)
        else:
            found = [self._answer(question, criterion) for question in questions]
        places = np.concatenate([place for place, _ in found])
        return places, np.concatenate([answer for _, answer in found]).astype(np.int64)

    def _answer(self, question: _Question, criterion: str) -> tuple[NDArray[np.int64], Int16Array]:
        return question.gaps_in_text, self._deep.odds(question.window, criterion)[question.gaps_in_window]

    def _questions(self, text: str, unsure: NDArray[np.int64]) -> Iterator[_Question]:
        """The windows around the unsure gaps, sentence by sentence."""
        points = code_points(text)
        start, length = split_sentences(points)
        sentence = np.searchsorted(start, unsure, side="right") - 1
        which, first = np.unique(sentence, return_index=True)
        groups = np.split(unsure, first[1:])
        for low in range(0, len(which), _SENTENCES):
            chosen = which[low : low + _SENTENCES].tolist()
            inside = np.concatenate([points[start[s] : start[s] + length[s]] for s in chosen])
            inputs = self._deep.inputs(lay_out(inside, length[chosen]), self._dictionary)
            places = (np.cumsum(length[chosen]) - length[chosen]).tolist()
            for place, s, gaps in zip(places, chosen, groups[low : low + _SENTENCES], strict=True):
                for left, right, group in windows_around(gaps - start[s], int(length[s])):
                    window = inputs.at(slice(place + left, place + right))
                    yield _Question(window, group - left, group + start[s])


def mixed(wide: Int16Array, places: NDArray[np.int64], deep: NDArray[np.int64], mixture: Mixture) -> Int16Array:
    """The wide scores with the mixture at these places."""
    odds = wide.copy()
    mixed = (mixture.wide_share * wide[places].astype(np.int64) + mixture.deep_share * deep + mixture.bias) // _SCALE
    odds[places] = np.clip(mixed, -CERTAIN, CERTAIN)
    return odds
