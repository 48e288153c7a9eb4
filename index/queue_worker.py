"""Workers: threads that take jobs from the queue and run the handler of their kind, any number in any process."""

import logging
import os
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

import psycopg

from index import queue
from index.db import Pool, connection
from index.errors import IndexingError
from index.queue import Job

logger = logging.getLogger("wenci.jobs")

LEASE = timedelta(seconds=30)
BEAT = 1.0
"""Seconds between two signs of life, a third of the lease at most; progress is written that often."""

POLL = 5.0
"""Seconds after which a waiting worker looks by itself: for leases that are over, and for jobs to be tried again."""

Handler = Callable[["Task"], Mapping[str, Any]]
"""Does a job and returns its report. It may be called again for the same job, and goes on where it stopped."""


class JobStopped(Exception):  # noqa: N818 - a signal to the handler, not an error
    """Raised by `Task.report` when the job is to end: cancelled, lost to another worker, or the worker stops."""


class JobFailed(Exception):  # noqa: N818 - named for what became of the job
    """Raised by a handler where another attempt would fail too."""


class Task:
    """What a handler knows of its job."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.payload = job.payload
        self._progress: Mapping[str, Any] | None = None
        self._ending: str | None = None

    def report(self, progress: Mapping[str, Any]) -> None:
        """Say how far the job is; call it often. Raises `JobStopped` when the handler has to stop."""
        self._progress = dict(progress)
        if self._ending is not None:
            raise JobStopped(self._ending)

    @property
    def progress(self) -> Mapping[str, Any] | None:
        """What was reported last."""
        return self._progress

    @property
    def ending(self) -> str | None:
        """`cancelled`, `lost` or `stopping` once the job is to end."""
        return self._ending

    def end(self, why: str) -> None:
        """Let the next `report` raise; the first reason counts."""
        self._ending = self._ending or why


class Worker:
    """One thread that runs one job at a time. `close` stops it; a job that runs is given back."""

    def __init__(
        self, pool: Pool, handlers: Mapping[str, Handler], *, lease: timedelta = LEASE, poll: float = POLL
    ) -> None:
        self.name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._pool = pool
        self._handlers = dict(handlers)
        self._lease = lease
        self._poll = poll
        self._stopping = threading.Event()
        self._task: Task | None = None
        self._thread = threading.Thread(target=self._run, name=f"wenci-worker-{self.name}", daemon=True)

    def start(self) -> "Worker":
        """Begin to take jobs."""
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop after what runs has reached its next report."""
        self._stopping.set()
        task = self._task
        if task is not None:
            task.end("stopping")
        if self._thread.is_alive():
            with suppress(IndexingError), connection(self._pool) as conn:
                queue.wake(conn)
            self._thread.join()

    def run_one(self) -> bool:
        """Take and run one job in this thread; False where there was none."""
        with connection(self._pool) as conn:
            job = queue.claim(conn, list(self._handlers), self.name, self._lease)
        if job is None:
            return False
        self._task = task = Task(job)
        if self._stopping.is_set():
            task.end("stopping")
        try:
            self._do(task)
        finally:
            self._task = None
        return True

    def _run(self) -> None:
        listener: psycopg.Connection | None = None
        while not self._stopping.is_set():
            try:
                listener = listener if listener is not None and not listener.closed else self._listen()
                if not self.run_one():
                    self._wait(listener)
            except (IndexingError, psycopg.Error) as error:
                logger.warning("no jobs can be taken: %s", error)
                if listener is not None:
                    listener.close()
                self._stopping.wait(self._poll)
        if listener is not None:
            listener.close()

    def _listen(self) -> psycopg.Connection:
        """A connection of its own: listening would block one of the pool."""
        conninfo = self._pool.conninfo
        conn = psycopg.connect(
            conninfo() if callable(conninfo) else conninfo, autocommit=True, application_name="wenci worker"
        )
        conn.execute(f"listen {queue.CHANNEL}")
        return conn

    def _wait(self, listener: psycopg.Connection) -> None:
        """Until a job is announced, or `poll` seconds; in short steps, so that it can be stopped."""
        waited = 0.0
        while waited < self._poll and not self._stopping.is_set():
            step = min(1.0, self._poll - waited)
            if next(listener.notifies(timeout=step, stop_after=1), None) is not None:
                return
            waited += step

    def _do(self, task: Task) -> None:
        job, ended = task.job, threading.Event()
        beat = threading.Thread(target=self._beat, args=(task, ended), name=f"wenci-job-{job.id}", daemon=True)
        beat.start()
        try:
            report = self._handlers[job.kind](task)
        except JobStopped:
            self._settle(task, ended, beat, lambda conn: self._stopped(conn, task))
        except JobFailed as error:
            reason = str(error)
            self._settle(task, ended, beat, lambda conn: queue.finish(conn, job, "failed", error=reason))
        except Exception as error:
            logger.exception("job %s (%s) failed", job.id, job.kind)
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            self._settle(task, ended, beat, lambda conn: queue.retry(conn, job, reason))
        else:
            self._settle(
                task,
                ended,
                beat,
                lambda conn: queue.finish(conn, job, "done", report=report, progress=task.progress),
            )

    def _settle(
        self, task: Task, ended: threading.Event, beat: threading.Thread, outcome: Callable[[psycopg.Connection], Any]
    ) -> None:
        ended.set()
        beat.join()
        with connection(self._pool) as conn:
            if outcome(conn) is False:
                logger.warning("job %s went to another worker before it ended here", task.job.id)

    def _stopped(self, conn: psycopg.Connection, task: Task) -> None:
        if task.ending == "cancelled":
            queue.finish(conn, task.job, "cancelled", error="cancelled", progress=task.progress)
        elif task.ending == "stopping":
            queue.release(conn, task.job)

    def _beat(self, task: Task, ended: threading.Event) -> None:
        """Extends the lease; where that fails for as long as the lease lasts, the job counts as lost."""
        interval = min(BEAT, self._lease.total_seconds() / 3)
        silent = 0.0
        while not ended.wait(interval):
            try:
                with connection(self._pool) as conn:
                    state = queue.extend(conn, task.job, self._lease, task.progress)
                silent = 0.0
            except IndexingError as error:
                logger.warning("job %s: no sign of life could be given: %s", task.job.id, error)
                silent += interval
                state = "lost" if silent > self._lease.total_seconds() else "held"
            if state != "held":
                task.end(state)
