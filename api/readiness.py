"""What works and what is off, for `/readyz` and `wenci doctor`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg import Connection

    from index.embed import Vectors
    from index.types import IndexStatus
    from segmenter.analyzer import Analyzer


def readiness(connection: Connection[Any], analyzer: Analyzer) -> dict[str, Any]:
    """The state of database and index: what is off, each with its reason, and the figures behind it."""
    from index import embed
    from index.generations import status

    state = status(connection, analyzer)
    found = embed.vectors(connection)
    off = [*index_off(state), *pgvector_off(connection), *vectors_off(found)]
    serving = state.serving
    return {
        "status": "ready",
        "off": off,
        "documents": serving.documents if serving else 0,
        "generation": serving.id if serving else None,
        "building": state.building.id if state.building else None,
        "fingerprint": {"analyzer": state.fingerprint, "index": serving.fingerprint if serving else None},
        "stale_posts": state.stale_posts,
        "vectors": asdict(found) if found else None,
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
            f"{state.stale_posts} posts were cut by another version of the analyzer or with other words; search goes "
            "on, `wenci reindex` (or POST /v1/reindex) brings them up to date"
        )
        return [{"what": "fresh index", "reason": reason}]
    return []


def pgvector_off(connection: Connection[Any]) -> list[dict[str, str]]:
    """The semantic route, where there can be no vectors."""
    from index import embed

    reason = embed.off(connection)
    return [{"what": "semantic route", "reason": f"{reason}; every other route works"}] if reason else []


def vectors_off(found: Vectors | None) -> list[dict[str, str]]:
    """The semantic route, where no vector is of use yet."""
    if found is None or found.made or not found.waiting:
        return []
    stale = f"{found.stale} vectors are of another model, " if found.stale else ""
    reason = f"{stale}{found.waiting} posts wait for theirs; a worker makes them (`wenci serve` or `wenci worker`)"
    return [{"what": "semantic route", "reason": reason}]


def server_version(connection: Connection[Any]) -> str:
    """PostgreSQL's own name of its version."""
    return ".".join(map(str, divmod(connection.info.server_version, 10000)))
