"""How PostgreSQL runs each statement of a search in a large collection: what it reads, and how long it takes.

    python bench/plans.py [--posts FILE] [--passages N] [--data DIR] [--json]

The collection is that of `bench/latency.py`. Each statement of `index/sql/read.sql` is explained with values as a
search gives them: 40 documents, 250 to check a phrase among, a page of 10; the phrase and the word are 数据库, no date
matches. Keys: of each statement `reads`, the scans of its plan, and `ms`, the best of three runs of the server.
"""

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from corpus import FAST, POSTS, parser, read_posts, report
from latency import make
from psycopg import Connection

from index.db import open_pool
from index.embedded import EmbeddedPostgres
from index.generations import serving
from index.queries import queries
from segmenter.analyzer import Analyzer

REPEATS = 3
WORD = "数据库"


def values_of(generation: int, documents: int) -> dict[str, dict[str, Any]]:
    """Values for each statement; those that all share are added by `explained`."""
    few = list(range(0, documents, max(documents // 40, 1)))[:40]
    many = list(range(0, documents, max(documents // 250, 1)))[:250]
    shared = {"generation": generation, "ords": few, "limit": 10, "offset": 0, "after": "2020-01-01", "before": None}
    lexemes = {"kinds": [0, 1, 2, 3], "lexemes": [WORD, "数据", "据库", "服务", "系统", "文件"]}
    phrase = {"phrase": "'数据' <1> '据库'"}
    mask = np.packbits(np.ones(documents, np.bool_), bitorder="little").tobytes()
    own: dict[str, dict[str, Any]] = {
        "lengths": {"first": 0},
        "postings": lexemes,
        "later_postings": {**lexemes, "segment": documents},
        "phrase_ords": phrase,
        "phrase_among": {**phrase, "ords": many},
        "literal_among": {"literal": WORD, "ords": many},
        "standing_among": {"phrase": f"'{WORD}':ABC", "ords": many},
        "tag_among": {"tag": "linux", "ords": many},
        "newest_of_many": {"mask": mask, "top": documents - 1},
        "passages": {"passages": 8},
        "later_passages": {"passages": 8, "literals": [WORD]},
        "body_slices": {"starts": [0] * 40, "lengths": [140] * 40},
        "source_post": {"id": "0000042"},
        "tag_holders": {"tags": ["linux"]},
    }
    return {name: shared | own.get(name, {}) for name in queries("read.sql")}


def explained(conn: Connection, name: str, values: dict[str, Any]) -> dict[str, Any]:
    """The scans of a statement's plan, and its best time."""
    statement = f"explain (analyze, format json) {queries('read.sql')[name]}"
    plans = []
    for _ in range(REPEATS):
        row = conn.execute(statement.encode(), values).fetchone()
        assert row is not None
        plans.append(row[0][0] if not isinstance(row[0], str) else json.loads(row[0])[0])
    scans = dict.fromkeys(_scans(plans[0]["Plan"]))
    return {"reads": ", ".join(scans), "ms": round(min(plan["Execution Time"] for plan in plans), 2)}


def _scans(node: dict[str, Any]) -> Iterator[str]:
    if "Scan" in node["Node Type"] and node["Node Type"] != "Bitmap Heap Scan":
        what = node.get("Index Name") or node.get("Relation Name") or node.get("Alias", "")
        yield f"{node['Node Type']} on {what}"
    for child in node.get("Plans", ()):
        yield from _scans(child)


def main() -> None:
    """Index unless it is there, explain, report."""
    arguments = parser("Plans of a search's statements.")
    arguments.add_argument("--posts", type=Path, default=POSTS)
    arguments.add_argument("--passages", type=int, default=100_000, help="posts of one passage each")
    arguments.add_argument("--data", type=Path, help="keep the database in this directory, and use it again")
    options = arguments.parse_args()
    with ExitStack() as stack:
        folder = options.data or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wenci-", dir="/tmp")))
        server = stack.enter_context(EmbeddedPostgres(folder / "data", settings=FAST))
        pool = stack.enter_context(open_pool(server.url))
        make(pool, Analyzer.default(), read_posts(options.posts), options.passages)
        conn = stack.enter_context(pool.connection())
        current = serving(conn)
        assert current is not None
        values = values_of(current.id, current.next_ord)
        report({name: explained(conn, name, values[name]) for name in queries("read.sql")}, options.json)


if __name__ == "__main__":
    main()
