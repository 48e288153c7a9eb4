"""`wenci analytics`: what people search for."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from api.cli_options import Subparsers, add_command, add_database, add_json, positive, settings_from
from api.console import counted, emit, emit_json

if TYPE_CHECKING:
    from index.analytics import AnalyticsReport, QueryCount


def register(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers, "analytics", "queries with counts and latencies, and those that found nothing", run
    )
    parser.add_argument("--days", type=positive, default=30, help="days to look back (default: 30)")
    parser.add_argument("--limit", type=positive, default=20, help="queries of each kind (default: 20)")
    add_json(parser)
    add_database(parser)


def run(args: argparse.Namespace) -> int:
    """Print the report."""
    from api.bootstrap import open_database
    from api.plain import plain
    from index.analytics import report
    from index.db import connection

    with open_database(settings_from(args)) as pool, connection(pool) as conn:
        found = report(conn, days=args.days, limit=args.limit)
    if args.json:
        emit_json(plain(found))
    else:
        emit("\n".join(lines(found)))
    return 0


def lines(found: AnalyticsReport) -> Iterator[str]:
    """The report for people."""
    queries = counted(found.distinct_queries, "different query", "different queries")
    yield f"since {found.since:%Y-%m-%d}: {counted(found.searches, 'search', 'searches')}, {queries}"
    yield f"{found.zero_results} without a result"
    yield f"{counted(found.clicks, 'click')}, mean reciprocal rank {found.mean_reciprocal_rank:.2f}"
    if found.p50_ms is not None:
        yield f"latency: median {found.p50_ms:.1f} ms, 95 % {found.p95_ms:.1f} ms, worst {found.max_ms:.1f} ms"
    yield from _table("most frequent", found.top)
    yield from _table("without a result", found.without_results)


def _table(title: str, queries: tuple[QueryCount, ...]) -> Iterator[str]:
    if queries:
        yield f"\n{title}"
    for one in queries:
        posts, clicks = counted(one.total, "post"), counted(one.clicks, "click")
        yield f"{one.count:6}  {one.query}  ({posts}, {one.latency_ms:.0f} ms, {clicks})"
