"""What a reader keeps for the next one is what it would read again."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import psycopg
import pytest
from psycopg import Connection

from index.collection import Collection, serving_collection
from index.documents import delete, upsert
from index.postings import Postings
from index.queries import queries
from index.rank import Scorer
from index.reader import KINDS, Reader
from index.search import search
from index.tables import SEGMENT
from index.types import Post, SearchRequest
from tests.index.samples import SmallAnalyzer, make_posts

ANALYZER = SmallAnalyzer()
LEXEMES = ["数据", "检索", "一丁", "篇", "没有这个"]


@pytest.fixture
def posts(conn: Connection) -> Connection:
    upsert(conn, ANALYZER, make_posts(12))
    return conn


def collection_of(conn: Connection) -> Collection:
    found = serving_collection(conn)
    assert found is not None
    return found


def living(conn: Connection, collection: Collection, *, keeps: bool) -> dict[tuple[int, str], list[tuple[int, int]]]:
    """What a scorer makes of the postings, read anew or with what was kept."""
    reader = Reader(conn, collection.generation, collection.stock if keeps else None)
    lists = reader.postings(KINDS, LEXEMES)
    scorer = Scorer(collection, lists)
    found = {key: scorer.postings(*key) for key in lists}
    return {key: pairs_of(one) for key, one in found.items() if one is not None and len(one.ords)}


def pairs_of(postings: Postings) -> list[tuple[int, int]]:
    return sorted(zip(postings.ords.tolist(), postings.tfs.tolist(), strict=True))


def test_postings_follow_writes(posts: Connection) -> None:
    states: list[Collection] = []
    for edition in range(2, 6):
        states.append(collection_of(posts))
        assert living(posts, states[-1], keeps=True) == living(posts, states[-1], keeps=False)
        upsert(posts, ANALYZER, make_posts(5, edition, start=edition * 2))
        delete(posts, [f"post-{edition}"])
    assert len({state.stock and state.stock.token for state in states}) == 1
    for state in states:
        assert living(posts, state, keeps=True) == living(posts, state, keeps=False)


def test_postings_follow_writes_into_another_segment(posts: Connection) -> None:
    living(posts, collection_of(posts), keeps=True)
    posts.execute("update wenci.generation set next_ord = %s", [3 * SEGMENT - 2])
    upsert(posts, ANALYZER, make_posts(4, edition=2))
    after = collection_of(posts)
    assert living(posts, after, keeps=True) == living(posts, after, keeps=False)
    assert max(ord for pairs in living(posts, after, keeps=True).values() for ord, _ in pairs) == 3 * SEGMENT + 1


def test_a_transaction_that_has_written_keeps_nothing(database: str, posts: Connection) -> None:
    with psycopg.connect(database) as writer:
        writer.execute("select")  # begins the transaction that the rest is part of
        upsert(writer, ANALYZER, [Post("new", "从未提交", "这一篇从未提交。")])
        assert collection_of(writer).stock is None
        assert [hit.id for hit in search(writer, ANALYZER, SearchRequest("从未提交")).hits] == ["new"]
        writer.rollback()
    upsert(posts, ANALYZER, [Post("other", "另外一篇", "这一篇另有内容，提交了。")])
    assert [hit.id for hit in search(posts, ANALYZER, SearchRequest("从未提交")).hits] == []
    (hit,) = search(posts, ANALYZER, SearchRequest("另有内容")).hits
    assert (hit.id, hit.title, "另有内容" in hit.snippet) == ("other", "另外一篇", True)


def test_passages_and_rows_are_read_once(posts: Connection) -> None:
    collection = collection_of(posts)
    first = Reader(posts, collection.generation, collection.stock)
    ords = [ord for ord in range(collection.size) if collection.live[ord]]
    passages, rows = first.passages(ords), first.posts(ords)
    posts.close()
    again = Reader(posts, collection.generation, collection.stock)
    assert again.passages(ords) == passages
    assert again.posts(ords) == rows
    assert all(passages.values())


def test_a_literal_is_found_in_kept_passages_and_in_others(posts: Connection) -> None:
    collection = collection_of(posts)
    reader = Reader(posts, collection.generation, collection.stock)
    ords = [ord for ord in range(collection.size) if collection.live[ord]]
    upsert(posts, ANALYZER, [Post("long", "", "字" * 30_000 + "末尾的独特一句")])
    after = collection_of(posts)
    reader.passages(ords[:4])
    some = Reader(posts, after.generation, after.stock)
    every = [ord for ord in range(after.size) if after.live[ord]]
    (long,) = set(every) - set(ords)
    some.passages([long])
    assert some.literal_among("独特一句", _array(every)).tolist() == [long]
    assert some.literal_among("全文检索", _array(every)).tolist() == ords


def _array(ords: list[int]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.array(ords, np.int64)


def test_many_documents_come_in_the_order_of_few(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    days = [3, None, 1, 3, 2, None, 3, 1]
    dated = [
        replace(post, id=f"{7 * n % 8}", published_at=datetime(2024, 1, day, tzinfo=UTC) if day else None)
        for n, (post, day) in enumerate(zip(make_posts(8), days, strict=True))
    ]
    upsert(conn, ANALYZER, dated)
    upsert(conn, ANALYZER, make_posts(1, start=20))
    reader = Reader(conn, collection_of(conn).generation)
    wanted = np.array([0, 1, 3, 4, 5, 6, 7], np.int64)
    order = sorted(wanted.tolist(), key=lambda ord: (-(days[ord] or 0), dated[ord].id))
    for few in (2000, 0):
        monkeypatch.setattr("index.reader.FEW", few)
        assert reader.newest(wanted, 4, 0) + reader.newest(wanted, 4, 4) == order
        assert reader.newest(wanted[:0], 4, 0) == []


def test_the_newest_of_many_are_read_from_an_index(conn: Connection) -> None:
    upsert(conn, ANALYZER, make_posts(300))
    conn.execute("analyze wenci.post")
    values = {"generation": collection_of(conn).generation, "top": 299, "mask": b"\xff" * 38, "limit": 10, "offset": 0}
    plan = conn.execute(f"explain {queries('read.sql')['newest_of_many']}", values).fetchall()
    assert any("newest" in line and "Index Only Scan" in line for (line,) in plan)
