"""Facets: how many of the found posts have each tag, each category, and were published in each year."""

from dataclasses import dataclass

import numpy as np
from psycopg import Connection

from index.collection import Collection, serving_collection, snapshot
from index.errors import driver_errors
from index.labels import columns_of
from index.queries import queries
from index.rank import Ords
from index.rows import DocumentAnalyzer
from index.search import find_ids
from index.types import SearchRequest

VALUES = 20
"""Values of a facet that are counted out, the most frequent ones."""


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
    columns = columns_of(conn, collection)
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
