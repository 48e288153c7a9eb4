"""Related posts on real PostgreSQL."""

from collections.abc import Iterator

import pytest
from psycopg import Connection

from index.copies import alike, stretches_of
from index.db import Pool
from index.distinctive import PRIOR, is_number
from index.documents import delete, upsert
from index.embed import embed
from index.errors import PostNotFound
from index.related import related
from index.related_text import related_to_text
from index.types import Post
from segmenter.analyzer import Analyzer
from tests.index.conftest import Databases, holding

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
    with holding(databases, analyzer, POSTS) as conn:
        yield conn


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


FILLER = [
    Post("one", "周末", "今天没有什么事情，我们写一个文章，然后发现问题。第二天早上看了电影。"),
    Post("two", "随想", "一个人的时候，没有问题可以写文章。第二天的事情我们再说，他说可以。"),
    Post("three", "杂记", "文章里没有一个问题，我们发现这是 2024 年的事情，可以再写。第二天下雨。"),
    Post("four", "骑行到京都", "没有文章，一个人骑行。"),
    Post("five", "京都的骑行路线", "我们可以骑行。"),
]


def test_filler_and_numbers_do_not_relate_the_posts_of_a_small_blog(conn: Connection, analyzer: Analyzer) -> None:
    upsert(conn, analyzer, FILLER)
    for id in ("one", "two", "three"):
        assert related(conn, analyzer, id) == []
    assert related_to_text(conn, analyzer, Post("", "", "一个人没有什么问题，可以写文章，我们第二天再说。")) == []
    (only,) = related(conn, analyzer, "four")
    assert only.id == "five"
    assert "京都" in only.shared
    assert not {"没有", "文章", "一个"} & set(only.shared)


def test_one_word_in_common_is_enough_in_a_title(conn: Connection, analyzer: Analyzer) -> None:
    posts = [Post("a", "腌渍", "先备好陶罐。"), Post("b", "窑变", "师傅搬来陶罐。"), Post("c", "陶罐", "窑里烧出。")]
    upsert(conn, analyzer, posts)
    assert [post.id for post in related(conn, analyzer, "a")] == ["c"]
    assert [post.id for post in related(conn, analyzer, "c")] == ["a", "b"]


def test_in_a_large_collection_its_own_frequencies_count(conn: Connection, analyzer: Analyzer) -> None:
    others = [Post(f"other-{n}", f"题{n}", "鹬蚌。") for n in range(PRIOR)]
    upsert(conn, analyzer, [Post("x", "甲", "电影没有看完。"), Post("y", "乙", "没有人。"), *others])
    (only,) = related(conn, analyzer, "x")
    assert (only.id, only.shared) == ("y", ("没有",))


def test_numbers_are_no_words_in_common() -> None:
    assert all(map(is_number, ["12", "四十", "第二天", "三万", "两个", "3.5"]))
    assert not any(map(is_number, ["十分", "docker", "数据", "天", "百度", "三峡"]))


def test_limit(blog: Connection, analyzer: Analyzer) -> None:
    assert len(related(blog, analyzer, "vacuum", limit=1)) == 1
    assert related(blog, analyzer, "vacuum", limit=0) == []


def test_an_unknown_post_is_an_error(blog: Connection, analyzer: Analyzer) -> None:
    with pytest.raises(PostNotFound, match="nowhere"):
        related(blog, analyzer, "nowhere")


def test_of_copies_only_the_first_is_shown(conn: Connection, analyzer: Analyzer) -> None:
    text = "死元组太多，表就会膨胀。vacuum 清理死元组，膨胀的表要重写才会变小，重写时锁住整张表。"
    copies = [Post(name, "死元组和膨胀", text + name) for name in ("b", "a")]
    upsert(conn, analyzer, [Post("source", "膨胀", "表膨胀了，死元组很多，用 vacuum。"), *copies, POSTS[1], POSTS[3]])
    found = [post.id for post in related(conn, analyzer, "source", limit=10)]
    assert found.count("a") == 1
    assert "b" not in found
    assert "bloat" in found


def test_parts_add_up_and_answers_follow_changes(conn: Connection, analyzer: Analyzer) -> None:
    upsert(conn, analyzer, POSTS)
    before = related(conn, analyzer, "vacuum", limit=3)
    assert all(post.score == pytest.approx(sum(post.parts.values())) for post in before)
    assert before == related(conn, analyzer, "vacuum", limit=3)
    delete(conn, ["bloat"])
    assert [post.id for post in related(conn, analyzer, "vacuum", limit=3)] == ["index"]


@pytest.mark.usefixtures("pgvector")
def test_meaning_relates_too(pool: Pool, analyzer: Analyzer) -> None:
    posts = [
        Post("one", "容器编排", "用编排工具启动许多容器。"),
        Post("two", "容器编排工具", "启动容器的编排工具有许多种。"),
        Post("far", "茶", "泡茶。"),
    ]
    with pool.connection() as conn:
        upsert(conn, analyzer, posts)
        assert related(conn, analyzer, "one")[0].similarity is None
    embed(pool)
    with pool.connection() as conn:
        (best,) = related(conn, analyzer, "one")
        assert best.id == "two"
        assert best.similarity is not None
        assert best.similarity > 0.8
        assert best.parts["meaning"] > 0
        text = related_to_text(conn, analyzer, Post("", "许多容器", "怎样编排许多容器，一起启动。"), limit=1)
        assert text[0].parts["meaning"] > 0


def test_copies_by_shared_stretches() -> None:
    one, other = stretches_of("一二三四五六七八"), stretches_of("一二三四五六七九")
    assert alike(one, one) == 1
    assert alike(one, other) == pytest.approx(3 / 5)
    assert alike(stretches_of(""), stretches_of("")) == 0
    assert stretches_of("一二") == {"一二"}
