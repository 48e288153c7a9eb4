import dataclasses
import time
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from index.db import Pool
from segmenter.analyzer import Analyzer
from tests.api.problems import assert_problem
from tests.api.test_posts import ids


def finished(client: TestClient, address: str) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        job: dict[str, Any] = client.get(address).json()
        if job["state"] not in ("queued", "running"):
            return job
        time.sleep(0.02)
    raise AssertionError("the job did not finish")


def write_blog(folder: Path) -> None:
    posts = folder / "source" / "_posts"
    posts.mkdir(parents=True)
    (folder / "_config.yml").write_text("title: 测试\n", encoding="utf-8")
    (posts / "one.md").write_text("---\ntitle: 第一篇\ndate: 2026-01-01\n---\n关于稳定的分词\n", encoding="utf-8")
    (posts / "bad.md").write_text("---\ntitle: [坏的\n---\n正文\n", encoding="utf-8")


def test_a_reindex_can_be_watched(client: TestClient, tmp_path: Path) -> None:
    write_blog(tmp_path / "blog")
    answer = client.post("/v1/reindex", json={})
    assert answer.status_code == 202
    job = finished(client, answer.headers["location"])
    assert job["state"] == "done", job
    assert job["report"]["added"] == 1
    assert job["report"]["failed_count"] == 1
    assert "bad.md" in job["report"]["failed"][0]["where"]
    assert job["finished_at"] >= job["started_at"]
    assert len(ids(client, "稳定的分词")) == 1


def test_prune_deletes_what_the_source_does_not_have(blog: TestClient, tmp_path: Path) -> None:
    write_blog(tmp_path / "blog")
    kept = blog.post("/v1/reindex")
    assert finished(blog, kept.headers["location"])["report"]["kept"] == 3
    assert ids(blog, "和服")
    pruned = blog.post("/v1/reindex", json={"prune": True})
    assert finished(blog, pruned.headers["location"])["report"]["removed"] == 3
    assert ids(blog, "和服") == []


def test_only_the_configured_folders_are_read(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "blog").mkdir()
    (tmp_path / "secret").mkdir()
    for path in ("/etc", str(tmp_path / "secret"), str(tmp_path / "blog" / ".." / "secret")):
        assert "WENCI_SOURCES" in assert_problem(client.post("/v1/reindex", json={"paths": [path]}), 403)["detail"]
    (tmp_path / "blog" / "way-out").symlink_to(tmp_path / "secret")
    assert_problem(client.post("/v1/reindex", json={"paths": [str(tmp_path / "blog" / "way-out")]}), 403)


def test_a_missing_source_is_not_an_empty_one(blog: TestClient) -> None:
    assert "no such file" in assert_problem(blog.post("/v1/reindex", json={"prune": True}), 422)["detail"]
    assert ids(blog, "和服")


def test_a_form_of_another_page_cannot_start_a_job(client: TestClient) -> None:
    assert_problem(client.post("/v1/reindex", content=b"{}", headers={"Content-Type": "text/plain"}), 415)


def test_unknown_jobs(client: TestClient) -> None:
    assert_problem(client.get("/v1/jobs/none"), 404)


def test_a_second_reindex_waits_for_the_first(
    common_pool: Pool, analyzer: Analyzer, settings: Settings, tmp_path: Path
) -> None:
    write_blog(tmp_path / "blog")
    without_workers = dataclasses.replace(settings, job_workers=0)
    with TestClient(create_app(without_workers, pool=common_pool, analyzer=analyzer)) as client:
        first = client.post("/v1/reindex", json={})
        assert (first.status_code, first.json()["state"]) == (202, "queued")
        assert_problem(client.post("/v1/reindex", json={}), 409)
        address = first.headers["location"]
        assert client.get("/v1/jobs").json()["jobs"][0]["id"] == first.json()["id"]
        assert client.delete(address).status_code == 202
        assert client.get(address).json()["state"] == "cancelled"
        assert_problem(client.delete(address), 404)


def test_a_job_outlives_the_server_that_took_it(
    common_pool: Pool, analyzer: Analyzer, settings: Settings, tmp_path: Path
) -> None:
    write_blog(tmp_path / "blog")
    without_workers = dataclasses.replace(settings, job_workers=0)
    with TestClient(create_app(without_workers, pool=common_pool, analyzer=analyzer)) as client:
        address = client.post("/v1/reindex", json={}).headers["location"]
    with TestClient(create_app(settings, pool=common_pool, analyzer=analyzer)) as client:
        assert finished(client, address)["state"] == "done"
