"""Search on real PostgreSQL: syntax, filters, order, pages, marks, and what a hit says about itself."""

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest
from psycopg import Connection

from index.documents import delete, upsert
from index.search import find_ids, search
from index.types import Post, SearchRequest, SearchResult
from segmenter.analyzer import Analyzer
from tests.index.conftest import Databases, holding


def day(year: int, month: int = 1) -> datetime:
    return datetime(year, month, 1, tzinfo=UTC)


POSTS = [
    Post(
        "backup",
        "PostgreSQL 备份",
        "用 pg_dump 备份数据库。恢复之前先演练一遍。",
        tags=("数据库",),
        published_at=day(2022),
    ),
    Post(
        "docker",
        "用 Docker 部署博客",
        "先写 Dockerfile，再部署到服务器。",
        tags=("Docker", "运维"),
        published_at=day(2023),
    ),
    Post("kimono", "京都", "她穿着和服去看樱花。", categories=("旅行",), published_at=day(2024)),
    Post("service", "公司主页", "我们提供产品和服务。", published_at=day(2024, 6)),
    Post("gateway", "一次事故", "安全软件删除了网关的计划任务。", tags=("运维",)),
    Post("script", "JavaScript 笔记", "闭包与原型。java 不是它。"),
]


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture(scope="module")
def blog(databases: Databases, analyzer: Analyzer) -> Iterator[Connection]:
    with holding(databases, analyzer, POSTS) as conn:
        yield conn


@pytest.fixture
def ask(blog: Connection, analyzer: Analyzer):  # type: ignore[no-untyped-def]
    def ask(query: str, **fields: object) -> SearchResult:
        return search(blog, analyzer, SearchRequest(query, **fields))  # type: ignore[arg-type]

    return ask


def ids(result: SearchResult) -> list[str]:
    return [hit.id for hit in result.hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("备份 恢复", {"backup"}),
        ("备份 OR 部署", {"backup", "docker"}),
        ("运维", {"docker", "gateway"}),
        ("运维 -Docker", {"gateway"}),
        ("tag:运维", {"docker", "gateway"}),
        ("tag:docker", {"docker"}),
        ("tag：ＤＯＣＫＥＲ 部署", {"docker"}),
        ("tag:旅行", {"kimono"}),
        ("tag:旅", set()),
        ("tag:没有", set()),
        ("after:2023", {"docker", "kimono", "service"}),
        ("after:2023 before:2024", {"docker"}),
        ("before:2024-06 和服", {"kimono"}),
        ("“备份数据库”", {"backup"}),
        ("“数据库备份”", set()),
        ("网关计划任务被安全软件删除", {"gateway"}),
        ("java", {"script"}),
        ("javas", {"script"}),
        ("-java", set()),
        ("，。！", set()),
        ("", set()),
    ],
)
def test_what_is_found(ask, query: str, expected: set[str]) -> None:  # type: ignore[no-untyped-def]
    result = ask(query)
    assert set(ids(result)) == expected
    assert result.total == len(expected)
    assert result.total_is_exact


def test_words_first(ask) -> None:  # type: ignore[no-untyped-def]
    result = ask("和服")
    assert ids(result) == ["kimono", "service"]
    assert [hit.why["routes"] for hit in result.hits] == [["phrase", "words"], ["characters"]]


def test_filters_of_the_request(ask) -> None:  # type: ignore[no-untyped-def]
    assert ids(ask("部署", tags=("运维",))) == ["docker"]
    assert ids(ask("部署", tags=("数据库",))) == []
    assert ids(ask("和服", after=day(2024), before=day(2024, 6))) == ["kimono"]
    assert ids(ask("和服", before=datetime(2024, 6, 1))) == ["kimono"]


def test_newest_first_without_date_last(ask) -> None:  # type: ignore[no-untyped-def]
    assert ids(ask("和服 OR 部署 OR 网关", sort="newest")) == ["service", "kimono", "docker", "gateway"]


def test_pages_are_slices_of_one_order(ask) -> None:  # type: ignore[no-untyped-def]
    everything = ids(ask("的 OR 先 OR 用 OR 们 OR 她", limit=100))
    assert len(everything) >= 4
    for sort in ("relevance", "newest"):
        whole = ids(ask("的 OR 先 OR 用 OR 们 OR 她", sort=sort, limit=100))
        paged = [
            id
            for offset in range(len(whole))
            for id in ids(ask("的 OR 先 OR 用 OR 们 OR 她", sort=sort, limit=1, offset=offset))
        ]
        assert paged == whole


@pytest.mark.parametrize(("limit", "offset"), [(0, 0), (10, 99), (-1, 0)])
def test_an_empty_page_still_has_the_total(ask, limit: int, offset: int) -> None:  # type: ignore[no-untyped-def]
    result = ask("运维", limit=limit, offset=offset)
    assert (result.hits, result.total) == ((), 2)


def test_marks_are_places_in_title_and_snippet(ask) -> None:  # type: ignore[no-untyped-def]
    (hit,) = ask("备份").hits
    assert [hit.title[start:end] for start, end in hit.title_marks] == ["备份"]
    assert [hit.snippet[start:end] for start, end in hit.snippet_marks] == ["备份"]


def test_nothing_but_marks_gets_a_notice(ask) -> None:  # type: ignore[no-untyped-def]
    assert "标点" in ask("，。").notices[0]
    assert "排除" in ask("-java").notices[0]
    assert ask("").notices == ()
    assert ask("，。").notice_codes == ("only_marks",)
    assert ask("-java").notice_codes == ("only_exclusions",)


def test_notices_in_english(ask) -> None:  # type: ignore[no-untyped-def]
    for query in ("，。", "-java", "樱花 Dockerfile", "before:soon"):
        chinese, english = ask(query), ask(query, language="en")
        assert chinese.notices != english.notices
        assert chinese.notice_codes == english.notice_codes
        assert len(english.notices) == len(english.notice_codes) > 0
        assert all(not any("一" <= char <= "鿿" for char in notice) for notice in english.notices)


def test_operators_alone_never_say_that_there_is_nothing_beside_hits(databases: Databases, analyzer: Analyzer) -> None:
    url = databases.fresh()
    with psycopg.connect(url, autocommit=True) as conn:
        upsert(
            conn, analyzer, [Post("or", "", "this or that"), Post("rm", "", "用 rm -rf 删除"), Post("x", "", "别的")]
        )
        found = search(conn, analyzer, SearchRequest("OR"))
        assert (ids(found), found.notices) == (["or"], ())
        assert found.hits[0].why["matched"] == ["or"]
        found = search(conn, analyzer, SearchRequest("-rf"))
        assert (ids(found), found.notice_codes) == (["rm"], ("as_typed",))
        found = search(conn, analyzer, SearchRequest("-nothing"))
        assert (ids(found), found.notice_codes) == ([], ("only_exclusions",))
    databases.drop(url)


def test_words_that_no_post_has_together_are_found_apart_with_a_notice(ask) -> None:  # type: ignore[no-untyped-def]
    result = ask("樱花 Dockerfile")
    assert set(ids(result)) == {"kimono", "docker"}
    assert all(hit.why["relaxed"] for hit in result.hits)
    assert "一部分" in result.notices[0]


def test_score_parts_add_up(ask) -> None:  # type: ignore[no-untyped-def]
    for hit in ask("部署博客", explain=True).hits:
        assert sum(hit.why["score"].values()) == pytest.approx(hit.score)


def test_matched_tokens_and_fields(ask) -> None:  # type: ignore[no-untyped-def]
    (hit,) = ask("部署 服务器").hits
    assert hit.why == {"routes": ["words"], "matched": ["部署", "服务器"], "fields": ["title", "body"]}


MICRO = [
    Post("whole", "微服务", "讲微服务的架构。"),
    Post("part", "服务", "只讲服务。"),
    Post("inside", "微信", "微信里的服务。"),
    Post("tagged", "服务", "标签里有。", tags=("微",)),
]


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("微服务", {"whole": [], "part": ["微"], "inside": [], "tagged": []}),
        ("微服务 OR 架构", {"whole": [], "part": ["微"], "inside": [], "tagged": []}),
        ("服务 OR 微服务", {"whole": [], "part": [], "inside": [], "tagged": []}),
        ("微服务 只讲", {"part": ["微"]}),
        ("樱花微服务", {"whole": ["樱花"], "part": ["樱花", "微"], "tagged": ["樱花"]}),
    ],
)
def test_hits_without_every_word_say_which_are_missing(
    databases: Databases, analyzer: Analyzer, query: str, missing: dict[str, list[str]]
) -> None:
    url = databases.fresh()
    with psycopg.connect(url, autocommit=True) as conn:
        upsert(conn, analyzer, MICRO)
        found = search(conn, analyzer, SearchRequest(query))
        assert {hit.id: hit.why.get("missing", []) for hit in found.hits} == missing
    databases.drop(url)


def test_a_missing_word_stands_nowhere_in_the_post(ask) -> None:  # type: ignore[no-untyped-def]
    for query in ("安全软件怎样删除计划任务", "怎样用docker部署博客到服务器", "产品和服务怎样定价", "java闭包怎么写"):
        found = ask(query, limit=100)
        assert any("missing" in hit.why for hit in found.hits)
        for hit in found.hits:
            (post,) = [post for post in POSTS if post.id == hit.id]
            text = f"{post.title}\n{post.body}\n{post.tags}{post.categories}".lower()
            assert not [word for word in hit.why.get("missing", []) if word in text]
            assert not set(hit.why.get("missing", [])) & set(hit.why["matched"])


def test_equal_posts_come_in_the_order_of_their_ids(databases: Databases, analyzer: Analyzer) -> None:
    url = databases.fresh()
    names = [f"p{number:02}" for number in range(60)]
    with psycopg.connect(url, autocommit=True) as conn:
        upsert(conn, analyzer, [Post(name, "一样", "一样的文字") for name in reversed(names)])
        result = search(conn, analyzer, SearchRequest("文字", limit=60))
        assert ids(result) == names
        assert result.total == 60
    databases.drop(url)


def test_an_upsert_and_a_delete_are_seen_at_once(databases: Databases, analyzer: Analyzer) -> None:
    url = databases.fresh()
    with psycopg.connect(url, autocommit=True) as conn:
        assert "索引" in search(conn, analyzer, SearchRequest("词")).notices[0]
        upsert(conn, analyzer, [Post("a", "", "旧的文字"), Post("b", "", "别的文字")])
        assert find_ids(conn, analyzer, SearchRequest("文字")) == {"a", "b"}
        upsert(conn, analyzer, [Post("a", "", "新的内容")])
        assert find_ids(conn, analyzer, SearchRequest("文字")) == {"b"}
        assert find_ids(conn, analyzer, SearchRequest("内容")) == {"a"}
        delete(conn, ["a"])
        assert find_ids(conn, analyzer, SearchRequest("内容")) == set()
        assert search(conn, analyzer, SearchRequest("文字")).total == 1
    databases.drop(url)


def test_search_inside_a_transaction_of_the_caller(blog: Connection, analyzer: Analyzer) -> None:
    with blog.transaction():
        assert ids(search(blog, analyzer, SearchRequest("樱花"))) == ["kimono"]
    assert blog.autocommit


def test_more_candidates_than_are_checked_are_all_found(databases: Databases, analyzer: Analyzer) -> None:
    url = databases.fresh()
    with psycopg.connect(url, autocommit=True) as conn:
        upsert(conn, analyzer, [Post(f"{number:03}", "", f"第{number}段简短的文字") for number in range(300)])
        result = search(conn, analyzer, SearchRequest("段简短", limit=300))
        assert len(ids(result)) == result.total == 300
        assert not result.total_is_exact
        assert result.notice_codes == ("unchecked",)
        assert "250" in result.notices[0]
        assert "50" in result.notices[0].split("250")[1]
        assert [hit.id for hit in result.hits if "unchecked" in hit.why] == ids(result)[250:]
        assert result.hits[-1].why["unchecked"] == ["phrase"]
    databases.drop(url)


def test_what_was_not_checked_is_counted_and_named(databases: Databases, analyzer: Analyzer) -> None:
    """The last word of a query may go on, so that of many candidates those beyond the best may not even hold it."""
    url = databases.fresh()
    posts = [Post(f"{number:03}", "", f"编号{number}的记录") for number in range(400)]
    with psycopg.connect(url, autocommit=True) as conn:
        upsert(conn, analyzer, posts)
        result = search(conn, analyzer, SearchRequest("编号12", limit=400, language="en"))
        assert not result.total_is_exact
        assert result.notice_codes == ("unchecked",)
        left = [hit for hit in result.hits if "unchecked" in hit.why]
        assert f"{len(left)} of the hits" in result.notices[0]
        assert {"012", "120", "129"} <= {hit.id for hit in result.hits}
        surely = search(conn, analyzer, SearchRequest("编号12 OR 没有", limit=400))
        assert {hit.id for hit in surely.hits if "unchecked" in hit.why} == {hit.id for hit in left}
    databases.drop(url)


def test_an_exclusion_bars_only_posts_that_were_seen_to_hold_it(
    databases: Databases, analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many posts with all the characters only the best are checked; the others must not be lost for that."""
    monkeypatch.setattr("index.match.CHECKED", 2)
    monkeypatch.setattr("index.match.EXCLUSIONS_CHECKED", 4)
    url = databases.fresh()
    apart = [Post(f"apart-{number}", "", "甗罍，罍卣。斝。") for number in range(12)]
    with psycopg.connect(url, autocommit=True) as conn:
        assert not upsert(conn, analyzer, [Post("whole", "", "甗罍卣。斝。"), *apart]).failed
        every = {post.id for post in apart}
        for query in ("斝 -甗罍卣", '斝 -"甗罍卣"'):
            found = search(conn, analyzer, SearchRequest(query, limit=50))
            assert every <= {hit.id for hit in found.hits}
            assert not found.total_is_exact
            left = [hit for hit in found.hits if hit.why.get("unchecked") == ["exclusion"]]
            assert found.notice_codes == ("exclusion_unchecked",)
            assert f"有 {len(left)} 篇没有核对" in found.notices[0]
        monkeypatch.setattr("index.match.EXCLUSIONS_CHECKED", 100)
        found = search(conn, analyzer, SearchRequest("斝 -甗罍卣", limit=50))
        assert {hit.id for hit in found.hits} == every
        assert found.total_is_exact
    databases.drop(url)


@pytest.mark.parametrize(
    "query", ['"it´s 重要"', "it´s重要 -别的", "(京都 OR it´s重要)", '"¨引´"', "¨引´ tag:记号", '"重要゛"', '"ﷺ 尾"']
)
def test_marks_that_stand_for_a_space_and_a_mark_are_found(ask, blog: Connection, analyzer: Analyzer, query: str):  # type: ignore[no-untyped-def]
    upsert(blog, analyzer, [Post("marks", "记号", "it´s重要゛ ¨引´ ﷺ尾", tags=("记号",))])
    try:
        assert "marks" in {hit.id for hit in ask(query).hits}
    finally:
        delete(blog, ["marks"])
