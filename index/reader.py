"""The read path's SQL: every statement that a search runs on one generation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from psycopg import Connection

from index.postings import unpack, unpack_all
from index.queries import queries
from index.rank import Lists, Ords

PASSAGES_READ = 8
"""Passages of a field that are read of a post in any case; of later ones those that hold what was searched for."""


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A row of `passage` without its vectors."""

    field: int
    seq: int
    first: int
    stream: str
    offsets: bytes


class Row(NamedTuple):
    """What a hit shows of a post."""

    ord: int
    id: str
    title: str
    url: str | None
    published_at: Any
    tags: tuple[str, ...]


class SourcePost(NamedTuple):
    """A stored post as `related` needs it."""

    ord: int
    title: str
    body: str
    tags: tuple[str, ...]


class Reader:
    """Named queries on the rows of one generation, inside one transaction."""

    def __init__(self, conn: Connection, generation: int) -> None:
        self._conn = conn
        self._generation = generation
        self._posts: dict[int, Row] = {}
        self._passages: dict[int, list[StoredPassage]] = {}

    def _rows(self, name: str, **values: Any) -> list[tuple[Any, ...]]:
        values["generation"] = self._generation
        return self._conn.execute(queries("read.sql")[name], values, binary=True).fetchall()

    def _ords(self, name: str, **values: Any) -> Ords:
        data = self._rows(name, **values)[0][0]
        return np.unique(np.frombuffer(data or b"", dtype=">i4").astype(np.int64))

    def postings(self, kinds: Sequence[int], lexemes: Iterable[str]) -> Lists:
        """The documents of each lexeme in each kind; pairs without documents are missing."""
        wanted = sorted(set(lexemes))
        if not wanted:
            return {}
        parts: dict[tuple[int, str], list[tuple[bytes, bytes]]] = {}
        for kind, lexeme, ords, tfs in self._rows("postings", kinds=list(kinds), lexemes=wanted):
            parts.setdefault((kind, lexeme), []).append((ords, tfs))
        return {key: unpack(*rows[0]) if len(rows) == 1 else unpack_all(rows) for key, rows in parts.items()}

    def phrase_ords(self, phrase: str) -> Ords:
        """Documents with a passage whose grams match a `tsquery`, through the index."""
        return self._ords("phrase_ords", phrase=phrase)

    def phrase_among(self, phrase: str, ords: Ords) -> Ords:
        """Those of the documents that have such a passage."""
        return self._ords("phrase_among", phrase=phrase, ords=ords.tolist())

    def standing_ords(self, phrase: str) -> Ords:
        """Documents with a passage whose words match a `tsquery`, through the index."""
        return self._ords("standing_ords", phrase=phrase)

    def standing_among(self, phrase: str, ords: Ords) -> Ords:
        """Those of the documents that have such a passage."""
        return self._ords("standing_among", phrase=phrase, ords=ords.tolist())

    def literal_among(self, literal: str, ords: Ords) -> Ords:
        """Those of the documents with a passage whose stream holds the text."""
        return self._ords("literal_among", literal=literal, ords=ords.tolist())

    def tag_among(self, tag: str, ords: Ords) -> Ords:
        """Those of the documents with this tag or category, given as a stream."""
        return self._ords("tag_among", tag=tag, ords=ords.tolist())

    def dated_ords(self, after: Any, before: Any) -> Ords:
        """Documents published in `after <= t < before`, either of them None for no bound."""
        return self._ords("dated_ords", after=after, before=before)

    def newest(self, ords: Ords, limit: int, offset: int) -> list[int]:
        """A page of the documents, newest first, those without a date last."""
        return [ord for (ord,) in self._rows("newest", ords=ords.tolist(), limit=limit, offset=offset)]

    def ids(self, ords: Ords) -> set[str]:
        """The posts' ids."""
        return {str(id) for (id,) in self._rows("ids", ords=ords.tolist())}

    def posts(self, ords: Iterable[int]) -> dict[int, Row]:
        """What hits show; posts that are gone are missing. Read once."""
        wanted = list(ords)
        missing = [ord for ord in wanted if ord not in self._posts]
        if missing:
            rows = (Row(*row) for row in self._rows("posts", ords=missing))
            self._posts |= {row.ord: row._replace(tags=tuple(row.tags)) for row in rows}
        return {ord: self._posts[ord] for ord in wanted if ord in self._posts}

    def passages(self, ords: Iterable[int]) -> dict[int, list[StoredPassage]]:
        """The first `PASSAGES_READ` passages of each field, in order. Read once."""
        wanted = list(ords)
        missing = [ord for ord in wanted if ord not in self._passages]
        if missing:
            self._passages |= self._grouped(missing, self._rows("passages", ords=missing, passages=PASSAGES_READ))
        return {ord: self._passages[ord] for ord in wanted}

    def later_passages(self, ords: Sequence[int], literals: Sequence[str]) -> dict[int, list[StoredPassage]]:
        """Of the other passages those that hold one of `literals`."""
        values = {"ords": list(ords), "literals": list(literals), "passages": PASSAGES_READ}
        return self._grouped(ords, self._rows("later_passages", **values))

    def _grouped(self, ords: Iterable[int], rows: list[tuple[Any, ...]]) -> dict[int, list[StoredPassage]]:
        found: dict[int, list[StoredPassage]] = {ord: [] for ord in ords}
        for ord, *columns in sorted(rows, key=lambda row: row[:3]):
            found[ord].append(StoredPassage(*columns))
        return found

    def body_slices(self, wanted: Sequence[tuple[int, int, int]]) -> dict[int, tuple[str, bool]]:
        """Of each `(ord, start, length)` that stretch of the original body, and whether the body ends there."""
        if not wanted:
            return {}
        ords, starts, lengths = (list(column) for column in zip(*wanted, strict=True))
        rows = self._rows("body_slices", ords=ords, starts=starts, lengths=lengths)
        return {ord: (text, is_end) for ord, text, is_end in rows}

    def source_post(self, id: str) -> SourcePost | None:
        """Number and texts of a post."""
        rows = self._rows("source_post", id=id)
        if not rows:
            return None
        ord, title, body, tags = rows[0]
        return SourcePost(ord, title, body, tuple(tags))

    def tag_holders(self, tags: Sequence[str]) -> dict[str, Ords]:
        """The documents that carry each of these tags, as spelt."""
        rows = self._rows("tag_holders", tags=list(tags)) if tags else []
        return {tag: np.frombuffer(ords, dtype=">i4").astype(np.int64) for tag, ords in rows}
