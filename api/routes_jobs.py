"""Routes of the job queue."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query, Response
from fastapi.responses import JSONResponse

from api import schemas
from api.indexing import sources_for
from api.jobs import REINDEX, JobRunningError, shaped
from api.routes import PROBLEMS, writes
from api.services import Use
from index import queue
from index.db import connection

router = APIRouter(prefix="/v1", responses={422: PROBLEMS[422], 503: PROBLEMS[503]})


JobId = Annotated[str, Path(description="The job's id.", examples=["1"])]


class JobAnswer(schemas.Answer):
    """A job of the queue; it outlives the server that was asked for it."""

    id: str
    kind: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    attempts: int
    progress: dict[str, Any]
    report: dict[str, Any] | None
    error: str | None


class JobsAnswer(schemas.Answer):
    """The latest jobs, newest first."""

    jobs: list[JobAnswer]


@router.post("/reindex", tags=["jobs"], dependencies=writes, status_code=202, response_model=JobAnswer)
def start_reindex(services: Use, response: Response, body: schemas.ReindexBody | None = None) -> Any:
    """Read the sources again beside the serving index; the answer names the job to watch. The body may be left out."""
    body = body or schemas.ReindexBody()
    sources = sources_for(body.paths, services.settings)
    if body.prune and not sources:
        raise HTTPException(422, "prune needs a source: without one it would delete every post")
    payload = {"paths": body.paths, "prune": body.prune}
    with connection(services.pool) as conn:
        job, is_new = queue.enqueue(conn, REINDEX, payload, key=REINDEX)
    if not is_new:
        raise JobRunningError
    response.headers["Location"] = f"/v1/jobs/{job.id}"
    return shaped(job)


@router.get("/jobs", tags=["jobs"], response_model=JobsAnswer)
def list_jobs(services: Use, limit: Annotated[int, Query(ge=1, le=500, examples=[50])] = 50) -> Any:
    """The latest jobs."""
    with connection(services.pool) as conn:
        return JSONResponse({"jobs": [shaped(job) for job in queue.recent(conn, limit)]})


@router.get("/jobs/{id}", tags=["jobs"], response_model=JobAnswer, responses={404: PROBLEMS[404]})
def get_job(id: JobId, services: Use) -> Any:
    """A job as it stands now."""
    with connection(services.pool) as conn:
        job = queue.get(conn, _number(id))
    if job is None:
        raise HTTPException(404, f"no job has the id {id!r}")
    return JSONResponse(shaped(job))


@router.delete(
    "/jobs/{id}",
    tags=["jobs"],
    dependencies=writes,
    status_code=202,
    response_class=Response,
    responses={404: PROBLEMS[404]},
)
def cancel_job(id: JobId, services: Use) -> Response:
    """Cancel a job: at once where it waits, at its next report of progress where it runs."""
    with connection(services.pool) as conn:
        if not queue.cancel(conn, _number(id)):
            raise HTTPException(404, f"no job with the id {id!r} waits or runs")
    return Response(status_code=202)


def _number(id: str) -> int:
    """The id as PostgreSQL has it; 0, which no job has, for anything else."""
    return int(id) if id.isascii() and id.isdigit() and len(id) < 19 else 0
