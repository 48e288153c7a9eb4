"""From ids to the first hidden states: tokens, positions, hashed bigrams, extra inputs.

Shapes: B batch, L length, D width.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from encoder.config import EncoderConfig

PAD_ID = 0


def sinusoidal_positions(length: int, width: int) -> Tensor:
    """PE(pos, 2i) = sin(pos / 10000^(2i/D)), PE(pos, 2i+1) = cos(same): Vaswani et al. 2017, section 3.5.

    Returns (L, D), float32.
    """
    frequency = torch.exp(torch.arange(0, width, 2, dtype=torch.float64) * (-math.log(10000.0) / width))
    angle = torch.arange(length, dtype=torch.float64)[:, None] * frequency
    table = torch.zeros(length, width, dtype=torch.float64)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()[:, : width // 2]
    return table.float()


def bigram_buckets(ids: Tensor, buckets: int) -> Tensor:
    """Bucket of each adjacent pair. ids: (B, L) -> (B, L + 1); entry i is the pair (i - 1, i), padding beyond the ends.

    The hash is linear with odd multipliers, taken modulo `buckets`: exact in int64 on every platform.
    """
    padded = torch.nn.functional.pad(ids, (1, 1), value=PAD_ID)
    return (padded[:, :-1] * 1_000_003 + padded[:, 1:] * 7_919) % buckets


class BigramEmbedding(nn.Module):
    """The two bigrams that a character stands in, looked up in one hashed table and projected up to the width."""

    def __init__(self, buckets: int, bigram_width: int, width: int) -> None:
        super().__init__()
        self.buckets = buckets
        self.table = nn.Embedding(buckets, bigram_width)
        self.project = nn.Linear(2 * bigram_width, width, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        """ids: (B, L) -> (B, L, D)."""
        pairs = self.table(bigram_buckets(ids, self.buckets))  # (B, L + 1, bigram width)
        both: Tensor = self.project(torch.cat((pairs[:, :-1], pairs[:, 1:]), dim=-1))
        return both


class ExtraInputs(nn.Module):
    """Inputs that pretraining does not have (dictionary matches, a criterion): their sum is added to the embeddings.

    An input that is not given adds exactly zero, as does category 0 and a zero vector.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.categories = nn.ModuleDict(
            {name: nn.Embedding(size, config.width, padding_idx=0) for name, size in config.categories}
        )
        self.measures = nn.ModuleDict(
            {name: nn.Linear(size, config.width, bias=False) for name, size in config.measures}
        )

    def forward(self, x: Tensor, extra: Mapping[str, Tensor]) -> Tensor:
        """x: (B, L, D); extra: name -> (B, L) ids, (B, 1) for a whole row, or (B, L, size) numbers."""
        unknown = sorted(set(extra) - set(self.categories) - set(self.measures))
        if unknown:
            raise ValueError(f"the encoder has no input named {', '.join(unknown)}")
        for name, value in extra.items():
            layer = self.categories[name] if name in self.categories else self.measures[name]
            x = x + layer(value)
        return x


class Embeddings(nn.Module):
    """sqrt(D) * E[id] + PE (section 3.4), and what the configuration adds to it."""

    positions: Tensor

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.scale = math.sqrt(config.width)
        self.tokens = nn.Embedding(config.vocabulary_size, config.width, padding_idx=PAD_ID)
        self.bigrams = (
            BigramEmbedding(config.bigram_buckets, config.bigram_width, config.width) if config.bigram_buckets else None
        )
        self.extra = ExtraInputs(config)
        waves = config.positions == "sinusoidal"
        table = sinusoidal_positions(config.max_length if waves else 0, config.width)
        self.register_buffer("positions", table, persistent=False)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, extra: Mapping[str, Tensor] | None = None) -> Tensor:
        """ids: (B, L) -> (B, L, D)."""
        x: Tensor = self.tokens(ids) * self.scale
        if self.bigrams is not None:
            x = x + self.bigrams(ids)
        if len(self.positions):
            x = x + self._waves(ids.shape[1])
        x = self.extra(x, extra or {})
        dropped: Tensor = self.dropout(x)
        return dropped

    def _waves(self, length: int) -> Tensor:
        if length > len(self.positions):
            raise ValueError(f"a text of {length} tokens is longer than max_length {len(self.positions)}")
        return self.positions[:length]
