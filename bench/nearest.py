"""The semantic route's nearest posts: the HNSW index beside looking at every vector.

    python bench/nearest.py [--posts FILE] [--passages N] [--queries N] [--data DIR] [--json]

The collection is that of `bench/latency.py` (posts put together from paragraphs of the articles), with a vector for
each post and the index that is made beyond `index.semantic.EXACT` rows. Queries are titles of the articles, each run
as the search runs it, once with the index and once without.

Keys: rows, queries, recall10 and recall50 (of the 10 and 50 nearest, the share that the index finds), p50_ms and
p95_ms, and the same times under `exact`.
"""

import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from corpus import FAST, POSTS, note, parser, percentiles, read_posts, report
from latency import make
from psycopg import Connection

from index import semantic
from index.collection import serving_collection
from index.db import open_pool
from index.embed import embed
from index.embedded import EmbeddedPostgres
from segmenter.analyzer import Analyzer

WARM = 20
DEPTHS = (10, 50)


def compare(conn: Connection, titles: Sequence[str]) -> dict[str, Any]:
    """Ask for the nearest of each title in both ways."""
    collection = serving_collection(conn)
    assert collection is not None
    meaning = semantic.meaning(conn, collection.generation)
    if meaning is None or meaning.rows <= semantic.EXACT:
        raise SystemExit(f"{meaning.rows if meaning else 0} vectors: the index serves beyond {semantic.EXACT}")
    found: dict[bool, list[list[int]]] = {True: [], False: []}
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for title in [*titles[:WARM], *titles]:
        vector = meaning.vector(title)
        for by_index in (True, False):
            with conn.transaction():
                conn.execute(f"set local enable_indexscan = {'on' if by_index else 'off'}")
                begin = time.perf_counter()
                near = meaning.nearest(vector, max(DEPTHS))
                seconds[by_index].append(time.perf_counter() - begin)
            found[by_index].append(sorted(near, key=lambda ord: (-near[ord], ord)))
    recall = {
        f"recall{depth}": round(
            statistics.mean(
                len(set(some[:depth]) & set(all_[:depth])) / depth
                for some, all_ in zip(found[True][WARM:], found[False][WARM:], strict=True)
            ),
            4,
        )
        for depth in DEPTHS
    }
    return {"rows": meaning.rows, "queries": len(titles)} | recall | percentiles(seconds[True][WARM:]) | {
        "exact": percentiles(seconds[False][WARM:])
    }  # fmt: skip


def main() -> None:
    """Index and make vectors unless they are there, ask, report."""
    arguments = parser("Nearest posts by an HNSW index and by looking at all.")
    arguments.add_argument("--posts", type=Path, default=POSTS)
    arguments.add_argument("--passages", type=int, default=100_000, help="posts of one passage each")
    arguments.add_argument("--queries", type=int, default=300)
    arguments.add_argument("--data", type=Path, help="keep the database in this directory, and use it again")
    options = arguments.parse_args()
    articles = read_posts(options.posts)
    with ExitStack() as stack:
        folder = options.data or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wenci-", dir="/tmp")))
        server = stack.enter_context(EmbeddedPostgres(folder / "data", settings=FAST))
        pool = stack.enter_context(open_pool(server.url))
        make(pool, Analyzer.default(), articles, options.passages)
        begin = time.monotonic()
        made = embed(pool)
        note(f"{made.done} vectors made, {made.rows} in all, and the index, in {time.monotonic() - begin:.0f} s")
        with pool.connection() as conn:
            conn.autocommit = True
            conn.execute("set statement_timeout = 0")
            conn.execute("vacuum analyze wenci.embedding")
            titles = [str(article["title"]) for article in articles[:: max(len(articles) // options.queries, 1)]]
            result = compare(conn, titles[: options.queries])
            conn.execute("reset statement_timeout")
    report(result, options.json)


if __name__ == "__main__":
    main()
