"""`kill -9` in the middle of a reindex and of a stream of upserts: no post lost, none half indexed, both go on."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from index import documents
from index.db import open_pool
from index.generations import reindex, serving
from tests.index.conftest import Databases
from tests.index.samples import SmallAnalyzer, check_whole, make_posts

SMALL = SmallAnalyzer()
COUNT = 120
PROGRAM = """
import sys
import index.build, index.bulk, index.intake
from index import documents
from index.db import open_pool
from index.generations import reindex
from tests.index.samples import SmallAnalyzer, make_posts

what, url, seed = sys.argv[1:4]
index.intake.BATCH_POSTS = 4
index.build.LEXEMES_IN_MEMORY = 30
index.build.COPY_PAGE = index.build.READ_PAGE = 5
index.bulk.WORTH_A_PROCESS = 2_000
with open_pool(url, max_size=3) as pool:
    if what == "reindex":
        tell = lambda event: print(event.phase, event.done, flush=True)
        reindex(pool, SmallAnalyzer(), make_posts(120, edition=2), on_event=tell, workers=1)
    else:
        with pool.connection() as conn:
            for edition in range(1, 1000):
                for post in make_posts(10, edition):
                    print("begin", edition, post.id, flush=True)
                    documents.upsert(conn, SmallAnalyzer(), [post])
                    print("end", edition, post.id, flush=True)
"""


def started(*arguments: str) -> subprocess.Popen[str]:
    root = str(Path(__file__).parent.parent.parent)
    return subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {root!r})\n{PROGRAM}", *arguments],
        stdout=subprocess.PIPE,
        text=True,
    )


def lines(program: subprocess.Popen[str]) -> Iterator[list[str]]:
    assert program.stdout is not None
    for line in program.stdout:
        yield line.split()


def kill(program: subprocess.Popen[str]) -> list[list[str]]:
    """Kill the program and return what it had still said."""
    program.kill()
    rest = list(lines(program))
    program.wait()
    return rest


@pytest.mark.parametrize(("phase", "done"), [("read", 8), ("read", 100), ("carry", 0), ("index", 0), ("swap", 0)])
def test_killed_in_a_reindex(databases: Databases, phase: str, done: int) -> None:
    old, new = make_posts(COUNT + 10), make_posts(COUNT, edition=2)
    url = databases.fresh()
    with open_pool(url, max_size=3) as pool:
        reindex(pool, SMALL, old, workers=0)
        program = started("reindex", url, "0")
        for said in lines(program):
            if said[0] == phase and int(said[1]) >= done:
                break
        time.sleep(random.Random(phase + str(done)).random() / 20)
        has_ended = ["done", str(COUNT + 10)] in kill(program)
        with psycopg.connect(url, autocommit=True) as conn:
            _wait_for_the_end(conn)
            current = serving(conn)
            assert current is not None
            body = conn.execute(
                "select body from wenci.post where generation = %s and id = 'post-0'", [current.id]
            ).fetchone()
            is_swapped = body == (new[0].body,)
            assert is_swapped or not has_ended
            expected = {post.id: post for post in old} | ({post.id: post for post in new} if is_swapped else {})
            stored = conn.execute("select id, body from wenci.post where generation = %s", [current.id]).fetchall()
            assert dict(stored) == {id: post.body for id, post in expected.items()}
        report = reindex(pool, SMALL, new, workers=0)
        assert report.unchanged + report.resumed + report.changed == COUNT
        if phase in ("carry", "index", "swap"):
            assert report.changed == 0
        with psycopg.connect(url, autocommit=True) as conn:
            check_whole(conn, new + old[COUNT:])
    databases.drop(url)


@pytest.mark.parametrize("seed", range(3))
def test_killed_in_a_stream_of_upserts(databases: Databases, seed: int) -> None:
    url = databases.fresh()
    program = started("upserts", url, str(seed))
    stop = random.Random(seed).randrange(30, 70)
    heard = []
    for said in lines(program):
        heard.append(said)
        if len(heard) >= stop:
            break
    time.sleep(random.Random(seed + 100).random() / 20)
    heard += kill(program)
    finished = {id: int(edition) for what, edition, id in heard if what == "end"}
    begun = {id: int(edition) for what, edition, id in heard if what == "begin"}
    with psycopg.connect(url, autocommit=True) as conn:
        _wait_for_the_end(conn)
        stored = {id: post for id in begun if (post := documents.get(conn, id)) is not None}
        assert set(finished) <= set(stored)
        for id, post in stored.items():
            editions = {edition for edition in (finished.get(id), begun[id]) if edition}
            assert post in [one for edition in editions for one in make_posts(10, edition) if one.id == id]
        check_whole(conn, list(stored.values()))
        documents.upsert(conn, SMALL, make_posts(10, edition=2000))
        check_whole(conn, make_posts(10, edition=2000))
    databases.drop(url)


def _wait_for_the_end(conn: psycopg.Connection) -> None:
    """Of what the killed program's connection was still doing."""
    others = (
        "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        " and application_name = 'wenci' and state <> 'idle' and backend_type"
    )
    deadline = time.monotonic() + 10
    while conn.execute(f"{others} = 'client backend'").fetchone() and time.monotonic() < deadline:
        time.sleep(0.05)
