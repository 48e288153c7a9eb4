"""Long work beside the requests: one job at a time, in a thread, that can be watched and is cancelled at shutdown."""

from __future__ import annotations

import dataclasses
import logging
import secrets
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

logger = logging.getLogger("wenci.jobs")

State: TypeAlias = Literal["running", "done", "failed", "cancelled"]
Report: TypeAlias = Callable[[Mapping[str, Any]], None]
Work: TypeAlias = Callable[[Report], Mapping[str, Any]]

KEPT_JOBS = 50


class JobRunningError(Exception):
    """Another reindex is running; watch it and try again when it is done."""

    def __init__(self) -> None:
        super().__init__(type(self).__doc__)


class JobCancelled(Exception):  # noqa: N818 - a signal to the worker, not an error
    """Raised inside a job's progress report when the server stops."""


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """What is known of a job at one moment."""

    id: str
    state: State
    started_at: datetime
    finished_at: datetime | None = None
    progress: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    report: Mapping[str, Any] | None = None
    error: str | None = None


class Jobs:
    """Runs one job at a time and remembers the last ones; safe to be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()

    def start(self, work: Work) -> Job:
        """Run `work(report)` in a thread. Raises JobRunningError while another job runs."""
        with self._lock:
            if self._stopping.is_set() or any(job.state == "running" for job in self._jobs.values()):
                raise JobRunningError
            job = Job(id=secrets.token_hex(8), state="running", started_at=datetime.now(UTC))
            self._jobs[job.id] = job
            self._forget_old()
            self._thread = threading.Thread(target=self._run, args=(job.id, work), name=f"wenci-job-{job.id}")
            self._thread.start()
            return job

    def get(self, job_id: str) -> Job | None:
        """The job as it stands now, None if it is unknown or forgotten."""
        with self._lock:
            return self._jobs.get(job_id)

    def close(self) -> None:
        """Cancel what runs and wait for it."""
        self._stopping.set()
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self, job_id: str, work: Work) -> None:
        def report(progress: Mapping[str, Any]) -> None:
            if self._stopping.is_set():
                raise JobCancelled
            self._update(job_id, progress=dict(progress))

        try:
            result = work(report)
        except JobCancelled:
            self._finish(job_id, state="cancelled", error="the server stopped; the next run resumes")
        except Exception as error:
            logger.exception("job %s failed", job_id)
            self._finish(job_id, state="failed", error=f"{type(error).__name__}: {error}".splitlines()[0])
        else:
            self._finish(job_id, state="done", report=dict(result))

    def _finish(self, job_id: str, **changes: Any) -> None:
        self._update(job_id, finished_at=datetime.now(UTC), **changes)

    def _update(self, job_id: str, **changes: Any) -> None:
        with self._lock:
            self._jobs[job_id] = dataclasses.replace(self._jobs[job_id], **changes)

    def _forget_old(self) -> None:
        for job_id in list(self._jobs)[:-KEPT_JOBS]:
            del self._jobs[job_id]
