"""The compiled dictionary against a plain Python dict, and the shipped file against a fresh build."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter import dictionary as module
from segmenter.dictionary import DEFAULT_FILE, Dictionary, jieba_entries, main
from segmenter.hashing import code_points

WORD = st.text(alphabet="ab汉字語", min_size=1, max_size=5)
WORDS = st.dictionaries(WORD, st.integers(0, 10**9), max_size=30)


def expected_matches(words: dict[str, int], text: str) -> list[tuple[int, int]]:
    return [(i, j - i) for i in range(len(text)) for j in range(i + 1, len(text) + 1) if text[i:j] in words]


@given(WORDS, st.text(alphabet="ab汉字語文", max_size=40))
def test_match_finds_every_word(words: dict[str, int], text: str) -> None:
    dictionary = Dictionary.build(words.items())
    found = dictionary.match(code_points(text))
    pairs = list(zip(found.start.tolist(), found.length.tolist(), strict=True))
    assert pairs == expected_matches(words, text)
    scores = [dictionary.log_probability(text[start : start + length]) for start, length in pairs]
    assert found.log_probability.tolist() == scores


@given(WORDS, WORD)
def test_contains_and_frequency(words: dict[str, int], other: str) -> None:
    dictionary = Dictionary.build(words.items())
    assert dictionary.words == len(words)
    for word in {*words, other}:
        assert dictionary.contains(word) == (word in words)
        assert dictionary.frequency(word) == words.get(word, 0)
    assert not dictionary.contains("")
    assert dictionary.log_probability("") is None


def test_log_probability_is_on_the_grid() -> None:
    dictionary = Dictionary.build([("的", 75), ("人", 25), ("零", 0)])
    assert [dictionary.log_probability(word) for word in "的人零"] == [
        round(64 * float(np.log(p))) for p in (0.75, 0.25, 0.01)
    ]


def test_forms_that_become_one_add_up() -> None:
    dictionary = Dictionary.build([("T恤", 3), ("t恤", 4), ("", 9)], normalize=str.casefold)
    assert (dictionary.words, dictionary.frequency("t恤"), dictionary.contains("T恤")) == (1, 7, False)


def test_order_of_entries_does_not_matter(tmp_path: Path) -> None:
    entries = [(chr(0x4E00 + i) + chr(0x5E00 + i * 7 % 500) * (i % 4), i) for i in range(500)]
    for name, order in (("one", entries), ("two", entries[::-1])):
        Dictionary.build(order).save(tmp_path / f"{name}.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_save_and_load(tmp_path: Path) -> None:
    dictionary = Dictionary.build([("长江", 3), ("长江大桥", 1)])
    dictionary.save(tmp_path / "d.npz")
    loaded = Dictionary.load(tmp_path / "d.npz")
    assert loaded.fingerprint() == dictionary.fingerprint()
    assert loaded.match(code_points("长江大桥")).length.tolist() == [2, 4]


def test_fingerprint_changes_with_words_and_frequencies() -> None:
    prints = {Dictionary.build(e).fingerprint() for e in ([("a", 1)], [("b", 1)], [("a", 2)], [("a", 1), ("b", 1)])}
    assert len(prints) == 4


def test_words_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary.build([("长江", 3), ("长江大桥", 1), ("大", 1)])
    text = code_points("在长江大桥上的长江" * 5)
    whole = dictionary.match(text)
    monkeypatch.setattr(module, "_BLOCK", 3)
    for one, other in zip(whole, dictionary.match(text), strict=True):
        np.testing.assert_array_equal(one, other)


def test_long_words_and_many_frequencies() -> None:
    words = {"字" * 300: 1, **{chr(0x4E00 + i % 20000) + str(i): i for i in range(40_000)}}
    dictionary = Dictionary.build(words.items())
    assert dictionary.match(code_points("字" * 301)).length.tolist() == [300, 300]
    assert all(dictionary.frequency(word) == count for word, count in list(words.items())[::997])


def test_refuses_negative_frequency_and_other_formats(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="negative"):
        Dictionary.build([("长江", -1)])
    dictionary = Dictionary.build([("长江", 1)])
    dictionary._header[0] = 99
    dictionary.save(tmp_path / "d.npz")
    with pytest.raises(ValueError, match="format 99"):
        Dictionary.load(tmp_path / "d.npz")


def test_entries_of_a_word_file(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("AT&T 3 nz\n长江 12\n", encoding="utf-8")
    assert list(jieba_entries(tmp_path / "words.txt")) == [("AT&T", 3), ("长江", 12)]


def test_the_shipped_file_equals_a_fresh_build(tmp_path: Path) -> None:
    assert main(["build", "--output", str(tmp_path / "fresh.npz")]) == 0
    assert (tmp_path / "fresh.npz").read_bytes() == DEFAULT_FILE.read_bytes()
    assert DEFAULT_FILE.stat().st_size < 5_000_000
