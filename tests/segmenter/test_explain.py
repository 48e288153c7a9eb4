import json
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter.analyzer import Analyzer
from segmenter.dictionary import GRID, Dictionary
from segmenter.explain import LONGEST_TEXT, ExplainTooLongError, Reason
from segmenter.explain_draw import as_dot, as_svg
from segmenter.explain_text import as_text
from segmenter.lattice import Edges, best_path
from segmenter.normalise import Normalizer
from segmenter.runner_up import two_best
from segmenter.segment import Segmenter
from segmenter.user_dictionary import UserDictionary
from tests.segmenter.fakes import PairTagger, TwoPartTagger
from tests.segmenter.texts import any_texts

DICTIONARY = Dictionary.load()
PLAIN = Analyzer(Segmenter(DICTIONARY), Normalizer())
MODEL = Analyzer(Segmenter(DICTIONARY, tagger=PairTagger()), Normalizer())
PARTS = Analyzer(Segmenter(DICTIONARY, tagger=TwoPartTagger()), Normalizer())
OWN = UserDictionary()
OWN.read_lines(["品和服\t!", "iphone 12\t", "研究生命 5"])
analyzers = pytest.mark.parametrize(
    "analyzer", [PLAIN, MODEL, PARTS, PARTS.with_user_dictionary(OWN)], ids=["dictionary", "model", "parts", "own"]
)


def paths(edges: list[tuple[int, int, int]], last: int) -> list[tuple[int, tuple[int, ...]]]:
    """Every path from 0 to `last`, the best first: by score, then by longer words from the left."""
    found: list[tuple[int, tuple[int, ...]]] = []

    def walk(place: int, score: int, borders: tuple[int, ...]) -> None:
        if place == last:
            found.append((score, borders))
        for start, end, value in edges:
            if start == place:
                walk(end, score + value, (*borders, end))

    walk(0, 0, (0,))
    best: dict[tuple[int, ...], int] = {}
    for score, borders in found:
        best[borders] = max(score, best.get(borders, score))
    lengths = lambda borders: tuple(b - a for a, b in pairwise(borders))  # noqa: E731
    return sorted(((score, borders) for borders, score in best.items()), key=lambda p: (p[0], lengths(p[1])))[::-1]


@given(st.data())
def test_two_best_are_the_best_of_all_paths(data: st.DataObject) -> None:
    last = data.draw(st.integers(1, 6))
    spans = [(start, end) for start in range(last) for end in range(start + 1, last + 1)]
    chosen = data.draw(st.lists(st.sampled_from(spans), min_size=1, max_size=16))
    edges = sorted((start, end, data.draw(st.integers(-4, 4))) for start, end in chosen)
    columns = Edges(*(np.array(column, dtype=np.int64) for column in zip(*edges, strict=True)))
    expected = paths(edges, last)[:2]
    assert [path.borders for path in two_best(columns, 0, last)][:1] == [borders for _, borders in expected][:1]
    assert [path.score for path in two_best(columns, 0, last)] == [score for score, _ in expected]


@analyzers
@given(text=any_texts)
@settings(max_examples=20)
def test_an_explanation_is_of_the_cut_that_is_made(analyzer: Analyzer, text: str) -> None:
    found = analyzer.explain(text)
    visible = [word for word in found.words if analyzer.segment(word)]
    assert [token.text for token in analyzer.segment(text) if token.text.strip()] == [
        word for word in visible if word.strip()
    ]
    starts = {token.start for token in analyzer.segment(text)}
    borders = {gap.at for gap in found.gaps if gap.border}
    assert starts <= borders | {0} | {token.start for token in analyzer.segment(text)[:1]}
    for gap in found.gaps:
        assert (gap.reason is Reason.RULE) == (gap.unit is not None)
        assert not (gap.border and gap.reason is Reason.RULE)
        assert gap.border or gap.reason is not Reason.UNCROSSED
        assert gap.border or gap.reason is Reason.RULE or any(word.taken for word in gap.crossed_by)


@analyzers
@given(text=any_texts)
@settings(max_examples=20)
def test_the_runner_up_is_another_path_and_no_better(analyzer: Analyzer, text: str) -> None:
    found = analyzer.explain(text)
    for stretch in found.stretches:
        assert stretch.runner_up != stretch.path
        assert stretch.margin is None or stretch.margin >= 0
        assert any(found.words[i : i + len(stretch.path)] == stretch.path for i in range(len(found.words)))


@analyzers
@given(text=any_texts)
@settings(max_examples=20)
def test_every_format_can_be_read(analyzer: Analyzer, text: str) -> None:
    found = analyzer.explain(text)
    assert json.loads(json.dumps(found.as_dict()))["text"] == text
    root = ElementTree.fromstring(as_svg(found))
    shown = [node for node in root.iter() if node.get("class") == "text"]
    assert len(shown) == len(text)
    assert as_dot(found).count("\n") == as_dot(found).count(";\n") + 2
    assert as_text(found)


def test_what_is_said_of_a_choice() -> None:
    found = PLAIN.explain("产品和服务")
    assert found.words == ("产品", "和", "服务")
    (_, second) = found.stretches
    assert (second.path, second.runner_up) == (("和", "服务"), ("和服", "务"))
    scores = {word.text: word.score for word in found.offered}
    expected = scores["和"] + scores["服务"] - scores["和服"] - scores["务"]
    assert second.margin == pytest.approx(expected)
    assert [word.text for word in found.gaps[2].crossed_by] == ["和服"]
    assert found.gaps[0].probability is None


def test_what_is_said_of_user_words_and_rules() -> None:
    found = PLAIN.with_user_dictionary(OWN).explain("产品和服务用iPhone 12")
    reasons = {gap.at: gap.reason for gap in found.gaps}
    assert reasons[1] is reasons[2] is reasons[4] is Reason.FORCED
    assert reasons[6] is reasons[12] is reasons[13] is Reason.USER
    assert (reasons[7], found.gaps[6].unit) == (Reason.RULE, "latin")
    assert found.stretches[0].margin is None


def test_probabilities_are_those_of_the_tagger() -> None:
    tagger, text = TwoPartTagger(), "研究生命起源"
    (odds,) = tagger.boundary_scores([text])
    found = PARTS.explain(text)
    for gap, score in zip(found.gaps, odds.tolist(), strict=True):
        assert gap.probability == gap.wide == pytest.approx(1 / (1 + np.exp(-score / GRID)))
        assert (gap.deep is None) == (abs(score) >= 100)
    assert all(gap.wide is None for gap in MODEL.explain(text).gaps)
    assert found.criterion is None


def test_the_standard_is_the_one_that_was_asked_for() -> None:
    assert "(model, no standard asked for, fingerprint " in as_text(PARTS.explain("研究生命起源"))
    found = PARTS.explain("研究生命起源", criterion="plain")
    assert found.as_dict()["criterion"] == "plain"
    assert "(model, criterion plain, fingerprint " in as_text(found)


def test_stretches_lie_where_the_text_has_their_words() -> None:
    text = "南京市长江大桥研究生命起源哈哈哈哈哈"
    found = PARTS.explain(text)
    assert "".join(found.words) == text
    for stretch in found.stretches:
        assert "".join(stretch.path) == text[stretch.start : stretch.end]
        assert stretch.runner_up is not None
        assert "".join(stretch.runner_up) == text[stretch.start : stretch.end]


def test_long_texts_are_refused() -> None:
    assert PLAIN.explain("好" * LONGEST_TEXT).words
    with pytest.raises(ExplainTooLongError, match="1001 characters"):
        PLAIN.explain("好" * (LONGEST_TEXT + 1))


def test_best_path_is_used_by_both() -> None:
    edges = Edges(*(np.array(column, dtype=np.int64) for column in ([0, 0, 1, 1, 2], [1, 2, 2, 3, 3], [1, 2, 1, 2, 1])))
    taken = best_path(np.array([0]), np.array([3]), edges, 3)
    assert two_best(edges, 0, 3)[0].borders == (*np.flatnonzero(taken).tolist(), 3)


@pytest.mark.parametrize("mode", ["dictionary", "wide"])
def test_a_rule_against_the_model_is_named(mode: str) -> None:
    found = Analyzer.default(mode=mode).explain("说太贵「台中」")
    by_place = {gap.at: (gap.border, gap.reason) for gap in found.gaps}
    assert by_place[2] == (True, Reason.RULED)
    assert by_place[5][0] is False
    assert by_place[5][1] is (Reason.RULED if mode == "wide" else Reason.PATH)
