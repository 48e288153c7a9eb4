"""What every error answer has to be."""

from typing import Any


def assert_problem(answer: Any, status: int) -> dict[str, Any]:
    """The problem document of an answer, checked."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = answer.json()
    assert document["status"] == status
    assert document["title"]
    assert document["detail"]
    assert "\n" not in document["detail"]
    return document
