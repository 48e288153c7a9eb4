"""Questions against passages: the passages judged to answer a question are the right ones.

    python bench/passages.py [--collection FOLDER] [--every N] [--mode MODE] [--without PART...] [--half H] [--json]

The folder holds `corpus.tsv` (id, title, text), `queries.tsv` (id, text) and `qrels.tsv` (query, 0, passage, grade), as
TREC has them. Keys: mrr10, first, p50_ms, p95_ms (of one search from text to page, one client), and the same for
`bm25s_jieba`: bm25s over jieba's search-mode tokens of title and text, in memory, same questions.
"""

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from corpus import DATA, Queries, add_half, add_mode, add_without, in_half, indexed, measure, note, parser, report
from known_item import bm25s_jieba

from index.search import search
from index.types import Post, SearchRequest
from segmenter.analyzer import Analyzer

COLLECTION = DATA / "retrieval" / "cmrc_half"


def read_tsv(path: Path) -> list[list[str]]:
    """Rows of fields."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_queries(folder: Path) -> Queries:
    """The ids of the right passages, and the text, of each question that has any."""
    right: Mapping[str, set[str]] = defaultdict(set)
    for query, _, passage, grade in read_tsv(folder / "qrels.tsv"):
        if int(grade) > 0:
            right[query].add(passage)
    return [(frozenset(right[id]), text) for id, text in read_tsv(folder / "queries.tsv") if id in right]


def ours(
    passages: Sequence[Sequence[str]], queries: Queries, mode: str | None, without: Iterable[str] = ()
) -> dict[str, float]:
    """Wenci."""
    analyzer = Analyzer.default(mode=mode)
    posts = [Post(id=id, title=title, body=text) for id, title, text in passages]
    left_out = frozenset(without)
    with indexed(posts, analyzer, vectors="semantic" not in left_out) as pool, pool.connection() as conn:
        conn.autocommit = True

        def find(text: str) -> list[str]:
            return [hit.id for hit in search(conn, analyzer, SearchRequest(text, without=left_out)).hits]

        return measure(queries, find)


def main() -> None:
    """Run both and report."""
    arguments = parser("Question against passages: mean reciprocal rank and latency.")
    arguments.add_argument("--collection", type=Path, default=COLLECTION)
    arguments.add_argument("--every", type=int, default=1, help="ask every Nth question only")
    add_mode(arguments)
    add_without(arguments)
    add_half(arguments)
    options = arguments.parse_args()
    passages = read_tsv(options.collection / "corpus.tsv")
    queries = [query for query in read_queries(options.collection) if in_half(query[1], options.half)][:: options.every]
    note(f"{len(passages)} passages, {len(queries)} questions")
    result: dict[str, Any] = ours(passages, queries, options.mode, options.without)
    texts = [(id, f"{title}\n{text}") for id, title, text in passages]
    result["peers"] = {"bm25s_jieba": bm25s_jieba(texts, queries)}
    report(result, options.json)


if __name__ == "__main__":
    main()
