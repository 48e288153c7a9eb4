"""Forced words before the bonus of user words, that before the model; of forced words the longest, then leftmost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter.analyzer import Analyzer
from segmenter.dictionary import Dictionary
from segmenter.normalise import Normalizer
from segmenter.segment import Segmenter
from segmenter.tagger import Tagger
from segmenter.types import Source
from segmenter.user_dictionary import UserDictionary
from tests.segmenter.fakes import ConstantTagger, PairTagger

DICTIONARY = Dictionary.load()
TAGGERS: list[Tagger | None] = [None, ConstantTagger(2047), ConstantTagger(-2047), PairTagger(1), PairTagger(2, 2047)]
taggers = pytest.mark.parametrize("tagger", TAGGERS, ids=["dictionary", "all", "none", "pairs", "sure pairs"])


def cut(tagger: Tagger | None, text: str, *lines: str) -> list[tuple[str, Source]]:
    words = UserDictionary()
    words.read_lines(lines)
    analyzer = Analyzer(Segmenter(DICTIONARY, tagger=tagger), Normalizer()).with_user_dictionary(words)
    return [(token.text, token.source) for token in analyzer.segment(text)]


@taggers
@pytest.mark.parametrize("text", ["产品和服务", "他的品和服在这里", "品和服"])
def test_a_forced_word_is_cut_out_whatever_the_model_says(tagger: Tagger | None, text: str) -> None:
    assert ("品和服", Source.USER) in cut(tagger, text, "品和服\t!", "产品 999999", "和服务 999999")


@taggers
def test_of_forced_words_the_longest_wins_then_the_leftmost(tagger: Tagger | None) -> None:
    three = cut(tagger, "北京大学生活动", "北京\t!", "大学生\t!", "北京大\t!", "学生活动\t!")
    assert [word for word, _ in three] == ["北京大", "学生活动"]
    longest = cut(tagger, "甲乙丙丁", "甲乙\t!", "乙丙丁\t!")
    assert [word for word, _ in longest] == ["甲", "乙丙丁"]
    leftmost = cut(tagger, "甲乙丙丁", "乙丙\t!", "甲乙\t!", "丙丁\t!")
    assert [word for word, _ in leftmost] == ["甲乙", "丙丁"]


@pytest.mark.parametrize("odds", [-200, -64, 0, 64, 640, 2047])
def test_a_user_word_is_kept_where_the_model_would_cut_it(odds: int) -> None:
    words = cut(ConstantTagger(odds), "云原生网关", "云原生网关")
    assert words == [("云原生网关", Source.USER)]


def test_a_sure_model_may_pass_over_a_bonus_but_not_over_a_forced_word() -> None:
    sure = ConstantTagger(-2047)
    assert ("品和服", Source.USER) not in cut(sure, "产品和服务", "品和服")
    assert ("品和服", Source.USER) in cut(sure, "产品和服务", "品和服\t!")


@taggers
@given(st.lists(st.text("研究生命起源北大学abAB12 +-", min_size=1, max_size=6), max_size=8))
@settings(max_examples=15)
def test_a_word_without_a_frequency_is_not_cut_when_it_stands_alone(tagger: Tagger | None, texts: list[str]) -> None:
    kept = [text for text in texts if text.strip() == text and "  " not in text]
    for text in kept:
        assert cut(tagger, text, *(f"{one}\t" for one in kept)) == [(text, Source.USER)]
