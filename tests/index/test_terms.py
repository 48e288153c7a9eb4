"""What a unit of a query asks for."""

import pytest

from index.query import Unit
from index.terms import Part
from segmenter.analyzer import Analyzer


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default(mode="dictionary")


def part(analyzer: Analyzer, text: str, open_end: bool = True) -> Part:
    return Part(Unit(text), analyzer.analyze(text), open_end)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("网关计划任务被安全软件删除", ["网关", "计划", "任务", "安全", "软件", "删除"]),
        ("的", ["的"]),
        ("告诉我", ["告诉"]),
        ("Docker部署", ["docker", "部署"]),
        ("，。", []),
        ("★", ["★"]),
    ],
)
def test_terms_are_the_smallest_sensible_words(analyzer: Analyzer, text: str, expected: list[str]) -> None:
    assert [term.text for term in part(analyzer, text).terms] == expected


def test_unknown_characters_in_a_row_are_terms_of_two(analyzer: Analyzer) -> None:
    terms = part(analyzer, "龘靐齉").terms
    assert [(term.text, term.lexemes, term.by_grams) for term in terms] == [
        ("龘靐", ("龘靐",), True),
        ("靐齉", ("靐齉",), True),
    ]


def test_only_an_open_end_makes_the_last_latin_word_a_prefix(analyzer: Analyzer) -> None:
    assert part(analyzer, "部署 Dock").atoms[-1].prefix
    assert not part(analyzer, "部署 Dock", open_end=False).atoms[-1].prefix


def test_standing_is_a_phrase_of_coarse_words_with_the_weights_of_words_that_stand(analyzer: Analyzer) -> None:
    assert part(analyzer, "产品和服务").standing == "'产品':ABC <2> '和':ABC <1> '服务':ABC"


def test_grams_leave_single_characters_out_unless_there_is_nothing_else(analyzer: Analyzer) -> None:
    assert set(part(analyzer, "稳定，词").grams) == {"稳定"}
    assert set(part(analyzer, "词").grams) == {"词"}
