"""Recording searches and clicks in real PostgreSQL."""

import time
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from index.analytics import MAX_QUERY, Recorder, hashed, purge, report
from index.db import Pool


def settled(recorder: Recorder) -> None:
    recorder.close(patience=60)


def test_searches_and_clicks_are_counted(pool: Pool) -> None:
    recorder = Recorder(pool, pause=0.01)
    for latency in (10, 20, 30):
        recorder.search("Docker 部署", 3, latency, client="1.2.3.4 Firefox")
    recorder.search("docker 部署 ", 3, 40, client="5.6.7.8")
    recorder.search("docker 部署", 3, 40, first=10)
    recorder.search("没有", 0, 5)
    recorder.click("Docker 部署", "post-1", position=1)
    recorder.click("docker 部署", "post-2", position=2)
    settled(recorder)
    with pool.connection() as conn:
        found = report(conn)
    assert (found.searches, found.distinct_queries, found.zero_results, found.clients) == (5, 2, 1, 2)
    assert (found.p50_ms, found.max_ms) == (20, 40)
    assert (found.clicks, found.mean_reciprocal_rank) == (2, 0.75)
    first, second = found.top
    assert (first.query, first.count, first.total, first.latency_ms, first.clicks) == ("docker 部署", 4, 3, 25, 2)
    assert [(one.query, one.count) for one in found.without_results] == [("没有", 1)] == [(second.query, second.count)]
    assert [(one.id, one.count) for one in found.clicked] == [("post-1", 1), ("post-2", 1)]
    assert recorder.dropped == 0


def test_nothing_recorded(pool: Pool) -> None:
    with pool.connection() as conn:
        found = report(conn)
    assert (found.searches, found.p50_ms, found.clicks, found.top) == (0, None, 0, ())


def test_a_client_is_never_stored_and_the_salt_goes_with_its_day(pool: Pool) -> None:
    with pool.connection() as conn:
        conn.execute("insert into wenci.analytics_salt values (current_date - 2, 'old')")
    recorder = Recorder(pool, pause=0.01)
    recorder.search("a", 1, 1, client="203.0.113.9")
    recorder.search("b", 1, 1, client="203.0.113.9")
    recorder.search("c", 1, 1, client="203.0.113.10")
    settled(recorder)
    with pool.connection() as conn:
        clients = [row[0] for row in conn.execute("select client from wenci.search_event order by query")]
        salts = conn.execute("select day, salt from wenci.analytics_salt").fetchall()
    assert clients[0] == clients[1] != clients[2]
    assert len(salts) == 1
    assert clients[0] == hashed("203.0.113.9", salts[0][1])
    assert hashed("203.0.113.9", b"another") != clients[0]
    assert "203" not in clients[0]


def test_text_is_cut_and_odd_characters_do_no_harm(pool: Pool) -> None:
    recorder = Recorder(pool, pause=0.01)
    recorder.search("长" * 5000, 0, 1)
    recorder.search("a\0b\ud800", 0, 1, client="\ud800")
    recorder.click("x", "\0")
    settled(recorder)
    with pool.connection() as conn:
        kept = [row[0] for row in conn.execute("select query from wenci.search_event order by id")]
    assert kept == ["长" * MAX_QUERY, "a b?"]
    assert recorder.dropped == 0


def test_a_full_queue_drops_and_counts_and_does_not_wait(pool: Pool) -> None:
    with pool.connection() as blocker:
        blocker.execute("lock table wenci.analytics_salt")
        recorder = Recorder(pool, capacity=3, pause=0.01)
        recorder.search("first", 1, 1)
        deadline = time.monotonic() + 60
        while not recorder._waiting.empty() and time.monotonic() < deadline:
            time.sleep(0.01)
        for number in range(10):
            recorder.search(str(number), 1, 1)
        assert recorder.dropped == 7
    settled(recorder)
    with pool.connection() as conn:
        assert conn.execute("select count(*) from wenci.search_event").fetchone() == (4,)


def test_a_lost_database_is_counted_and_fails_nobody(pool: Pool, database: str) -> None:
    with psycopg.connect(database, autocommit=True) as conn:
        conn.execute("alter table wenci.search_event rename to gone")
    recorder = Recorder(pool, pause=0.01)
    recorder.search("a", 1, 1)
    settled(recorder)
    assert recorder.dropped == 1


@pytest.mark.parametrize(("age", "left"), [(timedelta(days=89), 1), (timedelta(days=91), 0)])
def test_old_events_go(pool: Pool, age: timedelta, left: int) -> None:
    with pool.connection() as conn:
        conn.execute(
            "insert into wenci.search_event (at, query, total, first, latency_ms) values (%s, 'a', 1, 0, 1)",
            [datetime.now(UTC) - age],
        )
        conn.execute("insert into wenci.click_event (at, query, post) values (%s, 'a', 'b')", [datetime.now(UTC) - age])
        purge(conn, datetime.now(UTC) - timedelta(days=90))
        for table in ("search_event", "click_event"):
            assert conn.execute(f"select count(*) from wenci.{table}").fetchone() == (left,)  # type: ignore[arg-type]
