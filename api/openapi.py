"""The OpenAPI document, with the schema of problem documents that the responses refer to."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from api.schemas import ProblemAnswer


def describe(app: FastAPI) -> None:
    """Let the application's own document name `ProblemAnswer` among its schemas."""
    generate = app.openapi

    def with_problems() -> dict[str, Any]:
        document = generate()
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        schemas[ProblemAnswer.__name__] = ProblemAnswer.model_json_schema()
        return document

    app.openapi = with_problems  # type: ignore[method-assign]
