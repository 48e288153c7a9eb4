"""Migrations: names, checksums, the schema they add up to, a second run, several runs at once."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg import Connection

from index.errors import MigrationChanged, MigrationError, SchemaMissing, SchemaTooNew
from index.migrate import Migration, available, check_names, check_schema, migrate, pending
from tests.index.conftest import Databases

SNAPSHOT = Path(__file__).with_name("schema.txt")

TABLE = Migration("0001_table.sql", "create table wenci.sample (n int);")
ROWS = Migration(
    "0002_rows.sql", "-- no-transaction\ninsert into wenci.sample values (1);\ninsert into wenci.sample values (2);\n"
)
BROKEN = Migration("0002_broken.sql", "insert into wenci.sample values (1); select 1/0;")


@pytest.fixture
def empty(databases: Databases) -> str:
    return databases.empty()


def describe(conn: Connection) -> str:
    """The schema as text: tables with their columns, indexes, constraints, functions."""
    parts = [
        "select relname || '.' || attname || ' ' || format_type(atttypid, atttypmod) ||"
        " case when attnotnull then ' not null' else '' end"
        " from pg_attribute join pg_class c on c.oid = attrelid where relnamespace = 'wenci'::regnamespace"
        " and relkind in ('r', 'p') and attnum > 0 order by relname, attnum",
        "select indexdef from pg_indexes where schemaname = 'wenci' order by 1",
        "select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint"
        " where connamespace = 'wenci'::regnamespace and contype <> 'n' order by 1",
        "select proname || '(' || pg_get_function_identity_arguments(oid) || ') ' || md5(prosrc) from pg_proc"
        " where pronamespace = 'wenci'::regnamespace order by 1",
    ]
    return "\n\n".join("\n".join(str(row[0]) for row in conn.execute(part)) for part in parts) + "\n"


def test_names_are_numbered_without_a_gap() -> None:
    assert [migration.number for migration in available()] == list(range(1, len(available()) + 1))


@pytest.mark.parametrize(
    "names",
    [
        ["0002_first.sql"],
        ["0001_a.sql", "0003_b.sql"],
        ["0001_a.sql", "0001_b.sql"],
        ["1_a.sql"],
        ["0001_A.sql"],
        ["0001.sql"],
    ],
)
def test_wrong_names_are_refused(names: list[str]) -> None:
    with pytest.raises(MigrationError):
        check_names(names)


def test_the_checksum_is_that_of_the_text_whatever_the_line_ends() -> None:
    assert Migration("0001_a.sql", "a;\r\nb;").checksum == Migration("0001_a.sql", "a;\nb;").checksum
    assert Migration("0001_a.sql", "a; b;").checksum != Migration("0001_a.sql", "a;\nb;").checksum


def test_all_of_them_add_up_to_the_snapshot(any_database: str) -> None:
    """After a new migration, look at the difference and write it to the snapshot."""
    with psycopg.connect(any_database) as conn:
        assert describe(conn) == SNAPSHOT.read_text()


def test_a_second_run_does_nothing(empty: str) -> None:
    with psycopg.connect(empty) as conn:
        assert pending(conn) == [migration.name for migration in available()]
        conn.rollback()
        with pytest.raises(SchemaMissing):
            check_schema(conn)
        conn.rollback()
        assert migrate(conn) == [migration.name for migration in available()]
        before = conn.execute("select name, checksum, applied_at from wenci.migration").fetchall()
        conn.rollback()
        assert migrate(conn) == []
        assert conn.execute("select name, checksum, applied_at from wenci.migration").fetchall() == before
        check_schema(conn)


def test_concurrent_runs_apply_each_once(empty: str) -> None:
    def run(_: int) -> list[str]:
        with psycopg.connect(empty) as conn:
            return migrate(conn)

    with ThreadPoolExecutor(4) as threads:
        applied = list(threads.map(run, range(4)))
    assert sorted(applied) == sorted([[], [], [], [migration.name for migration in available()]])


def test_a_changed_file_is_refused_by_name(empty: str) -> None:
    with psycopg.connect(empty) as conn:
        migrate(conn, [TABLE])
        with pytest.raises(MigrationChanged, match="0001_table"):
            migrate(conn, [Migration(TABLE.name, TABLE.sql + " ")])
        assert not conn.autocommit


def test_a_schema_from_the_future_is_refused_by_name(empty: str) -> None:
    with psycopg.connect(empty) as conn:
        migrate(conn, [TABLE, ROWS])
        with pytest.raises(SchemaTooNew, match="0002_rows"):
            migrate(conn, [TABLE])


def test_a_failing_migration_leaves_nothing_of_itself(empty: str) -> None:
    with psycopg.connect(empty) as conn:
        with pytest.raises(MigrationError, match=r"0002_broken.*division by zero"):
            migrate(conn, [TABLE, BROKEN])
        assert conn.execute("select count(*) from wenci.sample").fetchone() == (0,)
        conn.rollback()
        assert migrate(conn, [TABLE, ROWS]) == ["0002_rows.sql"]
        assert conn.execute("select array_agg(n order by n) from wenci.sample").fetchone() == ([1, 2],)


def test_inside_a_transaction_it_is_refused(conn: Connection) -> None:
    with conn.transaction(), pytest.raises(ValueError, match="transaction"):
        migrate(conn)
