"""Writing to the tables of one generation, whether it serves already or is being built."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from psycopg import Connection
from psycopg.abc import Query
from psycopg.sql import SQL, Composed, Identifier

from index.moments import in_utc, local
from index.postings import Collector, Row
from index.queries import queries
from index.rows import DocumentAnalyzer, IndexedPost, passage_lines, posting_line

SEGMENT = 1024
"""Documents that are written one by one share a segment of the postings with this many neighbours."""

CREATION_LOCK = 0x77656E6369_03

_COPY_BUFFER = 1 << 18


class StoredPost(NamedTuple):
    """What says whether a stored post is still the one at hand."""

    content_hash: bytes
    fingerprint: str


class Tables:
    """`wenci.post_7`, `wenci.passage_7` and `wenci.posting_7` for generation 7. Callers hold its row's lock."""

    def __init__(self, conn: Connection, generation: int) -> None:
        self.conn = conn
        self.generation = generation

    def sql(self, name: str, file: str = "write.sql") -> Composed:
        """The named query on this generation's tables."""
        names = {table: Identifier("wenci", f"{table}_{self.generation}") for table in ("post", "passage", "posting")}
        return SQL(queries(file)[name]).format(**names)

    def stored(self, ids: Sequence[str]) -> dict[str, StoredPost]:
        """Hash and fingerprint of those of the posts that are stored."""
        rows = self.conn.execute(self.sql("stored_hashes"), {"ids": list(ids), "generation": self.generation})
        return {id: StoredPost(content_hash, fingerprint) for id, content_hash, fingerprint in rows}

    def take_ords(self, count: int) -> int:
        """Reserve `count` document numbers and return the first."""
        query, values = queries("write.sql")["take_ords"], {"generation": self.generation, "count": count}
        row = self.conn.execute(query, values).fetchone()
        assert row is not None
        return int(row[0])

    def delete(self, ids: Sequence[str]) -> list[str]:
        """Take posts out; returns the ids of those that were there. Their postings are left and no longer count."""
        rows = self.conn.execute(self.sql("delete_posts"), {"ids": list(ids), "generation": self.generation})
        return [id for (id,) in rows]

    def replace(self, posts: Sequence[IndexedPost], fingerprint: str) -> list[str]:
        """Write posts in place of those with the same ids; returns the ids that were there before."""
        before = self.delete([indexed.post.id for indexed in posts])
        first = self.take_ords(len(posts))
        numbered = list(enumerate(posts, start=first))
        self.copy_posts(numbered, fingerprint)
        self.copy_passages(passage_lines(self.generation, ord, indexed.passages) for ord, indexed in numbered)
        self._append_postings(numbered)
        return before

    def copy_posts(self, numbered: Sequence[tuple[int, IndexedPost]], fingerprint: str) -> None:
        """Write the rows of `post` and add them to the generation's totals."""
        with self.conn.cursor() as cursor:
            with cursor.copy(self.sql("copy_posts")) as copy:
                for ord, indexed in numbered:
                    copy.write_row(_post_row(self.generation, ord, indexed, fingerprint))
            totals = {
                "generation": self.generation,
                "documents": len(numbered),
                "title_length": sum(indexed.title_length for _, indexed in numbered),
                "body_length": sum(indexed.body_length for _, indexed in numbered),
            }
            cursor.execute(queries("write.sql")["add_totals"], totals)

    def copy_passages(self, lines: Iterable[str]) -> None:
        """Write rows of `passage` that are in the text format of COPY."""
        self._copy("copy_passages", lines)

    def copy_postings(self, rows: Iterable[Row], segment: int) -> None:
        """Write rows of `posting` as one new segment."""
        self._copy("copy_postings", (posting_line(self.generation, segment, *row) for row in rows))

    def _copy(self, name: str, lines: Iterable[str]) -> None:
        copy_lines(self.conn, self.sql(name), lines)

    def _append_postings(self, numbered: Sequence[tuple[int, IndexedPost]]) -> None:
        collectors: dict[int, Collector] = {}
        for ord, indexed in numbered:
            collector = collectors.setdefault(ord - ord % SEGMENT, Collector())
            for kind, counts in indexed.counts:
                collector.add(ord, kind, counts)
        for segment, collector in collectors.items():
            rows = list(collector.rows())
            values = {
                "generation": self.generation,
                "segment": segment,
                "kinds": [row.kind for row in rows],
                "lexemes": [row.lexeme for row in rows],
                "ords": [row.ords for row in rows],
                "tfs": [row.tfs for row in rows],
            }
            self.conn.execute(self.sql("append_postings"), values)


def copy_lines(conn: Connection, statement: Query, lines: Iterable[str]) -> None:
    """Write rows that are in the text format of COPY."""
    with conn.cursor() as cursor, cursor.copy(statement) as copy:
        buffer: list[str] = []
        size = 0
        for line in lines:
            buffer.append(line)
            size += len(line)
            if size > _COPY_BUFFER:
                copy.write("".join(buffer))
                buffer, size = [], 0
        copy.write("".join(buffer))


def _post_row(generation: int, ord: int, indexed: IndexedPost, fingerprint: str) -> tuple[Any, ...]:
    post = indexed.post
    return (
        generation, ord, post.id, post.title, post.body, list(post.tags), list(post.categories), post.url,
        in_utc(post.published_at), in_utc(post.updated_at), local(post.published_at), local(post.updated_at),
        indexed.extra, indexed.content_hash, fingerprint, indexed.title_length, indexed.body_length,
    )  # fmt: skip


def ensure_serving(conn: Connection, analyzer: DocumentAnalyzer) -> int:
    """Lock the serving generation for this transaction and return its number; the first one is made here."""
    statements = queries("write.sql")
    row = conn.execute(statements["lock_serving"]).fetchone()
    if row is None:
        conn.execute(statements["lock_creation"], [CREATION_LOCK])
        row = conn.execute(statements["lock_serving"]).fetchone()
    return int(row[0]) if row is not None else _first_generation(conn, analyzer)


def _first_generation(conn: Connection, analyzer: DocumentAnalyzer) -> int:
    row = conn.execute(queries("write.sql")["create_generation"], fingerprints(analyzer)).fetchone()
    assert row is not None
    conn.execute(queries("write.sql")["start_empty"], row)
    return int(row[0])


def fingerprints(analyzer: DocumentAnalyzer) -> dict[str, str]:
    """The analyzer's two fingerprints as values for a query."""
    return {"fingerprint": analyzer.fingerprint(), "stream_fingerprint": analyzer.stream_fingerprint()}
