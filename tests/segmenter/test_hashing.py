"""N-gram hashes: what the dictionary file and the wide model were written with must not change."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from segmenter.hashing import code_points, hash_text, mix, ngram_hashes

TEXT = st.text(alphabet="ab汉字語\u0000\U0001f600\U0010ffff", max_size=12)


@given(st.text())
def test_code_points_are_those_of_the_text(text: str) -> None:
    assert code_points(text).tolist() == [ord(character) for character in text]


def test_code_points_keep_lone_surrogates() -> None:
    assert code_points("a\ud800").tolist() == [0x61, 0xD800]


@given(TEXT, st.integers(1, 6))
def test_every_ngram_has_the_hash_of_its_text(text: str, longest: int) -> None:
    columns = list(ngram_hashes(code_points(text), longest))
    assert len(columns) == longest
    for n, hashes in enumerate(columns, start=1):
        assert hashes.tolist() == [hash_text(text[i : i + n]) for i in range(len(text) - n + 1)]


@given(st.lists(TEXT, unique=True, min_size=2))
def test_different_texts_have_different_hashes(texts: list[str]) -> None:
    assert len({hash_text(text) for text in texts}) == len(texts)


def test_hashes_on_record() -> None:
    assert [hash_text(text) for text in ("", "稳", "稳词")] == [
        0x243F6A8885A308D3,
        0x82DE8354DCC4EB14,
        0xEE285DF11420D598,
    ]
    salted = mix(np.array([hash_text("稳词")], dtype=np.uint64), 7)
    assert salted.tolist() == [0x0F8E150521A3E90F]


def test_bits_of_hashes_are_balanced() -> None:
    hashes = np.concatenate(list(ngram_hashes(np.arange(0x4E00, 0x9FA5, dtype=np.uint32), 2)))
    ones = [int(((hashes >> np.uint64(bit)) & np.uint64(1)).sum()) for bit in range(64)]
    assert max(abs(count - len(hashes) / 2) for count in ones) < 5 * np.sqrt(len(hashes)) / 2
