"""Vectors of posts on real PostgreSQL with pgvector, and what the semantic route finds by them."""

from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np
import psycopg
import pytest
from psycopg import Connection

from index import embed as embedding
from index import queue, semantic, tiers
from index.db import Pool, open_pool
from index.documents import delete, upsert
from index.embed import Embedded, Vectors, embed, pending, vectors
from index.generations import reindex
from index.search import find_ids, search
from index.types import Post, SearchRequest, SearchResult
from index.why_not import why_not
from segmenter.analyzer import Analyzer
from tests.index.conftest import Databases

POSTS = [
    Post("docker", "用 Docker 部署博客", "先写 Dockerfile，再把镜像推到服务器，用容器启动博客。", tags=("运维",),
         published_at=datetime(2024, 1, 1, tzinfo=UTC)),
    Post("compose", "容器编排入门", "把服务写进 compose 文件，容器一起启动，镜像一起更新。"),
    Post("tea", "龙井茶的泡法", "水温八十度，先温杯，再投茶。"),
    Post("cat", "猫的饮食", "猫粮每天两次，水要常换。"),
    Post("empty", "", ""),
]  # fmt: skip

needs_pgvector = pytest.mark.usefixtures("pgvector")


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture(scope="module")
def blog(databases: Databases, pgvector: None, analyzer: Analyzer) -> Iterator[Pool]:
    url = databases.fresh()
    with open_pool(url, max_size=4) as pool:
        with pool.connection() as conn:
            assert not upsert(conn, analyzer, POSTS).failed
        assert embed(pool) == Embedded(done=5, rows=5)
        yield pool
    databases.drop(url)


@pytest.fixture
def ask(blog: Pool, analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.setattr(tiers, "FLOOR", 0.5)

    def ask(query: str, **fields: object) -> SearchResult:
        with blog.connection() as conn:
            return search(conn, analyzer, SearchRequest(query, **fields))  # type: ignore[arg-type]

    return ask


def near(result: SearchResult) -> list[str]:
    return [hit.id for hit in result.hits if hit.why["routes"] == ["semantic"]]


QUESTION = "怎样把网站放进集装箱里运行"


def test_posts_near_in_meaning_come_last_with_a_label(ask, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(tiers, "FLOOR", 0.0)
    result = ask("怎样启动容器里的网站程序", explain=True)
    routes = [hit.why["routes"] for hit in result.hits]
    assert routes == sorted(routes, key=lambda found: found == ["semantic"])
    assert ["semantic"] in routes
    assert result.guessed == routes.count(["semantic"])
    last = result.hits[-1]
    assert last.score == pytest.approx(last.why["similarity"], abs=1e-3)
    assert last.why["score"] == {"meaning": last.score}
    assert "意思相近" in result.notices[-1]


@pytest.mark.parametrize("query", ['"容器编排入门指南大全"', f"{QUESTION} -茶", f"{QUESTION} OR 没有的词", "集装箱"])
def test_not_for_quoted_excluding_either_or_and_short_queries(ask, query: str) -> None:  # type: ignore[no-untyped-def]
    assert near(ask(query)) == []


def test_filters_hold(ask) -> None:  # type: ignore[no-untyped-def]
    assert near(ask(f"{QUESTION} tag:运维")) in ([], ["docker"])
    assert "docker" not in near(ask(f"{QUESTION} before:2023"))
    assert set(near(ask(QUESTION))) - {"docker"}


def test_not_below_the_floor(ask, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(tiers, "FLOOR", 0.999)
    assert near(ask(QUESTION)) == []


def test_ids_are_those_of_the_search(ask, blog: Pool, analyzer: Analyzer) -> None:  # type: ignore[no-untyped-def]
    with blog.connection() as conn:
        assert find_ids(conn, analyzer, SearchRequest(QUESTION)) == {hit.id for hit in ask(QUESTION, limit=50).hits}


def test_why_not_says_that_it_is_only_near(ask, blog: Pool, analyzer: Analyzer) -> None:  # type: ignore[no-untyped-def]
    id = near(ask(QUESTION))[0]
    with blog.connection() as conn:
        assert "semantic" in [reason.kind for reason in why_not(conn, analyzer, SearchRequest(QUESTION), id).reasons]


def test_meaning_counts_in_the_order_of_what_is_found(ask) -> None:  # type: ignore[no-untyped-def]
    parts = ask("容器启动博客服务", explain=True).hits[0].why["score"]
    others = sum(parts.values()) - parts.get("phrase", 0) - parts["meaning"]
    assert -others < parts["meaning"] < 0
    assert "meaning" not in ask("容器启动博客服务", explain=True, without=frozenset({"meaning"})).hits[0].why["score"]


def test_stored_cosines_are_those_of_the_model(blog: Pool) -> None:
    model = semantic.model()
    assert model is not None
    with blog.connection() as conn:
        (generation,) = conn.execute("select id from wenci.generation where state = 'serving'").fetchone() or (0,)
        ords = dict(conn.execute("select id, ord from wenci.post where generation = %s", [generation]))
        found = semantic.meaning(conn, generation)
        assert found is not None
        vector = found.vector(QUESTION)
        cosines = found.cosines(vector, ords.values())
        for post in POSTS[:4]:
            wanted = float(vector @ model.vector(f"{post.title}\n{post.body}"))
            assert cosines[ords[post.id]] == pytest.approx(wanted, abs=2e-3)
        assert ords["empty"] not in cosines
        assert found.nearest(vector, 2) == dict(sorted(cosines.items(), key=lambda pair: -pair[1])[:2])
        stored = found.vector_of(ords["tea"])
        assert stored is not None
        assert np.linalg.norm(stored) == pytest.approx(1, abs=1e-2)


@needs_pgvector
def test_changed_posts_wait_for_a_new_vector_and_gone_ones_lose_theirs(pool: Pool, analyzer: Analyzer) -> None:
    with pool.connection() as conn:
        upsert(conn, analyzer, POSTS[:3])
    assert embed(pool).done == 3
    with pool.connection() as conn:
        upsert(conn, analyzer, [Post("tea", "新的题目", "新的正文，讲别的事情。")])
        delete(conn, ["docker"])
        assert pending(conn) == 1
        found = semantic.meaning(conn, 1)
        assert found is not None
        assert len(found.nearest(found.vector(QUESTION), 10)) == 1
    assert embed(pool) == Embedded(done=1, removed=1, rows=2)
    assert embed(pool) == Embedded(rows=2)


@needs_pgvector
def test_vectors_of_posts_that_are_gone_are_not_counted(pool: Pool, analyzer: Analyzer) -> None:
    with pool.connection() as conn:
        upsert(conn, analyzer, [Post(f"{number}", "部署", f"第{number}次部署服务器。") for number in range(3)])
    embed(pool)
    with pool.connection() as conn:
        delete(conn, ["0", "1"])
        upsert(conn, analyzer, [Post("3", "备份", "先备份数据库。")])
        assert vectors(conn) == Vectors(made=1, waiting=1, stale=0)


@needs_pgvector
def test_a_reindex_keeps_the_vectors(pool: Pool, analyzer: Analyzer) -> None:
    with pool.connection() as conn:
        upsert(conn, analyzer, POSTS[:3])
    embed(pool)
    longer = analyzer.with_user_dictionary(_words())
    reindex(pool, longer, [])
    with pool.connection() as conn:
        assert pending(conn) == 0


def _words():  # type: ignore[no-untyped-def]
    from segmenter.user_dictionary import UserDictionary

    words = UserDictionary()
    words.add("温杯投茶")
    return words


@needs_pgvector
def test_a_run_that_was_stopped_goes_on(pool: Pool, analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "BATCH", 2)
    told = []

    def stop(done: int, total: int) -> None:
        told.append((done, total))
        if done == 2:
            raise KeyboardInterrupt

    with pool.connection() as conn:
        upsert(conn, analyzer, POSTS[:4])
    with pytest.raises(KeyboardInterrupt):
        embed(pool, stop)
    assert told == [(0, 4), (2, 4)]
    with pool.connection() as conn:
        assert semantic.meaning(conn, 1) is not None
        assert pending(conn) == 2
    assert embed(pool).done == 2


@needs_pgvector
def test_after_its_time_a_run_leaves_the_rest_to_a_later_job(
    pool: Pool, analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "BATCH", 2)
    with pool.connection() as conn:
        upsert(conn, analyzer, POSTS[:4])
    assert embed(pool, patience=-1.0).done == 2
    with pool.connection() as conn:
        assert pending(conn) == 2
        assert [job.state for job in queue.recent(conn)] == ["queued"]
        conn.execute("delete from wenci.job")
    assert embed(pool, patience=60.0).done == 2
    with pool.connection() as conn:
        assert queue.recent(conn) == []


@needs_pgvector
def test_vectors_of_another_model_do_not_count(pool: Pool, analyzer: Analyzer) -> None:
    with pool.connection() as conn:
        upsert(conn, analyzer, POSTS[:3])
    embed(pool)
    with pool.connection() as conn:
        conn.execute("update wenci.embedding set model = 'older'")
        conn.execute("update wenci.embedding_state set model = 'older'")
        assert semantic.meaning(conn, 1) is None
        assert pending(conn) == 3
    assert embed(pool).done == 3
    with pool.connection() as conn:
        assert len(semantic.states(conn)) == 1


@needs_pgvector
def test_beyond_the_bound_an_index_is_made(pool: Pool, analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic, "EXACT", 2)
    with pool.connection() as conn:
        upsert(conn, analyzer, POSTS[:4])
    embed(pool)
    with pool.connection() as conn:
        assert conn.execute("select to_regclass('wenci.embedding_nearest') is not null").fetchone() == (True,)
        found = semantic.meaning(conn, 1)
        assert found is not None
        conn.execute("set local enable_seqscan = off")
        assert len(found.nearest(found.vector(QUESTION), 3)) == 3


@needs_pgvector
def test_an_extension_dropped_under_a_running_service_takes_only_its_route(pool: Pool, analyzer: Analyzer) -> None:
    with pool.connection() as conn:
        assert not upsert(conn, analyzer, POSTS).failed
    assert embed(pool).rows == 5
    with pool.connection() as conn:
        conn.execute("drop extension vector cascade")
    with pool.connection() as conn:
        assert [hit.id for hit in search(conn, analyzer, SearchRequest("用容器启动博客的服务")).hits][:1] == ["docker"]
    assert embed(pool) == Embedded(done=5, rows=5)


def test_where_pgvector_is_missing_the_rest_works(any_database: str, analyzer: Analyzer) -> None:
    with open_pool(any_database, max_size=2) as pool:
        with pool.connection() as conn:
            upsert(conn, analyzer, POSTS)
            available = conn.execute("select 1 from pg_available_extensions where name = 'vector'").fetchone()
        outcome = embed(pool)
        assert (outcome.off is None) == (available is not None)
        with pool.connection() as conn:
            assert (pending(conn) is None) == (available is None)
            assert search(conn, analyzer, SearchRequest(QUESTION)).query == QUESTION
            assert [hit.id for hit in search(conn, analyzer, SearchRequest("龙井茶")).hits] == ["tea"]


def test_requests_do_not_pile_up(conn: Connection) -> None:
    for _ in range(3):
        embedding.request(conn)
    assert len(queue.recent(conn)) == 1
    conn.execute("update wenci.job set state = 'running'")
    for _ in range(3):
        embedding.request(conn)
    assert len(queue.recent(conn)) == 2


def test_the_migration_alone_makes_no_table(conn: psycopg.Connection) -> None:
    assert conn.execute("select to_regclass('wenci.embedding') is null").fetchone() == (True,)
