"""Guesses of a tiny model for hidden words."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from encoder import checkpoint
from encoder.config import EncoderConfig
from encoder.data import Corpus, corpus_window, spans_from_starts
from encoder.mlm import MaskedLanguageModel
from encoder.predict import (
    checkpoint_folder,
    draw_sentences,
    load_pretrained,
    occurrences,
    predict_words,
)
from encoder.tokenizers import CharTokenizer
from tests.encoder.invented import segmented

WORDS = segmented(50)
TEXTS = ["".join(words) for words in WORDS]
TOKENIZER = CharTokenizer.train(TEXTS)
CONFIG = EncoderConfig(TOKENIZER.vocabulary_size, width=16, layers=1, heads=2, ffn_width=32)


def model(seed: int = 1) -> MaskedLanguageModel:
    torch.manual_seed(seed)
    return MaskedLanguageModel(CONFIG).eval()


def save_run(run: Path, tokenizer: CharTokenizer, step: int, *, best: bool) -> MaskedLanguageModel:
    saved = model(step)
    identity = {"encoder": CONFIG.to_dict(), "tokenizer": TOKENIZER.fingerprint()}
    meta = checkpoint.Meta(step, 0, 0, 0, None, identity, {})
    checkpoint.save(run, saved.state_dict(), {}, meta, is_best=best)
    tokenizer.save(run / "tokenizer.txt")
    return saved


def test_each_word_is_guessed_with_the_rest_in_sight() -> None:
    text, words = TEXTS[0], spans_from_starts([0, 2, 3], len(TEXTS[0]))
    samples = list(predict_words(model(), TOKENIZER, text, words, count=4))
    assert [(sample.start, sample.end) for sample in samples] == words
    for sample in samples:
        probabilities = [probability for _, probability in sample.guesses]
        assert probabilities == sorted(probabilities, reverse=True)
        assert len(probabilities) == 4
        assert 0 < sum(probabilities) <= 1


def test_drawn_sentences_are_the_corpus_own_and_hide_han_words() -> None:
    starts = {"".join(words): [sum(map(len, words[:place])) for place in range(len(words))] for words in WORDS}
    corpus = Corpus.build(TEXTS, TOKENIZER, starts.__getitem__)
    drawn = list(draw_sentences(corpus, TOKENIZER, 6, 2, seed=3))
    assert drawn == list(draw_sentences(corpus, TOKENIZER, 6, 2, seed=3))
    assert drawn != list(draw_sentences(corpus, TOKENIZER, 6, 2, seed=4))
    for text, spans in drawn:
        words = WORDS[TEXTS.index(text)]
        assert len(spans) == 2
        assert {text[start:end] for start, end in spans} <= set(words[:5])


def test_an_unknown_character_of_a_corpus_stays_one_character() -> None:
    corpus = Corpus.build(["在龘里"], TOKENIZER)
    assert corpus_window(corpus, TOKENIZER, 0) == ("在\ufffd里", [(0, 1), (1, 2), (2, 3)])


def test_a_run_gives_its_best_checkpoint_or_the_latest(tmp_path: Path) -> None:
    best, latest = save_run(tmp_path, TOKENIZER, 1, best=True), save_run(tmp_path, TOKENIZER, 2, best=False)
    ids = torch.tensor([TOKENIZER.encode(TEXTS[0])])
    for which, saved in (("best", best), ("latest", latest)):
        loaded = load_pretrained(tmp_path, which)
        assert torch.equal(loaded.model.encoder(ids), saved.encoder(ids))
    assert load_pretrained(tmp_path / "step-00000002").meta.step == 2


def test_before_the_first_validation_the_latest_is_the_best(tmp_path: Path) -> None:
    save_run(tmp_path, TOKENIZER, 1, best=False)
    assert checkpoint_folder(tmp_path).name == "step-00000001"


def test_another_tokenizer_beside_the_weights_is_refused(tmp_path: Path) -> None:
    save_run(tmp_path, CharTokenizer(["别"]), 1, best=True)
    with pytest.raises(ValueError, match="trained with tokenizer"):
        load_pretrained(tmp_path)


def test_a_folder_without_a_checkpoint_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no checkpoint"):
        load_pretrained(tmp_path)


def test_spans_from_starts() -> None:
    assert spans_from_starts([0, 2, 3], 5) == [(0, 2), (2, 3), (3, 5)]
    assert spans_from_starts([2, 5], 5) == [(0, 2), (2, 5)]
    assert spans_from_starts([], 0) == []


def test_a_word_to_hide_is_found_as_a_word_first() -> None:
    spans = [(0, 3), (3, 5), (5, 7)]
    assert occurrences("研究生研究生命", "研究", spans) == [(3, 5)]
    assert occurrences("研究生研究生命", "究生", spans) == [(1, 3)]
    for missing in ("没有", ""):
        with pytest.raises(ValueError, match="does not stand"):
            occurrences("研究生研究生命", missing, spans)
