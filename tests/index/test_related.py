"""Related posts on real PostgreSQL."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import Connection

from index.documents import upsert
from index.errors import PostNotFound
from index.related import related
from index.types import Post
from segmenter.analyzer import Analyzer
from tests.index.conftest import Databases

POSTS = [
    Post("vacuum", "PostgreSQL 的 vacuum", "死元组太多，表就会膨胀。vacuum 清理死元组。", tags=("数据库",)),
    Post("bloat", "表膨胀怎么办", "表膨胀来自死元组。先看统计，再做 vacuum。", tags=("数据库",)),
    Post("index", "索引", "索引也有大小。", tags=("数据库",)),
    Post("tea", "龙井茶", "水温八十度，泡龙井茶正好。"),
    Post("tea2", "泡茶的水温", "绿茶水温八十度，红茶再高些。"),
    Post("lonely", "孤零零", "鹬蚌。"),
]


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture(scope="module")
def blog(databases: Databases, analyzer: Analyzer) -> Iterator[Connection]:
    url = databases.fresh()
    with psycopg.connect(url, autocommit=True) as conn:
        upsert(conn, analyzer, POSTS)
        yield conn
    databases.drop(url)


def test_shared_distinctive_words_come_first_and_are_named(blog: Connection, analyzer: Analyzer) -> None:
    best, *rest = related(blog, analyzer, "vacuum")
    assert best.id == "bloat"
    assert {"vacuum", "膨胀"} <= set(best.shared)
    assert best.shared_tags == ("数据库",)
    assert [post.id for post in rest] == ["index"]


def test_words_alone_relate(blog: Connection, analyzer: Analyzer) -> None:
    (only,) = related(blog, analyzer, "tea")
    assert only.id == "tea2"
    assert "水温" in only.shared
    assert only.shared_tags == ()


@pytest.mark.parametrize("post", POSTS, ids=lambda post: post.id)
def test_never_itself(blog: Connection, analyzer: Analyzer, post: Post) -> None:
    assert post.id not in {other.id for other in related(blog, analyzer, post.id, limit=50)}


def test_nothing_in_common_is_nothing(blog: Connection, analyzer: Analyzer) -> None:
    assert related(blog, analyzer, "lonely") == []


def test_limit(blog: Connection, analyzer: Analyzer) -> None:
    assert len(related(blog, analyzer, "vacuum", limit=1)) == 1
    assert related(blog, analyzer, "vacuum", limit=0) == []


def test_an_unknown_post_is_an_error(blog: Connection, analyzer: Analyzer) -> None:
    with pytest.raises(PostNotFound, match="nowhere"):
        related(blog, analyzer, "nowhere")
