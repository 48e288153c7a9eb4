"""Why a post is not shown: each built miss has its true reason, and no other."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from psycopg import Connection

from index import documents
from index.search import search
from index.tables import fingerprints
from index.types import Post, SearchRequest
from index.why_not import WhyNot, why_not
from segmenter.analyzer import Analyzer
from tests.index.conftest import Databases, holding


def day(year: int, month: int = 1) -> datetime:
    return datetime(year, month, 1, tzinfo=UTC)


POSTS = [
    Post("kimono", "京都的和服", "在清水寺附近租了一套和服。", ("旅行",), ("生活/出行",), published_at=day(2024)),
    Post("service", "产品和服务的边界", "我们讨论产品和服务怎样定价。", ("产品",), published_at=day(2025)),
    Post("script", "JavaScript 入门", "用 JavaScript 写一个计算器，不碰 microkernel。", ("编程",)),
    Post("rent", "租房指南", "在京都租房之前要看的。"),
    *(Post(f"many-{n}", f"服务器笔记 {n}", "服务器" * (n + 1)) for n in range(15)),
]


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture(scope="module")
def blog(databases: Databases, analyzer: Analyzer) -> Iterator[Connection]:
    with holding(databases, analyzer, POSTS) as conn:
        yield conn


def ask(conn: Connection, analyzer: Analyzer, query: str, id: str, **more: Any) -> WhyNot:
    return why_not(conn, analyzer, SearchRequest(query, **more), id)


@pytest.mark.parametrize(
    ("query", "id", "more", "kinds"),
    [
        ("和服", "nowhere", {}, ["not_indexed"]),
        ("和服", "\0", {}, ["not_indexed"]),
        ("和服", "kimono", {"tags": ("产品",)}, ["tag"]),
        ("和服 tag:产品", "kimono", {}, ["tag"]),
        ("和服", "kimono", {"after": day(2024, 2)}, ["date"]),
        ("和服 before:2023", "kimono", {}, ["date"]),
        ("和服 -tag:旅行", "kimono", {}, ["excluded"]),
        ("和服 －tag：旅行 -tag:产品", "kimono", {}, ["excluded"]),
        ("-tag:旅行", "kimono", {}, ["excluded"]),
        ("和服 -category:生活/出行", "kimono", {}, ["excluded"]),
        ("和服 category:生活", "kimono", {}, ["category"]),
        ("和服", "kimono", {"categories": ("生活",)}, ["category"]),
        ("和服 -before:2025", "kimono", {}, ["date"]),
        ("(定价 OR 计算器) 租房", "kimono", {}, ["missing", "missing", "missing"]),
        ("和服 before:2023 tag:产品", "kimono", {}, ["tag", "date"]),
        ("计算器 after:2020", "script", {}, ["date"]),
        ("和服 -清水寺", "kimono", {}, ["excluded"]),
        ("-清水寺", "service", {}, ["nothing_to_find"]),
        ("，。", "service", {}, ["nothing_to_find"]),
        ("定价", "kimono", {}, ["missing"]),
        ('"京都租了"', "kimono", {}, ["missing"]),
        ("kernel", "script", {}, ["missing"]),
        ("定价 OR 计算器", "kimono", {}, ["missing", "missing"]),
        ("定价 tag:产品 -清水寺", "kimono", {}, ["tag", "excluded", "missing"]),
    ],
)
def test_each_miss_has_its_reasons(
    blog: Connection, analyzer: Analyzer, query: str, id: str, more: dict[str, Any], kinds: list[str]
) -> None:
    assert id not in {hit.id for hit in search(blog, analyzer, SearchRequest(query, limit=100, **more)).hits}
    answer = ask(blog, analyzer, query, id, **more)
    assert [reason.kind for reason in answer.reasons] == kinds
    assert (answer.found, answer.on_page, answer.rank) == (False, False, None)
    assert all(reason.message for reason in answer.reasons)
    english = ask(blog, analyzer, query, id, language="en", **more)
    assert [reason.kind for reason in english.reasons] == kinds
    assert all(reason.message.startswith(("The ", "Found ")) for reason in english.reasons)


def test_both_cuts_stand_side_by_side(blog: Connection, analyzer: Analyzer) -> None:
    (reason,) = ask(blog, analyzer, "京都租房", "kimono").reasons
    assert reason.kind == "missing"
    assert "".join(reason.details["query_words"]) == "京都租房"
    assert "京都" in reason.details["held"]
    (missing,) = reason.details["missing"]
    assert missing["term"] in ("租房", "房")
    assert reason.details["post"].piece == "京都"
    assert "和服" in reason.details["post"].words


def test_a_text_inside_a_longer_word(blog: Connection, analyzer: Analyzer) -> None:
    (reason,) = ask(blog, analyzer, "kernel", "script").reasons
    assert reason.details["post"].inside_word
    assert "microkernel" in reason.details["post"].words


def test_a_post_on_the_page_has_no_reason_to_be_missing(blog: Connection, analyzer: Analyzer) -> None:
    answer = ask(blog, analyzer, "和服", "kimono")
    assert (answer.found, answer.on_page, answer.rank, answer.reasons) == (True, True, 1, ())


def test_what_keeps_a_post_down_is_said_even_where_it_is_shown(blog: Connection, analyzer: Analyzer) -> None:
    answer = ask(blog, analyzer, "和服", "service")
    assert (answer.on_page, answer.rank) == (True, 2)
    assert [reason.kind for reason in answer.reasons] == ["across_words"]


@pytest.mark.parametrize("limit", [1, 5, 14])
def test_the_rank_of_a_post_below_the_page(blog: Connection, analyzer: Analyzer, limit: int) -> None:
    everything = search(blog, analyzer, SearchRequest("服务器", limit=100))
    for place, hit in enumerate(everything.hits, start=1):
        answer = ask(blog, analyzer, "服务器", hit.id, limit=limit)
        assert (answer.rank, answer.on_page) == (place, place <= limit)
        assert [reason.kind for reason in answer.reasons][:1] == ([] if place <= limit else ["below_page"])
        assert answer.total == len(everything.hits)
        english = ask(blog, analyzer, "服务器", hit.id, limit=limit, language="en")
        assert all(f"place {place}, not on this page (1–{limit})" in reason.message for reason in english.reasons[:1])


def test_a_post_of_another_generation(conn: Connection, analyzer: Analyzer) -> None:
    documents.upsert(conn, analyzer, POSTS[:1])
    conn.execute("select wenci.create_generation(%(fingerprint)s, %(stream_fingerprint)s)", fingerprints(analyzer))
    conn.execute(
        "insert into wenci.post_2 select 2, ord, 'built', title, body, tags, categories, url, published_at, updated_at,"
        " extra, content_hash, fingerprint, title_length, body_length, indexed_at from wenci.post_1"
    )
    (reason,) = ask(conn, analyzer, "和服", "built").reasons
    assert (reason.kind, reason.details["state"]) == ("other_generation", "building")
    conn.execute("select wenci.index_generation(2), wenci.attach_generation(2)")
    (reason,) = ask(conn, analyzer, "和服", "kimono").reasons
    assert (reason.kind, reason.details["state"]) == ("other_generation", "retired")


def test_an_empty_database(conn: Connection, analyzer: Analyzer) -> None:
    assert [reason.kind for reason in ask(conn, analyzer, "和服", "kimono").reasons] == ["not_indexed"]
