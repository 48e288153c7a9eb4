"""Heads: word boundaries and sentence vectors."""

import math
from dataclasses import replace

import pytest
import torch

from encoder import checkpoint
from encoder.config import EncoderConfig
from encoder.heads import BoundaryTagger, SentenceEmbedder, boundary_loss, info_nce, mean_pool, pretrained_encoder
from encoder.mlm import MaskedLanguageModel
from encoder.model import Encoder, present_in
from encoder.weights import load_weights, save_weights, start_from

CONFIG = EncoderConfig(60, width=16, layers=1, heads=2, ffn_width=16, bigram_buckets=31, bigram_width=4)


@pytest.fixture
def folder(tmp_path):
    torch.manual_seed(0)
    model = MaskedLanguageModel(CONFIG)
    meta = checkpoint.Meta(1, 0, 1, 10, None, {"encoder": CONFIG.to_dict()}, {})
    return checkpoint.save(tmp_path / "run", model.state_dict(), {}, meta, is_best=True), model


def test_a_pretrained_encoder_gives_what_it_gave_with_its_head(folder):
    path, model = folder
    ids = torch.tensor([[5, 6, 7, 8]])
    assert torch.equal(pretrained_encoder(path)(ids), model.encoder(ids))


def test_new_inputs_change_nothing_until_they_are_given(folder):
    path, model = folder
    encoder = pretrained_encoder(path, categories=(("criterion", 7),), measures=(("dictionary", 3),))
    ids = torch.tensor([[5, 6, 7, 8]])
    assert torch.equal(encoder(ids), model.encoder(ids))
    assert not torch.equal(encoder(ids, {"criterion": torch.tensor([[2]])}), model.encoder(ids))


def test_a_checkpoint_that_lacks_a_parameter_is_refused(tmp_path, folder):
    _, model = folder
    weights = {name: value for name, value in model.state_dict().items() if "W_qkv" not in name}
    meta = checkpoint.Meta(1, 0, 1, 10, None, {"encoder": CONFIG.to_dict()}, {})
    path = checkpoint.save(tmp_path / "other", weights, {}, meta, is_best=True)
    with pytest.raises(ValueError, match=r"blocks\.0\.attention\.W_qkv\.weight"):
        pretrained_encoder(path)


@pytest.mark.parametrize("head", [BoundaryTagger, SentenceEmbedder])
def test_padding_changes_no_head(head):
    torch.manual_seed(0)
    model = head(Encoder(CONFIG)).eval()
    batch = torch.tensor([[5, 6, 7, 0, 0], [8, 9, 10, 11, 12]])
    alone, together = model(batch[:1, :3]), model(batch, present=present_in(batch))
    assert torch.allclose(together[:1, : alone.shape[1]], alone, atol=1e-5)


def test_tagger_learns_boundaries_from_both_sides():
    torch.manual_seed(0)
    tagger = BoundaryTagger(Encoder(CONFIG), inner=16)
    ids = torch.randint(5, 60, (32, 12))
    borders = (ids[:, :-1] % 2 == 1) & (ids[:, 1:] % 2 == 0)  # needs the left and the right character
    optimizer = torch.optim.AdamW(tagger.parameters(), lr=1e-2)
    for _ in range(60):
        optimizer.zero_grad()
        loss = boundary_loss(tagger(ids), borders)
        loss.backward()
        optimizer.step()
    assert tagger(ids).shape == (32, 11)
    assert ((tagger(ids) > 0) == borders).float().mean() > 0.99


def test_boundary_loss_leaves_padding_out():
    odds = torch.tensor([[2.0, -1.0, 50.0]])
    borders = torch.tensor([[True, False, False]])
    present = torch.tensor([[True, True, True, False]])
    expected = (math.log1p(math.exp(-2)) + math.log1p(math.exp(-1))) / 2
    assert boundary_loss(odds, borders, present).item() == pytest.approx(expected, abs=1e-6)


def test_mean_pool_is_the_mean_of_what_is_present():
    hidden = torch.tensor([[[1.0], [3.0], [100.0]]])
    assert mean_pool(hidden, torch.tensor([[True, True, False]])).item() == 2.0
    assert mean_pool(hidden[:, :2]).item() == 2.0
    assert mean_pool(hidden, torch.zeros(1, 3, dtype=torch.bool)).item() == 0.0


def test_vectors_have_length_one():
    vectors = SentenceEmbedder(Encoder(CONFIG), 8)(torch.randint(5, 60, (3, 6)))
    assert vectors.shape == (3, 8)
    assert torch.allclose(vectors.norm(dim=-1), torch.ones(3))


def test_info_nce_worked_by_hand():
    first = torch.eye(2)
    assert info_nce(first, first, 1.0).item() == pytest.approx(math.log(1 + math.exp(-1)), abs=1e-6)
    assert info_nce(first, first.flip(0), 1.0).item() == pytest.approx(math.log(1 + math.exp(1)), abs=1e-6)
    assert torch.autograd.gradcheck(
        info_nce, (torch.randn(3, 4).double().requires_grad_(), torch.randn(3, 4).double().requires_grad_())
    )


def test_contrastive_training_pulls_pairs_together():
    torch.manual_seed(0)
    model = SentenceEmbedder(Encoder(CONFIG), 8)
    titles, bodies = torch.randint(5, 60, (8, 5)), torch.randint(5, 60, (8, 9))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(40):
        optimizer.zero_grad()
        info_nce(model(titles), model(bodies)).backward()
        optimizer.step()
    assert torch.equal((model(titles) @ model(bodies).T).argmax(-1), torch.arange(8))


def test_an_encoder_starts_from_the_shipped_form_of_another(tmp_path):
    """Weights saved small come back within the rounding, and inputs beyond the text keep their own."""
    saved, fresh = Encoder(replace(CONFIG, categories=(("kind", 3),))), Encoder(CONFIG)
    save_weights(BoundaryTagger(saved), tmp_path / "w.safetensors", {})
    start_from(fresh, load_weights(tmp_path / "w.safetensors"))
    expected = saved.state_dict()
    for name, value in fresh.state_dict().items():
        assert torch.allclose(value, expected[name], atol=2e-3), name
    narrow = Encoder(replace(CONFIG, width=CONFIG.width // 2))
    before = {name: value.clone() for name, value in narrow.state_dict().items()}
    with pytest.raises(ValueError, match=r"is \(.*\) in the weights to start from"):
        start_from(narrow, load_weights(tmp_path / "w.safetensors"))
    with pytest.raises(ValueError, match="lack"):
        start_from(narrow, {})
    assert all(torch.equal(value, before[name]) for name, value in narrow.state_dict().items())
