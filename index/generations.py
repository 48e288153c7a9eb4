"""Generations of the index: which one serves, whether it is up to date, and how a new one takes its place."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Literal

from psycopg import Connection

from index import documents, swap
from index.build import Build
from index.db import Pool
from index.errors import ReindexRunning, driver_errors
from index.intake import Intake
from index.portion import size
from index.queries import queries
from index.rows import DocumentAnalyzer, IndexedPost, Prepared, index_posts
from index.tables import SEGMENT, Tables, ensure_serving, fingerprints
from index.types import BadPost, Generation, IndexStatus, ReindexEvent, ReindexReport, Sourced

LOCK = 0x77656E6369_02

PATCH_CHARACTERS = 300_000
PATCH_POSTS = 300
"""A reindex that changes no more than this is one transaction in the serving generation."""

OnEvent = Callable[[ReindexEvent], None]


def serving(conn: Connection) -> Generation | None:
    """The generation that serves, or None in an empty database. Begin every read of the index with this."""
    return _generation(conn, "serving")


def status(conn: Connection, analyzer: DocumentAnalyzer) -> IndexStatus:
    """What the index holds, and whether `analyzer` would cut it differently."""
    current = serving(conn)
    stale = 0
    if current is not None:
        values = {"generation": current.id, "fingerprint": analyzer.fingerprint()}
        row = conn.execute(queries("build.sql")["stale_posts"], values).fetchone()
        stale = row[0] if row is not None else 0
    is_other_stream = current is not None and current.stream_fingerprint != analyzer.stream_fingerprint()
    return IndexStatus(
        serving=current,
        building=_generation(conn, "building"),
        fingerprint=analyzer.fingerprint(),
        stale_posts=stale,
        is_stale=stale > 0,
        is_stream_stale=stale > 0 and is_other_stream,
    )


def reindex(
    pool: Pool,
    analyzer: DocumentAnalyzer,
    posts: Iterable[Sourced],
    *,
    prune: bool = False,
    on_event: OnEvent | None = None,
    workers: int | None = None,
) -> ReindexReport:
    """Bring the index to the state of `posts`, in one step for those who search.

    Posts that are stored unchanged are not analysed again. Posts that the input does not name stay, unless `prune`; and
    even then when the input had no usable post or a bad one without an id, since that may be any of them. Posts that it
    says are not to be found (`Skipped`) go in any case, at once.
    Posts written or deleted by others meanwhile keep their new state. After an interruption, the next call goes on
    where it stopped. Raises `ReindexRunning` while another one runs on the same database.
    """
    with driver_errors(), _session(pool) as conn:
        return _Reindex(conn, pool, analyzer, prune, on_event or (lambda event: None), workers).run(posts)


@contextmanager
def _session(pool: Pool) -> Iterator[Connection]:
    """A connection in autocommit mode that holds the lock of reindexing."""
    statements = queries("build.sql")
    with pool.connection() as conn:
        conn.autocommit = True
        timeout = conn.execute("show statement_timeout").fetchone()
        try:
            _lock(conn)
            conn.execute(statements["session_settings"])
            yield conn
        finally:
            if not conn.closed and not conn.broken:
                conn.execute(statements["forget_seen"])
                conn.execute("reset maintenance_work_mem")
                conn.execute("select set_config('statement_timeout', %s, false)", timeout)
                conn.execute(statements["unlock"], [LOCK])
                conn.autocommit = False


def _lock(conn: Connection, patience: float = 3.0) -> None:
    """Waits a little: the server needs a moment to notice that a killed program is gone."""
    deadline = time.monotonic() + patience
    while True:
        row = conn.execute(queries("build.sql")["try_lock"], [LOCK]).fetchone()
        if row is not None and row[0]:
            return
        if time.monotonic() > deadline:
            raise ReindexRunning
        time.sleep(0.1)


def _generation(conn: Connection, state: str) -> Generation | None:
    row = conn.execute(queries("build.sql")["serving"], [state]).fetchone()
    return None if row is None else Generation(*row)


class _Reindex:
    """One run; the connection holds the lock and is in autocommit mode."""

    def __init__(
        self, conn: Connection, pool: Pool, analyzer: DocumentAnalyzer, prune: bool, emit: OnEvent, workers: int | None
    ) -> None:
        self.conn, self.pool, self.analyzer = conn, pool, analyzer
        self.prune, self.workers, self._emit = prune, workers, emit
        self.started = time.monotonic()
        self.done = self.characters = 0

    def run(self, posts: Iterable[Sourced]) -> ReindexReport:
        swap.drop_unused(self.conn, self.analyzer.fingerprint())
        with self.conn.transaction():
            ensure_serving(self.conn, self.analyzer)
        current, unfinished = serving(self.conn), _generation(self.conn, "building")
        assert current is not None
        tables = Tables(self.conn, current.id)
        building = Tables(self.conn, unfinished.id) if unfinished is not None else None
        intake = Intake(tables, building, self.analyzer.fingerprint())
        batches = intake.batches(posts)
        if building is None and self._may_patch(current):
            begin, is_all = _begin(batches)
            if is_all:
                intake.withdraw()
            absent = self._absent(current.id) if is_all else []
            if is_all and not (self._removes(intake) and len(absent) > PATCH_POSTS):
                return self._patch(intake, [one for batch in begin for one in batch], absent)
            batches = chain(begin, batches)
        return self._build(tables, building or self._create(), intake, batches)

    def _may_patch(self, current: Generation) -> bool:
        """Only a generation of this analyzer alone, and one in which not too many dead postings have piled up."""
        if current.fingerprint != self.analyzer.fingerprint() or not current.documents:
            return False
        return current.next_ord <= 2 * current.documents + 4 * SEGMENT and not status(self.conn, self.analyzer).is_stale

    def _absent(self, generation: int) -> list[str]:
        """Posts of the generation that the input did not name."""
        return [id for (id,) in self.conn.execute(queries("build.sql")["absent"], [generation])]

    def _patch(self, intake: Intake, fresh: Sequence[Prepared], absent: Sequence[str]) -> ReindexReport:
        indexed: list[IndexedPost] = []
        for prepared in fresh:
            (result,) = index_posts(self.analyzer, [prepared])
            if isinstance(result, BadPost):
                intake.fail_analysis(result)
            else:
                indexed.append(result)
            self._wrote(1, size(prepared))
        removed = absent if self._removes(intake) else []
        if indexed or removed:
            documents.write(self.conn, self.analyzer, indexed, removed)
        return self._report(intake, len(absent))

    def _create(self) -> Tables:
        with self.conn.transaction():
            ensure_serving(self.conn, self.analyzer)
            self.conn.execute(queries("build.sql")["forget_changes"])
            row = self.conn.execute(queries("write.sql")["create_generation"], fingerprints(self.analyzer)).fetchone()
        assert row is not None
        return Tables(self.conn, row[0])

    def _build(
        self, current: Tables, building: Tables, intake: Intake, batches: Iterable[list[Prepared]]
    ) -> ReindexReport:
        build = Build(self.conn, self.analyzer, current, building)
        build.load(batches, self.workers, self._wrote, intake.fail_analysis)
        intake.withdraw()
        removes = self._removes(intake)
        build.discard_unwanted(removes)
        self._tell("carry")
        self._wrote(build.copy_kept(removes), 0)
        build.load(build.kept_posts(removes), self.workers, self._wrote, intake.fail)
        build.copy_kept(removes, whatever_cut_them=True)
        absent = self._absent(current.generation)
        self._tell("index")
        swap.finish(build, self.pool)
        self._tell("swap")
        swap.swap(build)
        swap.drop_unused(self.conn, self.analyzer.fingerprint())
        return self._report(intake, len(absent))

    def _removes(self, intake: Intake) -> bool:
        """Whether absent posts go: not where the input was empty, or a bad post in it may be any of them."""
        return self.prune and intake.read > len(intake.failed) and all(bad.id is not None for bad in intake.failed)

    def _wrote(self, posts: int, characters: int) -> None:
        self.done += posts
        self.characters += characters
        self._tell("read")

    def _tell(self, phase: Literal["read", "carry", "index", "swap", "done"]) -> None:
        self._emit(ReindexEvent(phase, self.done, self.characters))

    def _report(self, intake: Intake, absent: int) -> ReindexReport:
        current = serving(self.conn)
        assert current is not None
        self._tell("done")
        return ReindexReport(
            generation=current.id,
            added=intake.added,
            changed=intake.changed,
            unchanged=intake.unchanged,
            resumed=intake.resumed,
            kept=0 if self._removes(intake) else absent,
            removed=absent if self._removes(intake) else 0,
            prune_withheld=self.prune and not self._removes(intake),
            failed=tuple(intake.failed),
            warnings=tuple(intake.warnings),
            drafts=intake.drafts,
            protected=intake.protected,
            withdrawn=intake.withdrawn,
            documents=current.documents,
            characters=intake.characters,
            seconds=time.monotonic() - self.started,
        )


def _begin(batches: Iterator[list[Prepared]]) -> tuple[list[list[Prepared]], bool]:
    """The first batches, as far as a patch may go, and whether that is all of them."""
    begin: list[list[Prepared]] = []
    for batch in batches:
        begin.append(batch)
        fresh = [prepared for one in begin for prepared in one]
        if len(fresh) > PATCH_POSTS or sum(map(size, fresh)) > PATCH_CHARACTERS:
            return begin, False
    return begin, True
