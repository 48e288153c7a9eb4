"""What the Encoder has to beat: guessing a hidden character from its two neighbours by counting.

Shapes: M masked places, V vocabulary.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoder.data import Corpus
from encoder.mlm import Masked
from encoder.mlm_scores import Scores, scores_of
from encoder.tokenizers.base import FIRST_TEXT_ID, UNK

SMOOTHING = 20.0


class BigramBaseline:
    """P(c | left, right) proportional to P(c | left) P(right | c), from counts of adjacent characters.

    Conditional shares are drawn towards the unigram share with the weight of `SMOOTHING` observations (Dirichlet
    prior; MacKay & Peto 1995). A neighbour that is hidden itself, or lies beyond the text, is left out.
    """

    def __init__(self, pairs: NDArray[np.float32], singles: NDArray[np.float32]) -> None:
        """pairs: (V, V), how often the column follows the row; singles: (V,), how often each occurs."""
        share = (singles + 1) / (singles + 1).sum()
        rows = pairs.sum(axis=1, keepdims=True)
        conditional = (pairs + SMOOTHING * share) / (rows + SMOOTHING)
        self._next = torch.from_numpy(np.log(conditional, dtype=np.float32))  # [left, c]
        self._share = torch.from_numpy(np.log(share, dtype=np.float32))

    @classmethod
    def fit(cls, corpus: Corpus, vocabulary_size: int) -> BigramBaseline:
        """Count a corpus; pairs over the border of two windows do not count."""
        ids = corpus.ids.astype(np.int64)
        inside = np.ones(len(ids), dtype=np.bool_)
        inside[corpus.offsets[:-1]] = False
        codes = ids[:-1][inside[1:]] * vocabulary_size + ids[1:][inside[1:]]
        pairs = np.bincount(codes, minlength=vocabulary_size**2).reshape(vocabulary_size, vocabulary_size)
        singles = np.bincount(ids, minlength=vocabulary_size)
        return cls(pairs.astype(np.float32), singles.astype(np.float32))

    def logs(self, masked: Masked) -> Tensor:
        """Log-probabilities (M, V) at the masked places."""
        left, right = _neighbours(masked)
        before = torch.where(_known(left), self._next[left], self._share)
        after = torch.where(_known(right), self._next.T[right], torch.zeros(()))
        return (before + after).log_softmax(dim=-1)

    def score(self, masked: Masked) -> Scores:
        """The same measure as the model's own `score`."""
        return scores_of(self.logs(masked), masked)


def _neighbours(masked: Masked) -> tuple[Tensor, Tensor]:
    padded = np.pad(masked.inputs, ((0, 0), (1, 1)))
    row, column = np.divmod(masked.places, masked.inputs.shape[1])
    return torch.from_numpy(padded[row, column]), torch.from_numpy(padded[row, column + 2])


def _known(ids: Tensor) -> Tensor:
    return ((ids >= FIRST_TEXT_ID) | (ids == UNK))[:, None]
