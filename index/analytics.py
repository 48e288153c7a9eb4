"""What people search for and open, recorded beside the search: recording never slows a search and never fails one."""

import hashlib
import logging
import queue
import secrets
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg import Connection

from index.db import Pool, connection
from index.errors import IndexingError
from index.queries import queries

logger = logging.getLogger("wenci.analytics")

MAX_QUERY = 200
"""Characters of a query that are kept."""

MAX_ID = 500
CAPACITY = 1_000
"""Events that wait to be written; further ones are dropped and counted."""

AT_ONCE = 500
PURGE_SECONDS = 3_600.0
PURGE_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class _Search:
    at: datetime
    query: str
    total: int
    first: int
    latency_ms: float
    client: str | None


@dataclass(frozen=True, slots=True)
class _Click:
    at: datetime
    query: str
    post: str
    position: int | None
    client: str | None


_Event = _Search | _Click


class Recorder:
    """Takes events without waiting; a thread writes them. `dropped` counts those that found no room or no database.

    `client` (an address, a user agent) is only ever stored as a hash, with a salt that changes and is deleted every
    day: the same visitor is the same for a day, and nobody can tell afterwards who it was. Events older than
    `retention_days` are deleted.
    """

    def __init__(self, pool: Pool, *, retention_days: int = 90, capacity: int = CAPACITY, pause: float = 1.0) -> None:
        self.dropped = 0
        self._pool = pool
        self._retention = timedelta(days=retention_days)
        self._pause = pause
        self._waiting: queue.Queue[_Event | None] = queue.Queue(capacity)
        self._stopping = threading.Event()
        self._purged = float("-inf")
        self._thread = threading.Thread(target=self._run, name="wenci-analytics", daemon=True)
        self._thread.start()

    def search(self, query: str, total: int, latency_ms: float, *, first: int = 0, client: str | None = None) -> None:
        """Note a search: how many posts it found, which page was asked for (`first`, its offset), how long it took.

        A blank query, which lists what filters leave, is none.
        """
        if is_blank(query):
            return
        self._put(_Search(datetime.now(UTC), _kept(query, MAX_QUERY), total, first, latency_ms, client))

    def click(self, query: str, post: str, *, position: int | None = None, client: str | None = None) -> None:
        """Note that a hit was opened; `position` counts from 1 over all pages."""
        self._put(_Click(datetime.now(UTC), _kept(query, MAX_QUERY), _kept(post, MAX_ID), position, client))

    def close(self, patience: float = 5.0) -> None:
        """Write what waits, for `patience` seconds at most."""
        self._stopping.set()
        with suppress(queue.Full):
            self._waiting.put_nowait(None)  # wakes the thread
        self._thread.join(patience)

    def _put(self, event: _Event) -> None:
        try:
            self._waiting.put_nowait(event)
        except queue.Full:
            self.dropped += 1

    def _run(self) -> None:
        while not (self._stopping.is_set() and self._waiting.empty()):
            events = self._batch()
            try:
                self._write(events)
            except IndexingError as error:
                self.dropped += len(events)
                logger.warning("%d events were not recorded: %s", len(events), error)
                self._stopping.wait(self._pause)
            except Exception:
                self.dropped += len(events)
                logger.exception("%d events were not recorded", len(events))

    def _batch(self) -> list[_Event]:
        """Waits a moment for the first event, and lets others gather."""
        events: list[_Event] = []
        with suppress(queue.Empty):
            event = self._waiting.get(timeout=self._pause)
            while True:
                events += [event] if event is not None else []
                if len(events) == AT_ONCE:
                    break
                event = self._waiting.get_nowait()
        return events

    def _write(self, events: Sequence[_Event]) -> None:
        if events:
            with connection(self._pool) as conn:
                write(conn, events)
        if time.monotonic() > self._purged + PURGE_SECONDS:
            self._purged = time.monotonic()
            with connection(self._pool) as conn:
                purge(conn, datetime.now(UTC) - self._retention)


def write(conn: Connection, events: Sequence[_Event]) -> None:
    """Store events, clients hashed with the salt of today."""
    statements, today = queries("analytics.sql"), datetime.now(UTC).date()
    row = conn.execute(statements["salt"], {"day": today, "salt": secrets.token_bytes(16)}).fetchone()
    assert row is not None
    conn.execute(statements["forget_salts"], {"day": today})
    for kind, name in ((_Search, "add_searches"), (_Click, "add_clicks")):
        chosen = [event for event in events if isinstance(event, kind)]
        if chosen:
            conn.execute(statements[name], _columns(chosen, row[0]))


def _columns(events: Sequence[_Event], salt: bytes) -> dict[str, list[Any]]:
    columns = {name: [getattr(event, name) for event in events] for name in events[0].__slots__}
    columns["client"] = [client and hashed(client, salt) for client in columns["client"]]
    return columns


def hashed(client: str, salt: bytes) -> str:
    """16 hexadecimal digits that stand for a client as long as the salt is kept."""
    return hashlib.blake2b(client.encode("utf-8", "replace"), key=salt, digest_size=8).hexdigest()


def purge(conn: Connection, until: datetime) -> int:
    """Delete events older than `until`, a portion of them at a time; returns how many went."""
    gone = 0
    for name in ("forget_searches", "forget_clicks"):
        gone += conn.execute(queries("analytics.sql")[name], {"until": until, "limit": PURGE_ROWS}).rowcount
    return gone


def is_blank(query: str) -> bool:
    """Whether nothing that can be seen was typed."""
    return not any(char.isprintable() and not char.isspace() for char in query)


def _kept(text: str, length: int) -> str:
    """What PostgreSQL can hold of a text, cut to a length."""
    return text[:length].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class QueryCount:
    """A query, whatever its case: how often it was typed, the median of its hits and of its latency, its clicks."""

    query: str
    count: int
    total: int
    latency_ms: float
    clicks: int
    last: datetime


@dataclass(frozen=True, slots=True)
class ClickCount:
    """A post and how often it was opened from a search."""

    id: str
    count: int


@dataclass(frozen=True, slots=True)
class AnalyticsReport:
    """First pages since a moment. `mean_reciprocal_rank` is that of the clicks whose position is known."""

    since: datetime
    searches: int
    distinct_queries: int
    zero_results: int
    clients: int
    p50_ms: float | None
    p95_ms: float | None
    max_ms: float | None
    clicks: int
    mean_reciprocal_rank: float
    top: tuple[QueryCount, ...]
    without_results: tuple[QueryCount, ...]
    clicked: tuple[ClickCount, ...]


def report(conn: Connection, *, days: float = 30, limit: int = 20) -> AnalyticsReport:
    """What was searched for in the last `days` days, with the `limit` most frequent queries of each kind."""
    statements = queries("analytics.sql")
    values: dict[str, Any] = {"since": datetime.now(UTC) - timedelta(days=days), "limit": limit}
    totals = conn.execute(statements["totals"], values).fetchone()
    clicks = conn.execute(statements["click_totals"], values).fetchone()
    assert totals is not None
    assert clicks is not None
    searches, distinct, zero_results, clients, p50, p95, slowest = totals
    top = conn.execute(statements["queries"], values | {"zero": False}).fetchall()
    zero = conn.execute(statements["queries"], values | {"zero": True}).fetchall()
    clicked = conn.execute(statements["clicked"], values).fetchall()
    return AnalyticsReport(
        since=values["since"],
        searches=searches,
        distinct_queries=distinct,
        zero_results=zero_results,
        clients=clients,
        p50_ms=p50,
        p95_ms=p95,
        max_ms=slowest,
        clicks=clicks[0],
        mean_reciprocal_rank=clicks[1],
        top=tuple(QueryCount(*row) for row in top),
        without_results=tuple(QueryCount(*row) for row in zero),
        clicked=tuple(ClickCount(*row) for row in clicked),
    )
