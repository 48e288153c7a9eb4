"""Analysing many posts with worker processes: a bounded number of jobs at a time, results in the order of the jobs."""

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from queue import SimpleQueue
from typing import Any

from index.portion import Analysed, Job, analyse, size
from index.rows import DocumentAnalyzer

WORTH_A_PROCESS = 200_000
"""Characters that are analysed in this process before others are started: they take up to a second to begin."""

MOST_WORKERS = 4


def usual_workers() -> int:
    """As many as there are processors to run on, within reason; none where there is only one."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(processors, MOST_WORKERS) if processors > 1 else 0


def analysed(analyzer: DocumentAnalyzer, jobs: Iterable[Job], workers: int | None = None) -> Iterator[Analysed]:
    """The results of the jobs in their order. At most two jobs a worker are under way, so memory is bounded.

    With `workers=0`, for little text, or where processes cannot be started, everything happens in this process.
    """
    count = usual_workers() if workers is None else workers
    jobs = iter(jobs)
    done = 0
    while count == 0 or done < WORTH_A_PROCESS:
        job = next(jobs, None)
        if job is None:
            return
        yield analyse(analyzer, job)
        done += sum(size(post) for post in job.posts)
    yield from _in_processes(analyzer, jobs, count)


def _in_processes(analyzer: DocumentAnalyzer, jobs: Iterator[Job], count: int) -> Iterator[Analysed]:
    first = next(jobs, None)
    if first is None:
        return
    with ExitStack() as stack:
        pool = _started(analyzer, count, stack)
        threads = stack.enter_context(ThreadPoolExecutor(count))
        stack.callback(threads.shutdown, wait=False, cancel_futures=True)
        under_way: deque[Future[Analysed]] = deque([threads.submit(pool.run, first)])
        for job in jobs:
            if len(under_way) >= 2 * count:
                yield under_way.popleft().result()
            under_way.append(threads.submit(pool.run, job))
        while under_way:
            yield under_way.popleft().result()


def _started(analyzer: DocumentAnalyzer, count: int, stack: ExitStack) -> "_Pool":
    pool = _Pool(analyzer)
    stack.callback(pool.close)
    pool.start(count)
    return pool


class _Pool:
    """Worker processes, each used by one thread at a time. One that fails is replaced by this process."""

    def __init__(self, analyzer: DocumentAnalyzer) -> None:
        self._analyzer = analyzer
        self._processes: list[subprocess.Popen[bytes]] = []
        self._idle: SimpleQueue[subprocess.Popen[bytes] | None] = SimpleQueue()

    def start(self, count: int) -> None:
        try:
            model = pickle.dumps(self._analyzer, protocol=pickle.HIGHEST_PROTOCOL)
            for _ in range(count):
                process = _worker()
                self._processes.append(process)
                _send(process, model)
                self._idle.put(process)
        except (pickle.PicklingError, AttributeError, TypeError, OSError):
            for _ in range(count - self._idle.qsize()):
                self._idle.put(None)

    def run(self, job: Job) -> Analysed:
        process = self._idle.get()
        try:
            if process is not None:
                _send(process, pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL))
                result: Any = pickle.load(_pipe(process.stdout))
                assert isinstance(result, Analysed)
                return result
        except (OSError, EOFError, pickle.UnpicklingError, ImportError, AttributeError):
            process = None
        finally:
            self._idle.put(process)
        return analyse(self._analyzer, job)

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.communicate()


def _worker() -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.Popen(
        [sys.executable, "-m", "index.worker"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )


def _send(process: subprocess.Popen[bytes], data: bytes) -> None:
    pipe = _pipe(process.stdin)
    pipe.write(data)
    pipe.flush()


def _pipe(pipe: Any) -> Any:
    assert pipe is not None
    return pipe
