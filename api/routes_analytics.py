"""Routes of analytics: the beacon for clicks, and the report."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError

from api import schemas_find as shapes
from api.plain import plain
from api.routes import PROBLEMS
from api.services import Use, authorize_write, client_of, services_of
from index.analytics import report
from index.db import connection

router = APIRouter(prefix="/v1", responses={422: PROBLEMS[422], 503: PROBLEMS[503]})

_BODY = {"content": {"application/json": {"schema": shapes.ClickBody.model_json_schema()}}, "required": True}


@router.post("/click", tags=["analytics"], status_code=204, openapi_extra={"requestBody": _BODY})
async def click(request: Request) -> Response:
    """Say that a hit was opened. JSON under any media type, as `navigator.sendBeacon` sends it; nothing is answered."""
    services = services_of(request)
    try:
        body = shapes.ClickBody.model_validate(json.loads(await request.body()))
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from None
    except (ValueError, RecursionError):
        raise HTTPException(422, "the body is not valid JSON") from None
    if services.recorder is not None:
        services.recorder.click(body.query, body.id, position=body.position, client=client_of(request))
    return Response(status_code=204)


@router.get(
    "/analytics", tags=["analytics"], dependencies=[Depends(authorize_write)], response_model=shapes.AnalyticsAnswer
)
def analytics(
    services: Use,
    days: Annotated[float, Query(gt=0, le=3650, description="Days to look back.", examples=[30])] = 30,
    limit: Annotated[int, Query(ge=1, le=1000, description="Queries of each kind.", examples=[20])] = 20,
) -> Any:
    """Queries with counts and latencies, those without results, clicks. Needs the write token where there is one."""
    with connection(services.pool) as conn:
        return JSONResponse(plain(report(conn, days=days, limit=limit)))
