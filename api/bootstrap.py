"""Opens what a server and a command share: the analyzer, the database, the pool. Heavy imports happen inside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from api.settings import Settings
    from index.db import Pool
    from segmenter.analyzer import Analyzer


def load_analyzer(settings: Settings) -> Analyzer:
    """The one analyzer of this deployment: for documents, queries and `/v1/segment` alike."""
    from segmenter.analyzer import Analyzer

    if settings.mode is None:
        return Analyzer.default(settings.user_dictionary)
    return Analyzer.default(settings.user_dictionary, mode=settings.mode)


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
def open_database(settings: Settings) -> Iterator[Pool]:
    """A pool of connections to a migrated database; closed in reverse order."""
    from index.db import open_pool
    from index.errors import driver_errors
    from index.migrate import migrate

    with ExitStack() as stack:
        url = stack.enter_context(database_url(settings))
        pool = stack.enter_context(open_pool(url, max_size=settings.pool_size))
        with driver_errors(), pool.connection() as conn:
            migrate(conn)
        yield pool
