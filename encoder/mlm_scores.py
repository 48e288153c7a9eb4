"""How well hidden words are guessed, character by character and as whole words.

Shapes: M masked places, V vocabulary, W hidden words.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

TOP = 5


class Scores(NamedTuple):
    """Of each place the loss in nats and how many characters were thought likelier than the right one, (M,) each;
    of each hidden word how many strings of its length were, (W,), counted up to TOP.
    """

    losses: NDArray[np.float64]
    ranks: NDArray[np.int64]
    word_ranks: NDArray[np.int64]


class Hidden(Protocol):
    """What was hidden: the right ids and the numbers of the words they belong to, (M,) each, words in order."""

    @property
    def targets(self) -> NDArray[np.int64]:
        """The right ids."""

    @property
    def words(self) -> NDArray[np.int64]:
        """The word of each place."""


def scores_of(logs: Tensor, hidden: Hidden) -> Scores:
    """Score log-probabilities (M, V). The chance of a word's string is the product over its places."""
    right = logs.gather(1, torch.from_numpy(hidden.targets)[:, None])
    ranks = (logs > right).sum(dim=-1).numpy()
    values, ids = (part.tolist() for part in logs.topk(min(TOP, logs.shape[1])))
    borders = np.flatnonzero(np.diff(hidden.words, prepend=-1, append=-1))
    word_ranks = [
        _word_rank(values[a:b], ids[a:b], hidden.targets[a:b].tolist()) if ranks[a:b].max() < TOP else TOP
        for a, b in pairwise(borders)
    ]
    return Scores(-right[:, 0].double().numpy(), ranks, np.array(word_ranks, dtype=np.int64))


def likeliest(
    values: Sequence[Sequence[float]], ids: Sequence[Sequence[int]], count: int
) -> list[tuple[float, tuple[int, ...]]]:
    """The `count` likeliest strings as (log-probability, ids), best first.

    values, ids: for each place its best characters, best first, at least `count` of them or all there are.
    """
    best: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for logs, options in zip(values, ids, strict=True):
        longer = ((a + b, (*left, id_)) for a, left in best for b, id_ in zip(logs, options, strict=True))
        best = heapq.nlargest(count, longer, key=lambda pair: pair[0])
    return best


def summary(scores: Sequence[Scores]) -> dict[str, float]:
    """Mean `loss` in nats, shares `top1` and `top5` of characters, `word_top1` and `word_top5` of whole words."""
    rank = np.concatenate([one.ranks for one in scores])
    word_rank = np.concatenate([one.word_ranks for one in scores])
    return {
        "loss": float(np.concatenate([one.losses for one in scores]).mean()),
        "top1": float((rank < 1).mean()),
        "top5": float((rank < TOP).mean()),
        "word_top1": float((word_rank < 1).mean()),
        "word_top5": float((word_rank < TOP).mean()),
    }


def _word_rank(values: list[list[float]], ids: list[list[int]], right: list[int]) -> int:
    best = [word for _, word in likeliest(values, ids, TOP)]
    return best.index(tuple(right)) if tuple(right) in best else TOP
