"""What each route and weight is worth: the three retrieval benchmarks with one part of the search left out at a time.

    python bench/ablation.py [--every N] [--half fit|report] [--mode MODE] [--only NAME...]
                              [--parts PART...] [--json]

Each collection is indexed once. Known items: the titles of the 1,900 articles that no model was trained on, among the
bodies of all. Parts are those of `index.fusion.PARTS`; `synonym` and `fuzzy` add nothing here: no rules are stored,
and what is searched for stands in some post. Keys: of each collection, of each part left out (`-` for none) mrr10 and
first, or mean_ap.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jieba
from corpus import (
    DATA,
    POSTS,
    Queries,
    add_half,
    add_mode,
    in_half,
    indexed,
    measure,
    note,
    parser,
    read_posts,
    report,
)
from known_item import HELD_OUT, hash_of
from lost_matches import joined
from passages import COLLECTION, read_queries, read_tsv
from words_first import figures, make_queries, read_sentences

from index.search import search
from index.types import Post, SearchRequest
from segmenter.analyzer import Analyzer

LEFT_OUT = ("-", "meaning", "semantic", "grams", "pieces", "title", "phrase", "stands", "borders")

Find = Callable[[str, str, int], list[str]]
"""Ids that a query finds without a part, at most so many."""


@contextmanager
def finder(posts: list[Post], analyzer: Analyzer, *, vectors: bool = True) -> Iterator[Find]:
    """Searches on these posts."""
    with indexed(posts, analyzer, vectors=vectors) as pool, pool.connection() as conn:
        conn.autocommit = True

        def find(text: str, part: str, limit: int) -> list[str]:
            without = frozenset({part} - {"-"})
            return [hit.id for hit in search(conn, analyzer, SearchRequest(text, limit=limit, without=without)).hits]

        yield find


def ranked(find: Find, queries: Queries, parts: Sequence[str]) -> dict[str, Any]:
    """Figures of each part left out, without the times."""
    result = {}
    for part in parts:
        found = measure(queries, lambda text, part=part: find(text, part, 10))  # type: ignore[misc]
        result[part] = {name: found[name] for name in ("mrr10", "first")}
        note(f"{part}: {result[part]}")
    return result


def known_items(analyzer: Analyzer, parts: Sequence[str], every: int, half: str | None) -> dict[str, Any]:
    """Titles against bodies."""
    posts = read_posts(POSTS)
    unseen = set(sorted((str(post["id"]) for post in posts), key=hash_of)[:HELD_OUT])
    asked = [post for post in posts if str(post["id"]) in unseen and in_half(str(post["id"]), half)][::every]
    queries: Queries = [(frozenset([str(post["id"])]), post["title"]) for post in asked]
    bodies = [Post(id=str(post["id"]), title="", body=post["body"]) for post in posts]
    with finder(bodies, analyzer) as find:
        return {"queries": len(queries), **ranked(find, queries, parts)}


def questions(analyzer: Analyzer, parts: Sequence[str], every: int, half: str | None) -> dict[str, Any]:
    """Questions against passages."""
    passages = [Post(id=id, title=title, body=text) for id, title, text in read_tsv(COLLECTION / "corpus.tsv")]
    queries = [query for query in read_queries(COLLECTION) if in_half(query[1], half)][::every]
    with finder(passages, analyzer) as find:
        return {"queries": len(queries), **ranked(find, queries, parts)}


def words_first(analyzer: Analyzer, parts: Sequence[str], every: int, half: str | None) -> dict[str, Any]:
    """Words against sentences."""
    sentences = read_sentences(sorted((DATA / "seg").glob("*/dev.txt")), 1)
    found = make_queries(sentences, lambda text: jieba.dt.FREQ.get(text, 0) > 0)
    queries = [query for query in found if in_half(query.text, half)][::every]
    posts = [Post(id=f"{number:06}", title="", body=joined(words)) for number, words in enumerate(sentences)]
    result: dict[str, Any] = {"queries": len(queries)}
    with finder(posts, analyzer, vectors=False) as find:
        for part in parts:
            hits = {query: [int(id) for id in find(query.text, part, len(posts))] for query in queries}
            result[part] = {"mean_ap": figures(hits)["mean_ap"]}
            note(f"{part}: {result[part]}")
    return result


BENCHMARKS = {"known_item": known_items, "passages": questions, "words_first": words_first}


def main() -> None:
    """Run all and report."""
    arguments = parser("What each route and weight is worth.")
    add_mode(arguments)
    add_half(arguments)
    arguments.add_argument("--every", type=int, default=1, help="take every Nth query only")
    arguments.add_argument("--only", nargs="*", choices=sorted(BENCHMARKS), default=list(BENCHMARKS), metavar="NAME")
    arguments.add_argument("--parts", nargs="*", choices=LEFT_OUT, default=LEFT_OUT, metavar="PART")
    options = arguments.parse_args()
    jieba.setLogLevel(60)
    jieba.initialize()
    analyzer = Analyzer.default(mode=options.mode)
    result = {name: BENCHMARKS[name](analyzer, options.parts, options.every, options.half) for name in options.only}
    report(result, options.json)


if __name__ == "__main__":
    main()
