from dataclasses import replace

from fastapi.testclient import TestClient

from api.app import create_app
from api.bootstrap import load_analyzer
from api.settings import Settings
from index.db import Pool


def test_healthz(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


def test_readyz_counts_posts(blog: TestClient) -> None:
    state = blog.get("/readyz").json()
    assert state["status"] == "ready"
    assert state["documents"] == 3
    assert state["fingerprint"]["analyzer"] == state["fingerprint"]["index"]
    assert not [part for part in state["off"] if part["what"] == "fresh index"]


def test_readyz_names_a_stale_index_and_search_goes_on(blog: TestClient, common_pool: Pool, settings: Settings) -> None:
    words = settings.data_dir.parent / "words.txt"
    words.write_text("镜像推到\n", encoding="utf-8")
    with TestClient(
        create_app(settings, pool=common_pool, analyzer=load_analyzer(replace(settings, user_dictionary=words)))
    ) as client:
        off = {part["what"]: part["reason"] for part in client.get("/readyz").json()["off"]}
        assert "wenci reindex" in off["fresh index"]
        assert client.get("/v1/search?q=镜像").json()["total"] == 1
