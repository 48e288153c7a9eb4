"""Tags, categories and dates as filters, in the query and beside it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from psycopg import Connection

from index import documents
from index.asked import analyse
from index.query import parse
from index.search import find_ids, search
from index.types import Post, SearchRequest
from segmenter.analyzer import Analyzer
from tests.index.conftest import Databases, holding

POSTS = [
    Post(
        "kyoto",
        "京都骑行",
        "沿着鸭川骑行。",
        ("旅行", "骑行"),
        ("生活/出行",),
        published_at=datetime(2024, 5, 1, tzinfo=UTC),
    ),
    Post("hangzhou", "杭州骑行", "绕西湖骑行一圈。", ("骑行",), ("生活",)),
    Post("osaka", "京都美食", "在京都吃了拉面。", ("旅行",), ("生活/出行", "Ａ類")),
    Post("code", "打印", "用 printf(x) 打印，也可以写 puts(x)。旅行者。", ("C",), ("编程",)),
    Post("plain", "骑行的装备", "头盔与手套。"),
]


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture(scope="module")
def blog(databases: Databases, analyzer: Analyzer) -> Iterator[Connection]:
    with holding(databases, analyzer, POSTS) as conn:
        yield conn


@pytest.mark.parametrize(
    ("query", "more", "expected"),
    [
        ("骑行 -tag:旅行", {}, {"hangzhou", "plain"}),
        ("骑行 －ｔａｇ：旅行", {}, {"hangzhou", "plain"}),
        ('骑行 -tag:"旅行"', {}, {"hangzhou", "plain"}),
        ("骑行 -tag:旅行 -tag:骑行", {}, {"plain"}),
        ("-tag:旅行", {}, {"hangzhou", "code", "plain"}),
        ("tag:骑行 -tag:旅行", {}, {"hangzhou"}),
        ("骑行 -tag:旅", {}, {"kyoto", "hangzhou", "plain"}),
        ("骑行 -tag:旅行", {"tags": ("骑行",)}, {"hangzhou"}),
        ("category:生活", {}, {"hangzhou"}),
        ("category:生活/出行", {}, {"kyoto", "osaka"}),
        ("category：a类", {}, {"osaka"}),
        ("category:旅行", {}, set()),
        ("骑行", {"categories": ("生活/出行",)}, {"kyoto"}),
        ("", {"categories": ("生活/出行", "A类")}, set()),
        ("京都 -category:A类", {}, {"kyoto"}),
        ("-category:生活/出行 -category:编程", {}, {"hangzhou", "plain"}),
        ("(京都 OR 杭州) 骑行", {}, {"kyoto", "hangzhou"}),
        ("骑行（京都 OR 杭州） -tag:旅行", {}, {"hangzhou"}),
        ("骑行 -(京都 OR 杭州)", {}, {"plain"}),
        ("京都 OR 杭州 骑行", {}, {"kyoto", "hangzhou", "osaka"}),
        ("printf(x)", {}, {"code"}),
        ("printf(x) -java", {}, {"code"}),
        ('"printf(x)" OR 拉面', {}, {"code", "osaka"}),
    ],
)
def test_what_is_found(
    blog: Connection, analyzer: Analyzer, query: str, more: dict[str, Any], expected: set[str]
) -> None:
    request = SearchRequest(query, limit=20, **more)
    assert find_ids(blog, analyzer, request) == expected
    result = search(blog, analyzer, request)
    if query or not more:
        assert {hit.id for hit in result.hits} == expected
        assert result.total == len(expected)


def test_code_with_parentheses_and_operators_is_found_as_it_stands(conn: Connection, analyzer: Analyzer) -> None:
    documents.upsert(
        conn, analyzer, [Post("sql", "查询", "select * from t where (a OR b) -tag:x"), Post("b", "b", "b")]
    )
    assert "sql" in find_ids(conn, analyzer, SearchRequest("where (a OR b) -tag:x"))


@pytest.mark.parametrize(
    ("query", "more", "codes"),
    [
        ("tag:不存在", {}, ["no_such_tag"]),
        ("tag:不存在 京都", {}, ["no_such_tag"]),
        ("京都", {"tags": ("不存在",)}, ["no_such_tag"]),
        ("京都 -tag:不存在", {}, ["no_such_tag"]),
        ("category:旅行", {}, ["no_such_category"]),
        ("京都", {"categories": ("不存在",)}, ["no_such_category"]),
        ("京都 after:2090", {}, ["no_such_date"]),
        ("京都 before:1990", {}, ["no_such_date"]),
        ("tag:C category:生活", {}, ["no_post_passes"]),
        ("tag:C -tag:c", {}, ["no_post_passes"]),
        ("tag:", {}, ["no_name"]),
        ("京都 tag:旅行", {}, []),
        ("杭州 tag:C", {}, []),
    ],
)
def test_a_filter_that_no_post_passes_is_named(
    blog: Connection, analyzer: Analyzer, query: str, more: dict[str, Any], codes: list[str]
) -> None:
    result = search(blog, analyzer, SearchRequest(query, language="en", **more))
    assert [code for code in result.notice_codes if code.startswith("no_")] == codes
    assert all(notice.isascii() or "“" in notice for notice in result.notices)


def test_a_removed_posts_tag_is_no_tag(conn: Connection, analyzer: Analyzer) -> None:
    documents.upsert(conn, analyzer, POSTS)
    request = SearchRequest("category:编程")
    assert search(conn, analyzer, request).total == 1
    documents.delete(conn, ["code"])
    assert search(conn, analyzer, request).notice_codes == ("no_such_category",)
    documents.upsert(conn, analyzer, [Post("code", "打印", "正文", categories=("编程",))])
    assert find_ids(conn, analyzer, request) == {"code"}


def test_lower_case_or_is_told_where_little_is_found(blog: Connection, analyzer: Analyzer) -> None:
    assert "lower_or" in search(blog, analyzer, SearchRequest("拉面 or 头盔")).notice_codes
    assert "lower_or" not in search(blog, analyzer, SearchRequest("拉面 OR 头盔")).notice_codes


def test_words_of_several_groups_count_once(analyzer: Analyzer) -> None:
    asked = analyse(analyzer, parse("(京都 OR 杭州) 骑行"))
    assert [[part.stream for part in group] for group in asked.groups] == [["京都", "骑行"], ["杭州", "骑行"]]
    assert [part.stream for part in asked.all] == ["京都", "骑行", "杭州"]
    assert {asked.grams["骑行"], *asked.words.values()} == {1}
