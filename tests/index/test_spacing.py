"""Latin words and numbers that a post writes together and a query apart, or the other way round."""

from collections.abc import Iterator

import pytest
from psycopg import Connection

from index.asked import analyse
from index.query import parse
from index.search import find_ids, search
from index.spacing import LONGEST, LONGEST_QUERY, MOST, MOST_IN_ALL, by_spacing, written_otherwise
from index.types import Post, SearchRequest
from index.why_not import why_not
from segmenter.analyzer import Analyzer
from tests.index.conftest import Databases, holding

POSTS = [
    Post("utf8", "编码", "文件存成utf8格式。"),
    Post("utf-8", "编码二", "文件存成 UTF-8 格式。"),
    Post("utf 8", "编码三", "写作 utf 8 的也有。"),
    Post("apart", "内存", "内存有 16 GB，硬盘 1.8 TB，服务 7 x 24 小时。"),
    Post("together", "内存二", "内存有16GB，硬盘1.8TB，服务7x24小时。"),
    Post("front-end", "前端", "A front-end developer."),
    Post("frontend", "前端二", "Frontend 工程化。"),
    Post("gpt", "模型", "用 gpt-4o 写摘要。"),
    Post("numbers", "数字", "第 16 页，GB 18030，24 小时，x 轴。"),
    Post("k8s", "集群", "k8s 集群。8 s 之后 k 变了。"),
    Post("v1.28", "升级", "升级到 v1.28.3 之后。"),
    Post("1.28", "升级二", "升级到 1.28 之后。"),
    Post("v1", "升级三", "v1 之后是 28，还有 v11.28。"),
]


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture(scope="module")
def blog(databases: Databases, analyzer: Analyzer) -> Iterator[Connection]:
    with holding(databases, analyzer, POSTS) as conn:
        yield conn


@pytest.mark.parametrize(
    ("query", "typed", "otherwise"),
    [
        ("utf8", {"utf8"}, {"utf-8", "utf 8"}),
        ("ＵＴＦ８", {"utf8"}, {"utf-8", "utf 8"}),
        ("utf-8", {"utf-8"}, {"utf8", "utf 8"}),
        ("utf 8", {"utf 8", "utf-8"}, {"utf8"}),
        ("utf8格式", {"utf8"}, {"utf-8"}),
        ("16GB", {"together"}, {"apart"}),
        ("内存16GB", {"together"}, {"apart"}),
        ("16 GB", {"apart", "together"}, set()),
        ("7 x 24", {"apart"}, {"together"}),
        ("front-end", {"front-end"}, {"frontend"}),
        ("1.8TB", {"together"}, {"apart"}),
        ("7x24", {"together"}, {"apart"}),
        ("frontend", {"frontend"}, set()),
        ("front end", {"front-end"}, {"frontend"}),
        ("gpt4o", set(), {"gpt"}),
        ("k8s", {"k8s"}, set()),
        ("1.28", {"1.28"}, {"v1.28"}),
        ("v1.28", {"v1.28"}, {"1.28"}),
        ("V1.28", {"v1.28"}, {"1.28"}),
        ("升级到1.28", {"1.28"}, {"v1.28"}),
        ("1.28.3", set(), {"v1.28"}),
        ("v1.28.3", {"v1.28"}, set()),
        ('"utf8"', {"utf8"}, set()),
        ("utf8 -写作", {"utf8"}, {"utf-8"}),
    ],
)
def test_what_is_written_otherwise_is_found_below(
    blog: Connection, analyzer: Analyzer, query: str, typed: set[str], otherwise: set[str]
) -> None:
    result = search(blog, analyzer, SearchRequest(query, without=frozenset({"semantic", "fuzzy"})))
    routes = {hit.id: hit.why["routes"] for hit in result.hits}
    found = {id for id, names in routes.items() if names == ["spacing"]}
    assert typed <= routes.keys() - found
    assert found == otherwise
    assert {hit.id for hit in result.hits[len(routes) - len(found) :]} == found
    assert result.guessed == 0
    assert find_ids(blog, analyzer, SearchRequest(query)) >= typed | otherwise


def test_without_spacing(blog: Connection, analyzer: Analyzer) -> None:
    assert (
        find_ids(blog, analyzer, SearchRequest("gpt4o", without=frozenset({"spacing", "fuzzy", "semantic"}))) == set()
    )


def test_a_hit_says_how_it_was_read(blog: Connection, analyzer: Analyzer) -> None:
    hit = search(blog, analyzer, SearchRequest("硬盘1.8TB", explain=True)).hits[1]
    assert hit.id == "apart"
    assert hit.why["swaps"] == [{"typed": "1.8TB", "meant": "1.8 TB", "by": "spacing"}]
    assert "硬盘 1.8 TB" in [hit.snippet[start:end] for start, end in hit.snippet_marks]
    assert sum(hit.why["score"].values()) == pytest.approx(hit.score)
    reasons = why_not(blog, analyzer, SearchRequest("硬盘1.8TB"), "apart").reasons
    assert [reason.kind for reason in reasons] == ["spacing"]


def test_readings_are_few_whatever_the_query(blog: Connection, analyzer: Analyzer) -> None:
    query = parse(" OR ".join(f"a{number}b{number} c{number}d" for number in range(30)))
    groups = analyse(analyzer, query).groups
    assert len(groups) == 30
    assert len(by_spacing(analyzer, groups)) == MOST_IN_ALL
    assert len(by_spacing(analyzer, groups[:1])) == MOST
    sentence = analyse(analyzer, parse("utf8" + "和编码" * LONGEST_QUERY)).groups
    assert by_spacing(analyzer, sentence) == ()


def test_stretches_that_stay_as_they_are() -> None:
    for stretch in ("word", "2024-05", "3", "v", "k8s", "3f2a9c0b", "x" * LONGEST + "1"):
        assert written_otherwise(stretch) == []


def test_numbers_of_versions() -> None:
    assert written_otherwise("3.11.7") == ["v3.11.7"]
    assert written_otherwise("1.0.0-rc.1")[0] == "v1.0.0-rc.1"
    assert written_otherwise("v3.11.7")[0] == "3.11.7"
    assert "v1.8TB" not in written_otherwise("1.8TB")
