"""A queue of jobs in PostgreSQL.

A worker takes a job with a lease and extends it while it works. A worker that is killed stops extending it; when the
lease is over, another one takes the job again. Every change of a running job names its worker and the attempt, so that
one that was only slow cannot overwrite what the next one does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from psycopg import Connection
from psycopg.types.json import Jsonb

from index.queries import queries

CHANNEL = "wenci_job"

State = Literal["queued", "running", "done", "failed", "cancelled"]

MAX_ATTEMPTS = 5
"""Times that a job is begun, whether it failed or its worker was lost."""

FIRST_DELAY = timedelta(seconds=2)
"""Before a failed job is tried again; doubled each time."""

KEPT = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Job:
    """A job at one moment. `progress` and `report` are what its handler said; `key` names what must not run twice."""

    id: int
    kind: str
    payload: Mapping[str, Any]
    key: str | None
    state: State
    attempts: int
    max_attempts: int
    worker: str | None
    lease_until: datetime | None
    cancel_requested: bool
    progress: Mapping[str, Any]
    report: Mapping[str, Any] | None
    error: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


def enqueue(
    conn: Connection,
    kind: str,
    payload: Mapping[str, Any] | None = None,
    *,
    key: str | None = None,
    max_attempts: int = MAX_ATTEMPTS,
) -> tuple[Job, bool]:
    """Add a job and wake the workers when the transaction commits.

    With a `key` that a waiting or running job has, that job is returned, and False.
    """
    statements = queries("queue.sql")
    values = {"kind": kind, "payload": Jsonb(dict(payload or {})), "key": key, "max_attempts": max_attempts}
    with conn.transaction():
        row, is_new = None, False
        while row is None:  # the job that is in the way may end between the two statements
            row = conn.execute(statements["enqueue"], values).fetchone()
            is_new = row is not None
            row = row or conn.execute(statements["active_of_key"], values).fetchone()
        conn.execute(statements["notify"], [kind])
        job = get(conn, row[0])
    assert job is not None
    return job, is_new


def claim(conn: Connection, kinds: Sequence[str], worker: str, lease: timedelta) -> Job | None:
    """Take the job that has waited longest, or one whose lease is over; None where there is none for these kinds."""
    values = {"kinds": list(kinds), "worker": worker, "lease": lease}
    with conn.transaction():
        conn.execute(queries("queue.sql")["give_up_expired"], values)
        row = conn.execute(queries("queue.sql")["claim"], values).fetchone()
    return None if row is None else Job(*row)


def extend(
    conn: Connection, job: Job, lease: timedelta, progress: Mapping[str, Any] | None = None
) -> Literal["held", "cancelled", "lost"]:
    """Hold on to a job and show its progress. `cancelled`: someone asked to stop it; `lost`: it is another worker's."""
    row = conn.execute(queries("queue.sql")["extend"], _mine(job) | {"lease": lease, "progress": _json(progress)})
    found = row.fetchone()
    return "lost" if found is None else "cancelled" if found[0] else "held"


def finish(
    conn: Connection,
    job: Job,
    state: Literal["done", "failed", "cancelled"],
    *,
    report: Mapping[str, Any] | None = None,
    error: str | None = None,
    progress: Mapping[str, Any] | None = None,
) -> bool:
    """End a job; False where it is no longer this worker's."""
    outcome = {"state": state, "report": _json(report), "error": error, "progress": _json(progress)}
    return conn.execute(queries("queue.sql")["finish"], _mine(job) | outcome).rowcount > 0


def retry(conn: Connection, job: Job, error: str) -> bool:
    """Put a failed job back for another attempt, later each time; after the last attempt it has failed for good."""
    if job.attempts >= job.max_attempts:
        return finish(conn, job, "failed", error=error)
    delay = FIRST_DELAY * 2 ** (job.attempts - 1)
    return conn.execute(queries("queue.sql")["retry"], _mine(job) | {"error": error, "delay": delay}).rowcount > 0


def release(conn: Connection, job: Job) -> None:
    """Give a job back untried, for a worker that stops."""
    with conn.transaction():
        if conn.execute(queries("queue.sql")["release"], _mine(job)).rowcount:
            conn.execute(queries("queue.sql")["notify"], [job.kind])


def wake(conn: Connection) -> None:
    """Let every waiting worker look around, at the end of the transaction."""
    conn.execute(queries("queue.sql")["notify"], [""])


def cancel(conn: Connection, id: int) -> bool:
    """End a waiting job, or ask the worker of a running one to stop; False where it has ended already."""
    return conn.execute(queries("queue.sql")["cancel"], [id]).rowcount > 0


def get(conn: Connection, id: int) -> Job | None:
    """The job as it stands."""
    row = conn.execute(queries("queue.sql")["get"], [id]).fetchone()
    return None if row is None else Job(*row)


def recent(conn: Connection, limit: int = 50) -> list[Job]:
    """The latest jobs, newest first."""
    return [Job(*row) for row in conn.execute(queries("queue.sql")["recent"], [limit])]


def forget(conn: Connection, kept: timedelta = KEPT) -> int:
    """Delete jobs that ended longer ago than `kept`; returns how many."""
    return conn.execute(queries("queue.sql")["forget"], [kept]).rowcount


def _mine(job: Job) -> dict[str, Any]:
    return {"id": job.id, "worker": job.worker, "attempts": job.attempts}


def _json(value: Mapping[str, Any] | None) -> Jsonb | None:
    return None if value is None else Jsonb(dict(value))
