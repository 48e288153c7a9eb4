"""Scaled dot-product attention, and the multi-head layer over it.

Formulas: Vaswani et al. 2017, "Attention Is All You Need", section 3.2; rotary positions: Su et al. 2021, "RoFormer";
relative bias: Shaw et al. 2018 and Raffel et al. 2020 (one learned scalar for each head and clipped distance).

Shapes: B batch, L length, D width, H heads, d = D / H.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from encoder.config import EncoderConfig

RELATIVE_REACH = 16


def softmax(scores: Tensor) -> Tensor:
    """exp(s) / sum exp(s) over the last axis, shifted by the maximum so that logits of 1e4 do not overflow."""
    exponent = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponent / exponent.sum(dim=-1, keepdim=True)


def attention_weights(Q: Tensor, K: Tensor, bias: Tensor | None = None, *, scale: float | None = None) -> Tensor:
    """softmax(Q K^T * scale + bias), equation 1 without V.

    Q, K: (..., L, d); bias: broadcasts to (..., L, L), minus infinity where a key must not be seen; `scale` is
    1 / sqrt(d) unless given. Returns (..., L, L), each row summing to 1.
    """
    scores = Q @ K.transpose(-2, -1) * (1 / math.sqrt(Q.shape[-1]) if scale is None else scale)
    return softmax(scores if bias is None else scores + bias)


def reference_attention(
    Q: Tensor, K: Tensor, V: Tensor, bias: Tensor | None = None, *, scale: float | None = None
) -> Tensor:
    """softmax(Q K^T / sqrt(d)) V, equation 1, written out. Q, K, V: (..., L, d) -> (..., L, d)."""
    return attention_weights(Q, K, bias, scale=scale) @ V


def fused_attention(Q: Tensor, K: Tensor, V: Tensor, bias: Tensor | None = None) -> Tensor:
    """The same through PyTorch's fused kernel. Q, K, V: (B, H, L, d) -> (B, H, L, d)."""
    return functional.scaled_dot_product_attention(Q, K, V, attn_mask=bias)


def padding_bias(present: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    """(B, L) true where a token stands -> (B, 1, 1, L): 0 there, the lowest finite number at padding."""
    bias = torch.zeros(present.shape, dtype=dtype, device=present.device)
    return bias.masked_fill(~present, torch.finfo(dtype).min)[:, None, None, :]


def rotary_angles(length: int, head_width: int, device: torch.device | None = None) -> tuple[Tensor, Tensor]:
    """Cosines and sines of RoFormer's equation 15, each (L, d / 2), float32: angle = position * 10000^(-2i/d)."""
    frequency = 10000.0 ** (-torch.arange(0, head_width, 2, device=device, dtype=torch.float32) / head_width)
    angle = torch.arange(length, device=device, dtype=torch.float32)[:, None] * frequency
    return angle.cos(), angle.sin()


def rotate(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Turn the pairs (x_i, x_{i + d/2}) of x: (..., L, d) by their position's angles, (L, d / 2) each."""
    first, second = x.chunk(2, dim=-1)
    cosine, sine = cosine.to(x.dtype), sine.to(x.dtype)
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), dim=-1)


class RelativeBias(nn.Module):
    """One learned scalar for each head and distance, clipped to +-RELATIVE_REACH."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros(2 * RELATIVE_REACH + 1, heads))

    def forward(self, length: int) -> Tensor:
        """Returns (1, H, L, L): the bias of query i towards key j."""
        place = torch.arange(length, device=self.table.device)
        distance = (place[None, :] - place[:, None]).clamp(-RELATIVE_REACH, RELATIVE_REACH) + RELATIVE_REACH
        return self.table[distance].permute(2, 0, 1)[None]


class MultiHeadAttention(nn.Module):
    """Concat(head_1 .. head_H) W_O with head_i = Attention(x W_Q, x W_K, x W_V), section 3.2.2."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.rotary = config.positions == "rotary"
        self.W_qkv = nn.Linear(config.width, 3 * config.width)
        self.W_o = nn.Linear(config.width, config.width)
        self.relative = RelativeBias(config.heads) if config.positions == "relative" else None

    def forward(self, x: Tensor, bias: Tensor | None = None) -> Tensor:
        """x: (B, L, D); bias: see `padding_bias`. Returns (B, L, D)."""
        Q, K, V = self._project(x)
        return self._merge(fused_attention(Q, K, V, self._with_distance(bias, x.shape[1])))

    def weights(self, x: Tensor, bias: Tensor | None = None) -> Tensor:
        """The attention maps of the same call, (B, H, L, L), for looking into them."""
        Q, K, _ = self._project(x)
        return attention_weights(Q, K, self._with_distance(bias, x.shape[1]))

    def _project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        B, L, D = x.shape
        qkv = self.W_qkv(x).view(B, L, 3, self.heads, D // self.heads)
        Q, K, V = qkv.permute(2, 0, 3, 1, 4)  # (B, H, L, d) each
        if self.rotary:
            angles = rotary_angles(L, D // self.heads, x.device)
            Q, K = rotate(Q, *angles), rotate(K, *angles)
        return Q, K, V

    def _with_distance(self, bias: Tensor | None, length: int) -> Tensor | None:
        if self.relative is None:
            return bias
        distance: Tensor = self.relative(length)
        return distance if bias is None else distance + bias

    def _merge(self, x: Tensor) -> Tensor:
        joined: Tensor = self.W_o(x.transpose(1, 2).flatten(2))  # (B, H, L, d) -> (B, L, D)
        return joined
