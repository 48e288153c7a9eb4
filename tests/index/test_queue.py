"""The queue of jobs in real PostgreSQL, with workers that end well, fail, are cancelled and are killed."""

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
from psycopg import Connection

from index import queue
from index.db import Pool
from index.queue import Job
from index.queue_worker import JobFailed, Task, Worker

LEASE = timedelta(seconds=30)
SHORT = timedelta(seconds=1)


def until(conn: Connection, id: int, check: Callable[[Job], bool]) -> Job:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        job = queue.get(conn, id)
        assert job is not None
        if check(job):
            return job
        time.sleep(0.02)
    raise AssertionError(f"still {job}")


def ended(job: Job) -> bool:
    return job.state in ("done", "failed", "cancelled")


def test_a_job_is_taken_once_and_in_order(conn: Connection) -> None:
    first, _ = queue.enqueue(conn, "a", {"n": 1})
    queue.enqueue(conn, "other")
    second, _ = queue.enqueue(conn, "a", {"n": 2})
    taken = [queue.claim(conn, ["a"], "w", LEASE) for _ in range(3)]
    assert [job and job.id for job in taken] == [first.id, second.id, None]
    assert taken[0] is not None
    assert (taken[0].state, taken[0].attempts, taken[0].payload) == ("running", 1, {"n": 1})


def test_a_job_that_someone_else_is_taking_is_passed_over(conn: Connection, database: str) -> None:
    queue.enqueue(conn, "a")
    second, _ = queue.enqueue(conn, "a")
    with psycopg.connect(database) as other:
        queue.claim(other, ["a"], "w1", LEASE)
        taken = queue.claim(conn, ["a"], "w2", LEASE)
        assert taken is not None
        assert taken.id == second.id


def test_a_key_is_queued_once_until_it_ends(conn: Connection) -> None:
    first, is_new = queue.enqueue(conn, "a", key="reindex")
    assert is_new
    assert queue.enqueue(conn, "a", key="reindex") == (first, False)
    taken = queue.claim(conn, ["a"], "w", LEASE)
    assert taken is not None
    assert queue.enqueue(conn, "a", key="reindex")[0].id == first.id
    assert queue.finish(conn, taken, "done", report={"ok": True})
    again, is_new = queue.enqueue(conn, "a", key="reindex")
    assert is_new
    assert again.id != first.id
    assert [job.id for job in queue.recent(conn)] == [again.id, first.id]


def test_a_lease_that_is_over_lets_another_worker_in_and_shuts_the_first_out(conn: Connection) -> None:
    queue.enqueue(conn, "a")
    slow = queue.claim(conn, ["a"], "slow", timedelta(0))
    assert slow is not None
    assert queue.claim(conn, ["a"], "slow", LEASE) is not None
    conn.execute("update wenci.job set lease_until = now() - interval '1 second'")
    other = queue.claim(conn, ["a"], "other", LEASE)
    assert other is not None
    assert other.attempts == 3
    assert queue.extend(conn, slow, LEASE, {"done": 1}) == "lost"
    assert not queue.finish(conn, slow, "done")
    assert not queue.retry(conn, slow, "late")
    assert queue.extend(conn, other, LEASE, {"done": 2}) == "held"
    assert queue.finish(conn, other, "done", report={})
    found = queue.get(conn, other.id)
    assert found is not None
    assert (found.state, found.progress, found.worker) == ("done", {"done": 2}, "other")


def test_a_job_that_kills_its_workers_is_given_up(conn: Connection) -> None:
    job, _ = queue.enqueue(conn, "a", max_attempts=2)
    for _ in range(2):
        assert queue.claim(conn, ["a"], "w", timedelta(seconds=-1)) is not None
    assert queue.claim(conn, ["a"], "w", LEASE) is None
    found = queue.get(conn, job.id)
    assert found is not None
    assert found.state == "failed"
    assert found.error is not None
    assert "2 times" in found.error


def test_a_failure_is_tried_again_later_and_then_no_more(conn: Connection) -> None:
    job, _ = queue.enqueue(conn, "a", max_attempts=2)
    first = queue.claim(conn, ["a"], "w", LEASE)
    assert first is not None
    assert queue.retry(conn, first, "ValueError: no")
    assert queue.claim(conn, ["a"], "w", LEASE) is None
    conn.execute("update wenci.job set run_after = now()")
    second = queue.claim(conn, ["a"], "w", LEASE)
    assert second is not None
    assert queue.retry(conn, second, "ValueError: no")
    found = queue.get(conn, job.id)
    assert found is not None
    assert (found.state, found.error) == ("failed", "ValueError: no")


def test_a_waiting_job_is_cancelled_at_once(conn: Connection) -> None:
    job, _ = queue.enqueue(conn, "a")
    assert queue.cancel(conn, job.id)
    assert queue.claim(conn, ["a"], "w", LEASE) is None
    assert not queue.cancel(conn, job.id)


def test_old_jobs_are_forgotten(conn: Connection) -> None:
    queue.cancel(conn, queue.enqueue(conn, "a")[0].id)
    queue.enqueue(conn, "a")
    assert queue.forget(conn) == 0
    assert queue.forget(conn, timedelta(seconds=-1)) == 1
    assert [job.state for job in queue.recent(conn)] == ["queued"]


def test_several_workers_do_each_job_once(pool: Pool, conn: Connection) -> None:
    done: Counter[int] = Counter()
    lock = threading.Lock()

    def handle(task: Task) -> Mapping[str, Any]:
        with lock:
            done[task.payload["n"]] += 1
        return {"n": task.payload["n"]}

    jobs = [queue.enqueue(conn, "count", {"n": n})[0] for n in range(40)]
    workers = [Worker(pool, {"count": handle}).start() for _ in range(3)]
    reports = [until(conn, job.id, ended).report for job in jobs]
    for worker in workers:
        worker.close()
    assert reports == [{"n": n} for n in range(40)]
    assert done == Counter(range(40))


def test_a_waiting_worker_is_woken(pool: Pool, conn: Connection) -> None:
    worker = Worker(pool, {"a": lambda task: {}}, poll=3600).start()
    try:
        time.sleep(0.5)
        until(conn, queue.enqueue(conn, "a")[0].id, ended)
    finally:
        worker.close()


def test_progress_is_seen_and_a_running_job_can_be_cancelled(pool: Pool, conn: Connection) -> None:
    def handle(task: Task) -> Mapping[str, Any]:
        for n in range(100_000):
            task.report({"done": n})
            time.sleep(0.01)
        return {}

    worker = Worker(pool, {"slow": handle}, lease=SHORT).start()
    try:
        job, _ = queue.enqueue(conn, "slow")
        until(conn, job.id, lambda found: found.progress.get("done", 0) > 1)
        assert queue.cancel(conn, job.id)
        assert until(conn, job.id, ended).state == "cancelled"
    finally:
        worker.close()


def test_a_worker_that_stops_gives_its_job_back_untried(pool: Pool, conn: Connection) -> None:
    begun = threading.Event()

    def handle(task: Task) -> Mapping[str, Any]:
        while True:
            task.report({"begun": True})
            begun.set()
            time.sleep(0.01)

    job, _ = queue.enqueue(conn, "slow")
    worker = Worker(pool, {"slow": handle}).start()
    assert begun.wait(60)
    worker.close()
    found = queue.get(conn, job.id)
    assert found is not None
    assert (found.state, found.attempts) == ("queued", 0)
    assert Worker(pool, {"slow": lambda task: {"resumed": True}}).run_one()
    found = queue.get(conn, job.id)
    assert found is not None
    assert (found.state, found.report) == ("done", {"resumed": True})


def test_a_handler_that_fails_says_why(pool: Pool, conn: Connection) -> None:
    def handle(task: Task) -> Mapping[str, Any]:
        raise ValueError("no such thing\nmore")

    job, _ = queue.enqueue(conn, "bad", max_attempts=1)
    assert Worker(pool, {"bad": handle}).run_one()
    found = queue.get(conn, job.id)
    assert found is not None
    assert (found.state, found.error) == ("failed", "ValueError: no such thing")


def test_a_handler_may_say_that_it_is_of_no_use_to_try_again(pool: Pool, conn: Connection) -> None:
    def handle(task: Task) -> Mapping[str, Any]:
        raise JobFailed("the source is gone")

    job, _ = queue.enqueue(conn, "bad")
    assert Worker(pool, {"bad": handle}).run_one()
    found = queue.get(conn, job.id)
    assert found is not None
    assert (found.state, found.error, found.attempts) == ("failed", "the source is gone", 1)


KILLED = """
import sys, time
from datetime import timedelta
from index.db import open_pool
from index.queue_worker import Worker

def handle(task):
    while True:
        task.report({"by": "the first"})
        time.sleep(0.01)

with open_pool(sys.argv[1]) as pool:
    Worker(pool, {"slow": handle}, lease=timedelta(seconds=1)).run_one()
"""


def test_the_job_of_a_killed_worker_goes_to_another(pool: Pool, conn: Connection, database: str) -> None:
    job, _ = queue.enqueue(conn, "slow")
    root = Path(__file__).parents[2]
    process = subprocess.Popen([sys.executable, "-c", KILLED, database], cwd=root)
    try:
        until(conn, job.id, lambda found: found.progress == {"by": "the first"})
    finally:
        process.kill()
        process.wait()
    worker = Worker(pool, {"slow": lambda task: {"by": "the second"}}, poll=0.2).start()
    try:
        found = until(conn, job.id, ended)
    finally:
        worker.close()
    assert (found.state, found.report, found.attempts) == ("done", {"by": "the second"}, 2)
