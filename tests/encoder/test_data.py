"""From text to arrays to batches."""

import dataclasses
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.data import Corpus, corpus_window, epoch_batches, han_share, normalise, padded_rows, run_starts, windows
from encoder.tokenizers import BPETokenizer, CharTokenizer, WordTokenizer

TEXTS = ["今天天气很好。", "我们用 python3 写程序。", "好"]


@pytest.fixture
def tokenizer() -> CharTokenizer:
    return CharTokenizer.train(TEXTS)


@pytest.fixture
def corpus(tokenizer) -> Corpus:
    return Corpus.build(TEXTS, tokenizer)


def test_normalise():
    assert normalise("　ＰＹＴＨＯＮ\t\n３，好 ") == "python 3,好"
    assert han_share("好a好b") == 0.5
    assert han_share("") == 0.0


@given(st.text())
def test_normalise_twice_is_once(text):
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(alphabet="天地人。!?;” \n", max_size=60), st.integers(1, 20))
def test_windows_join_to_the_text_and_keep_the_limit(text, limit):
    parts = list(windows(text, limit))
    assert "".join(parts) == text
    assert all(0 < len(part) <= limit for part in parts)


def test_windows_end_at_sentences_where_they_can():
    assert list(windows("天气很好。出门走走。太阳很大", 12)) == ["天气很好。出门走走。", "太阳很大"]
    assert list(windows("他说:“好。”然后走了。", 7)) == ["他说:“好。”", "然后走了。"]


def test_latin_runs_are_words():
    assert run_starts("用 python3 写") == [0, 1, 2, 9, 10]


def test_corpus_holds_texts_and_word_starts(corpus, tokenizer):
    assert len(corpus) == 3
    assert corpus.lengths.tolist() == [len(text) for text in TEXTS]
    second = slice(corpus.offsets[1], corpus.offsets[2])
    assert tokenizer.decode(corpus.ids[second].tolist()) == TEXTS[1]
    assert np.flatnonzero(corpus.word_starts[second]).tolist() == run_starts(TEXTS[1])


def test_corpus_survives_the_disk(corpus, tmp_path):
    corpus.save(tmp_path)
    again = Corpus.load(tmp_path)
    for field in dataclasses.fields(Corpus):
        assert np.array_equal(getattr(again, field.name), getattr(corpus, field.name)), field.name


def test_a_changed_corpus_is_refused(corpus, tmp_path):
    corpus.save(tmp_path)
    np.save(tmp_path / "ids.npy", corpus.ids[::-1].copy())
    with pytest.raises(ValueError, match="changed after it was written"):
        Corpus.load(tmp_path)


def test_fingerprint_depends_on_all_of_it(corpus, tokenizer):
    other = Corpus.build(TEXTS, tokenizer, lambda text: range(len(text)))
    assert len({corpus.fingerprint, other.fingerprint, corpus.take([1, 0, 2]).fingerprint}) == 3
    assert corpus.take(range(3)).fingerprint == corpus.fingerprint
    assert corpus.take([1]).ids.tolist() == tokenizer.encode(TEXTS[1])


@pytest.mark.parametrize(
    "tokenizer",
    [
        CharTokenizer.train(TEXTS),
        WordTokenizer.train(TEXTS, cut=re.compile("[a-z]+|.").findall),
        BPETokenizer.train([text * 3 for text in TEXTS], size=320 + 40),
        BPETokenizer.train(["天"], size=300),
    ],
    ids=["char", "word", "bpe", "bytes"],
)
def test_every_tokenizer_makes_a_corpus_that_reads_back(tokenizer):
    starts = {text: [0, *range(2, len(text), 2)] for text in TEXTS}
    corpus = Corpus.build(TEXTS, tokenizer, starts.__getitem__)
    for row, text in enumerate(TEXTS):
        first, last = corpus.offsets[row], corpus.offsets[row + 1]
        assert corpus.ids[first:last].tolist() == tokenizer.encode(text)
        shown, words = corpus_window(corpus, tokenizer, row)
        assert shown == text
        begins = {start for start, _ in tokenizer.spans(text)} & set(starts[text])
        assert [start for start, _ in words] == sorted(begins | {0})


def test_a_vocabulary_that_two_bytes_cannot_number_is_refused():
    tokenizer = WordTokenizer([f"w{number}" for number in range(1 << 16)])
    with pytest.raises(ValueError, match="65536"):
        Corpus.build(TEXTS, tokenizer)


def test_layout_of_bytes_is_one_place_a_character():
    tokenizer = BPETokenizer(["甲"], [])
    text = "甲龘😀a甲"
    shown, spans = tokenizer.layout(tokenizer.encode(text))
    assert shown == text
    assert spans == tokenizer.spans(text)
    cut = tokenizer.encode("龘")[:2]
    assert tokenizer.layout([*cut, *tokenizer.encode("甲")]) == ("\ufffd甲", [(0, 1), (0, 1), (1, 2)])


@given(st.lists(st.integers(1, 40), min_size=1, max_size=80), st.integers(40, 200), st.integers(0, 5))
def test_an_epoch_has_every_window_once_in_batches_of_the_size(lengths, size, seed):
    array = np.array(lengths)
    batches = epoch_batches(array, size, seed, 0)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    assert all(array[rows].max() * len(rows) <= size for rows in batches)


def test_order_is_a_function_of_seed_and_epoch():
    lengths = np.arange(1, 60)

    def order(seed: int, epoch: int) -> list[list[int]]:
        return [rows.tolist() for rows in epoch_batches(lengths, 100, seed, epoch)]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)


def test_batches_waste_little_padding():
    lengths = np.random.default_rng(0).integers(4, 129, 4000)
    read = sum(int(lengths[rows].max()) * len(rows) for rows in epoch_batches(lengths, 4096, 1, 0))
    assert lengths.sum() / read > 0.93


def test_a_window_longer_than_a_batch_is_a_batch():
    assert [rows.tolist() for rows in epoch_batches(np.array([50]), 10, 1, 0)] == [[0]]
    assert epoch_batches(np.array([], dtype=np.int64), 10, 1, 0) == []


def test_padded_rows(corpus):
    ids, starts = padded_rows(corpus, np.array([2, 0]))
    assert ids.shape == starts.shape == (2, 7)
    assert ids[0].tolist() == [corpus.ids[corpus.offsets[2]], 0, 0, 0, 0, 0, 0]
    assert starts[0].tolist() == [True] + [False] * 6
