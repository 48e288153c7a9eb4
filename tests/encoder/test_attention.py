"""Attention against its formula: by hand, fused against written out, and what positions do to it."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder.attention import (
    MultiHeadAttention,
    attention_weights,
    fused_attention,
    padding_bias,
    reference_attention,
    rotary_angles,
    rotate,
    softmax,
)
from encoder.config import EncoderConfig


def config(positions: str = "none", **changes: object) -> EncoderConfig:
    return EncoderConfig(**{"vocabulary_size": 40, "width": 16, "heads": 2, "positions": positions, **changes})


def test_two_by_two_example_worked_by_hand():
    Q = K = torch.eye(2)
    V = torch.tensor([[10.0, 20.0], [30.0, 40.0]])
    high = math.exp(1 / math.sqrt(2)) / (math.exp(1 / math.sqrt(2)) + 1)  # 0.67

    assert torch.allclose(attention_weights(Q, K), torch.tensor([[high, 1 - high], [1 - high, high]]))
    out = reference_attention(Q, K, V)
    assert [[round(value, 1) for value in row] for row in out.tolist()] == [[16.6, 26.6], [23.4, 33.4]]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 9), st.sampled_from([1, 2, 8]), st.data())
def test_fused_call_equals_the_formula(batch, heads, length, width, data):
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 2**32)))
    Q, K, V = torch.randn(3, batch, heads, length, width, generator=generator, dtype=torch.float64)
    lengths = torch.tensor([data.draw(st.integers(1, length)) for _ in range(batch)])
    bias = padding_bias(torch.arange(length) < lengths[:, None], torch.float64)

    assert torch.allclose(fused_attention(Q, K, V, bias), reference_attention(Q, K, V, bias), atol=1e-12)
    assert torch.allclose(fused_attention(Q, K, V), reference_attention(Q, K, V), atol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1e4, -1e4])
def test_softmax_does_not_overflow(scale):
    scores = scale * torch.tensor([[1.0, 0.5, -1.0], [1.0, 1.0, 1.0]])
    result = softmax(scores)
    assert torch.isfinite(result).all()
    assert torch.allclose(result.sum(-1), torch.ones(2))
    assert torch.allclose(result, torch.softmax(scores, -1))


def test_attention_of_huge_logits_picks_the_highest():
    Q, K = torch.full((1, 1), 100.0), torch.tensor([[100.0], [-100.0]])
    assert torch.equal(attention_weights(Q, K), torch.tensor([[1.0, 0.0]]))


def test_gradients_are_those_of_the_formula():
    torch.manual_seed(0)
    Q, K, V = (torch.randn(1, 2, 4, 3, dtype=torch.float64, requires_grad=True) for _ in range(3))
    assert torch.autograd.gradcheck(reference_attention, (Q, K, V))
    assert torch.autograd.gradcheck(fused_attention, (Q, K, V))


@pytest.mark.parametrize("positions", ["none", "rotary", "relative"])
def test_layer_gradients(positions):
    torch.manual_seed(0)
    layer = MultiHeadAttention(config(positions)).double()
    x = torch.randn(2, 4, 16, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, (x,))


def test_without_positions_a_permuted_input_gives_the_permuted_output():
    torch.manual_seed(0)
    layer = MultiHeadAttention(config("none"))
    x, order = torch.randn(1, 7, 16), torch.tensor([3, 1, 6, 0, 5, 2, 4])
    assert torch.allclose(layer(x[:, order]), layer(x)[:, order], atol=1e-6)


@pytest.mark.parametrize("positions", ["rotary", "relative"])
def test_with_positions_it_does_not(positions):
    torch.manual_seed(0)
    layer = MultiHeadAttention(config(positions))
    if layer.relative is not None:
        torch.nn.init.normal_(layer.relative.table)
    x, order = torch.randn(1, 7, 16), torch.tensor([3, 1, 6, 0, 5, 2, 4])
    assert not torch.allclose(layer(x[:, order]), layer(x)[:, order], atol=1e-3)


@pytest.mark.parametrize("positions", ["none", "rotary", "relative"])
def test_maps_are_the_weights_that_forward_uses(positions):
    torch.manual_seed(0)
    layer = MultiHeadAttention(config(positions))
    x = torch.randn(2, 5, 16)
    bias = padding_bias(torch.tensor([[True] * 5, [True] * 3 + [False] * 2]))
    maps = layer.weights(x, bias)
    V = layer.W_qkv(x)[..., 32:].view(2, 5, 2, 8).transpose(1, 2)
    assert torch.allclose(layer.W_o((maps @ V).transpose(1, 2).flatten(2)), layer(x, bias), atol=1e-6)
    assert torch.equal(maps[1, :, :, 3:], torch.zeros(2, 5, 2))


def test_rotation_keeps_lengths_and_scores_depend_on_the_distance_alone():
    torch.manual_seed(0)
    q, k = torch.randn(8).expand(12, 8), torch.randn(8).expand(12, 8)
    angles = rotary_angles(12, 8)
    turned_q, turned_k = rotate(q, *angles), rotate(k, *angles)
    assert torch.allclose(turned_q.norm(dim=-1), q.norm(dim=-1))
    scores = turned_q @ turned_k.T
    assert torch.allclose(scores[2, 5], scores[7, 10], atol=1e-5)
    assert not torch.allclose(scores[2, 5], scores[5, 2], atol=1e-3)
    assert torch.equal(turned_q[0], q[0])


def test_relative_bias_is_one_number_a_distance():
    layer = MultiHeadAttention(config("relative"))
    torch.nn.init.normal_(layer.relative.table)
    bias = layer.relative(40)
    assert bias.shape == (1, 2, 40, 40)
    assert torch.equal(bias[0, :, 3, 5], bias[0, :, 20, 22])
    assert torch.equal(bias[0, :, 0, 17], bias[0, :, 0, 39])  # beyond its reach
