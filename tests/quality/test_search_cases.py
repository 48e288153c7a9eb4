"""Search cases from bug reports, as data: `search_cases.jsonl`.

A line holds `docs` (bodies, or objects with title, body, tags, categories), a `query`, and what must hold: `only`
(exactly these posts), `found` (at least these), `first`, `routes` of the first hit, `marks` (its marked texts). Where a
case differs from what its reporter expected, `note` has the reason.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import Connection

from index.documents import delete, upsert
from index.search import search
from index.types import Hit, Post, SearchRequest
from segmenter.analyzer import Analyzer
from tests.index.conftest import Databases, databases  # noqa: F401

LINES = (Path(__file__).parent / "search_cases.jsonl").read_text(encoding="utf-8").splitlines()
CASES = [json.loads(line) for line in LINES]


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture(scope="module")
def conn(databases: Databases) -> Iterator[Connection]:  # noqa: F811
    url = databases.fresh()
    with psycopg.connect(url, autocommit=True) as conn:
        yield conn
    databases.drop(url)


def post_of(number: int, doc: str | dict[str, Any]) -> Post:
    fields = {"body": doc} if isinstance(doc, str) else doc
    lists = {name: tuple(fields.get(name, ())) for name in ("tags", "categories")}
    return Post(id=str(number), title=fields.get("title", ""), body=fields["body"], **lists)


def marked(hit: Hit) -> list[str]:
    return [hit.title[s:e] for s, e in hit.title_marks] + [hit.snippet[s:e] for s, e in hit.snippet_marks]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any], conn: Connection, analyzer: Analyzer) -> None:
    posts = [post_of(number, doc) for number, doc in enumerate(case["docs"])]
    assert not upsert(conn, analyzer, posts).failed
    try:
        hits = search(conn, analyzer, SearchRequest(case["query"], limit=100)).hits
    finally:
        delete(conn, [post.id for post in posts])
    ids = [int(hit.id) for hit in hits]
    if "only" in case:
        assert sorted(ids) == case["only"]
    assert set(case.get("found", [])) <= set(ids)
    if "first" in case:
        assert ids[0] == case["first"]
    if "routes" in case:
        assert set(case["routes"]) <= set(hits[0].why["routes"])
    if "marks" in case:
        assert marked(hits[0]) == case["marks"]


def test_every_case_has_its_own_name() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES)
