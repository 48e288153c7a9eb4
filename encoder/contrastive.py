"""Training sentence vectors: texts that belong together must find each other among the other texts of a batch.

A *group* is a list of windows of one document, the first of which may be its title. A pair is the title and one of the
other windows, or two neighbouring windows (as in Izacard et al. 2022, "Unsupervised dense information retrieval with
contrastive learning", where spans of one document are positives).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoder.config import TrainingConfig
from encoder.data import Corpus, padded_rows
from encoder.heads import SentenceEmbedder, info_nce
from encoder.model import Encoder, present_in
from encoder.task import Validation
from encoder.tokenizers.base import Tokenizer

_PAIRS = 7


@dataclass(frozen=True)
class Groups:
    """Documents as windows of ids.

    Attributes:
        windows: all windows, one document after the other.
        offsets: int64 (documents + 1,), document d has the windows `offsets[d]:offsets[d + 1]`, at least two.
        titled: bool (documents,), whether the first window is a title.
    """

    windows: Corpus
    offsets: NDArray[np.int64]
    titled: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.titled)

    @classmethod
    def build(cls, documents: Iterable[tuple[bool, Sequence[str]]], tokenizer: Tokenizer) -> Groups:
        """From (titled, windows) of each document; documents with fewer than two windows are left out."""
        kept = [(titled, windows) for titled, windows in documents if len(windows) > 1]
        windows = Corpus.build((text for _, texts in kept for text in texts), tokenizer)
        offsets = np.cumsum([0, *(len(texts) for _, texts in kept)])
        return cls(windows, offsets, np.array([titled for titled, _ in kept], dtype=np.bool_))

    def pairs(self, documents: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.int64]:
        """One pair of windows of each of the documents: int64 (documents, 2)."""
        first, last = self.offsets[documents], self.offsets[documents + 1]
        by_title = self.titled[documents] & (generator.random(len(documents)) < 0.8)
        start = first + (self.titled[documents] & ~by_title & (last - first > 2))
        left = np.where(by_title, first, generator.integers(start, last - 1))
        right = np.where(by_title, generator.integers(first + 1, last), left + 1)
        return np.stack([left, right], axis=1)


class ContrastiveTask:
    """Vectors by which the two windows of a pair find each other; measured by how often they do on `valid`."""

    name = "sentence vectors"

    def __init__(
        self,
        encoder: Encoder,
        training: TrainingConfig,
        train: Groups,
        valid: Groups,
        *,
        size: int = 256,
        pairs: int = 64,
        temperature: float = 0.05,
    ) -> None:
        torch.manual_seed(training.seed)
        self.module: SentenceEmbedder = SentenceEmbedder(encoder, size)
        self.training, self.train, self.valid = training, train, valid
        self.pairs, self.temperature = pairs, temperature

    def identity(self) -> Mapping[str, Any]:
        """Shape, data and objective."""
        return {
            "encoder": self.module.encoder.config.to_dict(),
            "size": self.module.project.out_features,
            "data": {"train": self.train.windows.fingerprint, "valid": self.valid.windows.fingerprint},
            "objective": {"pairs": self.pairs, "temperature": self.temperature},
        }

    def batches(self, epoch: int) -> int:
        """How many whole batches of pairs the epoch has."""
        return max(len(self.train) // self.pairs, 1)

    def loss(self, epoch: int, batch: int) -> tuple[Tensor, int]:
        """InfoNCE of one batch of pairs, drawn from (seed, epoch, batch)."""
        order = np.random.default_rng((self.training.seed, _PAIRS, epoch)).permutation(len(self.train))
        documents = order[batch * self.pairs : (batch + 1) * self.pairs]
        generator = np.random.default_rng((self.training.seed, _PAIRS, epoch, batch))
        pairs = self.train.pairs(documents, generator)
        loss = info_nce(*self._vectors(self.train, pairs), self.temperature)
        return loss, int(self.train.windows.lengths[pairs].sum())

    @torch.no_grad()
    def validate(self) -> Validation:
        """Mean loss over batches of `valid`, and the share of pairs that find each other first."""
        losses, found = [], []
        for number, low in enumerate(range(0, len(self.valid), self.pairs)):
            documents = np.arange(low, min(low + self.pairs, len(self.valid)))
            left, right = self._vectors(self.valid, self.valid.pairs(documents, np.random.default_rng(number)))
            losses.append(float(info_nce(left, right, self.temperature)))
            found.append((left @ right.T).argmax(dim=1) == torch.arange(len(left)))
        return Validation(float(np.mean(losses)), {"first": float(torch.cat(found).float().mean())})

    def _vectors(self, groups: Groups, pairs: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        left, right = (embed_windows(self.module, groups.windows, column) for column in pairs.T)
        return left, right


def embed_windows(module: SentenceEmbedder, corpus: Corpus, rows: NDArray[np.int64]) -> Tensor:
    """Vectors of the windows `rows`: (rows, E)."""
    ids = torch.from_numpy(padded_rows(corpus, rows)[0])
    vectors: Tensor = module(ids, None, present_in(ids))
    return vectors
