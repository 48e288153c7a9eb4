"""Vectors for the semantic route, made in small batches: what is missing, of another model, or of a changed post.

A run can stop anywhere and the next goes on; posts that are written meanwhile are seen as long as it runs.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from psycopg import Connection, errors

from index import queue, semantic
from index.db import Pool, connection, features
from index.queries import queries
from segmenter.vectors import MOST_WINDOWS, WINDOW, VectorModel

KIND = "embed"
BATCH = 16
"""Posts in one transaction."""

CHARACTERS = 2 * MOST_WINDOWS * WINDOW
"""Characters of a body that are read: white space is more than half of hardly any text."""

OFF_NO_PGVECTOR = "the server has no pgvector with halfvec (0.7 or newer), or this user may not create the extension"
OFF_NO_MODEL = "the file of the vector model is missing or cannot be used"


@dataclass(frozen=True, slots=True)
class Embedded:
    """The outcome: posts that got a vector, vectors of posts that are gone, all rows now; or why the route is off."""

    done: int = 0
    removed: int = 0
    rows: int = 0
    off: str | None = None


def embed(
    pool: Pool, on_progress: Callable[[int, int], None] = lambda done, total: None, *, patience: float = inf
) -> Embedded:
    """Bring the vectors of the serving generation's posts up to date. `on_progress(done, total)` may raise to stop.

    After `patience` seconds the rest is left, and asked for as a job of its own, so that others have their turn.
    Raises `IndexingError` when PostgreSQL fails.
    """
    statements = queries("semantic.sql")
    with connection(pool) as conn:
        if not is_possible(conn):
            return Embedded(off=OFF_NO_PGVECTOR)
        model = semantic.model()
        if model is None:
            return Embedded(off=OFF_NO_MODEL)
        conn.execute(statements["begin_model"], {"model": model.fingerprint()})
    run = _Run(pool, model, on_progress, time.monotonic() + patience)
    while run.once() and not run.is_late():
        pass
    with connection(pool) as conn:
        removed = conn.execute(statements["forget_gone"], {"generation": _serving(conn)}).rowcount
        _count(conn)
        conn.execute(statements["forget_models"], {"model": model.fingerprint()})
        rows = sum(state.rows for state in semantic.states(conn))
        if run.is_late() and _pending(conn, _serving(conn), model):
            request(conn)
    if rows > semantic.EXACT:
        _make_index(pool)
    return Embedded(run.done, removed, rows)


def is_possible(conn: Connection) -> bool:
    """Whether the server can hold vectors; makes their table where it can."""
    try:
        with conn.transaction():
            if not is_there(conn):  # not even where the extension was dropped, and the column with it
                conn.execute(queries("semantic.sql")["forget_all"])
            row = conn.execute(queries("semantic.sql")["prepare"]).fetchone()
    except (errors.UniqueViolation, errors.DuplicateObject, errors.DuplicateTable):
        return is_there(conn)  # another program has just made it
    return row is not None and bool(row[0])


def off(conn: Connection) -> str | None:
    """Why there can be no vectors here, without changing anything; None where there can."""
    found = features(conn)
    if not is_there(conn) and not (found.vector or found.vector_available):
        return OFF_NO_PGVECTOR
    return OFF_NO_MODEL if semantic.model() is None else None


def is_there(conn: Connection) -> bool:
    """Whether the table of vectors is there, with its vectors: dropping the extension takes them along."""
    row = conn.execute(queries("semantic.sql")["is_there"]).fetchone()
    return row is not None and bool(row[0])


@dataclass(frozen=True, slots=True)
class Vectors:
    """Posts with a vector of the model at hand, posts without one, and vectors of other models, which do not count."""

    made: int
    waiting: int
    stale: int


def vectors(conn: Connection) -> Vectors | None:
    """How far the vectors are; None where there can be none, or no job has begun to make them."""
    waiting, model = pending(conn), semantic.model()
    if waiting is None or model is None:
        return None
    row = conn.execute(queries("read.sql")["collection_state"]).fetchone()
    documents = 0 if row is None else int(row[2])
    others = sum(state.rows for state in semantic.states(conn) if state.model != model.fingerprint())
    return Vectors(max(documents - waiting, 0), waiting, others)


def pending(conn: Connection) -> int | None:
    """How many posts wait for a vector of the model at hand; None where vectors are impossible here."""
    model = semantic.model() if is_there(conn) else None
    return None if model is None else _pending(conn, _serving(conn), model)


def request(conn: Connection) -> None:
    """Ask the workers to make what is missing; a run that is about to end is followed by another."""
    job, is_new = queue.enqueue(conn, KIND, key=KIND)
    if not is_new and job.state == "running":
        queue.enqueue(conn, KIND, key=f"{KIND} again")


def _serving(conn: Connection) -> int:
    row = conn.execute(queries("read.sql")["collection_state"]).fetchone()
    return -1 if row is None else int(row[0])


def _pending(conn: Connection, generation: int, model: VectorModel) -> int:
    values = {"generation": generation, "model": model.fingerprint()}
    row = conn.execute(queries("semantic.sql")["count_pending"], values).fetchone()
    return int(row[0]) if row is not None else 0


class _Run:
    """Passes over the posts that wait, until one finds none or the time is over."""

    def __init__(
        self, pool: Pool, model: VectorModel, on_progress: Callable[[int, int], None], deadline: float
    ) -> None:
        self._pool, self._model, self._on_progress, self._deadline = pool, model, on_progress, deadline
        self.done = 0

    def is_late(self) -> bool:
        """Whether the rest is for a later job."""
        return time.monotonic() > self._deadline

    def once(self) -> int:
        """Make what is missing now; returns how many vectors were made."""
        with connection(self._pool) as conn:
            generation = _serving(conn)
            total = self.done + _pending(conn, generation, self._model)
        before, after = self.done, ""
        while True:
            self._on_progress(self.done, max(self.done, total))
            with connection(self._pool) as conn:
                made = self._batch(conn, generation, after)
                if not made or self.done == before:
                    _count(conn)  # the first ones are of use already
            self.done += len(made)
            if not made or self.is_late():
                return self.done - before
            after = made[-1]

    def _batch(self, conn: Connection, generation: int, after: str) -> list[str]:
        """Make the vectors of the next posts after `after`, in the order of ids; returns theirs."""
        model = self._model.fingerprint()
        values = {"generation": generation, "model": model, "after": after, "limit": BATCH, "characters": CHARACTERS}
        rows = conn.execute(queries("semantic.sql")["pending"], values).fetchall()
        if rows:
            made = [semantic.literal(self._model.vector(text_of(title, body))) for _, _, title, body in rows]
            stored = {"ids": [row[0] for row in rows], "hashes": [row[1] for row in rows], "vectors": made}
            conn.execute(queries("semantic.sql")["store"], stored | {"model": model})
        return [row[0] for row in rows]


def text_of(title: str, body: str) -> str:
    """What of a post the vector is made of."""
    return f"{title}\n{body}" if title else body


def _count(conn: Connection) -> None:
    conn.execute(queries("semantic.sql")["count_rows"])


def _make_index(pool: Pool) -> None:
    with pool.connection() as conn:
        conn.autocommit = True
        try:
            conn.execute("set statement_timeout = 0")
            conn.execute(queries("semantic.sql")["create_nearest"])
        finally:
            conn.execute("reset statement_timeout")
            conn.autocommit = False
