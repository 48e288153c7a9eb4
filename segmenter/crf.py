"""Training of a linear-chain conditional random field over word borders with sparse features (Lafferty et al., 2001).

The same chain as `segmenter.chain`, with sums of exponentials in place of maxima, and AdaGrad (Duchi et al., 2011) on
the rows that a batch touches.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segmenter.features import places_of

Floats = NDArray[np.float32]

_IMPOSSIBLE = -1e9
_SMALLEST_GRADIENT = 1e-3


@dataclass(frozen=True)
class Corpus:
    """Sentences as rows of features.

    features: int32[n, f], row numbers of each character's features, -1 for none
    border: bool[n], whether a word ends with the character; start, length: int64[sentences]
    """

    features: NDArray[np.int32]
    border: NDArray[np.bool_]
    start: NDArray[np.int64]
    length: NDArray[np.int64]


def marginals(emissions: NDArray[np.float64], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Probabilities that each character is first, middle, last or only one of a word: float64[steps, sentences, 4].

    `emissions` has the shape of the result, `mask`, bool[steps, sentences], says where there is a character (sentences
    begin at step 0). Forward-backward in logarithms; borders are forced at both ends of a sentence.
    """
    steps, sentences, _ = emissions.shape
    forward = np.empty((steps + 1, sentences, 2))
    backward = np.empty((steps + 1, sentences, 2))
    forward[0] = backward[steps] = (_IMPOSSIBLE, 0.0)
    for i in range(steps):
        first, middle, last, only = np.moveaxis(emissions[i], 1, 0)
        none, border = forward[i].T
        forward[i + 1, :, 0] = np.logaddexp(none + middle, border + first)
        forward[i + 1, :, 1] = np.logaddexp(none + last, border + only)
    for i in range(steps - 1, -1, -1):
        first, middle, last, only = np.moveaxis(emissions[i], 1, 0)
        none, border = backward[i + 1].T
        backward[i, :, 0] = np.where(mask[i], np.logaddexp(middle + none, last + border), _IMPOSSIBLE)
        backward[i, :, 1] = np.where(mask[i], np.logaddexp(first + none, only + border), 0.0)
    joint = emissions + forward[:-1][:, :, [1, 0, 0, 1]] + backward[1:][:, :, [0, 0, 1, 1]]
    joint -= backward[0, :, 1][None, :, None]
    probabilities: NDArray[np.float64] = np.exp(np.minimum(joint, 0.0))
    return probabilities


class Trainer:
    """Weights of all features and their AdaGrad state: float32[rows + 1, 3]; the last row stays zero, for "none"."""

    def __init__(self, rows: int, weights: Floats | None = None) -> None:
        self.weights = np.zeros((rows + 1, 3), dtype=np.float32)
        if weights is not None:
            self.weights[:rows] = weights
        self._squares = np.full_like(self.weights, 1e-3)
        self._gradient = np.zeros_like(self.weights)

    def emissions(self, features: NDArray[np.int32]) -> Floats:
        """Scores of characters as first, last and only one of a word: float32[n, 3]."""
        total = np.zeros((len(features), 3), dtype=np.float32)
        for column in features.T:
            total += self.weights[column]
        return total

    def epoch(self, corpus: Corpus, rates: tuple[float, float], rng: np.random.Generator, batch: int = 48) -> float:
        """One pass over the sentences in random order; the learning rate falls from the first rate to the second.

        Returns the mean negative log-likelihood of a character's place in its word.
        """
        order = rng.permutation(len(corpus.start))
        loss = 0.0
        for first in range(0, len(order), batch):
            rate = rates[0] + (rates[1] - rates[0]) * first / len(order)
            loss += self._step(corpus, order[first : first + batch], rate)
        return loss / max(len(corpus.features), 1)

    def _step(self, corpus: Corpus, sentences: NDArray[np.int64], rate: float) -> float:
        length = corpus.length[sentences]
        places = places_of(corpus.start[sentences], length)
        features = corpus.features[places]
        gradient, loss = _gradient(self.emissions(features), corpus.border[places], length)
        telling = np.abs(gradient).max(axis=1) > _SMALLEST_GRADIENT
        self._update(features[telling], gradient[telling], rate)
        return loss

    def _update(self, features: NDArray[np.int32], gradient: Floats, rate: float) -> None:
        """One AdaGrad step on the rows of `features`; a row that occurs often gets the sum of its gradients."""
        present = features >= 0
        rows = features[present].astype(np.int64)
        each = np.broadcast_to(gradient[:, None, :], (*features.shape, 3))[present]
        flat = self._gradient.reshape(-1)
        for label in range(3):
            np.add.at(flat, rows * 3 + label, each[:, label])
        summed = self._gradient[rows]
        squares = self._squares[rows] + summed * summed
        self._squares[rows] = squares
        self.weights[rows] = self.weights[rows] - np.float32(rate) * summed / np.sqrt(squares)
        self._gradient[rows] = 0.0


def _gradient(emissions: Floats, border: NDArray[np.bool_], length: NDArray[np.int64]) -> tuple[Floats, float]:
    """Gradient of the negative log-likelihood by emission, float32[n, 3], and the loss summed over characters."""
    steps, count = int(length.max()), len(length)
    column = np.repeat(np.arange(count), length)
    step = np.arange(len(column)) - np.repeat(np.cumsum(length) - length, length)
    table = np.zeros((steps, count, 4))
    table[step, column] = np.insert(emissions, 1, 0.0, axis=1)
    mask = np.zeros((steps, count), dtype=bool)
    mask[step, column] = True
    probabilities = marginals(table, mask)[step, column]
    label = _labels(border, step)
    gold = np.arange(len(label))
    loss = -float(np.log(np.maximum(probabilities[gold, label], 1e-9)).sum())
    probabilities[gold, label] -= 1.0
    return probabilities[:, [0, 2, 3]].astype(np.float32), loss


def _labels(border: NDArray[np.bool_], step: NDArray[np.int64]) -> NDArray[np.int64]:
    """0 first, 1 middle, 2 last, 3 only, from the borders before and behind each character."""
    before = np.concatenate([np.ones(1, dtype=bool), border[:-1]]) | (step == 0)
    return np.where(before, np.where(border, 3, 0), np.where(border, 2, 1))
