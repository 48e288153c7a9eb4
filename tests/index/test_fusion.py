"""Parts of the order that need no database."""

import numpy as np
import pytest

from index.fusion import PARTS, Tier, weights_without
from index.rank import WEIGHTS
from index.terms import Part
from index.variants import Swap, Variant
from index.window import Entry, Ranking, _with_meaning


def ranking() -> Ranking:
    zeros, nothing = np.zeros(3, np.float32), np.zeros(3, np.bool_)
    return Ranking(zeros, zeros, nothing, nothing, "查询的文字")


def test_scores_are_multiplied_by_the_cosine_and_parts_still_add_up() -> None:
    entries = [Entry(ord, score, {"words": score}) for ord, score in enumerate((10.0, 8.0, 6.0))]
    found = _with_meaning(ranking(), entries, {0: 0.5, 1: 0.9})
    assert [entry.score for entry in found] == pytest.approx([5.0, 7.2, 6 * 0.7])
    assert all(entry.score == pytest.approx(sum(entry.parts.values())) for entry in found)


def test_without_any_vector_nothing_changes() -> None:
    (found,) = _with_meaning(ranking(), [Entry(0, 2.0, {"words": 2.0})], {})
    assert found.score == 2.0


def test_an_opposite_meaning_leaves_a_little() -> None:
    (found,) = _with_meaning(ranking(), [Entry(0, 2.0, {"words": 2.0})], {0: -0.4})
    assert found.score == pytest.approx(0.1)


def test_weights_that_are_left_out_are_zero() -> None:
    assert weights_without(frozenset()) == WEIGHTS
    assert weights_without(frozenset({"grams", "synonym"})).grams == 0
    assert weights_without(frozenset({"pieces"})).cover == 0
    assert {"synonym", "fuzzy", "semantic", "borders"} <= PARTS


def test_a_tier_knows_the_reading_behind_a_post() -> None:
    readings = [Variant("synonym", tuple[Part, ...](), (Swap("a", word, "rule"),)) for word in ("b", "c")]
    scores = np.zeros(2, np.float32)
    tier = Tier("synonym", np.array([0, 1]), scores, {}, readings, np.array([1, 0]))
    assert tier.variant(0) is readings[1]
    assert Tier("semantic", np.array([0]), scores, {"meaning": scores}).variant(0) is None
