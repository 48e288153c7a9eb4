"""What a pretrained Encoder is used for: word boundaries, and vectors of whole texts.

Shapes: B batch, L length, D width, E size of a sentence vector.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from encoder import checkpoint
from encoder.config import EncoderConfig
from encoder.model import Encoder, initialise
from encoder.weights import start_from


def pretrained_encoder(
    folder: Path,
    *,
    dropout: float = 0.0,
    categories: tuple[tuple[str, int], ...] = (),
    measures: tuple[tuple[str, int], ...] = (),
) -> Encoder:
    """The Encoder of a checkpoint folder, without the head it was trained with.

    `categories` and `measures` add inputs that pretraining did not have (see EncoderConfig); their tables start fresh,
    all else comes from the checkpoint. Raises ValueError if the checkpoint lacks any other parameter.
    """
    config = EncoderConfig.from_dict(checkpoint.read_meta(folder).identity["encoder"])
    encoder = Encoder(replace(config, dropout=dropout, categories=categories, measures=measures))
    start_from(encoder, checkpoint.load_weights(folder))
    return encoder


class BoundaryTagger(nn.Module):
    """One number for each gap between two characters: the log-odds that a word ends there.

    The gap between i and i + 1 is read from both sides: v . GELU(W_left h_i + W_right h_{i+1} + b) + c.
    """

    def __init__(self, encoder: Encoder, inner: int = 128) -> None:
        super().__init__()
        self.encoder = encoder
        self.W_left = nn.Linear(encoder.config.width, inner)
        self.W_right = nn.Linear(encoder.config.width, inner, bias=False)
        self.v = nn.Linear(inner, 1)
        for part in (self.W_left, self.W_right, self.v):
            initialise(part)

    def forward(self, ids: Tensor, extra: Mapping[str, Tensor] | None = None, present: Tensor | None = None) -> Tensor:
        """ids: (B, L). Returns (B, L - 1) log-odds; those beyond a row's own last gap mean nothing."""
        hidden = self.encoder(ids, extra, present)
        left, right = self.W_left(hidden[:, :-1]), self.W_right(hidden[:, 1:])
        odds: Tensor = self.v(functional.gelu(left + right, approximate="tanh")).squeeze(-1)
        return odds


def boundary_loss(odds: Tensor, borders: Tensor, present: Tensor | None = None) -> Tensor:
    """Mean binary cross-entropy in nats over the gaps.

    odds: (B, L - 1); borders: (B, L - 1), true where a word ends; present: (B, L), false at padding.
    """
    losses = functional.binary_cross_entropy_with_logits(odds, borders.to(odds.dtype), reduction="none")
    return losses.mean() if present is None else losses[present[:, 1:]].mean()


class SentenceEmbedder(nn.Module):
    """A text's vector: the mean of its hidden states, projected, of length 1."""

    def __init__(self, encoder: Encoder, size: int = 256) -> None:
        super().__init__()
        self.encoder = encoder
        self.project = nn.Linear(encoder.config.width, size)
        initialise(self.project)

    def forward(self, ids: Tensor, extra: Mapping[str, Tensor] | None = None, present: Tensor | None = None) -> Tensor:
        """ids: (B, L). Returns (B, E); the dot product of two rows is their cosine."""
        pooled = mean_pool(self.encoder(ids, extra, present), present)
        return functional.normalize(self.project(pooled), dim=-1)


def mean_pool(hidden: Tensor, present: Tensor | None = None) -> Tensor:
    """The mean over the present positions. hidden: (B, L, D) -> (B, D); a row with none gives zeros."""
    if present is None:
        return hidden.mean(dim=1)
    weight = present[:, :, None].to(hidden.dtype)
    return (hidden * weight).sum(dim=1) / weight.sum(dim=1).clamp(min=1)


def info_nce(first: Tensor, second: Tensor, temperature: float = 0.05) -> Tensor:
    """Contrastive loss in nats, both ways: row i of one side must find row i of the other among the batch.

    van den Oord et al. 2018, "Contrastive Predictive Coding", equation 4, with cosine / temperature as the score.
    first, second: (B, E) of length 1.
    """
    scores = first @ second.T / temperature  # (B, B)
    right = torch.arange(len(scores), device=scores.device)
    return (functional.cross_entropy(scores, right) + functional.cross_entropy(scores.T, right)) / 2
