"""`wenci reindex` and `wenci migrate`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from api.cli_options import Subparsers, add_analyzer, add_command, add_database, add_json, settings_from
from api.console import UsageError, counted, emit, emit_json, note

if TYPE_CHECKING:
    from index.types import ReindexEvent, ReindexReport


def register(subparsers: Subparsers) -> None:
    """Add the commands."""
    parser = add_command(subparsers, "reindex", "read posts into PostgreSQL: folders of Markdown, JSONL files", reindex)
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="folder, .md, .jsonl or .jsonl.zst; without one: WENCI_SOURCES, or the stored posts cut anew",
    )
    parser.add_argument("--prune", action="store_true", help="delete stored posts that PATH no longer has")
    add_json(parser)
    add_database(parser)
    add_analyzer(parser)
    parser = add_command(subparsers, "migrate", "bring the database to this version of the program", migrate)
    add_json(parser)
    add_database(parser)


def reindex(args: argparse.Namespace) -> int:
    """Exit code 1 if any post failed; each one is named on stderr."""
    from api.bootstrap import load_analyzer, open_database
    from api.indexing import existing, report_object, run_reindex
    from api.jobs import request_vectors

    settings = settings_from(args)
    paths = existing(args.paths or settings.sources)
    if args.prune and not paths:
        raise UsageError("--prune needs a PATH: without one it would delete every post")
    analyzer = load_analyzer(settings)
    with open_database(settings) as pool, progress() as on_event:
        report = run_reindex(pool, analyzer, paths, prune=args.prune, on_event=on_event)
        request_vectors(pool)
    name_failures(report)
    if args.json:
        emit_json(report_object(report))
    else:
        emit(summary(report, may_prune=bool(paths)))
    return 1 if report.failed else 0


@contextmanager
def progress() -> Iterator[Callable[[ReindexEvent], None]]:
    """A bar on stderr, nothing where stderr is not a terminal."""
    from tqdm import tqdm

    with tqdm(unit=" posts", file=sys.stderr, disable=None, leave=False, dynamic_ncols=True) as bar:

        def on_event(event: ReindexEvent) -> None:
            bar.total = event.total
            bar.set_description(event.phase, refresh=False)
            bar.update(event.done - bar.n)

        yield on_event


def name_failures(report: ReindexReport) -> None:
    """Every post that failed, and every warning, by name and reason; and why nothing was pruned."""
    from api.indexing import withheld_reason

    for warning in report.warnings:
        note(f"{warning.where}: {warning.reason}")
    for bad in report.failed:
        note(f"{bad.where}: {bad.reason}")
    reason = withheld_reason(report)
    if reason is not None:
        note(reason)


def summary(report: ReindexReport, *, may_prune: bool = False) -> str:
    """The outcome in one line; with `may_prune` it says how posts go that the PATHs did not name."""
    may_prune = may_prune and not report.prune_withheld
    parts = {
        "added": report.added,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "resumed": report.resumed,
        "kept": report.kept,
        "removed": report.removed,
        "withdrawn": report.withdrawn,
        "failed": len(report.failed),
    }
    beside = {"warning": len(report.warnings), "draft": report.drafts, "post": report.protected}
    more = {"draft": " skipped", "post": " with a password skipped"}
    remarks = {"kept": " that these PATHs do not name: --prune deletes them"} if may_prune else {}
    said = [f"{count} {name}{remarks.get(name, '')}" for name, count in parts.items() if count] or ["nothing to do"]
    said += [counted(count, name) + more.get(name, "") for name, count in beside.items() if count]
    return f"{counted(report.documents, 'post')} in the index ({', '.join(said)}) in {report.seconds:.1f} s"


def migrate(args: argparse.Namespace) -> int:
    """Apply the migrations that are missing and name them."""
    from api.bootstrap import database_url
    from index.db import open_pool
    from index.errors import driver_errors
    from index.migrate import migrate as apply

    with (
        database_url(settings_from(args)) as url,
        open_pool(url, max_size=1) as pool,
        driver_errors(),
        pool.connection() as conn,
    ):
        applied = apply(conn)
    if args.json:
        emit_json({"applied": applied})
    else:
        emit("\n".join(applied) or "nothing to do")
    return 0
