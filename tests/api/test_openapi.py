"""The OpenAPI document: every operation shows what it takes and what it answers, and that is what it does."""

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from api.openapi import EXAMPLES
from api.schemas import Answer, PostBody
from api.settings import Settings
from index.db import Pool
from segmenter.analyzer import Analyzer
from tests.api.conftest import POSTS

ANSWERS: dict[str, dict[str, Any]] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
OPERATIONS = [
    "DELETE /v1/jobs/{id}", "DELETE /v1/posts/{id}", "DELETE /v1/synonyms/{id}", "POST /v1/click", *ANSWERS,
]  # fmt: skip
"""All there are; the first four answer nothing."""

FREE = {"why", "details", "parts", "extra", "progress", "report"}
"""Fields whose keys differ from answer to answer."""


@pytest.fixture
def document(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def schema_of(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The schema itself, or what it refers to; of a choice the first one that is a reference."""
    for one in (schema, *schema.get("anyOf", ())):
        if "$ref" in one:
            found: dict[str, Any] = document["components"]["schemas"][one["$ref"].rpartition("/")[2]]
            return found
    return schema


def test_every_operation_is_looked_at(document: dict[str, Any]) -> None:
    assert sorted(name for name, _ in operations(document)) == sorted(OPERATIONS)


def test_every_parameter_has_an_example(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for parameter in operation.get("parameters", []):
            assert parameter["schema"].get("examples"), f"{name}: {parameter['name']}"


def test_every_body_has_an_example(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            assert schema_of(document, content["schema"]).get("examples"), name


def test_every_answer_has_an_example(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for status, response in operation["responses"].items():
            kinds = response.get("content", {})
            if status.startswith("2") and "application/json" in kinds:
                assert "example" in kinds["application/json"], f"{name} {status}"
            elif not status.startswith("2"):
                for content in kinds.values():
                    assert schema_of(document, content["schema"]).get("examples"), f"{name} {status}"


def test_examples_fit_the_shapes_of_answers(document: dict[str, Any]) -> None:
    shapes = {shape.__name__: shape for shape in Answer.__subclasses__()}
    checked = set()
    for name, operation in operations(document):
        for response in operation["responses"].values():
            content = response.get("content", {}).get("application/json", {})
            shape = schema_of(document, content.get("schema", {})).get("title")
            if "example" in content and shape in shapes:
                answer = shapes[shape].model_validate(content["example"]).model_dump(exclude_unset=True)
                assert keys(answer) == keys(content["example"]), name
                checked.add(name)
    assert len(checked) > 15


def keys(value: Any) -> Any:
    """What of an answer is the same for every answer of the kind: names, and those of the first item of a list."""
    if isinstance(value, dict):
        return {name: None if name in FREE else keys(item) for name, item in value.items()}
    return [keys(value[0])] if isinstance(value, (list, tuple)) and len(value) else None


def same(example: Any, answer: Any) -> bool:
    """Whether both have the same names wherever both have something."""
    if isinstance(example, dict) and isinstance(answer, dict):
        return set(example) == set(answer) and all(same(example[name], answer[name]) for name in example)
    if isinstance(example, list) and isinstance(answer, list) and example and answer:
        return same(example[0], answer[0])
    return True


@pytest.fixture
def shown(pool: Pool, analyzer: Analyzer, settings: Settings, tmp_path: Path) -> Iterator[TestClient]:
    """A client of an application that holds what the examples name, in a database of its own."""
    (tmp_path / "blog").mkdir()
    app = create_app(dataclasses.replace(settings, job_workers=0), pool=pool, analyzer=analyzer)
    with TestClient(app, raise_server_exceptions=False) as client:
        post = PostBody.model_config["json_schema_extra"]["examples"][0]  # type: ignore[index, call-overload]
        for id, body in {**POSTS, "hello-docker": post}.items():
            assert client.put(f"/v1/posts/{id}", json=body).status_code == 201
        assert client.put(f"/v1/words/{quote('服务中心')}", json={"frequency": 30}).status_code == 201
        assert client.put("/v1/synonyms", json={"rules": ["k8s = Kubernetes"]}).status_code == 200
        assert client.post("/v1/reindex", json={}).status_code == 202
        yield client


def test_what_is_read_answers_as_shown(shown: TestClient, document: dict[str, Any]) -> None:
    """Each GET with its examples as parameters."""
    job = shown.get("/v1/jobs").json()["jobs"][0]["id"]
    for name, operation in operations(document):
        method, path = name.split()
        if method != "GET":
            continue
        given = {one["name"]: one["schema"]["examples"][0] for one in operation.get("parameters", ())}
        path = path.replace("{id}", job) if "/jobs/" in path else path
        address = re.sub(r"\{(\w+)\}", lambda found, given=given: quote(given.pop(found[1])), path)  # type: ignore[misc]
        headers = {"Accept-Language": given.pop("accept-language", "")}
        given.pop("offset", None)
        answer = shown.get(address, params=given, headers=headers)
        assert answer.status_code == 200, f"{address}: {answer.text}"
        assert same(keys(ANSWERS[name]["200"]), keys(answer.json())), f"{address}: {answer.text}"
        if name == "GET /v1/search":
            assert answer.json()["hits"]
