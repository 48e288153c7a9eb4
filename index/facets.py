"""Facets: how many of the found posts have each tag, each category, and were published in each year."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection

from index.collection import Collection, Mask, serving_collection, snapshot
from index.errors import driver_errors
from index.queries import queries
from index.rank import Ords
from index.rows import DocumentAnalyzer
from index.search import find_ids
from index.types import SearchRequest

VALUES = 20
"""Values of a facet that are counted out, the most frequent ones."""

_KEPT = 8


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value and the number of posts that have it."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Facets:
    """Counts over `documents` posts: those a query found or, where it found none (`of_all`), all posts.

    Tags and categories come by number of posts, equal ones by name; years from the latest on. A post without a date
    is in no year.
    """

    documents: int
    of_all: bool
    tags: tuple[FacetValue, ...] = ()
    categories: tuple[FacetValue, ...] = ()
    years: tuple[FacetValue, ...] = ()


class _Labels:
    """Which document has which label, as two columns; labels are numbered as they come."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.ords: NDArray[np.int32] = np.empty(0, np.int32)
        self.labels: NDArray[np.int32] = np.empty(0, np.int32)

    def extended(self, rows: Iterable[tuple[int, Sequence[str]]]) -> "_Labels":
        """These and more documents; this one stays as it is."""
        more = _Labels()
        more.numbers = dict(self.numbers)
        pairs = [
            (ord, more.numbers.setdefault(name, len(more.numbers)))
            for ord, names in rows
            for name in dict.fromkeys(names)
        ]
        added = np.array(pairs, np.int32).reshape(-1, 2)
        more.ords = np.concatenate([self.ords, added[:, 0]])
        more.labels = np.concatenate([self.labels, added[:, 1]])
        return more

    def counts(self, mask: Mask) -> dict[str, int]:
        """Documents of the mask with each label, without those that none has."""
        counts = np.bincount(self.labels[mask[self.ords]], minlength=len(self.numbers)).tolist()
        return {name: counts[number] for name, number in self.numbers.items() if counts[number]}


@dataclass(frozen=True, slots=True)
class _Columns:
    """What facets need of every document up to `size`."""

    size: int
    tags: _Labels
    categories: _Labels
    years: _Labels


_cache: OrderedDict[tuple[Any, ...], _Columns] = OrderedDict()
_lock = Lock()


def facets(conn: Connection, analyzer: DocumentAnalyzer, request: SearchRequest, values: int = VALUES) -> Facets:
    """Facets of everything that `request` finds, whatever its page; of all posts where it finds nothing.

    Raises `IndexingError` when PostgreSQL fails.
    """
    with driver_errors(), snapshot(conn):
        collection = serving_collection(conn)
        if collection is None:
            return Facets(0, True)
        ids = find_ids(conn, analyzer, request)
        return count(conn, collection, _ords(conn, collection, ids), values)


def count(conn: Connection, collection: Collection, ords: Ords, values: int = VALUES) -> Facets:
    """Facets of the documents `ords`; of all documents where there are none. Inside the transaction of `collection`."""
    mask = np.zeros(collection.size, np.bool_)
    mask[ords[ords < collection.size]] = True
    mask &= collection.live
    of_all = not mask.any()
    mask = collection.live if of_all else mask
    columns = _columns(conn, collection)
    return Facets(
        documents=int(mask.sum()),
        of_all=of_all,
        tags=_most(columns.tags.counts(mask), values),
        categories=_most(columns.categories.counts(mask), values),
        years=tuple(FacetValue(*pair) for pair in sorted(columns.years.counts(mask).items(), reverse=True)),
    )


def _most(counts: dict[str, int], values: int) -> tuple[FacetValue, ...]:
    order = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(FacetValue(value, number) for value, number in order[: max(values, 0)])


def _ords(conn: Connection, collection: Collection, ids: set[str]) -> Ords:
    if not ids:
        return np.empty(0, np.int64)
    values = {"generation": collection.generation, "ids": list(ids)}
    row = conn.execute(queries("facets.sql")["ords"], values, binary=True).fetchone()
    return np.frombuffer(row[0] if row and row[0] else b"", dtype=">i4").astype(np.int64)


def _columns(conn: Connection, collection: Collection) -> _Columns:
    """Read once, and only what was added since; document numbers are never used twice."""
    values: dict[str, Any] = {"generation": collection.generation}
    created = conn.execute(queries("facets.sql")["created"], values).fetchone()
    key = (conn.info.host, conn.info.port, conn.info.dbname, collection.generation, created)
    with _lock:
        kept = _cache.get(key)
    if kept is None or kept.size > collection.size:
        kept = _Columns(0, _Labels(), _Labels(), _Labels())
    if kept.size == collection.size:
        return kept
    rows = conn.execute(queries("facets.sql")["columns"], values | {"first": kept.size}).fetchall()
    columns = _Columns(
        collection.size,
        kept.tags.extended((ord, tags) for ord, tags, _, _ in rows),
        kept.categories.extended((ord, categories) for ord, _, categories, _ in rows),
        kept.years.extended((ord, [f"{year:04}"] if year is not None else []) for ord, _, _, year in rows),
    )
    with _lock:
        _cache[key] = columns
        _cache.move_to_end(key)
        while len(_cache) > _KEPT:
            _cache.popitem(last=False)
    return columns
