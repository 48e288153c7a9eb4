"""How a query stands in a stored passage, against the edges as they are decoded."""

from collections.abc import Sequence

import numpy as np
import pytest

from index.passages import BODY, cut, decode_places
from index.reader import StoredPassage
from index.standing import ACROSS, INSIDE, WORD, WORDS, Place, _is_edge, best_place, firmness, is_short, standing
from segmenter.analyzer import Analyzer
from segmenter.types import Int16Array


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default(mode="dictionary")


def stored(analyzer: Analyzer, text: str) -> list[StoredPassage]:
    return [StoredPassage(p.field, p.seq, p.first, p.stream, p.offsets) for p in cut(analyzer.analyze(text), BODY)]


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("和服", "她穿着和服去看樱花", WORD),
        ("和服", "产品和服务", 1),
        ("品和服", "产品和服务", ACROSS),
        ("产品和", "产品和服务", WORDS),
        ("华大", "清华大学", INSIDE),
        ("和服", "产品和服务，以及和服。", WORD),
        ("没有", "产品", ACROSS),
    ],
)
def test_the_best_place_counts(analyzer: Analyzer, query: str, text: str, expected: int) -> None:
    assert standing(query, stored(analyzer, text)) == expected


def test_edges_are_those_that_were_written(analyzer: Analyzer) -> None:
    (passage,) = stored(analyzer, "我们提供产品和服务，Docker 部署 𠮷野家。" * 9)
    edges = decode_places(passage.offsets, len(passage.stream)).edges.tolist()
    assert [bool(_is_edge(passage.offsets, place)) for place in range(len(passage.stream) + 1)] == edges


def test_only_short_queries_of_dense_script_are_looked_at() -> None:
    assert is_short("和服")
    assert not is_short("")
    assert not is_short("abc")
    assert not is_short("和服和服和")
    assert not is_short("，。")


def test_the_firmest_place_has_borders_around_and_none_within() -> None:
    model = Analyzer.default(mode="wide")
    texts = ["她穿着和服去看樱花", "产品和服务", "和服", "没有"]
    places = [best_place("和服", stored(model, text)) for text in texts]
    word, across, alone, none = firmness("和服", places, model.border_odds)
    assert alone > 0.8
    assert word > 0.7
    assert across < 0.4
    assert none == 0.5


def test_without_a_model_all_places_are_alike(analyzer: Analyzer) -> None:
    places = [best_place("和服", stored(analyzer, text)) for text in ("她穿着和服", "产品和服务")]
    assert firmness("和服", places, analyzer.border_odds) == [0.5, 0.5]


def test_firmness_is_bounded_by_what_is_sure() -> None:
    place = Place(WORD, "甲乙丙丁", 1)

    def odds(texts: Sequence[str]) -> list[Int16Array]:
        return [np.array([32000, -32000, 32000], np.int16) for _ in texts]

    assert firmness("乙丙", [place], odds) == [1.0]
    assert firmness("甲乙", [place._replace(start=0)], odds) == [pytest.approx(0.5 + (5 - 5 - 5) / 30)]
