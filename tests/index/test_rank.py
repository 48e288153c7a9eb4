"""Ranking formulas against their definitions."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

from index.collection import Collection
from index.postings import BODY_WORDS, TITLE_WORDS, Postings
from index.rank import GRAM_KINDS, WORD_KINDS, Scorer, Weights, best_first, cover, idf, pieces_in

WEIGHTS = Weights(k1=1.5, b=0.75, b_title=0.5, title=2.0)
BODY_RATIO = np.array([1.0, 0.5, 1.5], np.float32)


def collection() -> Collection:
    return Collection(
        generation=1,
        documents=3,
        live=np.ones(3, bool),
        title_length=np.ones(3, np.int32),
        body_length=np.array([10, 5, 15], np.int32),
        title_ratio=np.ones(3, np.float32),
        body_ratio=BODY_RATIO,
        fingerprint="",
        stream_fingerprint="",
    )


def scorer() -> Scorer:
    lists = {
        (BODY_WORDS, "词"): Postings(np.array([0, 2], np.int32), np.array([1, 4], np.uint8)),
        (TITLE_WORDS, "词"): Postings(np.array([2], np.int32), np.array([1], np.uint8)),
    }
    return Scorer(collection(), lists, WEIGHTS)


def test_idf_is_never_negative() -> None:
    assert idf(3, 2) == pytest.approx(log(1 + 1.5 / 2.5))
    assert idf(10, 10) > 0
    assert idf(10, 12) > 0


def test_bm25_is_the_formula() -> None:
    scores = scorer().bm25(WORD_KINDS, {"词": 1, "没有": 1})
    weight = log(1 + 1.5 / 2.5)
    body_0 = weight * 1 * 2.5 / (1 + 1.5 * 1.0)
    body_2 = weight * 4 * 2.5 / (4 + 1.5 * (0.25 + 0.75 * 1.5))
    title_2 = 2 * weight * 1 * 2.5 / (1 + 1.5)
    assert scores.tolist() == pytest.approx([body_0, 0, body_2 + title_2], rel=1e-5)


def test_a_word_twice_in_the_query_counts_twice() -> None:
    once, twice = (scorer().bm25(WORD_KINDS, {"词": count}) for count in (1, 2))
    assert twice.tolist() == pytest.approx((2 * once).tolist())


def test_intersection_is_of_one_kind() -> None:
    assert scorer().intersection(BODY_WORDS, ["词"]).tolist() == [0, 2]
    assert scorer().intersection(BODY_WORDS, ["词", "没有"]).tolist() == []
    assert scorer().intersection(GRAM_KINDS[1], ["词"]).tolist() == []


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("网关计划任务", "删了网关的计划任务", [(0, 2), (2, 4)]),
        ("完全一样", "完全一样", [(0, 4)]),
        ("甲乙", "乙甲", []),
        ("", "甲", []),
        ("单", "单", []),
    ],
)
def test_pieces(query: str, text: str, expected: list[tuple[int, int]]) -> None:
    assert pieces_in(query, text) == expected


def test_cover_prefers_long_pieces() -> None:
    assert cover("甲乙丙丁", "甲乙丙丁") == 1
    assert cover("甲乙丙丁", "戊") == 0
    assert 0 < cover("甲乙丙丁戊己", "甲乙。丙丁。戊己") < cover("甲乙丙丁戊己", "甲乙丙丁。戊己") < 1


def test_best_first_breaks_ties_by_number() -> None:
    scores = np.array([1, 3, 3, 2, 3], np.float32)
    assert best_first(scores, np.arange(5), 2).tolist() == [1, 2]
    assert best_first(scores, np.array([4, 2, 0]), 9).tolist() == [2, 4, 0]


def test_documents_that_are_gone_or_came_later_do_not_count() -> None:
    live = np.array([True, False, True])
    lists = {(BODY_WORDS, "词"): Postings(np.array([0, 1, 3], np.int32), np.array([1, 1, 1], np.uint8))}
    found = Scorer(replace(collection(), live=live, documents=2), lists, WEIGHTS)
    assert found.holds(WORD_KINDS, "词").tolist() == [True, False, False]
    assert found.holding(WORD_KINDS, "词") == 1
    assert len(found.bm25(WORD_KINDS, {"词": 1})) == 3
