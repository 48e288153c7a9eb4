"""Time and memory of a reindex, beside a plain one: jieba's search mode, a literal, COPY, one GIN index.

    python bench/reindex.py [--posts FILE...] [--repeats 3] [--json]

Both sides read the same posts and write to the same PostgreSQL, each in a process of its own, one after the other.
Seconds run from the first post to the moment when all are searchable, and are medians over the repeats; dictionaries
are loaded before. `cpu_seconds` is what all processes of a side and PostgreSQL used meanwhile, dictionaries and all.
`peak_mb` is the largest sum of resident memory of the process and its children, without PostgreSQL.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

DEFAULT_POSTS = Path(__file__).parent.parent.parent / "shared/data/posts/tech_articles.jsonl.zst"
SIDES = ("wenci", "jieba")
MAX_POSITION, MAX_OCCURRENCES, MAX_VECTOR_BYTES = 16383, 255, 1_000_000


def main() -> None:
    arguments = _arguments()
    if arguments.side:
        _report({"wenci": run_wenci, "jieba": run_jieba}[arguments.side](arguments.url, arguments.posts))
    else:
        result = compare(arguments.posts, arguments.repeats)
        print(json.dumps(result) if arguments.json else _table(result))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument(
        "--posts", nargs="+", type=Path, default=[DEFAULT_POSTS], help="JSONL files or folders of posts"
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    return parser.parse_args()


def compare(posts: list[Path], repeats: int) -> dict[str, Any]:
    """Run both sides in turn and put the medians together."""
    from index.embedded import EmbeddedPostgres

    runs: dict[str, list[dict[str, Any]]] = {side: [] for side in SIDES}
    with tempfile.TemporaryDirectory(prefix="wenci-bench-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        with EmbeddedPostgres(Path(folder)) as server:
            for _ in range(repeats):
                for side in SIDES:
                    runs[side].append(_run(side, server.url, posts))
                    print(f"{side}: {runs[side][-1]}", file=sys.stderr)
    wenci, jieba = (_median(runs[side]) for side in SIDES)
    return {**wenci, "times_jieba": round(wenci["seconds"] / jieba["seconds"], 3), "peers": {"jieba": jieba}}


def _median(runs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "seconds": round(statistics.median(run["seconds"] for run in runs), 2),
        "cpu_seconds": round(statistics.median(run["cpu_seconds"] for run in runs), 2),
        "peak_mb": round(max(run["peak_mb"] for run in runs)),
        "documents": runs[0]["documents"],
        "characters": runs[0]["characters"],
    }


def _run(side: str, url: str, posts: list[Path]) -> dict[str, Any]:
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("drop schema if exists wenci cascade")
        conn.execute("drop table if exists public.peer")
        conn.execute("checkpoint")
        postmaster = _parent(conn.info.backend_pid)
    before = _cpu_seconds(postmaster) + _cpu_seconds(os.getpid())
    command = [sys.executable, __file__, "--side", side, "--url", url, "--posts", *map(str, posts)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with PeakMemory(process.pid) as memory:
        output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"{side} failed")
    used = _cpu_seconds(postmaster) + _cpu_seconds(os.getpid()) - before - memory.cpu_seconds
    return {**json.loads(output), "cpu_seconds": used, "peak_mb": memory.peak / 1e6}


class PeakMemory:
    """Samples the resident memory of a process and its descendants, in bytes, while it is entered."""

    def __init__(self, pid: int, interval: float = 0.25) -> None:
        self.pid, self.interval, self.peak = pid, interval, 0
        self.cpu_seconds = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "PeakMemory":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(self.interval):
            self.peak = max(self.peak, sum(_resident(pid) for pid in _family(self.pid)))
        self.cpu_seconds = time.thread_time()


def _family(root: int) -> Iterator[int]:
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                parents[int(name)] = _parent(int(name))
            except OSError:
                continue
    for pid in parents:
        ancestor = pid
        while ancestor != root and ancestor in parents:
            ancestor = parents[ancestor]
        if ancestor == root:
            yield pid


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the third on: `man 5 proc`."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()


def _parent(pid: int) -> int:
    return int(_stat(pid)[1])


def _cpu_seconds(root: int) -> float:
    """Of a process, its descendants and those that have ended."""
    ticks = 0
    for pid in _family(root):
        try:
            ticks += sum(map(int, _stat(pid)[11:15]))
        except OSError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def run_wenci(url: str, paths: list[Path]) -> dict[str, Any]:
    """The reindex of this project."""
    from index.db import open_pool
    from index.generations import reindex
    from index.migrate import migrate
    from index.sources import read_posts
    from segmenter.analyzer import Analyzer

    analyzer = Analyzer.default()
    with psycopg.connect(url) as conn:
        migrate(conn)
    with open_pool(url) as pool:
        started = time.perf_counter()
        report = reindex(pool, analyzer, read_posts(paths))
        seconds = time.perf_counter() - started
    return {"seconds": seconds, "documents": report.documents, "characters": report.characters}


def run_jieba(url: str, paths: list[Path]) -> dict[str, Any]:
    """The usual recipe: tokens of the search mode as positions of one `tsvector`, COPY, GIN."""
    import jieba

    from index.sources import read_posts
    from index.types import Post

    jieba.setLogLevel("ERROR")
    jieba.initialize()
    documents = characters = 0
    with psycopg.connect(url) as conn:
        started = time.perf_counter()
        conn.execute("set maintenance_work_mem = '256MB'")
        conn.execute("create table peer (id text, title text, body text, words tsvector)")
        with conn.cursor() as cursor, cursor.copy("copy peer from stdin") as copy:
            for post in read_posts(paths):
                if isinstance(post, Post):
                    vector = peer_vector(jieba.cut_for_search(f"{post.title}\n{post.body}"))
                    copy.write_row((post.id, post.title, post.body, vector))
                    documents, characters = documents + 1, characters + len(post.title) + len(post.body)
        conn.execute("create index on peer using gin (words) with (fastupdate = off)")
        conn.commit()
        return {"seconds": time.perf_counter() - started, "documents": documents, "characters": characters}


def peer_vector(tokens: Iterator[str]) -> str:
    """The literal of a `tsvector`, within PostgreSQL's limits; what does not fit is left out."""
    places: dict[str, list[str]] = {}
    size = 0
    for position, token in enumerate(tokens, start=1):
        at = places.setdefault(token.strip(), [])
        size += 2 if at else len(token.encode()) + 12
        if len(at) < MAX_OCCURRENCES and position <= MAX_POSITION and size < MAX_VECTOR_BYTES:
            at.append(str(position))
    escaped = {token: token.replace("\\", "\\\\").replace("'", "''") for token in places if token}
    return " ".join(f"'{escaped[token]}':{','.join(at)}" for token, at in places.items() if token and at)


def _report(result: dict[str, Any]) -> None:
    print(json.dumps(result))


def _table(result: dict[str, Any]) -> str:
    lines = [f"{'':8}{'seconds':>10}{'CPU s':>10}{'peak MB':>10}"]
    for name, side in (("wenci", result), ("jieba", result["peers"]["jieba"])):
        lines.append(f"{name:8}{side['seconds']:>10.1f}{side['cpu_seconds']:>10.1f}{side['peak_mb']:>10}")
    lines.append(f"{result['documents']} posts, {result['characters']} characters; {result['times_jieba']} times jieba")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
