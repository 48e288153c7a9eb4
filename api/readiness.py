"""What works and what is off, for `/readyz` and `wenci doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg import Connection

    from index.types import IndexStatus
    from segmenter.analyzer import Analyzer


def readiness(connection: Connection[Any], analyzer: Analyzer) -> dict[str, Any]:
    """The state of database and index: what is off, each with its reason, and the figures behind it."""
    from index.generations import status

    state = status(connection, analyzer)
    off = [*index_off(state), *extension_off(connection)]
    serving = state.serving
    return {
        "status": "ready",
        "off": off,
        "documents": serving.documents if serving else 0,
        "generation": serving.id if serving else None,
        "building": state.building.id if state.building else None,
        "fingerprint": {"analyzer": state.fingerprint, "index": serving.fingerprint if serving else None},
        "stale_posts": state.stale_posts,
        "postgresql": server_version(connection),
    }


def index_off(state: IndexStatus) -> list[dict[str, str]]:
    """What of the index is out of date."""
    if state.is_stream_stale:
        reason = (
            "the normalisation changed since the index was built; run `wenci reindex` so that every search is complete"
        )
        return [{"what": "fresh index", "reason": reason}]
    if state.is_stale:
        reason = (
            f"{state.stale_posts} posts were cut by another version of the analyzer; search goes on, "
            "`wenci reindex` brings them up to date"
        )
        return [{"what": "fresh index", "reason": reason}]
    return []


def extension_off(connection: Connection[Any]) -> list[dict[str, str]]:
    """The semantic route, where the server has no pgvector."""
    from index.db import features

    found = features(connection)
    if found.vector or found.vector_available:
        return []
    return [{"what": "semantic route", "reason": "the server has no pgvector; every other route works"}]


def server_version(connection: Connection[Any]) -> str:
    """PostgreSQL's own name of its version."""
    return ".".join(map(str, divmod(connection.info.server_version, 10000)))
