"""The semantic route: how near in meaning posts are to a text, by the cosine of sentence vectors.

Vectors lie in `wenci.embedding`, one a post, where the server has pgvector and a job has made them (`index.embed`).
They count only where they were made by the model at hand from the post as it is now. Up to `EXACT` rows a search looks
at all of them, beyond through an HNSW index.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from psycopg import Connection

from index.queries import queries
from index.recent import Recent
from segmenter.vectors import VectorModel, Vectors

EXACT = 50_000
"""Rows that are compared one by one, 0.24 s on a busy machine; beyond, `index.embed` makes an HNSW index."""

EFFORT = 100
"""Candidates that the HNSW index keeps in view."""


class State(NamedTuple):
    """A model that vectors were made with, and how many there are."""

    model: str
    rows: int
    version: int


@cache
def model() -> VectorModel | None:
    """The shipped model, read when it is first needed; None where its file is missing or cannot be used."""
    try:
        return VectorModel.load()
    except (OSError, ValueError):
        return None


def states(conn: Connection) -> list[State]:
    """The models that vectors were made with."""
    return [State(*row) for row in conn.execute(queries("semantic.sql")["states"])]


class Meaning:
    """Vectors of one generation's posts beside that of a text."""

    def __init__(self, conn: Connection, generation: int, vectors: VectorModel, rows: int) -> None:
        self._conn, self._generation = conn, generation
        self._vectors, self.rows = vectors, rows

    def vector(self, text: str) -> Vectors:
        """The vector of a text, kept for the next searches."""
        return _vector(self._vectors, text)

    def vector_of(self, ord: int) -> Vectors | None:
        """The stored vector of a post, if it has one."""
        row = self._one("vector_of", ord=ord)
        return None if not row else np.array(row[0][0][1:-1].split(","), np.float32)

    def cosines(self, vector: Vectors, ords: Iterable[int]) -> dict[int, float]:
        """The cosines of those of the documents that have vectors."""
        wanted = list(ords)
        if not wanted:
            return {}
        return _numbers(self._one("cosines", vector=literal(vector), ords=wanted))

    def nearest(self, vector: Vectors, limit: int) -> dict[int, float]:
        """The `limit` nearest posts with their cosines; fewer where vectors are of posts that have changed since."""
        if self.rows > EXACT:
            self._conn.execute(queries("semantic.sql")["effort"], [str(max(EFFORT, limit))])
        return _numbers(self._one("nearest", vector=literal(vector), limit=limit))

    def _one(self, name: str, **values: Any) -> list[Any]:
        values |= {"generation": self._generation, "model": self._vectors.fingerprint()}
        return self._conn.execute(queries("semantic.sql")[name], values).fetchall()


def meaning(conn: Connection, generation: int) -> Meaning | None:
    """What the generation's posts mean; None where no vector was made by the model at hand."""
    known = {state.model: state.rows for state in states(conn)}
    if not any(known.values()):
        return None
    vectors = model()
    rows = known.get(vectors.fingerprint(), 0) if vectors is not None else 0
    return Meaning(conn, generation, vectors, rows) if vectors is not None and rows else None


def literal(vector: Vectors) -> str:
    """A vector as PostgreSQL reads it."""
    return "[" + ",".join(f"{value:.6g}" for value in vector.tolist()) + "]"


def _numbers(rows: Iterable[tuple[int, float]]) -> dict[int, float]:
    """Without those of empty posts, whose vectors have no direction."""
    return {ord: cosine for ord, cosine in rows if cosine == cosine}


_recent: Recent[Vectors] = Recent(256)


def _vector(vectors: VectorModel, text: str) -> Vectors:
    key = (vectors.fingerprint(), text)
    made = _recent.get(key)
    if made is None:
        made = vectors.vector(text)
        _recent.put(key, made)
    return made
