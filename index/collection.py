"""What ranking needs of every document of the serving generation, as arrays over `ord`; kept between queries.

Numbers are read once per state of the generation and topped up after upserts, so that most queries read none of them.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection, IsolationLevel
from psycopg.pq import TransactionStatus

from index.queries import queries

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


class Stock(NamedTuple):
    """Where readers of a generation keep things (`index.kept`), and where those of just this state of it do.

    `size` is the first `ord` that was free in this state.
    """

    token: int
    state: int
    size: int


@dataclass(frozen=True, slots=True)
class Collection:
    """Arrays over `ord`, `size` long: is the document there, and its lengths in words relative to the average.

    `stock` is None where nothing may be kept: in a transaction that has written something of its own.
    """

    generation: int
    documents: int
    live: Mask
    title_length: NDArray[np.int32]
    body_length: NDArray[np.int32]
    title_ratio: Floats
    body_ratio: Floats
    fingerprint: str
    stream_fingerprint: str
    stock: Stock | None = None

    @property
    def size(self) -> int:
        """One more than the largest `ord` ever used."""
        return len(self.live)


@contextmanager
def snapshot(conn: Connection) -> Iterator[None]:
    """A read-only transaction in which all statements see the same state; inside an open transaction, a part of it."""
    if conn.info.transaction_status != TransactionStatus.IDLE:
        with conn.transaction():
            yield
        return
    before = conn.isolation_level, conn.read_only
    conn.isolation_level, conn.read_only = IsolationLevel.REPEATABLE_READ, True
    try:
        with conn.transaction():
            yield
    finally:
        if not conn.closed:
            conn.isolation_level, conn.read_only = before


_KEPT = 8
_cache: OrderedDict[tuple[Any, ...], tuple[tuple[int, int], Collection]] = OrderedDict()
_lock = Lock()
_tokens = count()


def serving_collection(conn: Connection) -> Collection | None:
    """The serving generation's collection; None where nothing was ever indexed.

    Call it first in a transaction: it takes the lock that keeps the generation's tables in place.
    """
    row = conn.execute(queries("read.sql")["collection_state"]).fetchone()
    if row is None:
        return None
    *state_row, started_at, has_written = row
    if has_written:
        return _read(conn, state_row, None, None)
    generation, next_ord, documents, _, _, created_at, fingerprint, stream_fingerprint = state_row
    info = conn.info
    key = (info.host, info.port, info.dbname, started_at, generation, created_at, fingerprint, stream_fingerprint)
    state = (next_ord, documents)
    with _lock:
        kept = _cache.get(key)
    if kept is not None and kept[0] == state:
        return kept[1]
    older = kept[1] if kept is not None else None
    token = older.stock.token if older and older.stock else next(_tokens)
    stock = Stock(token, next(_tokens), next_ord)
    collection = _read(conn, state_row, older if older and older.size <= next_ord else None, stock)
    if int(collection.live.sum()) != documents:
        return collection
    with _lock:
        _cache[key] = (state, collection)
        _cache.move_to_end(key)
        while len(_cache) > _KEPT:
            _cache.popitem(last=False)
    return collection


def _read(conn: Connection, row: Sequence[Any], older: Collection | None, stock: Stock | None) -> Collection:
    """Document numbers are never used twice, so lengths that were read once stay right; only who is there changes."""
    generation, next_ord, documents, title_total, body_total, _, fingerprint, stream_fingerprint = row
    first = older.size if older else 0
    lengths = np.zeros((2, next_ord), np.int32)
    if older:
        lengths[:, :first] = older.title_length, older.body_length
    numbers = _numbers(conn, "lengths", generation=generation, first=first).reshape(-1, 3)
    numbers = numbers[numbers[:, 0] < next_ord]
    lengths[:, numbers[:, 0]] = numbers[:, 1:].T
    live = np.zeros(next_ord, np.bool_)
    if older:
        live[:first] = older.live
    live[numbers[:, 0]] = True
    if int(live.sum()) != documents:
        ords = _numbers(conn, "live_ords", generation=generation)
        live[:] = False
        live[ords[ords < next_ord]] = True
    averages = np.maximum(np.array([[title_total], [body_total]]) / max(documents, 1), 1.0)
    ratios = (lengths / averages).astype(np.float32)
    return Collection(
        generation, documents, live, lengths[0], lengths[1], ratios[0], ratios[1], fingerprint, stream_fingerprint,
        stock,
    )  # fmt: skip


def _numbers(conn: Connection, name: str, **values: Any) -> NDArray[np.int64]:
    row = conn.execute(queries("read.sql")[name], values, binary=True).fetchone()
    data: bytes = row[0] if row and row[0] is not None else b""
    return np.frombuffer(data, dtype=">i4").astype(np.int64)
