"""Pretraining as a task of the training loop: MLM over a prepared corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoder.config import EncoderConfig, TrainingConfig
from encoder.data import Corpus, corpus_window, epoch_batches, padded_rows
from encoder.events import Sample
from encoder.mlm import Masked, MaskedLanguageModel, guess_word, mask_words
from encoder.mlm_scores import Scores, summary
from encoder.task import Validation
from encoder.tokenizers.base import Tokenizer

_MASKS, _VALIDATION = 1, 2


@dataclass(frozen=True)
class MlmConfig:
    """What MLM itself adds: `mask_rate` of the words is chosen, `samples` sentences are shown at each validation."""

    mask_rate: float = 0.2
    samples: int = 4


class MlmTask:
    """Guess hidden words of `train`; measure on `valid` with masks that never change."""

    name = "mlm"

    def __init__(
        self,
        encoder: EncoderConfig,
        training: TrainingConfig,
        tokenizer: Tokenizer,
        train: Corpus,
        valid: Corpus,
        mlm: MlmConfig | None = None,
    ) -> None:
        for corpus in (train, valid):
            if corpus.tokenizer != tokenizer.fingerprint():
                raise ValueError(f"a corpus was made with tokenizer {corpus.tokenizer}, not {tokenizer.fingerprint()}")
        if encoder.vocabulary_size != tokenizer.vocabulary_size:
            raise ValueError(
                f"vocabulary_size is {encoder.vocabulary_size}, the tokenizer's {tokenizer.vocabulary_size}"
            )
        torch.manual_seed(training.seed)
        self.module: MaskedLanguageModel = MaskedLanguageModel(encoder)
        self.config, self.training, self.mlm = encoder, training, mlm or MlmConfig()
        self.tokenizer, self.train, self.valid = tokenizer, train, valid
        self._epoch = lru_cache(2)(
            lambda epoch: epoch_batches(train.lengths, training.batch_characters, training.seed, epoch)
        )

    def identity(self) -> Mapping[str, Any]:
        """Shape, tokenizer, data and mask rate."""
        return {
            "encoder": self.config.to_dict(),
            "tokenizer": self.tokenizer.fingerprint(),
            "data": {"train": self.train.fingerprint, "valid": self.valid.fingerprint},
            "mask_rate": self.mlm.mask_rate,
        }

    def batches(self, epoch: int) -> int:
        """How many batches the epoch has."""
        return len(self._epoch(epoch))

    def loss(self, epoch: int, batch: int) -> tuple[Tensor, int]:
        """MLM loss of one batch under masks drawn from (seed, epoch, batch)."""
        rows = self._epoch(epoch)[batch]
        masked = self._masked(self.train, rows, (self.training.seed, _MASKS, epoch, batch))
        return self.module.loss(masked), int(self.train.lengths[rows].sum())

    def validate(self) -> Validation:
        """The `summary` over every window of `valid`, and a few guesses to look at."""
        found = self.measure(self.module.score)
        return Validation(found.pop("loss"), found, self._samples())

    def measure(self, score: Callable[[Masked], Scores]) -> dict[str, float]:
        """The `summary` of any way of guessing, over the same hidden places of `valid` each time."""
        batches = epoch_batches(self.valid.lengths, self.training.batch_characters, 0, 0)
        return summary(
            [score(self._masked(self.valid, rows, (_VALIDATION, number))) for number, rows in enumerate(batches)]
        )

    def _masked(self, corpus: Corpus, rows: NDArray[np.int64], seed: tuple[int, ...]) -> Masked:
        ids, starts = padded_rows(corpus, rows)
        generator = np.random.default_rng(seed)
        return mask_words(ids, starts, generator, self.tokenizer.vocabulary_size, self.mlm.mask_rate)

    def _samples(self) -> list[Sample]:
        return list(islice((sample_of(self, row) for row in range(len(self.valid))), self.mlm.samples))


def sample_of(task: MlmTask, row: int) -> Sample:
    """The model's guesses for the longest word (the first of them) of a validation window."""
    text, words = corpus_window(task.valid, task.tokenizer, row)
    start, end = max(words, key=lambda word: word[1] - word[0])
    return guess_word(task.module, task.tokenizer, text, start, end)
