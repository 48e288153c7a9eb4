"""What the service records of searches and clicks, and how to switch it off."""

import dataclasses
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from api.settings import Settings, SettingsError
from index.db import Pool
from segmenter.analyzer import Analyzer
from tests.api.problems import assert_problem


def until(fetch: Callable[[], dict[str, Any]], check: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = fetch()
        if check(found):
            return found
        time.sleep(0.1)
    raise AssertionError(found)


@pytest.fixture
def recorded(blog: TestClient, common_pool: Pool) -> TestClient:
    with common_pool.connection() as conn:
        conn.execute("truncate wenci.search_event, wenci.click_event")
    return blog


def test_searches_and_clicks_are_reported(recorded: TestClient) -> None:
    recorded.get("/v1/search", params={"q": "和服"})
    recorded.get("/v1/search", params={"q": "和服", "limit": 0})
    recorded.get("/v1/search", params={"q": "没有xyzzy"})
    body = json.dumps({"query": "和服", "id": "kimono", "position": 1})
    assert recorded.post("/v1/click", content=body, headers={"Content-Type": "text/plain"}).status_code == 204
    found = until(
        lambda: recorded.get("/v1/analytics").json(),
        lambda report: report["searches"] == 3 and report["clicks"] == 1,
    )
    assert found["clients"] == 1
    assert [(one["query"], one["count"], one["clicks"]) for one in found["top"]] == [
        ("和服", 2, 1),
        ("没有xyzzy", 1, 0),
    ]
    assert [one["query"] for one in found["without_results"]] == ["没有xyzzy"]


def test_a_blank_query_is_no_search(recorded: TestClient) -> None:
    for query in ("", " ", "\u3000\t", "\u200b\ufeff"):
        assert recorded.get("/v1/search", params={"q": query, "tag": "旅行"}).status_code == 200
    recorded.get("/v1/search", params={"q": "，"})
    found = until(lambda: recorded.get("/v1/analytics").json(), lambda report: report["searches"] > 0)
    assert [one["query"] for one in found["without_results"]] == ["，"]
    assert found["searches"] == 1


def test_who_asks_not_to_be_tracked_has_no_client(recorded: TestClient) -> None:
    recorded.get("/v1/search", params={"q": "和服"}, headers={"Sec-GPC": "1"})
    found = until(lambda: recorded.get("/v1/analytics").json(), lambda report: report["searches"] == 1)
    assert found["clients"] == 0


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"query": "a"}', b'{"query": "a", "id": "b", "position": 0}'])
def test_a_click_that_does_not_fit(client: TestClient, body: bytes) -> None:
    assert_problem(client.post("/v1/click", content=body), 422)


def test_the_off_switch(common_pool: Pool, analyzer: Analyzer, settings: Settings) -> None:
    off = dataclasses.replace(settings, analytics=False)
    with TestClient(create_app(off, pool=common_pool, analyzer=analyzer)) as client:
        assert client.app.state.services.recorder is None  # type: ignore[attr-defined]
        assert client.get("/v1/search", params={"q": "a"}).status_code == 200
        assert client.post("/v1/click", json={"query": "a", "id": "b"}).status_code == 204


@pytest.mark.parametrize(
    ("value", "expected"), [("off", False), ("0", False), ("on", True), ("", True), ("TRUE", True)]
)
def test_the_setting(value: str, expected: bool) -> None:
    assert Settings.from_env({"WENCI_ANALYTICS": value}).analytics is expected


def test_a_setting_that_does_not_fit() -> None:
    with pytest.raises(SettingsError, match="WENCI_ANALYTICS"):
        Settings.from_env({"WENCI_ANALYTICS": "perhaps"})
    with pytest.raises(SettingsError, match="WENCI_ANALYTICS_DAYS"):
        Settings.from_env({"WENCI_ANALYTICS_DAYS": "0"})


def test_the_report_needs_the_write_token(common_pool: Pool, analyzer: Analyzer, settings: Settings) -> None:
    closed = dataclasses.replace(settings, write_token="secret")
    with TestClient(create_app(closed, pool=common_pool, analyzer=analyzer)) as client:
        assert_problem(client.get("/v1/analytics"), 401)
        assert client.get("/v1/analytics", headers={"Authorization": "Bearer secret"}).status_code == 200
