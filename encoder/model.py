"""The Encoder: embeddings, N blocks of attention and FFN with Add & Norm, and the heads put on it.

Vaswani et al. 2017, section 3.1 and 3.3 (post-norm); Xiong et al. 2020 for pre-norm.
Shapes: B batch, L length, D width.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from encoder.attention import MultiHeadAttention, padding_bias
from encoder.config import EncoderConfig
from encoder.embeddings import PAD_ID, Embeddings

NORM_EPSILON = 1e-5


class LayerNorm(nn.Module):
    """gain * (x - mean) / sqrt(variance + eps) + bias over the last axis: Ba et al. 2016, equation 4."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        """x: (..., D) -> (..., D)."""
        return functional.layer_norm(x, self.gain.shape, self.gain, self.bias, NORM_EPSILON)


class FeedForward(nn.Module):
    """GELU(x W_1 + b_1) W_2 + b_2: equation 2, with GELU (Hendrycks & Gimpel 2016) for the rectifier."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.W_1 = nn.Linear(width, inner)
        self.W_2 = nn.Linear(inner, width)

    def forward(self, x: Tensor) -> Tensor:
        """x: (B, L, D) -> (B, L, D)."""
        out: Tensor = self.W_2(functional.gelu(self.W_1(x), approximate="tanh"))
        return out


class AddNorm(nn.Module):
    """A residual sublayer: LayerNorm(x + f(x)) for post-norm, x + f(LayerNorm(x)) for pre-norm."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.pre = config.norm == "pre"
        self.norm = LayerNorm(config.width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """x: (B, L, D) -> (B, L, D)."""
        if self.pre:
            added: Tensor = x + self.dropout(sublayer(self.norm(x)))
            return added
        normed: Tensor = self.norm(x + self.dropout(sublayer(x)))
        return normed


class Block(nn.Module):
    """One layer of the encoder: self-attention, then the FFN, each inside Add & Norm."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(config)
        self.add_attention = AddNorm(config)
        self.feed_forward = FeedForward(config.width, config.ffn_width)
        self.add_feed_forward = AddNorm(config)

    def forward(self, x: Tensor, bias: Tensor | None) -> Tensor:
        """x: (B, L, D) -> (B, L, D)."""
        x = self.add_attention(x, lambda y: self.attention(y, bias))
        out: Tensor = self.add_feed_forward(x, self.feed_forward)
        return out

    def attention_map(self, x: Tensor, bias: Tensor | None) -> Tensor:
        """What the heads look at for this input, (B, H, L, L)."""
        return self.attention.weights(self.add_attention.norm(x) if self.add_attention.pre else x, bias)


class Convolution(nn.Module):
    """x_i + GELU(W [x_{i-r} .. x_{i+r}] + b), r = (kernel - 1) / 2, with zeros beyond the text."""

    def __init__(self, width: int, kernel: int) -> None:
        super().__init__()
        self.reach = kernel // 2
        self.W = nn.Linear(kernel * width, width)

    def forward(self, x: Tensor, present: Tensor | None) -> Tensor:
        """x: (B, L, D); present: (B, L), false at padding. Returns (B, L, D)."""
        L = x.shape[1]
        visible = x if present is None else x * present[:, :, None].to(x.dtype)
        padded = functional.pad(visible, (0, 0, self.reach, self.reach))
        window = torch.cat([padded[:, i : i + L] for i in range(2 * self.reach + 1)], dim=-1)
        return x + functional.gelu(self.W(window), approximate="tanh")


class Trace(NamedTuple):
    """The inside of one forward pass: layers + 1 hidden states (B, L, D) and an attention map (B, H, L, L) a layer."""

    hidden: list[Tensor]
    attention: list[Tensor]


class Encoder(nn.Module):
    """ids -> hidden states. Rows of a batch are padded with PAD_ID, and padding changes no result."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.convolution = Convolution(config.width, config.convolution) if config.convolution else None
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.final_norm = LayerNorm(config.width) if config.norm == "pre" else None
        initialise(self)

    def forward(self, ids: Tensor, extra: Mapping[str, Tensor] | None = None, present: Tensor | None = None) -> Tensor:
        """ids: (B, L) int64; extra: see `ExtraInputs`; present: (B, L), false at padding, None when there is none.

        Returns (B, L, D).
        """
        x, bias = self._start(ids, extra, present)
        for block in self.blocks:
            x = block(x, bias)
        return self._finish(x)

    @torch.no_grad()
    def trace(self, ids: Tensor, extra: Mapping[str, Tensor] | None = None, present: Tensor | None = None) -> Trace:
        """Every hidden state and attention map of `forward`, for probes. The last state is `forward`'s result."""
        x, bias = self._start(ids, extra, present)
        hidden, maps = [x], []
        for block in self.blocks:
            maps.append(block.attention_map(x, bias))  # type: ignore[operator]
            x = block(x, bias)
            hidden.append(x)
        hidden[-1] = self._finish(hidden[-1])
        return Trace(hidden, maps)

    def _start(
        self, ids: Tensor, extra: Mapping[str, Tensor] | None, present: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        x = self.embeddings(ids, extra)
        if self.convolution is not None:
            x = self.convolution(x, present)
        return x, None if present is None else padding_bias(present, x.dtype)

    def _finish(self, x: Tensor) -> Tensor:
        return x if self.final_norm is None else self.final_norm(x)


def present_in(ids: Tensor) -> Tensor | None:
    """(B, L) true where a token stands, or None where a batch has no padding, which saves the mask."""
    present = ids != PAD_ID
    return None if bool(present.all()) else present


@torch.no_grad()
def initialise(module: nn.Module) -> None:
    """Xavier-uniform matrices (Glorot & Bengio 2010, equation 16), zero biases, embeddings from N(0, 1/D)."""
    for part in module.modules():
        if isinstance(part, nn.Linear):
            nn.init.xavier_uniform_(part.weight)
            if part.bias is not None:
                nn.init.zeros_(part.bias)
        elif isinstance(part, nn.Embedding):
            nn.init.normal_(part.weight, std=part.embedding_dim**-0.5)
            if part.padding_idx is not None:
                part.weight[part.padding_idx].zero_()
