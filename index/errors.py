"""One family of errors. The first line of a docstring is the default message; `api` maps the classes to HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import psycopg_pool


class IndexingError(Exception):
    """The index could not do what was asked."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").split("\n", 1)[0])


class PostNotFound(IndexingError):
    """There is no post with this id."""


class UnusablePost(IndexingError):
    """The post cannot be indexed."""


class ReindexRunning(IndexingError):
    """Another reindex is running on this database. Wait for it to finish, or stop it first."""


class DatabaseError(IndexingError):
    """PostgreSQL reported an error."""


class DatabaseUnavailable(DatabaseError):
    """PostgreSQL cannot be reached."""


class DatabaseTooOld(DatabaseError):
    """PostgreSQL 15 or newer is needed."""


class StatementTimeout(DatabaseError):
    """PostgreSQL did not answer within the time allowed."""


class MigrationError(IndexingError):
    """The database schema could not be brought up to date."""


class MigrationChanged(MigrationError):
    """A migration that was applied to this database has changed since. Migrations are only ever added."""


class SchemaTooNew(MigrationError):
    """The database schema was made by a newer version of this program."""


class SchemaMissing(MigrationError):
    """The database schema is missing or out of date. Run `wenci migrate`."""


class EmbeddedPostgresError(DatabaseUnavailable):
    """The embedded PostgreSQL could not be started."""


@contextmanager
def driver_errors() -> Iterator[None]:
    """Turn what the driver raises inside the block into this family; the one place where that happens."""
    try:
        yield
    except (psycopg.Error, psycopg_pool.PoolTimeout) as error:
        raise _translated(error) from error


def _translated(error: Exception) -> IndexingError:
    text = str(error).strip().split("\n", 1)[0] or type(error).__name__
    if isinstance(error, psycopg.errors.QueryCanceled):
        return StatementTimeout(f"{StatementTimeout.__doc__} ({text})")
    if isinstance(error, psycopg.errors.UndefinedTable | psycopg.errors.UndefinedFunction):
        return SchemaMissing(f"{SchemaMissing.__doc__} ({text})")
    is_limit = isinstance(error, psycopg.errors.ProgramLimitExceeded)
    if isinstance(error, psycopg.OperationalError | psycopg_pool.PoolTimeout) and not is_limit:
        return DatabaseUnavailable(f"PostgreSQL cannot be reached: {text}")
    return DatabaseError(f"PostgreSQL reported an error: {text}")
