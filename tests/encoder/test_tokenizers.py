"""What every tokenizer promises, and what each kind adds."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.tokenizers import (
    FIRST_TEXT_ID,
    MASK,
    SPECIAL_TOKENS,
    UNK,
    BPETokenizer,
    CharTokenizer,
    Tokenizer,
    WordTokenizer,
    extra_id,
    load_tokenizer,
)

CORPUS = [
    "春天来了,花园里的花都开了。",
    "春天的花园里有许多小鸟,小鸟在花园里唱歌。",
    "她在花园里学习 Python 3,学习写 tokenizer。",
    "学习使人进步;a tokenizer splits text into tokens, and tokens into ids.",
    "一行<mask>不是特殊记号,<pad> 也不是。\n换行\t和制表符都要留下。",
]

TOKENIZERS: dict[str, Tokenizer] = {
    "char": CharTokenizer.train(CORPUS),
    "word": WordTokenizer.train(CORPUS, cut=lambda text: re.split("(花园|春天)", text)),
    "bpe": BPETokenizer.train(CORPUS, size=480, pair_minimum=2),
    "bpe-unk": BPETokenizer.train(CORPUS, size=200, pair_minimum=2, byte_fallback=False),
}


@pytest.fixture(params=TOKENIZERS)
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return TOKENIZERS[request.param]


any_tokenizer = st.sampled_from(list(TOKENIZERS.values()))
any_text = st.text() | st.text(alphabet="".join(CORPUS), max_size=60) | st.text(alphabet=st.characters(), max_size=20)


@pytest.mark.parametrize("text", CORPUS)
def test_training_text_survives_the_round_trip(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(any_tokenizer, any_text)
def test_spans_cover_the_text_in_order_and_match_the_ids(tokenizer: Tokenizer, text: str) -> None:
    ids, spans = tokenizer.encode(text), tokenizer.spans(text)
    assert len(ids) == len(spans)
    assert [(id_, *span) for id_, span in zip(ids, spans, strict=True)] == list(tokenizer.pieces(text))
    end = 0
    for before, (start, stop) in zip([None, *spans], spans, strict=False):
        assert start == end or (start, stop) == before, "only the bytes of one character may share a span"
        assert start < stop
        end = stop
    assert end == len(text)


@given(any_tokenizer, any_text)
def test_a_known_token_is_the_text_of_its_span(tokenizer: Tokenizer, text: str) -> None:
    for id_, start, end in tokenizer.pieces(text):
        token = tokenizer.id_to_token(id_)
        assert token == text[start:end] or id_ == UNK or token.startswith("<0x")


@given(any_tokenizer, any_text | st.sampled_from([*SPECIAL_TOKENS, "<mask><cls>", "<0x41>", "<unk>"]))
def test_text_never_produces_a_special_token(tokenizer: Tokenizer, text: str) -> None:
    assert all(id_ >= FIRST_TEXT_ID or id_ == UNK for id_ in tokenizer.encode(text))
    assert text not in SPECIAL_TOKENS or len(tokenizer.encode(text)) > 1


@given(any_text)
def test_bytes_make_bpe_lossless(text: str) -> None:
    tokenizer = TOKENIZERS["bpe"]
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert UNK not in ids


def test_lone_surrogates_are_encoded_and_never_learned(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("春\ud800天")
    broken = ["春\ud800天"] * 9
    assert "\ud800" not in {
        token
        for trained in (CharTokenizer.train(broken), WordTokenizer.train(broken), BPETokenizer.train(broken, size=999))
        for token in map(trained.id_to_token, range(trained.vocabulary_size))
    }


def test_ids_and_tokens_are_inverse(tokenizer: Tokenizer) -> None:
    ids = range(tokenizer.vocabulary_size)
    assert [tokenizer.token_to_id(tokenizer.id_to_token(id_)) for id_ in ids] == list(ids)
    assert tokenizer.token_to_id("<mask>") == MASK
    assert tokenizer.token_to_id("不在词表里") == UNK
    for outside in (-1, tokenizer.vocabulary_size):
        with pytest.raises(ValueError, match="outside the vocabulary"):
            tokenizer.id_to_token(outside)


def test_saved_and_loaded_it_encodes_the_same(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "tokenizer.txt"
    tokenizer.save(path)
    text = "".join(CORPUS) + "罕见字龘😀"
    for loaded in (load_tokenizer(path), type(tokenizer).load(path)):
        assert type(loaded) is type(tokenizer)
        assert loaded.encode(text) == tokenizer.encode(text)
        assert loaded.fingerprint() == tokenizer.fingerprint()
    assert path.read_text().startswith(f"wenci-tokenizer 1 {tokenizer.kind} ")
    assert [file.name for file in path.parent.iterdir()] == ["tokenizer.txt"]


def test_training_does_not_depend_on_the_order_of_texts(tokenizer: Tokenizer) -> None:
    def train(texts: list[str]) -> Tokenizer:
        return type(tokenizer).train(texts)  # type: ignore[attr-defined, no-any-return]

    assert train(CORPUS).fingerprint() == train(CORPUS[::-1]).fingerprint()


def test_fingerprints_differ_between_vocabularies() -> None:
    others = [CharTokenizer.train(CORPUS[:1]), BPETokenizer.train(CORPUS, size=370), BPETokenizer.train([], size=500)]
    tokenizers = [*TOKENIZERS.values(), *others]
    assert len({tokenizer.fingerprint() for tokenizer in tokenizers}) == len(tokenizers)


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda data: b"GIF89a", "not a tokenizer file"),
        (lambda data: data.replace(b"tokenizer 1", b"tokenizer 2", 1), "version 2"),
        (lambda data: data[: len(data) // 2], "not whole"),
        (lambda data: data.replace(b" char ", b" hangul ", 1), "kind 'hangul'"),
    ],
)
def test_a_damaged_file_says_what_is_wrong(tmp_path: Path, damage: Callable[[bytes], bytes], complaint: str) -> None:
    path = tmp_path / "tokenizer.txt"
    TOKENIZERS["char"].save(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=complaint):
        load_tokenizer(path)


def test_the_wrong_class_refuses_the_file(tmp_path: Path) -> None:
    TOKENIZERS["char"].save(tmp_path / "tokenizer.txt")
    with pytest.raises(ValueError, match="kind 'char', not 'bpe'"):
        BPETokenizer.load(tmp_path / "tokenizer.txt")


def test_extra_tokens_lie_between_the_named_ones_and_text() -> None:
    assert [SPECIAL_TOKENS[extra_id(slot)] for slot in (0, 26)] == ["<extra_0>", "<extra_26>"]
    assert extra_id(26) == FIRST_TEXT_ID - 1
    with pytest.raises(ValueError, match="27"):
        extra_id(27)


def test_tokens_that_text_may_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot stand for text"):
        CharTokenizer(["a", "<mask>"])
    with pytest.raises(ValueError, match="differ"):
        CharTokenizer(["a", "a"])


def test_char_minimum_and_limit() -> None:
    texts = ["甲甲甲乙乙丙"]
    assert CharTokenizer.train(texts, minimum=2).vocabulary_size == FIRST_TEXT_ID + 2
    limited = CharTokenizer.train(texts, limit=1)
    assert limited.encode("甲乙") == [FIRST_TEXT_ID, UNK]


def test_words_are_cut_by_the_longest_match_and_never_across_runs() -> None:
    tokenizer = WordTokenizer.train(["研究 研究生 生命 的 起源 C++ Docker"], cut=str.split)

    def tokens(text: str) -> list[str]:
        return [text[start:end] for _, start, end in tokenizer.pieces(text)]

    assert tokens("研究生命起源") == ["研究生", "命", "起源"]
    assert tokens("研究Docker的Dockers") == ["研究", "Docker", "的", "Dockers"]
    assert tokenizer.encode("Dockers") == [UNK]
    assert tokens("C++") == ["C", "+", "+"]
    assert UNK not in tokenizer.encode("研命")
