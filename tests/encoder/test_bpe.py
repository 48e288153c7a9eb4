"""Byte-pair encoding against a worked example, a slow twin, and another implementation."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Oracle
from tokenizers import models, pre_tokenizers, trainers

from encoder.tokenizers import FIRST_TEXT_ID, UNK, BPETokenizer
from encoder.tokenizers.bpe import BYTE_TOKENS
from encoder.tokenizers.bpe_training import PairIndex, base_symbols, learn_merges
from encoder.tokenizers.runs import runs

BORDER = "\x00"


def invented_corpus(seed: int, texts: int = 300) -> list[str]:
    """Sentences of invented words with a skewed frequency, some Latin, some chains of one letter."""
    draw = random.Random(seed)
    characters = "天地人山水火木金土日月星风云雨雪花鸟鱼虫"
    words = ["".join(draw.choices(characters, k=draw.randint(1, 4))) for _ in range(60)]
    words += ["the ", "then ", "token ", "tokens ", "aaa", "aaaa", "aaaaa", "哈哈哈", "哈哈哈哈", "、", "2026", "20"]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    draw.shuffle(words)
    return ["".join(draw.choices(words, weights, k=draw.randint(3, 15))) for _ in range(texts)]


def separated(text: str) -> str:
    return BORDER.join(runs(text))


def train_oracle(texts: list[str], size: int, minimum: int) -> Oracle:
    oracle = Oracle(models.BPE(unk_token=None))
    oracle.pre_tokenizer = pre_tokenizers.CharDelimiterSplit(BORDER)
    trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=minimum, show_progress=False, special_tokens=[])
    oracle.train_from_iterator([separated(text) for text in texts], trainer)
    return oracle


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("added", "minimum"), [(80, 2), (400, 5)])
def test_training_agrees_with_the_tokenizers_library(seed: int, added: int, minimum: int) -> None:
    texts = invented_corpus(seed)
    symbols = len(set("".join(texts)))
    ours = BPETokenizer.train(texts, size=FIRST_TEXT_ID + symbols + added, pair_minimum=minimum, byte_fallback=False)
    oracle = train_oracle(texts, symbols + added, minimum)
    theirs = [token for token, _ in sorted(oracle.get_vocab().items(), key=lambda pair: pair[1])]
    assert [ours.id_to_token(id_) for id_ in range(FIRST_TEXT_ID, ours.vocabulary_size)] == theirs
    for text in invented_corpus(seed + 100, texts=50):
        known = "".join(character for character in text if ours.token_to_id(character) != UNK)
        mine = [ours.id_to_token(id_) for id_ in ours.encode(known)]
        assert mine == oracle.encode(separated(known)).tokens


def test_encoding_agrees_with_the_library_on_unknown_characters() -> None:
    ours = BPETokenizer.train(invented_corpus(1), size=500)
    tokens = [ours.id_to_token(id_) for id_ in range(FIRST_TEXT_ID, ours.vocabulary_size)]
    merges = [(ours.id_to_token(left), ours.id_to_token(right)) for left, right in ours.merges]
    vocabulary = {token: place for place, token in enumerate(tokens)} | {"<unk>": len(tokens)}
    oracle = Oracle(models.BPE(vocab=vocabulary, merges=merges, byte_fallback=True, unk_token="<unk>"))
    oracle.pre_tokenizer = pre_tokenizers.CharDelimiterSplit(BORDER)
    for text in ["天龘地", "😀人山水", "é", "the ångström 天天天"]:
        mine = [ours.id_to_token(id_) for id_ in ours.encode(text)]
        assert mine == oracle.encode(separated(text)).tokens


def test_the_worked_example_of_the_algorithm() -> None:
    """`ab` stands 5 times, then `abc` 3 times; nothing else reaches three."""
    tokenizer = BPETokenizer.train(["abc"] * 3 + ["ab"] * 2 + ["cd"] * 2, size=99, pair_minimum=3, byte_fallback=False)
    a, b, c, d, ab, abc = range(FIRST_TEXT_ID, FIRST_TEXT_ID + 6)
    assert tokenizer.merges == ((a, b), (ab, c))
    assert tokenizer.encode("abcd") == [abc, d]
    assert tokenizer.encode("cab") == [c, ab]
    assert tokenizer.encode("ba") == [b, a]


def slow_merges(counts: Counter[str], symbols: list[str], steps: int) -> list[tuple[str, str]]:
    """Count every pair again before every merge."""
    words = {run: [character if character in symbols else None for character in run] for run in counts}
    order = {symbol: place for place, symbol in enumerate(symbols)}
    merges: list[tuple[str, str]] = []
    while len(merges) < steps:
        seen: Counter[tuple[str, str]] = Counter()
        for run, parts in words.items():
            for left, right in pairwise(parts):
                if left is not None and right is not None:
                    seen[left, right] += counts[run]
        if not seen:
            break
        best = min(seen, key=lambda pair: (-seen[pair], order[pair[0]], order[pair[1]]))
        merges.append(best)
        order.setdefault("".join(best), len(order))
        for run, parts in words.items():
            words[run] = merged(parts, best)
    return merges


def merged(parts: list[str | None], pair: tuple[str, str]) -> list[str | None]:
    result: list[str | None] = []
    place = 0
    while place < len(parts):
        if tuple(parts[place : place + 2]) == pair:
            result.append("".join(pair))
            place += 2
        else:
            result.append(parts[place])
            place += 1
    return result


@settings(max_examples=150)
@given(st.dictionaries(st.text(alphabet="abcd", min_size=1, max_size=12), st.integers(1, 5), min_size=1, max_size=8))
def test_incremental_counts_equal_counting_anew(counts: dict[str, int]) -> None:
    symbols = [symbol for symbol in base_symbols(counts, minimum=1) if symbol != "d"]
    merges = learn_merges(counts, symbols, first_id=0, size=len(symbols) + 12, minimum=1)
    tokens = list(symbols)
    named = []
    for left, right in merges:
        named.append((tokens[left], tokens[right]))
        if tokens[left] + tokens[right] not in tokens:
            tokens.append(tokens[left] + tokens[right])
    assert named == slow_merges(Counter(counts), symbols, len(named))
    assert len(tokens) == len(symbols) + 12 or not slow_merges(Counter(counts), symbols, len(named) + 1)[len(named) :]


def test_overlapping_pairs_are_merged_from_the_left() -> None:
    index = PairIndex({"aaaaa": 1}, {"a": 0}, 1)
    assert index.most_frequent(1) == (0, 0)
    index.merge((0, 0), 1)
    assert index.most_frequent(1) == (1, 0), "aaaaa is now AAa: one AA and one Aa, the lower ids first"


def test_rare_characters_stay_out_of_the_base_symbols() -> None:
    texts = ["春天来了" * 9, "ひらがな Ελληνικά 한국어"]
    tokenizer = BPETokenizer.train(texts, size=400, symbol_minimum=5)
    assert {tokenizer.token_to_id(symbol) == UNK for symbol in "ひΕ한"} == {True}
    ids = tokenizer.encode("ひ")
    assert [tokenizer.id_to_token(id_) for id_ in ids] == ["<0xE3>", "<0x81>", "<0xB2>"]
    assert tokenizer.spans("春ひ") == [(0, 1), (1, 2), (1, 2), (1, 2)]
    few = BPETokenizer.train(texts, size=400, symbol_limit=4)
    assert [few.token_to_id(symbol) == UNK for symbol in "春天来了ひ"] == [False] * 4 + [True]


def test_a_pair_never_crosses_a_rare_character() -> None:
    tokenizer = BPETokenizer.train(["甲㊣乙甲㊣乙甲丙乙丙"], size=100, symbol_minimum=3, byte_fallback=False)
    assert tokenizer.token_to_id("甲乙") == UNK


def test_without_bytes_the_unknown_is_one_token() -> None:
    tokenizer = BPETokenizer.train(["春天"], size=100, byte_fallback=False)
    assert tokenizer.encode("春ひ") == [tokenizer.token_to_id("春"), UNK]


def test_a_size_too_small_for_the_base_is_refused() -> None:
    with pytest.raises(ValueError, match="no room"):
        BPETokenizer.train(["春天"], size=FIRST_TEXT_ID + len(BYTE_TOKENS))


def test_one_very_long_run_does_not_take_quadratic_steps() -> None:
    tokenizer = BPETokenizer.train(["ab" * 50], size=400)
    text = "ab" * 100_000
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(st.text(alphabet="abcde", max_size=40))
def test_the_heap_merges_as_repeated_scans_do(text: str) -> None:
    tokenizer = BPETokenizer.train(["abcab", "bcabc", "cde", "aabb", "dede"] * 2, size=60, byte_fallback=False)
    ids = [tokenizer.token_to_id(character) for character in text]
    for left, right in tokenizer.merges:
        target = tokenizer.token_to_id(tokenizer.id_to_token(left) + tokenizer.id_to_token(right))
        parts: list[str | None] = [str(id_) for id_ in ids]
        joined = merged(parts, (str(left), str(right)))
        ids = [target if part == f"{left}{right}" else int(part or 0) for part in joined]
    assert tokenizer.encode(text) == ids
