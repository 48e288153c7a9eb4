"""Completion over real PostgreSQL and the real analyzer."""

from collections.abc import Sequence

import pytest
from psycopg import Connection

from index import documents, suggestions
from index.db import Pool
from index.generations import reindex
from index.suggest import Suggestion, suggest
from index.suggestions import Key, keys_of
from index.tables import Tables, ensure_serving
from index.types import Post
from segmenter.analyzer import Analyzer

POSTS = [
    Post(
        "docker", "用 Docker 部署博客", "先写一个配置文件。Docker Compose 很好用。", ("Docker", "运维"), url="/docker/"
    ),
    Post("index", "数据库索引入门", "数据库的索引怎样工作。Docker Compose 也能启动数据库。", ("数据库",), ("后端",)),
    Post("travel", "重庆三日游", "重庆的火锅和步道。", ("旅行",)),
    Post("bank", "银行系统的数据库", "数据库在银行里。", ("数据库", "运维")),
]


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


def store(conn: Connection, analyzer: Analyzer, posts: Sequence[Post]) -> None:
    documents.upsert(conn, analyzer, posts)


def refill(conn: Connection, analyzer: Analyzer) -> None:
    with conn.transaction():
        suggestions.fill(Tables(conn, ensure_serving(conn, analyzer)))


@pytest.fixture
def blog(conn: Connection, analyzer: Analyzer) -> Connection:
    store(conn, analyzer, POSTS)
    return conn


def texts(found: Sequence[Suggestion], kind: str | None = None) -> list[str]:
    return [one.text for one in found if kind is None or one.kind == kind]


def test_keys_of_a_text() -> None:
    assert list(keys_of("数据库", [0])) == [Key(0, 0, "数据库"), Key(1, 0, "shujuku"), Key(2, 0, "sjk")]
    assert list(keys_of("docker", [0])) == [Key(0, 0, "docker")]
    assert [key.place for key in keys_of("用docker", [0, 1])] == [0, 0, 0, 1]


@pytest.mark.parametrize("query", ["数据", "数据库", "数 据", "shuju", "shujuk", "shu ju", "sj", "sjk", "SJK"])
def test_a_tag_is_found_by_its_text_its_pinyin_and_its_initials(
    blog: Connection, analyzer: Analyzer, query: str
) -> None:
    (tag,) = [one for one in suggest(blog, analyzer, query) if one.kind == "tag"]
    assert (tag.text, tag.documents, tag.id) == ("数据库", 2, None)


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("用do", "用 Docker 部署博客"),
        ("用 Do", "用 Docker 部署博客"),
        ("ｄｏｃｋ", "用 Docker 部署博客"),
        ("部署", "用 Docker 部署博客"),
        ("bushu", "用 Docker 部署博客"),
        ("chongqing", "重庆三日游"),
        ("cqsr", "重庆三日游"),
        ("重", "重庆三日游"),
        ("c", "重庆三日游"),
        ("yinhang", "银行系统的数据库"),
        ("yhx", "银行系统的数据库"),
    ],
)
def test_a_title_is_found_from_each_of_its_words(blog: Connection, analyzer: Analyzer, query: str, title: str) -> None:
    assert title in texts(suggest(blog, analyzer, query), "title")


def test_a_title_names_its_post(blog: Connection, analyzer: Analyzer) -> None:
    (found,) = [one for one in suggest(blog, analyzer, "用do") if one.kind == "title"]
    assert (found.id, found.url, found.route) == ("docker", "/docker/", "text")


def test_of_a_long_title_the_beginning_is_offered(conn: Connection, analyzer: Analyzer) -> None:
    store(conn, analyzer, [Post("long", "数据库索引怎样工作，" * 100, "")])
    (found,) = suggest(conn, analyzer, "数据库索引")
    assert (found.id, found.text) == ("long", "数据库索引怎样工作，" * 20)
    documents.delete(conn, ["long"])
    assert suggest(conn, analyzer, "数据库索引") == []


def test_frequent_phrases_are_as_written(blog: Connection, analyzer: Analyzer) -> None:
    assert "Docker Compose" in texts(suggest(blog, analyzer, "dockercom"), "phrase")


def test_what_begins_with_the_text_comes_before_what_sounds_like_it(conn: Connection, analyzer: Analyzer) -> None:
    store(conn, analyzer, [Post("a", "大象", "正文", ("da",)), Post("b", "大树", "正文", ("打字",))])
    found = suggest(conn, analyzer, "da")
    assert found[0].text == "da"
    assert [one.route for one in found] == sorted([one.route for one in found], key=["text", "pinyin"].index)
    assert set(texts(found)) >= {"da", "大象", "大树", "打字"}


def test_pinyin_finds_nothing_in_the_search_itself(blog: Connection, analyzer: Analyzer) -> None:
    from index.search import search
    from index.types import SearchRequest

    assert search(blog, analyzer, SearchRequest("shujuku")).total == 0


def test_limits_and_a_fixed_order(blog: Connection, analyzer: Analyzer) -> None:
    everything = suggest(blog, analyzer, "s", limit=50)
    assert len(everything) == len(set(texts(everything))) > 2
    for limit in range(len(everything) + 1):
        assert suggest(blog, analyzer, "s", limit=limit) == everything[:limit]


@pytest.mark.parametrize(
    ("query", "same"),
    [
        ("docker ", "docker"),
        (" docker\t", "docker"),
        ("docker\u3000", "docker"),
        ("docker  comp ", "dockercomp"),
        ("docker\ncomp", "dockercomp"),
        ("数据库 ", "数据库"),
        ("数据库 索引 ", "数据库索引"),
        ("shuju ku ", "shujuku"),
        (" " * 1000 + "docker", "docker"),
    ],
)
def test_white_space_around_and_between_words_counts_for_nothing(
    blog: Connection, analyzer: Analyzer, query: str, same: str
) -> None:
    found = suggest(blog, analyzer, query)
    assert found == suggest(blog, analyzer, same)
    assert found


ODD = ["", " ", "\0", "，", "%", "_", "\\", "'", "\U0010ffff", "a" * 5000, "数" * 5000, "\ud800"]


@pytest.mark.parametrize("query", ODD)
def test_odd_input_finds_nothing_and_fails_nowhere(blog: Connection, analyzer: Analyzer, query: str) -> None:
    assert suggest(blog, analyzer, query) == []


def test_an_empty_database(conn: Connection, analyzer: Analyzer) -> None:
    assert suggest(conn, analyzer, "数据") == []


def test_a_changed_post_is_followed(blog: Connection, analyzer: Analyzer) -> None:
    documents.upsert(blog, analyzer, [Post("index", "全文检索", "另一篇。", ("检索",))])
    assert "数据库索引入门" not in texts(suggest(blog, analyzer, "数据"))
    assert "全文检索" in texts(suggest(blog, analyzer, "qwjs"))
    assert [one.documents for one in suggest(blog, analyzer, "数据") if one.kind == "tag"] == [1]
    documents.delete(blog, ["index", "bank"])
    assert texts(suggest(blog, analyzer, "数据"), "tag") == []
    assert texts(suggest(blog, analyzer, "jiansuo"), "tag") == []


def test_following_changes_leaves_the_same_as_filling_anew(blog: Connection, analyzer: Analyzer) -> None:
    documents.upsert(blog, analyzer, [Post("new", "新的文章", "数据库", ("数据库", "新")), Post("travel", "x", "y")])
    documents.delete(blog, ["docker"])
    followed = everything_kept(blog)
    refill(blog, analyzer)
    assert everything_kept(blog) == followed


def everything_kept(conn: Connection) -> list[tuple[object, ...]]:
    return conn.execute(
        "select s.kind, s.text, s.id, s.documents, k.route, k.place, k.key, k.documents"
        " from wenci.suggestion s join wenci.suggestion_key k using (generation, number)"
        " union all select -1, word, sound, documents, 0, 0, '', 0 from wenci.vocabulary"
        " order by 1, 2, 3, 4, 5, 6, 7, 8"
    ).fetchall()


def test_what_a_database_from_before_lacks_comes_with_the_first_write(blog: Connection, analyzer: Analyzer) -> None:
    before = everything_kept(blog)
    blog.execute("truncate wenci.suggestion, wenci.suggestion_key, wenci.vocabulary, wenci.suggestion_state")
    documents.upsert(blog, analyzer, [Post("new", "x", "y")])
    documents.delete(blog, ["new"])
    kept = everything_kept(blog)
    assert [row for row in kept if row[0] in (0, 1)] == [row for row in before if row[0] in (0, 1)]


def test_a_new_generation_has_its_own(blog: Connection, pool: Pool, analyzer: Analyzer) -> None:
    before = everything_kept(blog)
    blog.execute("update wenci.post set fingerprint = 'another'")
    reindex(pool, analyzer, [])
    assert blog.execute("select array_agg(distinct generation) from wenci.suggestion").fetchone() == ([2],)
    assert everything_kept(blog) == before


def test_what_belongs_to_a_dropped_generation_goes(blog: Connection, analyzer: Analyzer) -> None:
    blog.execute("update wenci.generation set state = 'retired'")
    suggestions.forget_unused(blog)
    assert everything_kept(blog) == []
