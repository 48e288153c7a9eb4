"""Vectors of posts through the service: made by the workers after a PUT and a reindex, counted by /readyz."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from api.readiness import vectors_off
from api.settings import Settings
from index import embed, semantic, tiers
from index.db import Pool, open_pool
from index.embed import Vectors
from segmenter.analyzer import Analyzer
from tests.api.conftest import POSTS
from tests.index.conftest import Databases


def until(client: TestClient, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The state of /readyz as soon as it is so."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        state: dict[str, Any] = client.get("/readyz").json()
        if is_so(state):
            return state
        time.sleep(0.05)
    raise AssertionError(state)


@pytest.fixture
def own_pool(databases: Databases) -> Iterator[Pool]:
    url = databases.fresh()
    with open_pool(url, max_size=6) as pool:
        yield pool
    databases.drop(url)


def is_made(state: dict[str, Any]) -> bool:
    return state["vectors"] == {"made": 3, "waiting": 0, "stale": 0}


@pytest.mark.usefixtures("pgvector")
def test_posts_get_vectors_and_count_in_search_and_related(
    own_pool: Pool, analyzer: Analyzer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiers, "FLOOR", 0.0)
    with TestClient(create_app(settings, pool=own_pool, analyzer=analyzer)) as client:
        for id, post in POSTS.items():
            assert client.put(f"/v1/posts/{id}", json=post).status_code == 201
        state = until(client, is_made)
        assert "semantic route" not in {part["what"] for part in state["off"]}
        answer = client.get("/v1/search", params={"q": "东洋古城的传统衣裳"}).json()
        assert answer["guessed"] == answer["total"] == 3
        assert all(hit["why"]["routes"] == ["semantic"] for hit in answer["hits"])
        related = client.get("/v1/posts/docker/related").json()["related"]
        assert related[0]["parts"].keys() == {"words", "tags", "meaning"}
        jobs = client.get("/v1/jobs").json()["jobs"]
        assert {job["kind"] for job in jobs} == {"embed"}


@pytest.mark.usefixtures("pgvector")
def test_a_server_makes_what_was_missing_when_it_starts(own_pool: Pool, analyzer: Analyzer, settings: Settings) -> None:
    from index.documents import upsert
    from index.types import Post

    with own_pool.connection() as conn:
        upsert(conn, analyzer, [Post(name, name, "正文") for name in ("one", "two", "three")])
    with TestClient(create_app(settings, pool=own_pool, analyzer=analyzer)) as client:
        until(client, is_made)
    with own_pool.connection() as conn:
        assert embed.pending(conn) == 0
        assert [state.rows for state in semantic.states(conn)] == [3]


def test_what_is_said_of_the_route() -> None:
    assert vectors_off(None) == []
    assert vectors_off(Vectors(made=1, waiting=5, stale=0)) == []
    assert vectors_off(Vectors(made=0, waiting=0, stale=0)) == []
    (waiting,) = vectors_off(Vectors(made=0, waiting=2, stale=0))
    assert waiting["reason"].startswith("2 posts wait")
    (stale,) = vectors_off(Vectors(made=0, waiting=2, stale=7))
    assert stale["reason"].startswith("7 vectors are of another model")
