"""Known-item search: each title is searched against the bodies alone; its own post is the one right answer.

    python bench/known_item.py [--posts FILE] [--every N] [--mode MODE] [--without PART...] [--half fit|report]
                               [--held-out] [--json]

Keys: mrr10, first (share of first places), p50_ms, p95_ms (of one search from text to page, one client), and the same
for `bm25s_jieba`: BM25 (k1 1.5, b 0.75) of the package bm25s over jieba's search-mode tokens, in memory, same queries.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from corpus import (
    POSTS,
    Queries,
    add_half,
    add_mode,
    add_without,
    in_half,
    indexed,
    measure,
    note,
    parser,
    read_posts,
    report,
)

from index.search import search
from index.types import Post, SearchRequest
from segmenter.analyzer import Analyzer

HELD_OUT = 1900
"""Articles with the smallest SHA-256 of their id, whose text was in no training (`bench/vectors.py`)."""


def hash_of(id: str) -> str:
    """SHA-256 as hexadecimal digits."""
    return hashlib.sha256(id.encode()).hexdigest()


def ours(
    posts: Sequence[dict[str, Any]], queries: Queries, mode: str | None = None, without: Iterable[str] = ()
) -> dict[str, float]:
    """Wenci, with the posts' titles left out of the index."""
    analyzer = Analyzer.default(mode=mode)
    bodies = [Post(id=str(post["id"]), title="", body=post["body"]) for post in posts]
    left_out = frozenset(without)
    with indexed(bodies, analyzer, vectors="semantic" not in left_out) as pool, pool.connection() as conn:
        conn.autocommit = True

        def find(text: str) -> list[str]:
            return [hit.id for hit in search(conn, analyzer, SearchRequest(text, without=left_out)).hits]

        return measure(queries, find)


def bm25s_jieba(texts: Sequence[tuple[str, str]], queries: Queries) -> dict[str, float]:
    """The peer: bm25s over jieba's search-mode tokens of the `(id, text)`."""
    import bm25s
    import jieba

    jieba.setLogLevel(60)

    def tokens(text: str) -> list[str]:
        return [token.lower() for token in jieba.cut_for_search(text) if re.search(r"\w", token)]

    ids = [id for id, _ in texts]
    retriever = bm25s.BM25(k1=1.5, b=0.75)
    retriever.index([tokens(text) for _, text in texts], show_progress=False)

    def find(text: str) -> list[str]:
        query = [token for token in tokens(text) if token in retriever.vocab_dict]
        if not query:
            return []
        found, _ = retriever.retrieve([query], k=10, show_progress=False)
        return [ids[place] for place in found[0]]

    return measure(queries, find)


def main() -> None:
    """Run both and report."""
    arguments = parser("Title against body: mean reciprocal rank and latency.")
    arguments.add_argument("--posts", type=Path, default=POSTS)
    arguments.add_argument("--every", type=int, default=1, help="search every Nth title only")
    add_mode(arguments)
    add_without(arguments)
    add_half(arguments)
    arguments.add_argument("--held-out", action="store_true", help="titles of articles that no model was trained on")
    arguments.add_argument("--no-peers", action="store_true")
    options = arguments.parse_args()
    posts = read_posts(options.posts)
    asked = [post for post in posts if in_half(str(post["id"]), options.half)]
    if options.held_out:
        unseen = set(sorted((str(post["id"]) for post in posts), key=hash_of)[:HELD_OUT])
        asked = [post for post in asked if str(post["id"]) in unseen]
    queries: Queries = [(frozenset([str(post["id"])]), post["title"]) for post in asked][:: options.every]
    note(f"{len(posts)} posts, {len(queries)} queries")
    result: dict[str, Any] = ours(posts, queries, options.mode, options.without)
    texts = [(str(post["id"]), post["body"]) for post in posts]
    result["peers"] = {} if options.no_peers else {"bm25s_jieba": bm25s_jieba(texts, queries)}
    report(result, options.json)


if __name__ == "__main__":
    main()
