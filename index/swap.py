"""The end of a build: postings of copied posts, indexes, what happened meanwhile, and the swap."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
import psycopg
from psycopg import Connection

from index import suggestions
from index.build import Build
from index.content import content_hash
from index.db import Pool
from index.documents import post_of_row
from index.errors import UnusablePost
from index.postings import Row, pack, renumber, unpack_all
from index.queries import queries
from index.rows import IndexedPost, index_posts
from index.tables import SEGMENT, ensure_serving
from index.tsvector import Ints
from index.types import BadPost, Post

CHANGES_AT_ONCE = 100


def finish(build: Build, pool: Pool) -> None:
    """Make the building generation ready to serve. Safe to repeat after an interruption."""
    building, statements = build.building, queries("build.sql")
    with build.conn.transaction():
        copy_postings(build, pool)
        row = build.conn.execute(statements["next_ord"], [building.generation]).fetchone()
        assert row is not None
        building.take_ords(-row[0] % SEGMENT)
    build.conn.execute(statements["index_generation"], [building.generation])
    build.conn.execute(building.sql("analyze", "build.sql"))
    with build.conn.transaction():
        suggestions.fill(building)


def copy_postings(build: Build, pool: Pool) -> None:
    """Copy the postings of copied posts from the serving generation, with their new document numbers."""
    statements, generation = queries("build.sql"), build.building.generation
    copies = np.array(build.conn.execute(statements["copies"], [generation]).fetchall(), np.int32).reshape(-1, 2)
    if not len(copies):
        return
    new_ords = np.full(int(copies[:, 0].max()) + 1, -1, np.int32)
    new_ords[copies[:, 0]] = copies[:, 1]
    segment = build.building.take_ords(1)
    with pool.connection() as reader, reader.cursor("served_postings") as cursor:
        cursor.itersize = 20_000
        reader.execute("set local statement_timeout = 0")
        cursor.execute(statements["served_postings"], [build.serving.generation])
        build.building.copy_postings(_renumbered(cursor, new_ords), segment)
    build.conn.execute(statements["forget_copies"], [generation])


def _renumbered(rows: "psycopg.ServerCursor[tuple[int, str, bytes, bytes]]", new_ords: Ints) -> Iterator[Row]:
    for (kind, lexeme), segments in groupby(rows, key=lambda row: row[:2]):
        postings = unpack_all((ords, tfs) for _, _, ords, tfs in segments)
        kept = renumber(postings, new_ords)
        if len(kept.ords):
            yield Row(kind, lexeme, *pack(kept))


def swap(build: Build) -> None:
    """Let the building generation serve from one moment to the next, with every change made meanwhile."""
    while _reconcile(build, CHANGES_AT_ONCE) == CHANGES_AT_ONCE:
        pass
    with build.conn.transaction():
        serving = ensure_serving(build.conn, build.analyzer)
        assert serving == build.serving.generation
        while _reconcile(build, CHANGES_AT_ONCE):
            pass
        build.conn.execute(queries("build.sql")["attach_generation"], [build.building.generation])


def _reconcile(build: Build, limit: int) -> int:
    """Bring posts that were written or deleted during the build to their state in the serving generation."""
    statements = queries("build.sql")
    with build.conn.transaction():
        changes = build.conn.execute(statements["changes"], [limit]).fetchall()
        if not changes:
            return 0
        ids = [id for id, _ in changes]
        values = {"generation": build.serving.generation, "ids": ids}
        posts = [post_of_row(row) for row in build.conn.execute(statements["posts_of_ids"], values)]
        build.building.delete(ids)
        build.building.replace(_indexed(build, posts), build.fingerprint)
        suggestions.update(build.building, ids, may_refresh=False)
        build.conn.execute(statements["forget_changes_until"], [changes[-1][1]])
    return len(changes)


def _indexed(build: Build, posts: Sequence[Post]) -> list[IndexedPost]:
    """Raises `UnusablePost` where a post can not be analysed: rather no new generation than one that lacks a post."""
    indexed = []
    for result in index_posts(build.analyzer, [(post, content_hash(post)) for post in posts]) if posts else []:
        if isinstance(result, BadPost):
            raise UnusablePost(f"{result.where}: {result.reason}")
        indexed.append(result)
    return indexed


def drop_unused(conn: Connection, fingerprint: str) -> None:
    """Drop retired generations, and builds of another analyzer, unless a reader holds on to them."""
    statements = queries("build.sql")
    suggestions.forget_unused(conn)
    for (generation,) in conn.execute(statements["unused_generations"], {"fingerprint": fingerprint}).fetchall():
        try:
            with conn.transaction():
                conn.execute(statements["short_lock_timeout"])
                conn.execute(statements["keep_readers_out"])
                conn.execute(statements["drop_generation"], [generation])
        except psycopg.errors.LockNotAvailable:
            continue  # the next reindex tries again
