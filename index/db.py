"""Connections to PostgreSQL: a pool that waits for the server, and what the server at the other end can do."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import Connection
from psycopg_pool import ConnectionPool

from index.errors import DatabaseError, DatabaseTooOld, DatabaseUnavailable, driver_errors
from index.queries import queries

OLDEST_VERSION = 15_00_00

Pool = ConnectionPool[Connection[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Features:
    """`version` is the major one. `vector` is the version of pgvector in this database, or None without it;
    `vector_available` says that the server has it to install."""

    version: int
    vector: str | None
    vector_available: bool


def open_pool(
    url: str, *, min_size: int = 1, max_size: int = 8, statement_timeout: float = 30.0, patience: float = 30.0
) -> Pool:
    """A pool of connections to `url` (a libpq URL or key=value string); a context manager.

    Waits up to `patience` seconds for a server that is starting. Statements end after `statement_timeout` seconds.
    Raises `DatabaseUnavailable`, or `DatabaseTooOld` below PostgreSQL 15, or `DatabaseError` where the database is
    not in UTF-8.
    """
    _wait_for(url, patience)

    def configure(conn: Connection) -> None:
        # In UTC the driver can read every date that a post may have: in other zones the year 9999 may end in 10000.
        settings = "select set_config('timezone', 'UTC', false), set_config('statement_timeout', %s, false)"
        conn.execute(settings, [str(int(statement_timeout * 1000))])
        conn.commit()

    with driver_errors():
        pool = ConnectionPool(
            url,
            kwargs={"connect_timeout": 10, "application_name": "wenci"},
            min_size=min_size,
            max_size=max_size,
            timeout=patience,
            configure=configure,
            check=ConnectionPool.check_connection,
            open=False,
        )
        pool.open(wait=True, timeout=patience)
    return pool


@contextmanager
def connection(pool: Pool) -> Iterator[Connection]:
    """A connection of the pool for one transaction; errors of the driver leave as `index.errors`."""
    with driver_errors(), pool.connection() as conn:
        yield conn


def features(conn: Connection) -> Features:
    """What the server at the other end can do."""
    row = conn.execute(queries("db.sql")["vector"]).fetchone()
    installed, available = row if row is not None else (None, False)
    return Features(conn.info.server_version // 10_000, installed, available)


def _wait_for(url: str, patience: float) -> None:
    deadline = time.monotonic() + patience
    pause = 0.05
    while True:
        try:
            with psycopg.connect(url, connect_timeout=10) as conn:
                _check_server(conn)
                return
        except psycopg.OperationalError as error:
            if time.monotonic() + pause > deadline or not _may_pass(error):
                raise DatabaseUnavailable(f"PostgreSQL cannot be reached: {_one_line(error)}") from error
        except psycopg.Error as error:
            raise DatabaseError(f"Not a usable database URL: {_one_line(error)}") from error
        time.sleep(pause)
        pause = min(2 * pause, 2.0)


def _may_pass(error: psycopg.OperationalError) -> bool:
    """Waiting helps while nobody listens or the server is starting, not for a wrong password or database."""
    lasting = ("authentication failed", "does not exist", "no password supplied", "no pg_hba.conf entry")
    return not any(sign in str(error) for sign in lasting)


def _check_server(conn: Connection) -> None:
    if conn.info.server_version < OLDEST_VERSION:
        version = conn.info.parameter_status("server_version")
        raise DatabaseTooOld(f"PostgreSQL 15 or newer is needed; this server is version {version}.")
    encoding = conn.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise DatabaseError(f"The database must be in the encoding UTF8; this one is in {encoding}.")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
