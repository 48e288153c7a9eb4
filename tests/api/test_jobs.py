import threading
import time
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.jobs import Job, JobRunningError, Jobs
from tests.api.problems import assert_problem
from tests.api.test_posts import ids


def finished(client: TestClient, address: str) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        job: dict[str, Any] = client.get(address).json()
        if job["state"] != "running":
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
    kept = blog.post("/v1/reindex", json={})
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


def wait_for(jobs: Jobs, job: Job) -> Job:
    for _ in range(500):
        found = jobs.get(job.id)
        assert found is not None
        if found.state != "running":
            return found
        time.sleep(0.01)
    raise AssertionError("the job did not finish")


def test_one_job_at_a_time() -> None:
    jobs, release = Jobs(), threading.Event()
    first = jobs.start(lambda report: {"waited": release.wait(10)})
    with pytest.raises(JobRunningError):
        jobs.start(lambda report: {})
    release.set()
    assert wait_for(jobs, first).report == {"waited": True}
    assert wait_for(jobs, jobs.start(lambda report: {})).state == "done"


def test_a_failed_job_says_why_and_frees_the_place() -> None:
    def fail(report: Any) -> dict[str, Any]:
        raise ValueError("no such thing\nmore")

    jobs = Jobs()
    failed = wait_for(jobs, jobs.start(fail))
    assert (failed.state, failed.error) == ("failed", "ValueError: no such thing")
    jobs.start(lambda report: {})


def test_closing_cancels_at_the_next_report() -> None:
    started = threading.Event()

    def work(report: Any) -> dict[str, Any]:
        for done in range(10_000):
            report({"done": done})
            started.set()
            time.sleep(0.005)
        return {}

    jobs = Jobs()
    job = jobs.start(work)
    started.wait(10)
    jobs.close()
    found = jobs.get(job.id)
    assert found is not None
    assert found.state == "cancelled"
    with pytest.raises(JobRunningError):
        jobs.start(lambda report: {})
