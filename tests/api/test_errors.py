"""Every error is a problem document that says what to do."""

import asyncio
import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from starlette.types import Message

from api.app import create_app
from api.limits import READ_AWAY, BodyLimit
from api.settings import Settings
from index.db import Pool
from segmenter.analyzer import Analyzer
from tests.api.problems import assert_problem

JSON = {"Content-Type": "application/json"}


def test_unknown_addresses(client: TestClient) -> None:
    assert "/v1/nothing" in assert_problem(client.get("/v1/nothing"), 404)["detail"]
    assert_problem(client.get("/assets/nothing.js"), 404)
    assert_problem(client.get("/assets/../app.py"), 404)
    assert_problem(client.get("/assets/%2e%2e/app.py"), 404)


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/v1/posts/%ff", "%FF after /v1/posts/"),
        ("/v1/posts/%E4%BD%A0%e5%a5/related", "%E5 after /v1/posts/你"),
        ("/v1/words/%ED%A0%80", "%ED after /v1/words/"),
        ("/%C0%AF", "%C0 after /"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_path_that_is_not_utf8_is_not_read_as_another_one(
    client: TestClient, method: str, path: str, named: str
) -> None:
    assert assert_problem(client.request(method, path), 400)["detail"] == f"the path is not UTF-8: {named}"


def test_a_path_may_hold_any_character(client: TestClient) -> None:
    for id in ("你好", "a/b", "100%", "\ufffd", "😀"):
        address = f"/v1/posts/{quote(id)}"
        assert client.put(address, json={"title": id, "body": ""}).json() == {"id": id, "state": "created"}
        assert client.get(address).json()["id"] == id
        assert client.delete(address).status_code == 204


def test_wrong_methods_say_what_is_allowed(client: TestClient) -> None:
    answer = client.put("/v1/segment", json={})
    assert "PUT" in assert_problem(answer, 405)["detail"]
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize("raw", [b"", b"{", b"nul", b'{"text": }', b'{"text": "a"} x'])
def test_broken_json(client: TestClient, raw: bytes) -> None:
    assert_problem(client.post("/v1/segment", content=raw, headers=JSON), 422)


@pytest.mark.parametrize("raw", [b'{"text": "\xff"}', b"[" * 9000, b"9" * 6000])
def test_bodies_that_cannot_be_read(client: TestClient, raw: bytes) -> None:
    answer = client.post("/v1/segment", content=raw, headers=JSON)
    assert answer.status_code in (400, 422)
    assert_problem(answer, answer.status_code)


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_bodies_that_are_not_sent_as_json(client: TestClient, media_type: str) -> None:
    answer = client.post("/v1/segment", content=b'{"text": "a"}', headers={"Content-Type": media_type})
    assert "application/json" in assert_problem(answer, 415)["detail"]


def test_announced_large_bodies_do_not_reach_the_application(client: TestClient) -> None:
    answer = client.post("/v1/segment", content=b" " * 20_001, headers=JSON)
    assert "20000 bytes" in assert_problem(answer, 413)["detail"]


@pytest.mark.parametrize(("announced", "read"), [(50_000, 50_000), (10 * READ_AWAY, READ_AWAY)])
def test_what_is_announced_too_large_is_read_away_within_bounds(announced: int, read: int) -> None:
    """A client that is still writing would otherwise see a broken connection instead of the answer."""
    sent, answers, piece = 0, [], 1_000_000

    async def receive() -> Message:
        nonlocal sent
        part = min(piece, announced - sent)
        sent += part
        return {"type": "http.request", "body": bytes(part), "more_body": sent < announced}

    async def send(message: Message) -> None:
        answers.append(message)

    async def application(*_: object) -> None:
        raise AssertionError("the application was called")

    scope = {"type": "http", "headers": [(b"content-length", str(announced).encode())]}
    asyncio.run(BodyLimit(application, limit=100)(scope, receive, send))
    assert answers[0]["status"] == 413
    assert read <= sent <= read + piece


def test_streamed_large_bodies_are_stopped(client: TestClient) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(100):
            sent += 1
            yield b" " * 1000

    assert_problem(client.post("/v1/segment", content=endless(), headers=JSON), 413)


def test_bodies_at_the_limit_pass(client: TestClient) -> None:
    body = json.dumps({"text": "a"}).encode().ljust(20_000)
    assert client.post("/v1/segment", content=body, headers=JSON).status_code == 200


def test_an_unexpected_error_tells_nothing(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def explode(*args: object, **kwargs: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("api.routes.search", explode)
    assert "secret" not in json.dumps(assert_problem(client.get("/v1/search?q=a"), 500))
    assert "secret detail" in caplog.text


def test_without_a_database_only_the_process_is_alive(pool: Pool, analyzer: Analyzer, settings: Settings) -> None:
    with TestClient(create_app(settings, pool=pool, analyzer=analyzer), raise_server_exceptions=False) as client:
        pool.close()
        assert client.get("/healthz").json() == {"status": "ok"}
        assert_problem(client.get("/readyz"), 503)
        answer = client.get("/v1/search?q=a")
        assert_problem(answer, 503)
        assert answer.headers["retry-after"]
        assert client.post("/v1/segment", json={"text": "服务"}).status_code == 200


def test_writing_needs_the_token_where_one_is_set(common_pool: Pool, analyzer: Analyzer) -> None:
    settings = Settings.from_env({"WENCI_WRITE_TOKEN": "öffne"})
    with TestClient(create_app(settings, pool=common_pool, analyzer=analyzer)) as client:
        post = {"title": "a", "body": "b"}
        answer = client.put("/v1/posts/a", json=post)
        assert_problem(answer, 401)
        assert answer.headers["www-authenticate"] == "Bearer"
        assert_problem(client.delete("/v1/posts/a", headers={"Authorization": "Bearer wrong"}), 401)
        assert_problem(client.post("/v1/reindex", json={}), 401)
        allowed = {"Authorization": "Bearer öffne".encode()}
        assert client.put("/v1/posts/a", json=post, headers=allowed).status_code == 201
        assert client.get("/v1/posts/a").status_code == 200
        assert client.delete("/v1/posts/a", headers=allowed).status_code == 204
