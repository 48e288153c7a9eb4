"""The Encoder as a whole: shapes, options, padding, gradients, initialisation."""

import math

import pytest
import torch
from torch import nn

from encoder.config import EncoderConfig
from encoder.embeddings import BigramEmbedding, bigram_buckets, sinusoidal_positions
from encoder.model import AddNorm, Encoder, FeedForward, LayerNorm, present_in

VARIANTS = {
    "paper": {"positions": "sinusoidal", "norm": "post"},
    "pre-norm": {"positions": "sinusoidal"},
    "rotary": {},
    "relative": {"positions": "relative"},
    "bigrams": {"bigram_buckets": 97, "bigram_width": 8},
    "convolution": {"convolution": 3},
    "all": {
        "bigram_buckets": 97,
        "bigram_width": 8,
        "convolution": 3,
        "categories": (("criterion", 4),),
        "measures": (("dictionary", 5),),
    },
}


def small(**changes: object) -> EncoderConfig:
    shape = {"vocabulary_size": 50, "width": 16, "layers": 2, "heads": 2, "ffn_width": 24, "max_length": 32}
    return EncoderConfig(**{**shape, **changes})


@pytest.fixture(params=VARIANTS)
def encoder(request) -> Encoder:
    torch.manual_seed(0)
    return Encoder(small(**VARIANTS[request.param])).eval()


def extras(encoder: Encoder, rows: int, length: int) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    numbers = {n: torch.rand(rows, length, size, generator=generator) for n, size in encoder.config.measures}
    return numbers | {n: torch.full((rows, 1), size - 1) for n, size in encoder.config.categories}


def test_padding_changes_nothing(encoder):
    short, long = torch.tensor([[5, 6, 7]]), torch.tensor([[8, 9, 10, 11, 12]])
    batch = torch.tensor([[5, 6, 7, 0, 0], [8, 9, 10, 11, 12]])
    extra = extras(encoder, 2, 5)
    together = encoder(batch, extra, present_in(batch))
    alone = encoder(short, {n: v[:1, :3] if v.ndim == 3 else v[:1] for n, v in extra.items()})
    assert torch.allclose(together[0, :3], alone[0], atol=1e-5)
    assert torch.allclose(together[1], encoder(long, {n: v[1:] for n, v in extra.items()})[0], atol=1e-5)


def test_every_parameter_gets_a_gradient(encoder):
    encoder.train()
    ids = torch.arange(1, 25).reshape(2, 12)
    encoder(ids, extras(encoder, 2, 12)).square().sum().backward()
    still = [n for n, p in encoder.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert still == []


def test_trace_ends_in_what_forward_gives(encoder):
    ids = torch.tensor([[3, 4, 5, 6, 0], [7, 8, 9, 10, 11]])
    extra = extras(encoder, 2, 5)
    trace = encoder.trace(ids, extra, present_in(ids))
    assert len(trace.hidden) == encoder.config.layers + 1
    assert len(trace.attention) == encoder.config.layers
    assert torch.allclose(trace.hidden[-1], encoder(ids, extra, present_in(ids)), atol=1e-6)
    for maps in trace.attention:
        assert torch.allclose(maps.sum(-1), torch.ones(2, 2, 5), atol=1e-5)
        assert maps[0, :, :, 4].max() < 1e-6


def test_saved_and_loaded_gives_the_same_bits(encoder):
    ids = torch.tensor([[3, 4, 5]])
    other = Encoder(encoder.config).eval()
    assert not torch.equal(other(ids), encoder(ids))
    other.load_state_dict(encoder.state_dict())
    assert torch.equal(other(ids), encoder(ids))


def test_order_matters_only_with_positions():
    torch.manual_seed(0)
    ids, order = torch.tensor([[5, 6, 7, 8, 9]]), torch.tensor([4, 2, 0, 1, 3])
    for positions, equal in {"none": True, "sinusoidal": False, "rotary": False}.items():
        encoder = Encoder(small(positions=positions)).eval()
        assert torch.allclose(encoder(ids[:, order]), encoder(ids)[:, order], atol=1e-5) is equal, positions


def test_an_absent_input_is_the_zero_input():
    torch.manual_seed(0)
    encoder = Encoder(small(**VARIANTS["all"])).eval()
    ids = torch.tensor([[3, 4, 5]])
    zero = {"criterion": torch.zeros(1, 1, dtype=torch.long), "dictionary": torch.zeros(1, 3, 5)}
    assert torch.equal(encoder(ids, zero), encoder(ids))
    assert not torch.allclose(encoder(ids, zero | {"criterion": torch.ones(1, 1, dtype=torch.long)}), encoder(ids))
    with pytest.raises(ValueError, match="no input named colour"):
        encoder(ids, {"colour": ids})


def test_sinusoids_are_those_of_the_paper():
    table = sinusoidal_positions(20, 8)
    for position, i in [(0, 0), (3, 1), (19, 3)]:
        angle = position / 10000 ** (2 * i / 8)
        assert table[position, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-6)
        assert table[position, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)
    encoder = Encoder(small(positions="sinusoidal"))
    assert "positions" in dict(encoder.embeddings.named_buffers())
    assert not [name for name, _ in encoder.named_parameters() if name.endswith("positions")]


def test_a_text_longer_than_the_sinusoids_is_refused():
    encoder = Encoder(small(positions="sinusoidal", max_length=4))
    with pytest.raises(ValueError, match="longer than max_length 4"):
        encoder(torch.ones(1, 5, dtype=torch.long))
    assert Encoder(small(max_length=4))(torch.ones(1, 5, dtype=torch.long)).shape == (1, 5, 16)


def test_bigram_buckets_of_both_neighbours():
    buckets = bigram_buckets(torch.tensor([[7, 8, 9]]), 65521)
    assert buckets.shape == (1, 4)
    assert buckets[0, 1] == (7 * 1_000_003 + 8 * 7_919) % 65521
    assert buckets[0, 1] != bigram_buckets(torch.tensor([[8, 7]]), 65521)[0, 1]
    assert torch.equal(buckets[0, 1:3], bigram_buckets(torch.tensor([[5, 7, 8, 9]]), 65521)[0, 2:4])
    layer = BigramEmbedding(97, 4, 6)
    assert layer(torch.tensor([[7, 8, 9]])).shape == (1, 3, 6)


def test_layer_norm_has_gain_and_bias_and_equals_the_formula():
    layer = LayerNorm(6)
    nn.init.normal_(layer.gain)
    nn.init.normal_(layer.bias)
    x = torch.randn(3, 6)
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    assert torch.allclose(layer(x), layer.gain * (x - mean) / torch.sqrt(variance + 1e-5) + layer.bias, atol=1e-6)


def test_add_and_norm_stands_where_the_config_says():
    x = torch.randn(2, 3, 16)
    pre, post = AddNorm(small(norm="pre")), AddNorm(small(norm="post"))
    assert torch.allclose(pre(x, lambda y: 2 * y), x + 2 * pre.norm(x))
    assert torch.allclose(post(x, lambda y: 2 * y), post.norm(3 * x))


def test_feed_forward_gradients():
    layer = FeedForward(4, 6).double()
    assert torch.autograd.gradcheck(layer, (torch.randn(1, 2, 4, dtype=torch.float64, requires_grad=True),))


def test_encoder_gradients():
    torch.manual_seed(0)
    encoder = Encoder(small(width=4, ffn_width=4, heads=1, layers=1, bigram_buckets=5, convolution=3)).double()
    ids = torch.tensor([[3, 4, 5]])
    weight = encoder.embeddings.tokens.weight.detach().clone().requires_grad_()

    def run(tokens: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(encoder, {"embeddings.tokens.weight": tokens}, (ids,))

    assert torch.autograd.gradcheck(run, (weight,))


def test_initialisation_is_xavier():
    torch.manual_seed(0)
    encoder = Encoder(small(width=64, ffn_width=256))
    W = encoder.blocks[0].feed_forward.W_1
    bound = math.sqrt(6 / (64 + 256))
    assert bound * 0.95 < W.weight.abs().max() <= bound
    assert W.weight.var().item() == pytest.approx(2 / (64 + 256), rel=0.05)
    assert torch.equal(W.bias, torch.zeros(256))
    assert torch.equal(encoder.embeddings.tokens.weight[0], torch.zeros(64))


def test_dropout_acts_while_training_alone():
    torch.manual_seed(0)
    encoder, ids = Encoder(small(dropout=0.5)), torch.tensor([[3, 4, 5]])
    assert not torch.equal(encoder(ids), encoder(ids))
    encoder.eval()
    assert torch.equal(encoder(ids), encoder(ids))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"heads": 3}, "not a multiple"),
        ({"width": 6, "heads": 2}, "even head width"),
        ({"positions": "absolute"}, "positions must be one of"),
        ({"norm": "middle"}, "norm must be one of"),
        ({"dropout": 1.0}, "dropout must be in"),
        ({"convolution": 2}, "odd"),
        ({"vocabulary_size": 0}, "vocabulary_size must be at least 1"),
    ],
)
def test_impossible_shapes_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        small(**changes)


def test_config_survives_json():
    import json

    config = small(**VARIANTS["all"])
    assert EncoderConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    with pytest.raises(ValueError, match="unknown EncoderConfig field: depth"):
        EncoderConfig.from_dict({"vocabulary_size": 5, "depth": 3})
