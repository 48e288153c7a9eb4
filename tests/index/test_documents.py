"""Single posts: stored as they are, replaced as a whole, deleted as a whole, whatever they hold."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import Connection

from index import documents
from index.content import content_hash
from index.db import Pool
from index.generations import serving, status
from index.tables import SEGMENT
from index.types import Post
from tests.index.samples import SmallAnalyzer, check_whole, make_posts

SMALL = SmallAnalyzer()
NOON = datetime(2024, 5, 1, 12, tzinfo=timezone(timedelta(hours=8)))
FAR = timedelta(hours=23, minutes=59)
UNLIKE = "".join(chr(0x4E00 + n * 7919 % 20_000) for n in range(20_000))
"""Characters that PostgreSQL does not compress."""

ODD = {
    "empty": Post("empty", "", ""),
    "controls": Post("a\tb\nc", "标\t题\r\n", "一\x01二\x7f三\\四'五\\N\x85六"),
    "marks": Post("'; drop table wenci.post; --", "\\.", "\\.\n\\N\n'':1 & | ! <-> :*"),
    "rare": Post("𠮷", "𠮷野家", "𰻝𰻝面 👩‍👩‍👧‍👦 ﷽"),
    "long word": Post("long", "x" * 5_000, "y" * 100_000),
    "one character": Post("ha", "哈", "哈" * 20_000),
    "long text": Post("big", "长文", "".join(chr(0x4E00 + n % 3001) for n in range(30_000))),
    "long title": Post("和" * 333, UNLIKE, "文"),
    "long tags": Post("tags", "签", "文", (UNLIKE[:660],), (UNLIKE[660:1320],)),
    "far zones": Post("far", "远", "文", (), (), None, NOON.replace(tzinfo=timezone(FAR)),
                      NOON.replace(tzinfo=timezone(-FAR))),
    "everything": Post(
        "all", "全", "文", ("甲", "乙,丙", ""), ("类/子", "a\"b"), "https://例子/?q=1", NOON, NOON + timedelta(days=1),
        {"嵌套": {"列表": [1, None, True, "\\"]}, "n": 1.5},
    ),
}  # fmt: skip


@pytest.mark.parametrize("post", ODD.values(), ids=ODD)
def test_a_post_comes_back_as_it_went_in(conn: Connection, post: Post) -> None:
    report = documents.upsert(conn, SMALL, [post])
    assert report.failed == ()
    assert report.added == (post.id,)
    assert documents.get(conn, post.id) == post
    check_whole(conn, [post])


def test_on_every_server(any_database: str) -> None:
    with psycopg.connect(any_database, autocommit=True) as conn:
        posts = [post for post in ODD.values() if len(post.body) < 1_000] + make_posts(3)
        documents.upsert(conn, SMALL, posts)
        check_whole(conn, posts)
        assert set(documents.delete(conn, ["post-1", "all"])) == {"post-1", "all"}
        check_whole(conn, [post for post in posts if post.id not in ("post-1", "all")])


def test_nul_is_taken_out_and_nothing_else(conn: Connection) -> None:
    post = Post("n", "标\0题", "正\0文\x01", ("标\0签",), ("\0",), "/a\0b", extra={"键\0": ["值\0"]})
    documents.upsert(conn, SMALL, [post])
    assert documents.get(conn, "n") == Post("n", "标题", "正文\x01", ("标签",), ("",), "/ab", extra={"键": ["值"]})


def test_a_time_without_a_zone_is_universal_time(conn: Connection) -> None:
    conn.execute("set timezone = 'Asia/Shanghai'")
    documents.upsert(conn, SMALL, [Post("t", "", "", published_at=datetime(2024, 5, 1, 12))])
    stored = documents.get(conn, "t")
    assert stored is not None
    assert stored.published_at == datetime(2024, 5, 1, 12, tzinfo=UTC)


def test_what_became_of_each_post_is_reported(conn: Connection) -> None:
    posts = make_posts(4)
    documents.upsert(conn, SMALL, posts)
    bad = [
        Post("poison", "", SMALL.poison),
        Post(" ", "", ""),
        Post("a\0b", "", ""),
        Post("x" * 2000, "", ""),
        Post("s", "\ud800", ""),
        Post("u", "", "", url="/" * 9000),
        Post("t", "", "", tags=(UNLIKE,)),
        Post("c", "", "", categories=("x" * 3000,)),
        Post("e", "", "", extra={"n": float("inf")}),
    ]
    changed = replace(posts[1], title="改")
    report = documents.upsert(conn, SMALL, [posts[0], changed, Post("new", "新", ""), *bad])
    assert (report.added, report.changed, report.unchanged) == (("new",), (changed.id,), (posts[0].id,))
    assert {one.where for one in report.failed} == {post.id for post in bad}
    assert all(one.reason for one in report.failed)
    check_whole(conn, [posts[0], changed, posts[2], posts[3], Post("new", "新", "")])


def test_of_several_with_one_id_the_last_counts(conn: Connection) -> None:
    documents.upsert(conn, SMALL, [Post("a", "一", ""), Post("a", "二", "")])
    check_whole(conn, [Post("a", "二", "")])


def test_an_unchanged_post_keeps_its_number(conn: Connection) -> None:
    documents.upsert(conn, SMALL, make_posts(3))
    before = conn.execute("select ord, id from wenci.post order by ord").fetchall()
    documents.upsert(conn, SMALL, make_posts(3))
    assert conn.execute("select ord, id from wenci.post order by ord").fetchall() == before
    documents.upsert(conn, SmallAnalyzer("2"), make_posts(3))
    assert conn.execute("select ord, id from wenci.post order by ord").fetchall() != before
    check_whole(conn, make_posts(3))


def test_deleting(conn: Connection) -> None:
    assert documents.delete(conn, ["nothing"]) == ()
    documents.upsert(conn, SMALL, make_posts(5))
    assert documents.delete(conn, ["post-1", "unknown", "post-1", "\0", "\ud800"]) == ("post-1",)
    assert documents.delete(conn, ["post-1"]) == ()
    assert documents.get(conn, "post-1") is None
    check_whole(conn, [post for post in make_posts(5) if post.id != "post-1"])


def test_no_post_is_found_where_there_is_none(conn: Connection) -> None:
    assert documents.get(conn, "a") is None
    documents.upsert(conn, SMALL, make_posts(1))
    for id in ("a", "", "\0", "\ud800"):
        assert documents.get(conn, id) is None


def test_whether_posts_are_stored_that_are_no_examples(conn: Connection) -> None:
    assert not documents.holds_own(conn)
    documents.upsert(conn, SMALL, [replace(post, extra={"example": True}) for post in make_posts(2)])
    assert not documents.holds_own(conn)
    for extra in ({"example": "yes"}, {}, {"path": "a.md"}):
        documents.upsert(conn, SMALL, [Post("own", "自己的", "文章", extra=extra)])
        assert documents.holds_own(conn)
    documents.delete(conn, ["own"])
    assert not documents.holds_own(conn)


def test_the_callers_transaction_decides(database: str) -> None:
    with psycopg.connect(database) as conn:
        documents.upsert(conn, SMALL, make_posts(1))
        with conn.transaction(force_rollback=True):
            documents.upsert(conn, SMALL, make_posts(5, edition=2))
            documents.delete(conn, ["post-0"])
        check_whole(conn, make_posts(1))


def test_an_empty_index_takes_on_the_analyzer_of_its_first_post(conn: Connection) -> None:
    documents.upsert(conn, SMALL, make_posts(1))
    documents.delete(conn, ["post-0"])
    documents.upsert(conn, SmallAnalyzer("2", "2"), make_posts(1))
    current = serving(conn)
    assert current is not None
    assert (current.fingerprint, current.stream_fingerprint) == ("small-2", "stream-2")


def test_a_stale_index_says_so(conn: Connection) -> None:
    assert status(conn, SMALL).serving is None
    documents.upsert(conn, SMALL, make_posts(2))
    assert not status(conn, SMALL).is_stale
    other = status(conn, SmallAnalyzer("2"))
    assert (other.is_stale, other.stale_posts, other.is_stream_stale) == (True, 2, False)
    assert status(conn, SmallAnalyzer("2", "2")).is_stream_stale


def test_many_writers_at_once(pool: Pool, conn: Connection) -> None:
    """Each writes its own posts again and again, and all write one post together."""

    def write(writer: int) -> None:
        for edition in range(1, 6):
            with pool.connection() as own:
                mine = make_posts(2, edition, start=10 * writer)
                documents.upsert(own, SMALL, [*mine, Post("shared", "共有", f"{writer} {edition}")])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(4)))
    shared = documents.get(conn, "shared")
    assert shared is not None
    check_whole(conn, [post for n in range(4) for post in make_posts(2, 5, 10 * n)] + [shared])


def test_postings_of_single_posts_share_rows(conn: Connection) -> None:
    for post in make_posts(20):
        documents.upsert(conn, SMALL, [post])
    segments = "select segment, length(tfs) from wenci.posting where kind = 3 and lexeme = '检索'"
    assert conn.execute(segments).fetchall() == [(0, 20)]
    conn.execute("update wenci.generation set next_ord = %s", [SEGMENT])
    documents.upsert(conn, SMALL, make_posts(1, start=30))
    assert sorted(conn.execute(segments).fetchall()) == [(0, 20), (SEGMENT, 1)]
    check_whole(conn, make_posts(20) + make_posts(1, start=30))


TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=30)
POSTS = st.builds(Post, st.sampled_from("abcd"), TEXT, TEXT, st.lists(TEXT, max_size=2).map(tuple))
STEPS = st.lists(st.one_of(st.lists(POSTS, min_size=1, max_size=3), st.sampled_from("abcd")), max_size=6)


@given(steps=STEPS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_sequence_of_writes_leaves_what_was_written_last(conn: Connection, steps: list[list[Post] | str]) -> None:
    documents.delete(conn, list("abcd"))
    wanted: dict[str, Post] = {}
    for step in steps:
        if isinstance(step, str):
            documents.delete(conn, [step])
            wanted.pop(step, None)
        else:
            documents.upsert(conn, SMALL, step)
            wanted.update({post.id: post for post in step})
    documents.upsert(conn, SMALL, [Post("d", "末", "")])
    wanted["d"] = Post("d", "末", "")
    check_whole(conn, list(wanted.values()))


@given(TEXT, TEXT, st.lists(TEXT, max_size=3), st.lists(TEXT, max_size=3))
def test_the_hash_tells_posts_apart(title: str, body: str, tags: list[str], others: list[str]) -> None:
    post = Post("a", title, body, tuple(tags))
    assert content_hash(post) == content_hash(Post("b", title, body, tuple(tags)))
    assert (content_hash(replace(post, tags=tuple(others))) == content_hash(post)) == (tags == others)
    assert content_hash(replace(post, title=title + body, body="")) != content_hash(post) or not body
    assert content_hash(replace(post, published_at=NOON)) != content_hash(post)
    assert content_hash(replace(post, extra=json.loads('{"b": 1, "a": 2}'))) == content_hash(
        replace(post, extra={"a": 2, "b": 1})
    )
