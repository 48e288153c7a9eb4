"""A generation in the making: loaded beside the serving one, then swapped in. Every step can be interrupted."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from psycopg import Connection, IsolationLevel

from index.bulk import analysed
from index.content import content_hash
from index.documents import post_of_row
from index.portion import Job
from index.postings import Collector
from index.rows import DocumentAnalyzer, Prepared
from index.tables import Tables
from index.types import BadPost

LEXEMES_IN_MEMORY = 200_000
"""Lexemes whose postings are held before they are written as a segment and everything so far is committed."""

COPY_PAGE = 500
READ_PAGE = 64
"""Posts that are copied inside PostgreSQL, or read from it, at a time."""

Progress = Callable[[int, int], None]
"""Told the posts and characters of each portion that was written."""

Failure = Callable[[BadPost], None]
"""Told of each post that could not be analysed."""


class Build:
    """Fills the tables of the building generation. `conn` is in autocommit mode; posts come through an `Intake`."""

    def __init__(self, conn: Connection, analyzer: DocumentAnalyzer, serving: Tables, building: Tables) -> None:
        self.conn = conn
        self.analyzer = analyzer
        self.serving = serving
        self.building = building
        self.fingerprint = analyzer.fingerprint()

    def load(self, batches: Iterable[Sequence[Prepared]], workers: int | None, wrote: Progress, fail: Failure) -> None:
        """Analyse and write posts. Each transaction holds whole posts together with their postings."""
        results = analysed(self.analyzer, self._jobs(batches), workers)
        collector = Collector()
        more = True
        while more:
            more = False
            with self.conn.transaction():
                for result in results:
                    self.building.copy_posts(result.posts, self.fingerprint)
                    self.building.copy_passages([result.passages])
                    collector.merge(result.postings)
                    for bad in result.failed:
                        fail(bad)
                    wrote(len(result.posts), result.characters)
                    if len(collector) > LEXEMES_IN_MEMORY:
                        more = True
                        break
                self.building.copy_postings(collector.rows(), self.building.take_ords(1))
            collector.clear()

    def _jobs(self, batches: Iterable[Sequence[Prepared]]) -> Iterator[Job]:
        for batch in batches:
            if batch:
                yield Job(self.building.generation, self.building.take_ords(len(batch)), batch)

    def discard_unwanted(self, prune: bool) -> None:
        """Take out what an interrupted run had built from an input that has changed since."""
        values = {"serving": self.serving.generation, "prune": prune}
        rows = self.conn.execute(self.building.sql("discarded", "build.sql"), values).fetchall()
        if rows:
            self.building.delete([id for (id,) in rows])

    def copy_kept(self, prune: bool, *, whatever_cut_them: bool = False) -> int:
        """Copy posts that stay as they are from the serving generation; returns how many.

        These are the ones that the same analyzer has cut, or `whatever_cut_them` every one that is still missing.
        """
        fingerprint = None if whatever_cut_them else self.fingerprint
        self.conn.isolation_level = IsolationLevel.REPEATABLE_READ  # a post and its passages from one snapshot
        after, total = -1, 0
        try:
            while page := self._copy_page(after, prune, fingerprint):
                after, total = page[-1], total + len(page)
        finally:
            self.conn.isolation_level = None
        return total

    def _copy_page(self, after: int, prune: bool, fingerprint: str | None) -> list[int]:
        with self.conn.transaction():
            page = [ord for (ord,) in self._page("copyable", after, prune, fingerprint, COPY_PAGE)]
            if not page:
                return []
            first = self.building.take_ords(len(page))
            values = {
                "generation": self.building.generation,
                "serving": self.serving.generation,
                "source_ords": page,
                "ords": list(range(first, first + len(page))),
            }
            for name in ("copy_served_posts", "copy_served_passages", "remember_copies", "add_copied_totals"):
                self.conn.execute(self.building.sql(name, "build.sql"), values)
        return page

    def kept_posts(self, prune: bool) -> Iterator[list[Prepared]]:
        """Posts that stay and that another analyzer has cut: to be analysed again, a batch at a time."""
        after = -1
        while page := self._page("missing", after, prune, None, READ_PAGE):
            after = page[-1][0]
            posts = [post_of_row(row) for _, *row in page]
            yield [(post, content_hash(post)) for post in posts]

    def _page(self, name: str, after: int, prune: bool, fingerprint: str | None, limit: int) -> list[tuple[Any, ...]]:
        values = {
            "serving": self.serving.generation,
            "generation": self.building.generation,
            "fingerprint": fingerprint,
            "after": after,
            "prune": prune,
            "limit": limit,
        }
        return self.conn.execute(self.building.sql(name, "build.sql"), values).fetchall()
