"""Single posts of the serving generation. Each call is one transaction, or part of the caller's."""

from collections.abc import Iterable, Sequence
from typing import Any

from psycopg import Connection

from index import suggestions
from index.content import clean, content_hash, is_storable
from index.errors import UnusablePost
from index.moments import restored
from index.queries import queries
from index.rows import DocumentAnalyzer, IndexedPost, Prepared, index_posts
from index.tables import Tables, ensure_serving, fingerprints
from index.types import BadPost, Post, UpsertReport


def get(conn: Connection, id: str) -> Post | None:
    """The post as it was stored, or None."""
    statements = queries("write.sql")
    serving = conn.execute(statements["serving_id"]).fetchone()
    if serving is None or not is_storable(id):
        return None
    row = conn.execute(statements["post_of_id"], {"generation": serving[0], "id": id}).fetchone()
    return None if row is None else post_of_row(row)


def holds_own(conn: Connection) -> bool:
    """Whether any post is stored that is not marked as an example (`"example": true` in `extra`)."""
    statements = queries("write.sql")
    serving = conn.execute(statements["serving_id"]).fetchone()
    if serving is None:
        return False
    row = conn.execute(statements["holds_own"], serving).fetchone()
    return row is not None and bool(row[0])


def post_of_row(row: Sequence[Any]) -> Post:
    """The post of a row with the columns of the query `post_of_id`."""
    id, title, body, tags, categories, url, published_at, updated_at, extra, published_local, updated_local = row
    published, updated = restored(published_at, published_local), restored(updated_at, updated_local)
    return Post(id, title, body, tuple(tags), tuple(categories), url, published, updated, extra)


def upsert(conn: Connection, analyzer: DocumentAnalyzer, posts: Iterable[Post]) -> UpsertReport:
    """Store posts in place of those with the same ids; those that are stored already are left alone.

    Of several posts with one id the last one counts. A post that cannot be indexed is reported and the rest are stored.
    Memory grows with the posts: for many, use `index.generations.reindex`.
    """
    failed: list[BadPost] = []
    wanted = dict(_prepared(posts, failed))
    with conn.transaction():
        tables = Tables(conn, ensure_serving(conn, analyzer))
        stored = tables.stored(list(wanted))
    fresh = {id for id, (_, digest) in wanted.items() if stored.get(id) != (digest, analyzer.fingerprint())}
    indexed = _indexed(analyzer, [wanted[id] for id in wanted if id in fresh], failed)
    before = write(conn, analyzer, indexed) if indexed else set()
    written = [one.post.id for one in indexed]
    return UpsertReport(
        added=tuple(id for id in written if id not in before),
        changed=tuple(id for id in written if id in before),
        unchanged=tuple(id for id in wanted if id not in fresh),
        failed=tuple(failed),
    )


def write(
    conn: Connection, analyzer: DocumentAnalyzer, indexed: Sequence[IndexedPost], remove: Sequence[str] = ()
) -> set[str]:
    """Store and remove posts in one transaction; returns which of the stored ones were there before."""
    with conn.transaction():
        tables = Tables(conn, ensure_serving(conn, analyzer))
        conn.execute(
            queries("write.sql")["adopt_fingerprint"], fingerprints(analyzer) | {"generation": tables.generation}
        )
        tables.delete(remove)
        before = tables.replace(indexed, analyzer.fingerprint())
        touched = [one.post.id for one in indexed] + list(remove)
        suggestions.update(tables, touched)
        _log(conn, touched)
    return set(before)


def delete(conn: Connection, ids: Iterable[str]) -> tuple[str, ...]:
    """Delete posts; returns the ids of those that were there."""
    wanted = [id for id in ids if is_storable(id)]
    with conn.transaction():
        row = conn.execute(queries("write.sql")["lock_serving"]).fetchone()
        if row is None or not wanted:
            return ()
        tables = Tables(conn, row[0])
        gone = tables.delete(wanted)
        suggestions.update(tables, gone)
        _log(conn, gone)
    return tuple(gone)


def _log(conn: Connection, ids: Sequence[str]) -> None:
    conn.execute(queries("write.sql")["log_changes"], [list(ids)])


def _prepared(posts: Iterable[Post], failed: list[BadPost]) -> Iterable[tuple[str, Prepared]]:
    for post in posts:
        try:
            usable = clean(post)
        except UnusablePost as error:
            failed.append(BadPost(post.id, str(error), post.id))
        else:
            yield usable.id, (usable, content_hash(usable))


def _indexed(analyzer: DocumentAnalyzer, posts: Sequence[Prepared], failed: list[BadPost]) -> list[IndexedPost]:
    results = index_posts(analyzer, posts) if posts else []
    failed.extend(result for result in results if isinstance(result, BadPost))
    return [result for result in results if isinstance(result, IndexedPost)]
