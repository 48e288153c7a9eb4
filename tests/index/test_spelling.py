"""Corrections of misspelt queries, over real PostgreSQL and the real analyzer."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg import Connection

from index import suggestions
from index.search import search
from index.spelling import LITTLE, corrections, did_you_mean, distance
from index.tables import Tables, ensure_serving
from index.types import Post, SearchRequest
from segmenter.analyzer import Analyzer
from tests.index.conftest import Databases, holding

POSTS = [
    Post("k8s", "Kubernetes 集群", "在 Kubernetes 里部署 PostgreSQL 数据库。"),
    Post("db", "数据库连接池", "数据库的连接池怎样配置。Docker 和 Kubernetes。"),
    Post("game", "游戏引擎", "游戏引擎的物理系统，还有公式。"),
    Post("map", "计算机网络", "计算机网络的基础。"),
    Post("learn", "机器学习入门", "机器学习与人工智能。", ("机器学习",)),
    *(Post(f"part-{n}", f"人工与机器 {n}", "只能靠人工。这台机器的学生系统，学了一系列课程。") for n in range(4)),
]


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture(scope="module")
def blog(databases: Databases, analyzer: Analyzer) -> Iterator[Connection]:
    with holding(databases, analyzer, POSTS) as conn:
        with conn.transaction():
            suggestions.fill(Tables(conn, ensure_serving(conn, analyzer)))
        yield conn


@pytest.mark.parametrize(
    ("query", "meant", "reason"),
    [
        ("kubernets", "kubernetes", "spelling"),
        ("Kubenretes", "kubernetes", "spelling"),
        ("dokcer", "docker", "spelling"),
        ("postgersql", "postgresql", "spelling"),
        ("kubernets 集群", "kubernetes 集群", "spelling"),
        ("数剧库", "数据库", "sound"),
        ("数据苦连接池", "数据库连接池", "sound"),
        ("游系引擎", "游戏引擎", "sound"),
        ("计算积网络", "计算机网络", "sound"),
        ("计算器网络", "计算机网络", "character"),
        ("jiqixuexi", "机器学习", "pinyin"),
        ("jqxx", "机器学习", "pinyin"),
        ("ji qi xue xi", "机器学习", "pinyin"),
        ("Ji'qi xuexi", "机器学习", "pinyin"),
        ("shujuku", "数据库", "pinyin"),
        ("wuli", "物理", "pinyin"),
        ("shujuku 连接池", "数据库 连接池", "pinyin"),
    ],
)
def test_a_misspelt_query(blog: Connection, analyzer: Analyzer, query: str, meant: str, reason: str) -> None:
    best = did_you_mean(blog, analyzer, SearchRequest(query))[0]
    assert best.query == meant
    assert best.total > 0
    assert reason in {change.reason for change in best.changes}


def test_several_words_at_once(blog: Connection, analyzer: Analyzer) -> None:
    best = did_you_mean(blog, analyzer, SearchRequest("kubernets 数剧库"))[0]
    assert best.query == "kubernetes 数据库"
    assert {change.typed for change in best.changes} == {"kubernets", "数剧库"}


@pytest.mark.parametrize(
    "query", ["", " ", "数据库", "docker", "xyzzy", "龘龘龘", "\0", "q" * 200, "-", "12345", "的", "ji", "wang"]
)
def test_nothing_to_correct(blog: Connection, analyzer: Analyzer, query: str) -> None:
    assert did_you_mean(blog, analyzer, SearchRequest(query)) == []


def test_enough_hits_need_no_correction(blog: Connection, analyzer: Analyzer) -> None:
    assert did_you_mean(blog, analyzer, SearchRequest("kubernets"), total=LITTLE + 1) == []


@pytest.mark.parametrize(("query", "meant"), [("机器学系", "机器学习"), ("人工只能", "人工智能")])
def test_beside_hits_that_hold_parts_alone(blog: Connection, analyzer: Analyzer, query: str, meant: str) -> None:
    request = SearchRequest(query)
    result = search(blog, analyzer, request)
    assert result.total > LITTLE
    assert [one.query for one in corrections(blog, analyzer, request, result)] == [meant]
    assert corrections(blog, analyzer, replace(request, offset=1), result) == []
    assert corrections(blog, analyzer, replace(request, limit=0), replace(result, hits=())) == []


@pytest.mark.parametrize(
    "query", ["人工", "机器", "只能靠人工", "人工 机器", "人工机器学生系统", "人工 OR 学系", "tag:机器学习"]
)
def test_what_is_held_needs_no_correction(blog: Connection, analyzer: Analyzer, query: str) -> None:
    request = SearchRequest(query)
    result = search(blog, analyzer, request)
    assert result.total
    assert corrections(blog, analyzer, request, result) == []


def test_filters_count(blog: Connection, analyzer: Analyzer) -> None:
    assert did_you_mean(blog, analyzer, SearchRequest("kubernets", tags=("没有这个标签",))) == []


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_distance_is_symmetric_and_zero_only_for_the_same(one: str, other: str) -> None:
    assert distance(one, other, 2) == distance(other, one, 2)
    assert (distance(one, other, 2) == 0) == (one == other)


@pytest.mark.parametrize(
    ("one", "other", "edits"), [("ab", "ba", 1), ("abcd", "acbd", 1), ("kitten", "sitting", 3), ("", "ab", 2)]
)
def test_distance(one: str, other: str, edits: int) -> None:
    assert distance(one, other, 3) == edits
