"""Eight clients search while posts are written and reindexes swap: no error, no empty answer, no half state.

Posts `kept-*` belong together: only a reindex changes them, all at once, so a search must see them all in one edition.
Posts `live-*` are written one by one by somebody else meanwhile; each must be whole: title and body of one edition.
"""

import re
import threading
import time
from collections.abc import Callable, Sequence

import pytest

from index import documents
from index.db import Pool, open_pool
from index.generations import reindex, serving
from index.related import related
from index.search import search
from index.types import Post, SearchRequest, SearchResult
from segmenter.analyzer import Analyzer

CLIENTS = 8
KEPT, LIVE = 12, 5
SWAPS = 6
QUERIES = ("共同的标记", "“共同的标记”", "共同 OR 没有的词", "记", "标记 -不存在", "Docker 共同", "tag:一起")
EDITION = re.compile("第(\\d+)版")


def kept(edition: int) -> list[Post]:
    return [_post(f"kept-{n:02}", edition, n) for n in range(KEPT)]


def live(edition: int) -> list[Post]:
    return [_post(f"live-{n:02}", edition, n) for n in range(LIVE)]


def _post(id: str, edition: int, n: int) -> Post:
    body = f"第{edition}版。这里有共同的标记，也有 Docker。" + "为了部署服务器，先备份数据库。" * (n % 4)
    return Post(id, f"共同的标记：第{edition}版", body, tags=("一起",))


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


def editions_of(result: SearchResult) -> dict[str, set[str]]:
    """The editions that the title, and the snippet where it shows one, of each hit are of."""
    return {hit.id: set(EDITION.findall(hit.title)) | set(EDITION.findall(hit.snippet)) for hit in result.hits}


def check(query: str, result: SearchResult) -> None:
    found = editions_of(result)
    assert result.total == len(result.hits) == KEPT + LIVE, f"{query}: {sorted(found)}"
    torn = {id: editions for id, editions in found.items() if len(editions) != 1}
    assert not torn, f"{query}: title and body of different editions: {torn}"
    together = set().union(*(editions for id, editions in found.items() if id.startswith("kept")))
    assert len(together) == 1, f"{query}: a reindex seen half: {found}"


def test_searches_while_posts_are_written_and_generations_swap(
    database: str, analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("index.generations.PATCH_POSTS", 2)  # so that each reindex builds a generation and swaps it in
    stop = threading.Event()
    failures: list[BaseException] = []
    searches = [0] * CLIENTS
    with open_pool(database, max_size=CLIENTS + 6) as pool:
        reindex(pool, analyzer, kept(0) + live(0), workers=0)
        first = _serving(pool)

        def client(number: int) -> None:
            with pool.connection() as conn:
                conn.autocommit = True
                while not stop.is_set():
                    query = QUERIES[(searches[number] + number) % len(QUERIES)]
                    check(query, search(conn, analyzer, SearchRequest(query, limit=50)))
                    assert related(conn, analyzer, "kept-00"), "no related posts"
                    searches[number] += 1

        def writer() -> None:
            edition = 1
            with pool.connection() as conn:
                conn.autocommit = True
                while not stop.is_set():
                    for post in live(edition):
                        assert not documents.upsert(conn, analyzer, [post]).failed
                    edition += 1

        threads = [threading.Thread(target=_guarded, args=(work, failures, stop)) for work in _works(client, writer)]
        for thread in threads:
            thread.start()
        for edition in range(1, SWAPS + 1):
            reindex(pool, analyzer, kept(edition), workers=0)
            _wait_for_more(searches, stop)
        stop.set()
        for thread in threads:
            thread.join()
        assert not failures, failures[0]
        assert _serving(pool) == first + SWAPS
        assert min(searches) > 0
        with pool.connection() as conn:
            stored: dict[str, str] = dict(conn.execute("select id, title || body from wenci.post").fetchall())
        assert {id: text for id, text in stored.items() if id.startswith("kept")} == {
            post.id: post.title + post.body for post in kept(SWAPS)
        }
        assert set(stored) == {post.id for post in kept(0) + live(0)}
        assert all(len(set(EDITION.findall(text))) == 1 for text in stored.values())


def _works(client: Callable[[int], None], writer: Callable[[], None]) -> Sequence[Callable[[], None]]:
    return [*(lambda number=number: client(number) for number in range(CLIENTS)), writer]


def _guarded(work: Callable[[], None], failures: list[BaseException], stop: threading.Event) -> None:
    try:
        work()
    except BaseException as error:
        failures.append(error)
        stop.set()


def _wait_for_more(searches: Sequence[int], stop: threading.Event) -> None:
    before, deadline = sum(searches), time.monotonic() + 60
    while sum(searches) <= before + CLIENTS and not stop.is_set():
        assert time.monotonic() < deadline, "the clients stand still"
        time.sleep(0.01)


def _serving(pool: Pool) -> int:
    with pool.connection() as conn:
        current = serving(conn)
        assert current is not None
        return current.id
