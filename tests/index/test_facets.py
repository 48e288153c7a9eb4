"""Facets over real PostgreSQL and the real analyzer."""

from datetime import UTC, datetime

import pytest
from psycopg import Connection

from index import documents
from index.facets import Facets, FacetValue, facets
from index.types import Post, SearchRequest
from segmenter.analyzer import Analyzer

POSTS = [
    Post("a", "数据库索引", "正文", ("数据库", "索引"), ("后端",), published_at=datetime(2024, 5, 1, tzinfo=UTC)),
    Post("b", "数据库备份", "正文", ("数据库",), ("后端", "运维"), published_at=datetime(2025, 1, 1, tzinfo=UTC)),
    Post("c", "旅行笔记", "去了京都", ("旅行", "旅行"), published_at=datetime(2024, 12, 31, 23, 59, tzinfo=UTC)),
    Post("d", "没有日期的数据库", "正文"),
]


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture
def blog(conn: Connection, analyzer: Analyzer) -> Connection:
    documents.upsert(conn, analyzer, POSTS)
    return conn


def pairs(values: tuple[FacetValue, ...]) -> list[tuple[str, int]]:
    return [(one.value, one.count) for one in values]


def test_counts_are_those_of_the_found_posts(blog: Connection, analyzer: Analyzer) -> None:
    found = facets(blog, analyzer, SearchRequest("数据库", limit=1))
    assert (found.documents, found.of_all) == (3, False)
    assert pairs(found.tags) == [("数据库", 2), ("索引", 1)]
    assert pairs(found.categories) == [("后端", 2), ("运维", 1)]
    assert pairs(found.years) == [("2025", 1), ("2024", 1)]


def test_without_a_hit_all_posts_are_counted(blog: Connection, analyzer: Analyzer) -> None:
    found = facets(blog, analyzer, SearchRequest("xyzzyq"))
    assert (found.documents, found.of_all) == (4, True)
    assert pairs(found.tags) == [("数据库", 2), ("旅行", 1), ("索引", 1)]
    assert pairs(found.years) == [("2025", 1), ("2024", 2)]


def test_filters_and_limits(blog: Connection, analyzer: Analyzer) -> None:
    found = facets(blog, analyzer, SearchRequest("tag:数据库", after=datetime(2025, 1, 1, tzinfo=UTC)))
    assert (found.documents, pairs(found.tags)) == (1, [("数据库", 1)])
    assert pairs(facets(blog, analyzer, SearchRequest("数据库"), values=1).tags) == [("数据库", 2)]


@pytest.mark.parametrize(
    ("query", "count", "categories"),
    [
        ("数据库 category:后端", 2, [("后端", 2), ("运维", 1)]),
        ("category:后端 category:运维", 1, [("后端", 1), ("运维", 1)]),
        ("数据库 -category:运维", 2, [("后端", 1)]),
        ("数据库 -tag:索引", 2, [("后端", 1), ("运维", 1)]),
    ],
)
def test_categories_and_exclusions(
    blog: Connection, analyzer: Analyzer, query: str, count: int, categories: list[tuple[str, int]]
) -> None:
    found = facets(blog, analyzer, SearchRequest(query))
    assert (found.documents, found.of_all, pairs(found.categories)) == (count, False, categories)


def test_changes_are_followed(blog: Connection, analyzer: Analyzer) -> None:
    facets(blog, analyzer, SearchRequest("数据库"))
    documents.upsert(
        blog, analyzer, [Post("a", "数据库索引", "正文", ("新标签",)), Post("e", "数据库", "x", ("索引",))]
    )
    documents.delete(blog, ["b"])
    found = facets(blog, analyzer, SearchRequest("数据库"))
    assert pairs(found.tags) == [("新标签", 1), ("索引", 1)]
    assert found.documents == 3


def test_an_empty_database(conn: Connection, analyzer: Analyzer) -> None:
    assert facets(conn, analyzer, SearchRequest("数据库")) == Facets(0, True)
