"""Other readings of a query on real PostgreSQL: synonyms, and Latin words with other letters."""

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest
from psycopg import Connection

from index import fuzzy, synonyms
from index.documents import upsert
from index.facets import facets
from index.fuzzy import near_words
from index.search import find_ids, search
from index.synonym_rules import parse_rule
from index.types import Post, SearchRequest, SearchResult
from index.why_not import why_not
from segmenter.analyzer import Analyzer
from tests.index.conftest import Databases, holding

RULES = [
    "k8s = Kubernetes",
    "番茄 => 西红柿",
    "机器学习 = machine learning",
    "土豆 = 马铃薯",
    "部署 = 上线",
]
POSTS = [
    Post("k8s", "k8s 笔记", "k8s 的网络。", published_at=datetime(2020, 1, 1, tzinfo=UTC)),
    Post("kube", "Kubernetes 集群", "Kubernetes Kubernetes Kubernetes。上线 Kubernetes。", tags=("云",),
         published_at=datetime(2024, 1, 1, tzinfo=UTC)),
    Post("kube2", "集群", "在 Kubernetes 里看日志。"),
    Post("tomato", "西红柿炒蛋", "西红柿切块，先炒蛋。"),
    Post("tomato2", "番茄汤", "番茄去皮。"),
    Post("ml", "机器学习入门", "机器学习的第一课。"),
    Post("learning", "Machine learning", "An introduction to machine learning."),
    Post("potato", "马铃薯", "马铃薯和西红柿一起炖。"),
    Post("docker", "Docker 笔记", "Docker compose。"),
    Post("docker2", "容器", "docker 的镜像。"),
    Post("docker3", "镜像", "docker 的层。"),
]  # fmt: skip


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture(scope="module")
def blog(databases: Databases, analyzer: Analyzer) -> Iterator[Connection]:
    with holding(databases, analyzer, POSTS) as conn:
        synonyms.add(conn, [parse_rule(rule) for rule in RULES])
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
        ("k8s", ["k8s", "kube", "kube2"]),
        ("番茄", ["tomato2", "tomato", "potato"]),
        ("西红柿", ["tomato", "potato"]),
        ("机器学习", ["ml", "learning"]),
        ("machine learning", ["learning", "ml"]),
        ("Machine Learning 入门", ["learning", "ml"]),
        ("k8s 部署", ["kube"]),
        ("土豆 番茄", ["potato"]),
        ('"番茄"', ["tomato2"]),
        ("番茄 -西红柿", ["tomato2"]),
        ("k8s tag:云", ["kube"]),
        ("k8s before:2021", ["k8s"]),
        ("番茄 OR 机器学习", ["ml", "tomato2", "learning", "tomato", "potato"]),
    ],
)
def test_synonyms_find_below_what_was_typed(ask, query: str, expected: list[str]) -> None:  # type: ignore[no-untyped-def]
    result = ask(query)
    typed = [hit.id for hit in result.hits if hit.why["routes"] != ["synonym"]]
    assert sorted(ids(result)) == sorted(expected)
    assert ids(result)[: len(typed)] == typed
    assert (result.total, result.guessed) == (len(expected), 0)


def test_a_hit_by_synonym_says_which_rule(ask) -> None:  # type: ignore[no-untyped-def]
    _, kube, _ = ask("k8s", explain=True).hits
    assert kube.why["routes"] == ["synonym"]
    assert kube.why["swaps"] == [{"typed": "k8s", "meant": "Kubernetes", "by": "k8s = Kubernetes"}]
    assert kube.why["matched"] == ["kubernetes"]
    assert sum(kube.why["score"].values()) == pytest.approx(kube.score)
    assert [kube.title[start:end] for start, end in kube.title_marks] == ["Kubernetes"]


def test_a_hit_by_synonym_says_what_it_lacks_of_the_reading(ask) -> None:  # type: ignore[no-untyped-def]
    hits = ask("番茄和马铃薯炒蛋").hits
    assert {hit.why["routes"][0] for hit in hits} == {"synonym"}
    assert {hit.id: hit.why["missing"] for hit in hits} == {"tomato": ["和", "马铃薯"], "potato": ["炒", "蛋"]}
    assert all("missing" not in hit.why for hit in ask("番茄").hits)


def test_readings_of_too_many_candidates_are_not_checked_either(
    databases: Databases, analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("index.match.CHECKED", 2)
    url = databases.fresh()
    with psycopg.connect(url, autocommit=True) as conn:
        upsert(conn, analyzer, [Post(f"{number}", "", "甗罍卣。斝。") for number in range(5)])
        synonyms.add(conn, [parse_rule("酒器 => 甗罍卣")])
        result = search(conn, analyzer, SearchRequest("酒器"))
        assert [hit.why["routes"] for hit in result.hits] == [["synonym"]] * 5
        left = [hit.id for hit in result.hits if hit.why.get("unchecked") == ["phrase"]]
        assert len(left) == 3
        assert result.notice_codes == ("unchecked",)
        assert not result.total_is_exact
    databases.drop(url)


def test_pages_are_slices_of_one_order_over_all_tiers(ask) -> None:  # type: ignore[no-untyped-def]
    for sort in ("relevance", "newest"):
        whole = ids(ask("k8s OR 番茄", sort=sort))
        assert len(whole) == 6
        assert [id for offset in range(6) for id in ids(ask("k8s OR 番茄", sort=sort, limit=1, offset=offset))] == whole
        assert ids(ask("k8s OR 番茄", sort=sort, limit=2, offset=1)) == whole[1:3]


def test_newest_first_orders_synonyms_among_the_others(ask) -> None:  # type: ignore[no-untyped-def]
    assert ids(ask("k8s", sort="newest")) == ["kube", "k8s", "kube2"]


def test_ids_and_facets_count_what_synonyms_find(blog: Connection, analyzer: Analyzer) -> None:
    assert find_ids(blog, analyzer, SearchRequest("k8s")) == {"k8s", "kube", "kube2"}
    assert facets(blog, analyzer, SearchRequest("k8s")).documents == 3


def test_without_the_route(ask) -> None:  # type: ignore[no-untyped-def]
    assert ids(ask("k8s", without=frozenset({"synonym"}))) == ["k8s"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("dockre", ["docker", "docker2", "docker3"]),
        ("Dokcer 镜像", ["docker2", "docker3"]),
        ("镜像dockerr", ["docker2", "docker3"]),
        ("kubernetas", ["kube", "kube2"]),
        ("kuberneats 集羣", ["kube", "kube2"]),
        ('"dockre"', []),
        ("dockre -docker", []),
        ("dcker tag:云", []),
        ("doc3er", []),
        ("dck", []),
    ],
)
def test_other_letters(ask, query: str, expected: list[str]) -> None:  # type: ignore[no-untyped-def]
    result = ask(query)
    found = [hit.id for hit in result.hits if hit.why["routes"] == ["fuzzy"]]
    assert sorted(found) == expected
    assert result.guessed == len(expected)


def test_a_hit_by_other_letters_says_so(ask) -> None:  # type: ignore[no-untyped-def]
    result = ask("dockre")
    assert result.hits[0].why["swaps"] == [{"typed": "dockre", "meant": "docker", "by": 1}]
    assert "拼写" in result.notices[0]
    assert ask("docker").notices == ()


def test_a_query_of_many_misspelt_words_reads_the_vocabulary_a_few_times(ask, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    asked: list[str] = []

    def counted(conn: Connection, generation: int, typed: str, fewest: int = 0) -> list[tuple[str, int]]:
        asked.append(typed)
        return near_words(conn, generation, typed, fewest)

    monkeypatch.setattr(fuzzy, "near_words", counted)
    ask("/".join(["wrongword"] * 100))
    assert asked == ["wrongword"]
    asked.clear()
    words = ["wrong" + chr(97 + n // 26) + chr(97 + n % 26) for n in range(100)]
    ask("/".join(words) + " OR " + "-".join(reversed(words)))
    assert asked == words[: fuzzy.LOOKED_UP]


def test_two_letters_only_in_long_words(blog: Connection) -> None:
    (generation,) = blog.execute("select id from wenci.generation where state = 'serving'").fetchone() or (0,)
    assert near_words(blog, generation, "kubernetas") == [("kubernetes", 1)]
    assert near_words(blog, generation, "kubornetas") == [("kubernetes", 2)]
    assert near_words(blog, generation, "dckar") == []
    assert near_words(blog, generation, "dockre", fewest=4) == []


def test_why_not_knows_the_other_routes(blog: Connection, analyzer: Analyzer) -> None:
    down = why_not(blog, analyzer, SearchRequest("k8s", limit=1), "kube")
    assert (down.found, down.rank) == (True, 2)
    assert [reason.kind for reason in down.reasons] == ["below_page", "synonym"]
    guess = why_not(blog, analyzer, SearchRequest("dockre"), "docker")
    assert [reason.kind for reason in guess.reasons] == ["fuzzy"]
    out = why_not(blog, analyzer, SearchRequest("番茄"), "k8s")
    assert out.reasons[0].details["readings"] == ["西红柿"]
