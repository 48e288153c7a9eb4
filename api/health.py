"""Liveness and readiness: the second names what is off."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from api.readiness import readiness
from api.services import Use
from index.db import connection

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="The process answers")
def healthz() -> dict[str, str]:
    """200 as long as the process can answer at all."""
    return {"status": "ok"}


@router.get("/readyz", summary="The database answers, and what is off", responses={503: {"description": "not ready"}})
def readyz(services: Use) -> Any:
    """200 with what is off, 503 while the database does not answer."""
    with connection(services.pool) as conn:
        return JSONResponse(readiness(conn, services.analyzer))
