import math
import random
import tracemalloc
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter.analyzer import Analyzer
from segmenter.counting import BoundedCounter
from segmenter.dictionary import Dictionary
from segmenter.discover import DiscoveryConfig, discover
from segmenter.normalise import Normalizer
from segmenter.segment import Segmenter
from segmenter.user_dictionary import UserDictionary, UserWord
from tests.segmenter.fakes import ConstantTagger, PairTagger

ANALYZER = Analyzer(Segmenter(Dictionary.load()), Normalizer())
CHARACTERS = [chr(code) for code in range(0x4E10, 0x4E10 + 300)]
NEW = "鑫淼焱"


class HanJoiner(PairTagger):
    """Han characters belong together, everything else stands alone."""

    def _odds(self, pair: str) -> int:
        return -300 if all("\u4e00" <= one <= "\u9fff" for one in pair) else 300


def corpus(times: int = 40, seed: int = 3) -> list[str]:
    """Lines of random characters; NEW stands in some of them, always whole, in changing surroundings."""
    rng = random.Random(seed)
    noise = lambda: "".join(rng.choices(CHARACTERS, k=rng.randint(3, 9)))  # noqa: E731
    return [noise() + (NEW if number % 3 == 0 else "，") + noise() for number in range(3 * times)]


@given(st.lists(st.integers(0, 12)), st.integers(2, 20))
def test_counts_are_never_too_high_and_hardly_too_low(values: list[int], limit: int) -> None:
    counter = BoundedCounter(limit)
    for value in values:
        counter.add(np.array([value], dtype=np.uint64))
    keys, _ = counter.items()
    assert len(keys) <= limit
    true = Counter(values)
    found = counter.counts(np.arange(13, dtype=np.uint64)).tolist()
    for value in range(13):
        assert true[value] - counter.lost <= found[value] <= true[value]
    if len(true) <= limit:
        assert found == [true[value] for value in range(13)]


def test_a_word_is_found_with_its_figures() -> None:
    texts = corpus()
    found = discover(lambda: texts, ANALYZER)
    (word,) = found.candidates
    assert (word.word, word.frequency, word.entry) == (NEW, 40, f"{NEW}\t\t")
    assert len(word.examples) >= 1
    assert all(NEW in example for example in word.examples)
    assert found.characters == sum(one != "，" for text in texts for one in text)
    assert word.cohesion == pytest.approx(math.log(found.characters / 40))
    left = Counter(text[text.index(NEW) - 1] for text in texts if NEW in text)
    right = Counter(text[text.index(NEW) + len(NEW)] for text in texts if NEW in text)
    entropies = [-sum(n / 40 * math.log(n / 40) for n in side.values()) for side in (left, right)]
    assert word.branching == pytest.approx(min(entropies))


def test_parts_of_a_word_and_known_words_are_left_out() -> None:
    texts = [text.replace("，", "京都") for text in corpus()]
    assert [word.word for word in discover(lambda: texts, ANALYZER).candidates] == [NEW]
    own = ANALYZER.with_user_dictionary(UserDictionary([UserWord(NEW)]))
    assert discover(lambda: texts, own).candidates == []


def test_where_a_model_and_the_dictionary_disagree() -> None:
    texts = [f"，{NEW}，" if number % 2 else f"。{NEW}！" for number in range(20)]
    joining = Analyzer(Segmenter(Dictionary.load(), tagger=HanJoiner()), Normalizer())
    config = DiscoveryConfig(branching=0.0, cohesion=0.0)
    (word,) = [word for word in discover(lambda: texts, joining, config).candidates if word.word == NEW]
    assert word.model == 1.0
    parting = Analyzer(Segmenter(Dictionary.load(), tagger=ConstantTagger(300)), Normalizer())
    (word,) = [word for word in discover(lambda: texts, parting, config).candidates if word.word == NEW]
    assert word.model == 0.0


def test_empty_and_odd_texts() -> None:
    assert discover(list, ANALYZER).candidates == []
    assert discover(lambda: ["", "abc 123 \udc00 😀"] * 9, ANALYZER).candidates == []


def test_memory_is_bounded_however_long_the_corpus_is() -> None:
    def endless(lines: int) -> Iterator[str]:
        rng = random.Random(1)
        for _ in range(lines):
            yield "".join(rng.choices(CHARACTERS, k=60))

    def peak(lines: int) -> int:
        tracemalloc.start()
        discover(lambda: endless(lines), ANALYZER, DiscoveryConfig(limit=20_000, candidates=500))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(8_000) < 1.3 * peak(2_500)
