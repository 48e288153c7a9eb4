"""The OpenAPI document, with the schema of problem documents that the responses refer to, and examples of answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from api.schemas import ProblemAnswer

EXAMPLES = Path(__file__).with_name("examples.json")
"""Answers by method and path, then by status; where they are not JSON by media type."""


def describe(app: FastAPI) -> None:
    """Let the application's own document name `ProblemAnswer` among its schemas, and show what it answers."""
    generate = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is not None:
            return app.openapi_schema
        document = generate()
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        schemas[ProblemAnswer.__name__] = ProblemAnswer.model_json_schema()
        examples = json.loads(EXAMPLES.read_text(encoding="utf-8"))
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                _illustrate(operation["responses"], examples.get(f"{method.upper()} {path}", {}))
        return document

    app.openapi = described  # type: ignore[method-assign]


def _illustrate(responses: dict[str, Any], examples: dict[str, Any]) -> None:
    """Put the examples of one operation where its answers are described."""
    for name, example in examples.items():
        if name.isdecimal():
            responses[name].setdefault("content", {}).setdefault("application/json", {})["example"] = example
        else:
            responses["200"]["content"][name]["example"] = example
