"""Tags, categories and years of all documents as columns, kept between requests, for facets and filters."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection

from index.collection import Collection, Mask
from index.queries import queries
from index.rows import DocumentAnalyzer

_KEPT = 8


class Labels:
    """Which document has which label, as two columns; labels are numbered as they come."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.ords: NDArray[np.int32] = np.empty(0, np.int32)
        self.labels: NDArray[np.int32] = np.empty(0, np.int32)
        self._same: dict[str, dict[str, list[str]]] = {}

    def extended(self, rows: Iterable[tuple[int, Sequence[str]]]) -> "Labels":
        """These and more documents; this one stays as it is."""
        more = Labels()
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

    def like(self, name: str, analyzer: DocumentAnalyzer) -> list[str]:
        """The labels that read like the name, whatever its case, width, script variant and white space."""
        fingerprint = analyzer.stream_fingerprint()
        if fingerprint not in self._same:
            by_stream: dict[str, list[str]] = {}
            for one in self.numbers:
                by_stream.setdefault(analyzer.stream(one), []).append(one)
            self._same[fingerprint] = by_stream
        return self._same[fingerprint].get(analyzer.stream(name), [])

    def holding(self, names: Iterable[str], size: int) -> Mask:
        """bool[size]: documents with any of the labels."""
        chosen = np.zeros(len(self.numbers), np.bool_)
        chosen[[self.numbers[name] for name in names]] = True
        ords = self.ords[chosen[self.labels]]
        mask = np.zeros(size, np.bool_)
        mask[ords[ords < size]] = True
        return mask

    def counts(self, mask: Mask) -> dict[str, int]:
        """Documents of the mask with each label, without those that none has."""
        counts = np.bincount(self.labels[mask[self.ords]], minlength=len(self.numbers)).tolist()
        return {name: counts[number] for name, number in self.numbers.items() if counts[number]}


@dataclass(frozen=True, slots=True)
class Columns:
    """What facets need of every document up to `size`."""

    size: int
    tags: Labels
    categories: Labels
    years: Labels


_cache: OrderedDict[tuple[Any, ...], Columns] = OrderedDict()
_lock = Lock()


def columns_of(conn: Connection, collection: Collection) -> Columns:
    """Read once, and only what was added since; document numbers are never used twice.

    A transaction that has written keeps nothing.
    """
    values: dict[str, Any] = {"generation": collection.generation}
    created = conn.execute(queries("facets.sql")["created"], values).fetchone()
    key = (conn.info.host, conn.info.port, conn.info.dbname, collection.generation, created)
    with _lock:
        kept = _cache.get(key)
    if kept is None or kept.size > collection.size:
        kept = Columns(0, Labels(), Labels(), Labels())
    if kept.size == collection.size:
        return kept
    rows = conn.execute(queries("facets.sql")["columns"], values | {"first": kept.size}).fetchall()
    columns = Columns(
        collection.size,
        kept.tags.extended((ord, tags) for ord, tags, _, _ in rows),
        kept.categories.extended((ord, categories) for ord, _, categories, _ in rows),
        kept.years.extended((ord, [f"{year:04}"] if year is not None else []) for ord, _, _, year in rows),
    )
    if collection.stock is None:
        return columns
    with _lock:
        _cache[key] = columns
        _cache.move_to_end(key)
        while len(_cache) > _KEPT:
            _cache.popitem(last=False)
    return columns
