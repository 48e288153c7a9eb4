"""Numbered forward-only migrations: `migrations/0001_name.sql` and so on, each applied once and never changed."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import psycopg
from psycopg import Connection
from psycopg.pq import TransactionStatus

from index.errors import MigrationChanged, MigrationError, SchemaMissing, SchemaTooNew, driver_errors
from index.queries import queries

LOCK = 0x77656E6369_01
_FILE = re.compile(r"^(\d{4})_[a-z0-9_]+\.sql$")
_NO_TRANSACTION = "-- no-transaction"


@dataclass(frozen=True, slots=True)
class Migration:
    """One file. With `-- no-transaction` on its first line, each statement (they end in `;` at a line's end) commits
    by itself and must be safe to run again."""

    name: str
    sql: str

    @property
    def number(self) -> int:
        return int(self.name[:4])

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.replace("\r\n", "\n").encode()).hexdigest()

    @property
    def in_transaction(self) -> bool:
        return not self.sql.startswith(_NO_TRANSACTION)


def available() -> list[Migration]:
    """The migrations of this program, in order. Raises `MigrationError` on a bad name or a gap in the numbers."""
    files = [file for file in resources.files("migrations").iterdir() if file.name.endswith(".sql")]
    found = sorted((Migration(file.name, file.read_text(encoding="utf-8")) for file in files), key=lambda m: m.name)
    check_names([migration.name for migration in found])
    return found


def check_names(names: Sequence[str]) -> None:
    """Raise `MigrationError` unless the names are `NNNN_words.sql`, numbered 1, 2, 3 and so on."""
    for expected, name in enumerate(names, start=1):
        match = _FILE.match(name)
        if match is None:
            raise MigrationError(f"not the name of a migration: {name}")
        if int(match[1]) != expected:
            raise MigrationError(f"migration {expected:04} is missing or stands twice, found {name}")


def migrate(conn: Connection, migrations: Sequence[Migration] | None = None) -> list[str]:
    """Apply what is missing and return the names; concurrent calls wait for one another.

    Raises `ValueError` where `conn` is inside a transaction, `MigrationChanged` where an applied file has changed and
    `SchemaTooNew` where the database knows a migration that this program does not.
    """
    if conn.info.transaction_status != TransactionStatus.IDLE:
        raise ValueError("migrate needs a connection that is not inside a transaction")
    wanted = available() if migrations is None else list(migrations)
    was_autocommit = conn.autocommit
    with driver_errors():
        conn.autocommit = True
        try:
            conn.execute("select pg_advisory_lock(%s)", [LOCK])
            try:
                return _apply_missing(conn, wanted)
            finally:
                if not conn.broken:
                    conn.execute("select pg_advisory_unlock(%s)", [LOCK])
        finally:
            if not conn.broken:
                conn.autocommit = was_autocommit


def pending(conn: Connection) -> list[str]:
    """The names that `migrate` would apply. Raises as `migrate` does; changes nothing."""
    wanted = available()
    with driver_errors():
        exists = conn.execute("select to_regclass('wenci.migration') is not null").fetchone()
        done = _applied(conn) if exists and exists[0] else {}
    return [migration.name for migration in _missing(wanted, done)]


def check_schema(conn: Connection) -> None:
    """Raise `SchemaMissing` unless every migration has been applied."""
    names = pending(conn)
    if names:
        raise SchemaMissing(f"{SchemaMissing.__doc__} (not applied yet: {', '.join(names)})")


def _apply_missing(conn: Connection, wanted: Sequence[Migration]) -> list[str]:
    for statement in ("create_schema", "create_migration_table"):
        conn.execute(queries("migrate.sql")[statement])
    missing = _missing(wanted, _applied(conn))
    for migration in missing:
        try:
            _apply(conn, migration)
        except psycopg.Error as error:
            raise MigrationError(f"Migration {migration.name} failed: {error}") from error
    return [migration.name for migration in missing]


def _apply(conn: Connection, migration: Migration) -> None:
    record = queries("migrate.sql")["record_migration"]
    if migration.in_transaction:
        with conn.transaction():
            conn.execute(migration.sql)
            conn.execute(record, [migration.name, migration.checksum])
        return
    for statement in re.split(r";[ \t]*$", migration.sql, flags=re.MULTILINE):
        if re.sub(r"--.*", "", statement).strip():
            conn.execute(statement)
    conn.execute(record, [migration.name, migration.checksum])


def _applied(conn: Connection) -> dict[str, str]:
    return dict(conn.execute(queries("migrate.sql")["applied_migrations"]).fetchall())


def _missing(wanted: Sequence[Migration], done: dict[str, str]) -> list[Migration]:
    unknown = sorted(done.keys() - {migration.name for migration in wanted})
    if unknown:
        raise SchemaTooNew(f"{SchemaTooNew.__doc__} (unknown here: {', '.join(unknown)})")
    for migration in wanted:
        if done.get(migration.name, migration.checksum) != migration.checksum:
            raise MigrationChanged(f"{MigrationChanged.__doc__} ({migration.name})")
    return [migration for migration in wanted if migration.name not in done]
