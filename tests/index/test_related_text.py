"""Posts like a text that is not stored, over real PostgreSQL and the real analyzer."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from psycopg import Connection

from index.errors import UnusablePost
from index.related import related
from index.related_text import related_to_text
from index.types import Post
from segmenter.analyzer import Analyzer
from tests.index.conftest import Databases, holding

POSTS = [
    Post("pool", "数据库连接池", "连接池怎样配置，数据库的连接数怎样决定。", ("数据库",)),
    Post("index", "数据库索引", "索引怎样建立，数据库怎样用它。", ("数据库",)),
    Post("kyoto", "京都的和服", "在清水寺附近租了一套和服。", ("旅行",)),
    Post("kyoto-2", "再去京都", "清水寺的红叶，和服与照片。", ("旅行",)),
]


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture(scope="module")
def blog(databases: Databases, analyzer: Analyzer) -> Iterator[Connection]:
    with holding(databases, analyzer, POSTS) as conn:
        yield conn


def test_a_text_has_the_posts_that_share_its_words_and_tags(blog: Connection, analyzer: Analyzer) -> None:
    text = Post("", "清水寺的和服", "京都的照片", ("旅行",))
    found = related_to_text(blog, analyzer, text)
    assert {one.id for one in found[:2]} == {"kyoto", "kyoto-2"}
    assert "和服" in found[0].shared
    assert found[0].shared_tags == ("旅行",)


@pytest.mark.parametrize("post", POSTS, ids=lambda post: post.id)
def test_a_stored_post_is_the_first_for_its_own_text_and_the_others_follow(
    blog: Connection, analyzer: Analyzer, post: Post
) -> None:
    found = [one.id for one in related_to_text(blog, analyzer, replace(post, id="draft"), limit=10)]
    assert found[0] == post.id
    assert [id for id in found if id != post.id] == [one.id for one in related(blog, analyzer, post.id, limit=10)]


def test_odd_texts(blog: Connection, conn: Connection, analyzer: Analyzer) -> None:
    assert related_to_text(blog, analyzer, Post("", "", "")) == []
    assert related_to_text(blog, analyzer, Post("", "没有一样的词xyzzy", "\0")) == []
    assert related_to_text(conn, analyzer, POSTS[0]) == []
    with pytest.raises(UnusablePost):
        related_to_text(blog, analyzer, Post("", "\ud800", ""))
