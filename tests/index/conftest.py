"""Real PostgreSQL for the tests: one server a session, one migrated template, a fresh database for each test.

The server is the embedded one, or that of WENCI_TEST_DATABASE_URL. Tests that take `any_database` run on every server
there is: the embedded one, WENCI_TEST_DATABASE_URL, and a cluster of Debian's PostgreSQL 15 where it is installed.
"""

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from hypothesis import settings
from psycopg import Connection, conninfo, sql

from index.db import Pool, open_pool
from index.documents import upsert
from index.embedded import EmbeddedPostgres
from index.migrate import migrate
from index.rows import DocumentAnalyzer
from index.types import Post

DEBIAN_15 = Path("/usr/lib/postgresql/15/bin")
TEST_URL = "WENCI_TEST_DATABASE_URL"
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "100"}


class Databases:
    """Fresh databases of one server, copied from a template that has been migrated once."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.template = f"wenci_test_{uuid.uuid4().hex[:12]}"
        self._admin = psycopg.connect(url, autocommit=True)
        self._made: list[str] = []
        self.create(self.template, "template0")
        with psycopg.connect(self.url_of(self.template)) as conn:
            migrate(conn)

    def url_of(self, database: str) -> str:
        return conninfo.make_conninfo(self.url, dbname=database)

    def create(self, name: str, template: str) -> None:
        self._admin.execute(
            sql.SQL("create database {} template {} encoding 'UTF8'").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
        self._made.append(name)

    def fresh(self) -> str:
        """The URL of a new database with the schema and no rows."""
        name = f"{self.template}_{uuid.uuid4().hex[:8]}"
        self.create(name, self.template)
        return self.url_of(name)

    def empty(self) -> str:
        """The URL of a new database without any migration."""
        name = f"{self.template}_{uuid.uuid4().hex[:8]}"
        self.create(name, "template0")
        return self.url_of(name)

    def drop(self, url: str) -> None:
        name = str(conninfo.conninfo_to_dict(url)["dbname"])
        self._admin.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))
        self._made.remove(name)

    def close(self) -> None:
        for name in list(self._made):
            self.drop(self.url_of(name))
        self._admin.close()


@contextmanager
def holding(databases: Databases, analyzer: DocumentAnalyzer, posts: Sequence[Post]) -> Iterator[Connection]:
    """A connection to a fresh database that holds these posts; the database is gone afterwards."""
    url = databases.fresh()
    with psycopg.connect(url, autocommit=True) as conn:
        assert not upsert(conn, analyzer, posts).failed
        yield conn
    databases.drop(url)


def start(stack: ExitStack, programs: Path | None = None) -> Databases:
    """The databases of a new embedded server, which stops when the stack unwinds."""
    folder = Path(tempfile.mkdtemp(prefix="wenci-test-", dir="/tmp"))
    folder.chmod(0o755)
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    server = stack.enter_context(EmbeddedPostgres(folder, settings=FAST, programs=programs))
    return stack.enter_context(closing(Databases(server.url)))


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    with ExitStack() as stack:
        url = os.environ.get(TEST_URL)
        yield stack.enter_context(closing(Databases(url))) if url else start(stack)


@pytest.fixture(scope="session")
def pgvector(databases: Databases) -> None:
    """For tests that need vectors: a server of WENCI_TEST_DATABASE_URL may have none."""
    with psycopg.connect(databases.url) as conn:
        if conn.execute("select from pg_available_extensions where name = 'vector'").fetchone() is None:
            pytest.skip("the server has no pgvector")


@pytest.fixture
def database(databases: Databases) -> Iterator[str]:
    """The URL of a fresh, migrated database."""
    url = databases.fresh()
    yield url
    databases.drop(url)


@pytest.fixture
def pool(database: str) -> Iterator[Pool]:
    with open_pool(database, max_size=6) as pool:
        yield pool


@pytest.fixture
def conn(database: str) -> Iterator[Connection]:
    with psycopg.connect(database, autocommit=True) as conn:
        yield conn


@pytest.fixture(scope="session", params=["embedded", "url", "debian-15"])
def every_server(request: pytest.FixtureRequest) -> Iterator[Databases]:
    """Each PostgreSQL that is at hand, in turn."""
    with ExitStack() as stack:
        if request.param == "debian-15":
            if not DEBIAN_15.exists():
                pytest.skip("PostgreSQL 15 is not installed")
            yield start(stack, DEBIAN_15)
        elif request.param == "url":
            url = os.environ.get(TEST_URL)
            if not url:
                pytest.skip(f"{TEST_URL} is not set")
            yield stack.enter_context(closing(Databases(url)))
        elif os.environ.get(TEST_URL):
            yield start(stack)
        else:
            yield request.getfixturevalue("databases")


@pytest.fixture
def any_database(every_server: Databases) -> Iterator[str]:
    """The URL of a fresh, migrated database on each server in turn."""
    url = every_server.fresh()
    yield url
    every_server.drop(url)
