"""Opens what a server and a command share: the analyzer, the database, the pool. Heavy imports happen inside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from api.console import note

if TYPE_CHECKING:
    from api.settings import Settings
    from index.db import Pool
    from segmenter.analyzer import Analyzer
    from segmenter.user_dictionary import UserDictionary

NAMED_LINES = 20

SERVER_PATIENCE = 30.0
"""Seconds that a server waits for its database: both may be starting after a reboot."""


def load_analyzer(settings: Settings) -> Analyzer:
    """The one analyzer of this deployment: for documents, queries and `/v1/segment` alike."""
    analyzer = base_analyzer(settings)
    if not settings.words_path.exists():
        return analyzer
    return analyzer.with_user_dictionary(load_user_dictionary(settings.words_path))


def base_analyzer(settings: Settings) -> Analyzer:
    """The analyzer of this deployment without the user's own words."""
    from segmenter.analyzer import Analyzer

    return Analyzer.default() if settings.mode is None else Analyzer.default(mode=settings.mode)


def load_user_dictionary(path: Path) -> UserDictionary:
    """The words of the file; lines that cannot be used, or say nothing new, are named on stderr."""
    from segmenter.user_dictionary import UserDictionary

    words = UserDictionary()
    report = words.read(path)
    for remark in report.notes[:NAMED_LINES]:
        note(f"{path}:{remark.line}: {remark.reason}")
    if len(report.notes) > NAMED_LINES:
        note(f"{path}: {len(report.notes) - NAMED_LINES} more lines like these")
    return words


@contextmanager
def database_url(settings: Settings) -> Iterator[str]:
    """The database to use; the embedded server runs while the context is open."""
    if settings.database_url is not None:
        yield settings.database_url
        return
    from index.embedded import EmbeddedPostgres

    with EmbeddedPostgres(settings.data_dir) as server:
        yield server.url


@contextmanager
def open_database(settings: Settings, *, patience: float = 5.0) -> Iterator[Pool]:
    """A pool of connections to a migrated database; closed in reverse order.

    Waits up to `patience` seconds for a server that is starting.
    """
    from index.db import open_pool
    from index.errors import driver_errors
    from index.migrate import migrate

    with ExitStack() as stack:
        url = stack.enter_context(database_url(settings))
        pool = stack.enter_context(open_pool(url, max_size=settings.pool_size, patience=patience))
        with driver_errors(), pool.connection() as conn:
            migrate(conn)
        yield pool
