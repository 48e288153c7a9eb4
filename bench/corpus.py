"""What the benchmarks share: reading the corpora, and a throw-away index of posts."""

import argparse
import hashlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import zstandard

from index.db import Pool, open_pool
from index.embed import embed
from index.embedded import EmbeddedPostgres
from index.fusion import PARTS
from index.generations import reindex
from index.migrate import migrate
from index.types import Post
from segmenter.analyzer import Analyzer

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
POSTS = DATA / "posts" / "tech_articles.jsonl.zst"
FAST = {"fsync": "off", "synchronous_commit": "off", "shared_buffers": "256MB"}

Queries = Sequence[tuple[frozenset[str], str]]
"""The ids of the right documents, and the text, of each query."""


def read_posts(path: Path) -> list[dict[str, Any]]:
    """The objects of a `.jsonl` or `.jsonl.zst` file."""
    with path.open("rb") as file:
        stream = zstandard.ZstdDecompressor().stream_reader(file) if path.suffix == ".zst" else file
        return [json.loads(line) for line in TextIOWrapper(stream, encoding="utf-8") if line.strip()]


def read_gold(path: Path) -> Iterator[list[str]]:
    """The words of each sentence of a file with one sentence a line and one space between words."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            if words := line.split():
                yield words


@contextmanager
def indexed(posts: Sequence[Post], analyzer: Analyzer, *, vectors: bool = True) -> Iterator[Pool]:
    """A pool on a fresh embedded PostgreSQL that serves these posts, with their vectors; gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="wenci-bench-", dir="/tmp", ignore_cleanup_errors=True) as folder,
        EmbeddedPostgres(Path(folder) / "data", settings=FAST) as server,
        open_pool(server.url) as pool,
    ):
        with pool.connection() as conn:
            migrate(conn)
        report = reindex(pool, analyzer, posts)
        note(f"{report.documents} posts indexed in {report.seconds:.0f} s")
        if report.failed:
            raise SystemExit(f"{len(report.failed)} posts failed: {report.failed[0]}")
        if vectors:
            begin = time.monotonic()
            made = embed(pool)
            note(f"{made.done} vectors in {time.monotonic() - begin:.0f} s{f', off: {made.off}' if made.off else ''}")
        with pool.connection() as conn:
            conn.autocommit = True
            conn.execute("set statement_timeout = 0")
            conn.execute("vacuum analyze")
            conn.execute("reset statement_timeout")
        yield pool


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile in milliseconds."""
    ordered = sorted(seconds)
    return {
        "p50_ms": round(statistics.median(ordered) * 1e3, 2),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)] * 1e3, 2),
    }


def ranking(ranks: Sequence[int]) -> dict[str, float]:
    """Mean reciprocal rank at 10, and the share of first places; rank 0 stands for not found."""
    return {
        "mrr10": round(sum(1 / rank for rank in ranks if 0 < rank <= 10) / len(ranks), 4),
        "first": round(sum(rank == 1 for rank in ranks) / len(ranks), 4),
    }


def measure(queries: Queries, find: Callable[[str], list[str]]) -> dict[str, float]:
    """Ranks of the first right id, and times; the first twenty queries run once before, unmeasured."""
    for _, text in queries[:20]:
        find(text)
    ranks, seconds = [], []
    for right, text in queries:
        begin = time.perf_counter()
        ids = find(text)
        seconds.append(time.perf_counter() - begin)
        ranks.append(next((rank for rank, id in enumerate(ids, start=1) if id in right), 0))
    return ranking(ranks) | percentiles(seconds)


def parser(description: str) -> argparse.ArgumentParser:
    """A parser with `--json`."""
    arguments = argparse.ArgumentParser(description=description)
    arguments.add_argument("--json", action="store_true", help="print one JSON object")
    return arguments


def add_mode(arguments: argparse.ArgumentParser) -> None:
    """The option `--mode`, of the analyzer."""
    arguments.add_argument("--mode", help="of the analyzer: auto, dictionary, wide or hybrid; default: its own")


def add_without(arguments: argparse.ArgumentParser) -> None:
    """The option `--without`, parts of the search to leave out."""
    names = ", ".join(sorted(PARTS))
    arguments.add_argument(
        "--without", nargs="*", choices=sorted(PARTS), default=[], metavar="PART", help=f"leave out parts: {names}"
    )


def add_half(arguments: argparse.ArgumentParser) -> None:
    """The option `--half`, for weights that are fitted on one half of the queries and reported on the other."""
    arguments.add_argument("--half", choices=("fit", "report"), help="queries by the SHA-256 of their right id or text")


def in_half(name: str, half: str | None) -> bool:
    """Whether the query of this name belongs to the half; `fit` has the names whose hash is even."""
    return half is None or (hashlib.sha256(name.encode()).digest()[-1] % 2 == 0) == (half == "fit")


def report(result: dict[str, Any], as_json: bool) -> None:
    """Print the result, as JSON or a line a value, peers indented."""
    if as_json:
        print(json.dumps(result, ensure_ascii=False))
        return
    for key, value in result.items():
        if isinstance(value, dict):
            print(f"{key}:")
            for name, figures in value.items():
                print(f"  {name}: {figures}")
        else:
            print(f"{key}: {value}")


def note(text: str) -> None:
    """A line of progress."""
    print(text, file=sys.stderr, flush=True)
