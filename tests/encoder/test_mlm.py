"""Whole-word masking and the tied head."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder.config import EncoderConfig
from encoder.mlm import Masked, MaskedLanguageModel, guess_word, mask_words
from encoder.mlm_scores import TOP, Scores, likeliest, scores_of, summary
from encoder.tokenizers import CharTokenizer
from encoder.tokenizers.base import FIRST_TEXT_ID, MASK, PAD, UNK

VOCABULARY = 200


def batch(rows: int = 50, length: int = 40) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(3)
    ids = generator.integers(FIRST_TEXT_ID, VOCABULARY, (rows, length))
    starts = generator.random((rows, length)) < 0.6
    starts[:, 0] = True
    ids[::2, 30:], starts[::2, 30:] = PAD, False
    return ids, starts


def words_of(starts: np.ndarray, ids: np.ndarray) -> list[list[int]]:
    words: list[list[int]] = []
    for place, (start, id_) in enumerate(zip(starts.ravel(), ids.ravel(), strict=True)):
        if start:
            words.append([])
        if id_ != PAD:
            words[-1].append(place)
    return words


def test_words_are_hidden_whole_and_share_their_fate():
    ids, starts = batch()
    masked = mask_words(ids, starts, np.random.default_rng(0), VOCABULARY, 0.3)
    chosen, inputs = set(masked.places.tolist()), masked.inputs.ravel()
    for word in words_of(starts, ids):
        assert len(chosen & set(word)) in (0, len(word))
        hidden = {bool(inputs[place] == MASK) for place in word}
        assert len(hidden) == 1


def test_shares_are_80_10_10_of_the_rate():
    ids, starts = batch(2000)
    masked = mask_words(ids, starts, np.random.default_rng(0), VOCABULARY, 0.2)
    there, before = masked.inputs.ravel()[masked.places], masked.targets
    hidden, kept = there == MASK, there == before
    assert len(masked.places) / (ids != PAD).sum() == pytest.approx(0.2, abs=0.01)
    assert hidden.mean() == pytest.approx(0.8, abs=0.01)
    assert kept.mean() == pytest.approx(0.1, abs=0.01)
    swapped = there[~hidden & ~kept]
    assert swapped.min() >= FIRST_TEXT_ID
    assert len(set(swapped.tolist())) > 100


def test_nothing_else_is_touched_and_targets_are_the_originals():
    ids, starts = batch()
    before = ids.copy()
    masked = mask_words(ids, starts, np.random.default_rng(0), VOCABULARY, 0.2)
    assert np.array_equal(ids, before)
    assert np.array_equal(masked.targets, ids.ravel()[masked.places])
    untouched = np.ones(ids.size, bool)
    untouched[masked.places] = False
    assert np.array_equal(masked.inputs.ravel()[untouched], ids.ravel()[untouched])


def test_masks_are_dynamic_and_reproducible():
    ids, starts = batch()
    first, again, other = (mask_words(ids, starts, np.random.default_rng(seed), VOCABULARY) for seed in (1, 1, 2))
    assert np.array_equal(first.inputs, again.inputs)
    assert not np.array_equal(first.inputs, other.inputs)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.floats(0, 1), st.lists(st.integers(1, 8), min_size=1, max_size=4))
def test_padding_and_unknowns_are_never_guessed_and_something_always_is(seed, rate, lengths):
    ids = np.zeros((len(lengths), max(lengths)), dtype=np.int64)
    for row, length in enumerate(lengths):
        ids[row, :length] = FIRST_TEXT_ID + np.arange(length)
        ids[row, 1:length:3] = UNK
    starts = ids != PAD
    masked = mask_words(ids, starts, np.random.default_rng(seed), VOCABULARY, rate)
    assert len(masked.places) >= 1
    assert not set(masked.targets.tolist()) & {PAD, UNK}
    assert np.array_equal(masked.inputs == PAD, ids == PAD)


@pytest.fixture
def model() -> MaskedLanguageModel:
    torch.manual_seed(0)
    return MaskedLanguageModel(EncoderConfig(VOCABULARY, width=16, layers=1, heads=2, ffn_width=16))


def test_output_is_tied_to_the_token_embedding(model):
    names = dict(model.named_parameters())
    large = [name for name, p in names.items() if VOCABULARY in p.shape and p.ndim == 2]
    assert large == ["encoder.embeddings.tokens.weight"]
    inputs, places = torch.tensor([[40, MASK, 42]]), torch.tensor([1])
    before = model(inputs, places)
    with torch.no_grad():
        names["encoder.embeddings.tokens.weight"][99, 0] += 1.0
    after = model(inputs, places)
    changed = (before - after).abs()[0]
    assert changed[99] > 0.01
    assert changed[:99].max() < 1e-5


def test_only_masked_places_have_a_loss(model):
    model.eval()
    ids, starts = batch(4)
    masked = mask_words(ids, starts, np.random.default_rng(0), VOCABULARY, 0.2)
    every = model(torch.from_numpy(masked.inputs), torch.arange(ids.size))
    expected = torch.nn.functional.cross_entropy(every[masked.places], torch.from_numpy(masked.targets))
    assert model.loss(masked).item() == pytest.approx(expected.item(), abs=1e-5)
    losses, ranks, _ = model.score(masked)
    assert losses.mean() == pytest.approx(expected.item(), abs=1e-5)
    best = every[masked.places].argmax(-1).numpy() == masked.targets
    assert np.array_equal(ranks == 0, best)


def test_an_untrained_model_knows_nothing(model):
    ids, starts = batch(20)
    masked = mask_words(ids, starts, np.random.default_rng(0), VOCABULARY, 0.2)
    assert model.loss(masked).item() == pytest.approx(math.log(VOCABULARY), rel=0.25)


def test_summary_counts_ranks():
    first = Scores(np.array([1.0, 2.0]), np.array([0, 4]), np.array([0]))
    second = Scores(np.array([3.0, 0.0]), np.array([5, 0]), np.array([4, 5]))
    assert summary([first, second]) == {
        "loss": 1.5,
        "top1": 0.5,
        "top5": 0.75,
        "word_top1": pytest.approx(1 / 3),
        "word_top5": pytest.approx(2 / 3),
    }


@settings(deadline=None)
@given(st.integers(0, 10_000), st.lists(st.integers(1, 3), min_size=1, max_size=4))
def test_word_ranks_are_those_among_all_strings(seed, lengths):
    generator = np.random.default_rng(seed)
    words = np.repeat(np.arange(len(lengths)) * 7 + 3, lengths)
    logs = torch.from_numpy(generator.normal(size=(len(words), 6)) * 2).float().log_softmax(-1)
    targets = np.where(
        generator.random(len(words)) < 0.7, logs.argmax(-1).numpy(), generator.integers(0, 6, len(words))
    )
    found = scores_of(logs, Masked(np.zeros((1, 1), np.int64), np.arange(len(words)), targets, words)).word_ranks
    for word, rank in zip(np.unique(words), found, strict=True):
        rows = logs[torch.from_numpy(words == word)]
        every = sum(torch.meshgrid(*rows, indexing="ij"))
        right = every[tuple(targets[words == word])]
        assert rank == min(TOP, int((every > right).sum()))


def test_likeliest_strings():
    values = [[-0.1, -3.0], [-0.2, -1.0]]
    assert [ids for _, ids in likeliest(values, [[4, 5], [6, 7]], 3)] == [(4, 6), (4, 7), (5, 6)]


def test_guesses_are_the_likeliest_strings_in_order(model):
    tokenizer = CharTokenizer([chr(0x4E00 + i) for i in range(VOCABULARY - FIRST_TEXT_ID)])
    text = "一丁七万丈"
    sample = guess_word(model, tokenizer, text, 1, 3, count=3)
    probabilities = [p for _, p in sample.guesses]
    assert (sample.text, sample.start, sample.end) == (text, 1, 3)
    assert len(sample.guesses) == 3
    assert probabilities == sorted(probabilities, reverse=True)
    ids = torch.tensor([tokenizer.encode(text)])
    ids[0, 1:3] = MASK
    logs = model(ids, torch.tensor([1, 2])).log_softmax(-1)
    pairs = (logs[0][:, None] + logs[1][None, :]).flatten().topk(3)
    assert probabilities == pytest.approx(pairs.values.exp().tolist(), rel=1e-4)
    with pytest.raises(ValueError, match="no word from 4 to 6"):
        guess_word(model, tokenizer, text, 4, 6)
