"""Jobs of this deployment: what its workers can do, by the kind of the job, and jobs for the wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from api.console import note
from api.indexing import SourceError, report_object, run_reindex, sources_for
from api.plain import plain
from index import embed
from index.db import connection
from index.errors import DatabaseError, ReindexRunning
from index.queue import Job
from index.queue_worker import Handler, JobFailed, JobStopped, Task
from index.synonyms import replace_all

if TYPE_CHECKING:
    from api.settings import Settings
    from index.db import Pool
    from segmenter.analyzer import Analyzer

REINDEX = "reindex"

TURN = 20.0
"""Seconds after which the making of vectors lets other jobs go first."""

FEW = 200
"""Vectors that a reindex makes itself."""


class JobRunningError(Exception):
    """Another reindex is waiting or running; watch it and try again when it is done."""

    def __init__(self) -> None:
        super().__init__(type(self).__doc__)


def load_synonyms(settings: Settings, pool: Pool) -> None:
    """Let the rules of the file in WENCI_SYNONYMS take the place of its last ones; lines that are none are named."""
    if settings.synonyms is None:
        return
    from index.synonym_rules import read_rules

    rules, remarks = read_rules(settings.synonyms.read_text(encoding="utf-8"))
    for remark in remarks:
        note(f"{settings.synonyms}:{remark.line}: {remark.reason}")
    with connection(pool) as conn:
        replace_all(conn, rules, "file")


def handlers(settings: Settings, pool: Pool, analyzer: Callable[[], Analyzer]) -> dict[str, Handler]:
    """The handlers of this deployment; a job takes the analyzer as it is when it begins."""

    def reindex(task: Task) -> Mapping[str, Any]:
        """Read the sources; a run that was interrupted goes on where it stopped."""
        try:
            paths = sources_for(task.payload.get("paths"), settings)
            outcome = run_reindex(
                pool,
                analyzer(),
                paths,
                prune=bool(task.payload.get("prune")),
                on_event=lambda event: task.report(plain(event)),
            )
        except (JobStopped, DatabaseError, ReindexRunning):
            raise
        except SourceError as error:
            raise JobFailed(str(error)) from error
        few_or_queued(task)
        return report_object(outcome)

    def few_or_queued(task: Task) -> None:
        """Few vectors are made at once, many are a job of their own."""
        with connection(pool) as conn:
            waiting = embed.pending(conn) or 0 if embed.is_possible(conn) else 0
            if waiting > FEW:
                embed.request(conn)
        if 0 < waiting <= FEW:
            embed.embed(
                pool, lambda done, total: task.report({**(task.progress or {}), "vectors": done}), patience=TURN
            )

    def make_vectors(task: Task) -> Mapping[str, Any]:
        """Make the vectors that are missing; a run that was interrupted goes on where it stopped."""
        outcome = embed.embed(pool, lambda done, total: task.report({"done": done, "total": total}), patience=TURN)
        return plain(outcome)  # type: ignore[no-any-return]

    return {REINDEX: reindex, embed.KIND: make_vectors}


def request_vectors(pool: Pool) -> None:
    """Let the workers make the vectors that are missing, where the server can hold any."""
    with connection(pool) as conn:
        if embed.is_possible(conn) and embed.pending(conn):
            embed.request(conn)


def shaped(job: Job) -> dict[str, Any]:
    """A job for the wire."""
    return {
        "id": str(job.id),
        "kind": job.kind,
        "state": job.state,
        "created_at": plain(job.created_at),
        "started_at": plain(job.started_at),
        "finished_at": plain(job.finished_at),
        "attempts": job.attempts,
        "progress": plain(job.progress),
        "report": plain(job.report),
        "error": job.error,
    }
