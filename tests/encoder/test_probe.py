"""Probes, on models whose answers are known."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest
import torch

from encoder.attention_page import attention_page, entropy, mean_distance, visible
from encoder.config import EncoderConfig
from encoder.model import Encoder
from encoder.probe import (
    Vectors,
    attention_maps,
    control_labels,
    hidden_states,
    linear_accuracy,
    probe_boundaries,
    token_vectors,
    word_vectors,
)
from encoder.tokenizers import FIRST_TEXT_ID, CharTokenizer
from tests.encoder.invented import segmented

WORDS = segmented(120)
TEXTS = ["".join(words) for words in WORDS]
TOKENIZER = CharTokenizer.train(TEXTS)


def encoder(width: int = 16) -> Encoder:
    torch.manual_seed(1)
    return Encoder(EncoderConfig(TOKENIZER.vocabulary_size, width=width, layers=2, heads=2, ffn_width=32)).eval()


def spans(text: str) -> list[tuple[int, int]]:
    ends = np.cumsum([len(word) for word in WORDS[TEXTS.index(text)]]).tolist()
    return list(zip([0, *ends], ends, strict=False))


def test_the_nearest_vector_has_the_smallest_angle() -> None:
    vectors = Vectors.of(
        ["east", "north east", "west", "south"], np.array([[2, 0], [1, 1], [-2, 0], [-1, -1]], np.float32)
    )
    assert [name for name, _ in vectors.nearest("east", 3)] == ["north east", "south", "west"]
    assert vectors.nearest("east", 1)[0][1] == pytest.approx(2**-0.5)
    with pytest.raises(ValueError, match="no vector of 'up'"):
        vectors.nearest("up")


def test_tokens_made_alike_are_neighbours() -> None:
    model = encoder()
    one, other = TOKENIZER.token_to_id("花"), TOKENIZER.token_to_id("学")
    with torch.no_grad():
        model.embeddings.tokens.weight[one] = model.embeddings.tokens.weight[other] * 2
    ids = range(FIRST_TEXT_ID, TOKENIZER.vocabulary_size)
    assert token_vectors(model, TOKENIZER, ids).nearest("花", 1)[0][0] == "学"


def test_hidden_states_do_not_depend_on_the_batch() -> None:
    model = encoder()
    together = list(hidden_states(model, TOKENIZER, TEXTS[:40]))
    assert len(together) == 40
    assert len(together[0]) == 3
    for text, layers in zip(TEXTS[:40:13], together[:40:13], strict=True):
        [alone] = hidden_states(model, TOKENIZER, [text])
        for one, other in zip(alone, layers, strict=True):
            assert one.shape == (len(text), 16)
            np.testing.assert_allclose(one, other, atol=1e-5)


def test_word_vectors_need_words_that_return() -> None:
    vectors = word_vectors(encoder(), TOKENIZER, TEXTS, spans, minimum=3)
    assert {"小明", "花园", "学习", "在"} <= set(vectors.names)
    assert vectors.matrix.shape == (len(vectors.names), 16)
    with pytest.raises(ValueError, match="999 times"):
        word_vectors(encoder(), TOKENIZER, TEXTS, spans, minimum=999)


def test_a_linear_probe_finds_a_plane_and_nothing_in_noise() -> None:
    generator = np.random.default_rng(1)
    x = generator.normal(size=(3000, 8)).astype(np.float32)
    plane = x[:, 0] - 2 * x[:, 3] > 0.5
    coin = generator.random(3000) < 0.5
    assert linear_accuracy(x[:2000], plane[:2000], x[2000:], plane[2000:]) > 0.98
    assert abs(linear_accuracy(x[:2000], coin[:2000], x[2000:], coin[2000:]) - 0.5) < 0.06


def test_control_labels_are_random_but_fixed() -> None:
    types = [f"{number}" for number in range(5000)]
    labels = control_labels(types, share=0.3, seed=1)
    assert labels == control_labels(reversed(types), share=0.3, seed=1)
    assert labels != control_labels(types, share=0.3, seed=2)
    assert sum(labels.values()) / 5000 == pytest.approx(0.3, abs=0.03)


def test_borders_that_the_characters_tell_are_read_off_every_layer() -> None:
    layers = probe_boundaries(encoder(64), TOKENIZER, TEXTS[:80], TEXTS[80:], spans)
    assert [layer.layer for layer in layers] == [0, 1, 2]
    for layer in layers:
        assert layer.accuracy > 0.97 > layer.majority
        assert layer.accuracy - layer.control_accuracy == layer.selectivity
    assert layers[0].selectivity > 0


def test_attention_maps_are_those_of_the_model() -> None:
    labels, maps = attention_maps(encoder(), TOKENIZER, "小明在 花园")
    assert labels == list("小明在 花园")
    assert [layer.shape for layer in maps] == [(2, 6, 6)] * 2
    for layer in maps:
        np.testing.assert_allclose(layer.sum(axis=-1), 1.0, atol=1e-5)


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.addresses: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.addresses += [value or "" for name, value in attributes if name in ("src", "href")]


def test_the_page_has_a_map_for_every_layer_and_head() -> None:
    labels, maps = attention_maps(encoder(), TOKENIZER, "小明在<花园>")
    html = attention_page("小明在<花园>", labels, maps)
    tags = Tags(html)
    assert tags.seen.count("svg") == 4
    assert tags.seen.count("text") == 4 * 2 * 7
    assert all(address.startswith("data:image/png;base64,") for address in tags.addresses)
    assert "小明在&lt;花园&gt;" in html


def test_figures_of_a_head() -> None:
    here, everywhere = np.eye(4), np.full((4, 4), 0.25)
    assert mean_distance(here) == 0
    assert mean_distance(everywhere) == pytest.approx(1.25)
    assert entropy(here) == pytest.approx(0, abs=1e-9)
    assert entropy(everywhere) == pytest.approx(np.log(4))


def test_labels_can_be_seen() -> None:
    assert [visible(token) for token in (" ", "\t", "\x07", "春")] == ["␣", "␣", "\\x07", "春"]
