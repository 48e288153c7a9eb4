"""One family of HTTP errors: every answer of 400 and above is `application/problem+json` (RFC 9457)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from api.indexing import ForbiddenSourceError, SourceError
from api.jobs import JobRunningError
from segmenter.errors import SegmenterError
from segmenter.words_file import UnusableWordsFileError, WordsFileError

logger = logging.getLogger("wenci.api")


class ProblemResponse(JSONResponse):
    """A JSON answer with the media type of RFC 9457."""

    media_type = "application/problem+json"


class FieldRefused(HTTPException):
    """422 for one field, told like what does not fit its schema."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(422, message)
        self.errors = [{"field": field, "message": message}]


def problem(
    status: int,
    detail: str,
    *,
    errors: Iterable[Mapping[str, Any]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> ProblemResponse:
    """Build a problem document; `errors` lists the fields that were refused."""
    document: dict[str, Any] = {"type": "about:blank", "title": phrase(status), "status": status, "detail": detail}
    if errors is not None:
        document["errors"] = list(errors)
    return ProblemResponse(document, status_code=status, headers=dict(headers) if headers else None)


def phrase(status: int) -> str:
    """The reason phrase of a status, by the names of RFC 9110."""
    renamed = {413: "Content Too Large", 422: "Unprocessable Content"}
    try:
        return renamed.get(status) or HTTPStatus(status).phrase
    except ValueError:
        return "Error"


def describe(error: Mapping[str, Any]) -> dict[str, str]:
    """One refused field as `{"field", "message"}`; the input itself is never repeated."""
    place = [str(part) for part in error.get("loc", ())]
    message = str(error.get("msg", "invalid")).removeprefix("Value error, ")
    if error.get("type") == "json_invalid":
        place, message = ["body"], "is not valid JSON"
    return {"field": printable(".".join(place)), "message": printable(message)}


def printable(text: str) -> str:
    """The text as it can be encoded: lone surrogates become their escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def on_http_exception(request: Request, error: Exception) -> ProblemResponse:
    """404, 405, 413 and everything raised as an HTTPException."""
    assert isinstance(error, HTTPException)
    detail = str(error.detail)
    if error.status_code == 404 and detail == HTTPStatus.NOT_FOUND.phrase:
        detail = f"there is nothing at {printable(request.url.path)}"
    if error.status_code == 405:
        detail = f"{request.method} is not possible at {printable(request.url.path)}"
    errors = error.errors if isinstance(error, FieldRefused) else None
    return problem(error.status_code, detail, errors=errors, headers=error.headers)


def on_validation_error(request: Request, error: Exception) -> ProblemResponse:
    """A body or parameter that does not fit: 422 with the fields, 415 for what is not sent as JSON."""
    assert isinstance(error, RequestValidationError)
    if not sends_json(request) and any(tuple(item["loc"]) == ("body",) for item in error.errors()):
        return problem(415, "send the body as JSON, with the header Content-Type: application/json")
    errors = [describe(item) for item in error.errors()]
    detail = "; ".join(f"{item['field']}: {item['message']}" for item in errors[:3])
    return problem(422, detail or "the request does not fit", errors=errors)


def sends_json(request: Request) -> bool:
    """Whether the request says that its body is JSON."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return media_type == "application/json" or media_type.endswith("+json")


def on_unexpected(request: Request, error: Exception) -> ProblemResponse:
    """A fault of the program: logged in full, answered without details."""
    logger.error("%s %s failed", request.method, printable(request.url.path), exc_info=error)
    return problem(500, "an unexpected error; the server's log says more")


def status_of(error: Exception) -> int | None:
    """The one table from domain errors to HTTP statuses; None for what is not one of them."""
    for family, status in _statuses():
        if isinstance(error, family):
            return status
    return None


def _statuses() -> Iterable[tuple[type[Exception], int]]:
    """First match wins, so the narrow ones come first."""
    from index import errors as index_errors

    yield ForbiddenSourceError, 403
    yield index_errors.PostNotFound, 404
    yield index_errors.ReindexRunning, 409
    yield JobRunningError, 409
    yield index_errors.UnusablePost, 422
    yield SourceError, 422
    yield WordsFileError, 409
    yield UnusableWordsFileError, 409
    yield SegmenterError, 422
    yield index_errors.DatabaseUnavailable, 503
    yield index_errors.StatementTimeout, 503
    yield index_errors.MigrationError, 503
    yield index_errors.IndexingError, 500


def on_domain_error(request: Request, error: Exception) -> ProblemResponse:
    """An expected failure of the layers below."""
    status = status_of(error)
    if status is None or status == 500:
        return on_unexpected(request, error)
    if status == 503:
        logger.warning("%s %s: %s", request.method, printable(request.url.path), error)
    detail = printable(" ".join(str(error).split()))
    return problem(status, detail, headers={"Retry-After": "5"} if status == 503 else None)


def install(app: FastAPI) -> None:
    """Register the handlers, those for domain errors included."""
    app.add_exception_handler(HTTPException, on_http_exception)
    app.add_exception_handler(RequestValidationError, on_validation_error)
    for family, _ in _statuses():
        app.add_exception_handler(family, on_domain_error)
    app.add_exception_handler(Exception, on_unexpected)
