"""Connecting: waiting for the server, refusing what cannot work, one family of errors."""

import threading
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from psycopg import Connection, conninfo

from index import db, documents
from index.db import connection, features, open_pool
from index.embedded import EmbeddedPostgres
from index.errors import (
    DatabaseError,
    DatabaseTooOld,
    DatabaseUnavailable,
    IndexingError,
    SchemaMissing,
    StatementTimeout,
    driver_errors,
)
from tests.index.conftest import FAST, Databases


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnavailable, match="cannot be reached"):
        open_pool(f"host={tmp_path} dbname=wenci", patience=0.3)


def test_no_such_database_is_said_at_once(databases: Databases) -> None:
    with pytest.raises(DatabaseUnavailable, match="does not exist"):
        open_pool(databases.url_of("wenci_nowhere"), patience=600)


def test_what_is_not_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DatabaseError, match="Not a usable database URL"):
        open_pool("wenci:wenci:wenci", patience=0)


def test_it_waits_for_a_server_that_starts(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = Path("/tmp") / tmp_path_factory.mktemp("wenci").name
    server = EmbeddedPostgres(folder, settings=FAST).start()
    url = server.url
    server.stop()
    late = threading.Timer(0.5, server.start)
    late.start()
    try:
        with open_pool(url, patience=60) as pool, connection(pool) as conn:
            assert conn.execute("select 1").fetchone() == (1,)
    finally:
        late.join()
        server.stop()


def test_an_old_server_is_refused_by_its_version(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(db, "OLDEST_VERSION", 99_00_00)
    with pytest.raises(DatabaseTooOld, match=r"this server is version 1\d\."):
        open_pool(database)


def test_another_encoding_is_refused(databases: Databases) -> None:
    with psycopg.connect(databases.url, autocommit=True) as conn:
        conn.execute("create database wenci_latin template template0 encoding 'LATIN1' locale 'C' locale_provider libc")
        try:
            with pytest.raises(DatabaseError, match="UTF8; this one is in LATIN1"):
                open_pool(databases.url_of("wenci_latin"))
        finally:
            conn.execute("drop database wenci_latin")


def test_statements_end_after_their_time(database: str) -> None:
    with (
        open_pool(database, statement_timeout=0.2) as pool,
        pytest.raises(StatementTimeout),
        connection(pool) as conn,
    ):
        conn.execute("select pg_sleep(30)")


def test_every_date_can_be_read_whatever_the_zone_of_the_server(databases: Databases) -> None:
    url = databases.fresh()
    name = conninfo.conninfo_to_dict(url)["dbname"]
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(f"alter database {name} set timezone = 'Asia/Shanghai'")
    last = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    with open_pool(url, max_size=1) as pool, pool.connection() as conn:
        assert conn.execute("select timestamptz '9999-12-31 23:59:59+00'").fetchone() == (last,)
    databases.drop(url)


def test_an_exhausted_pool_is_unavailable(database: str) -> None:
    with open_pool(database, max_size=1) as pool, connection(pool):
        pool.timeout = 0.2
        with pytest.raises(DatabaseUnavailable), connection(pool):
            pass


def test_a_connection_that_broke_is_replaced(database: str) -> None:
    with open_pool(database, max_size=1) as pool:
        with connection(pool) as conn:
            (pid,) = conn.execute("select pg_backend_pid()").fetchone() or (0,)
        with psycopg.connect(database, autocommit=True) as other:
            other.execute("select pg_terminate_backend(%s, 5000)", [pid])
        with connection(pool) as conn:
            assert conn.execute("select 1").fetchone() == (1,)


def test_a_missing_schema_is_named(databases: Databases) -> None:
    with (
        psycopg.connect(databases.empty()) as conn,
        pytest.raises(SchemaMissing, match="wenci migrate"),
        driver_errors(),
    ):
        documents.get(conn, "a")


def test_other_errors_of_the_driver_belong_to_the_family(conn: Connection) -> None:
    with pytest.raises(DatabaseError, match="division by zero") as caught, driver_errors():
        conn.execute("select 1/0")
    assert isinstance(caught.value, IndexingError)
    assert isinstance(caught.value.__cause__, psycopg.Error)


def test_what_is_too_large_for_the_server_is_no_outage(conn: Connection) -> None:
    conn.execute("create temp table small (text text primary key)")
    with pytest.raises(DatabaseError, match="reported an error: index row") as caught, driver_errors():
        conn.execute("insert into small select string_agg(md5(n::text), '') from generate_series(1, 300) as n")
    assert not isinstance(caught.value, DatabaseUnavailable)


def test_what_the_server_has(any_database: str) -> None:
    with psycopg.connect(any_database, autocommit=True) as conn:
        before = features(conn)
        assert before.version == conn.info.server_version // 10_000
        assert before.vector is None
        if before.vector_available:
            conn.execute("create extension vector")
            assert features(conn).vector


def test_addresses_as_key_and_value_work_too(database: str) -> None:
    assert "host" in conninfo.conninfo_to_dict(database)
    with open_pool(database) as pool:
        assert pool.get_stats()["pool_size"] >= 1
