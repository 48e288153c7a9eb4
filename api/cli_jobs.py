"""`wenci jobs` and `wenci worker`."""

from __future__ import annotations

import argparse
import threading
from contextlib import ExitStack

from api.cli_options import (
    Subparsers,
    add_analyzer,
    add_command,
    add_database,
    add_json,
    positive,
    settings_from,
)
from api.console import CommandError, emit, emit_json, note


def register(subparsers: Subparsers) -> None:
    """Add the commands."""
    parser = add_command(subparsers, "jobs", "the latest jobs, newest first", jobs)
    parser.add_argument("--limit", type=positive, default=20, help="jobs to print (default: 20)")
    parser.add_argument("--cancel", type=positive, metavar="ID", help="cancel a job first")
    add_json(parser)
    add_database(parser)
    parser = add_command(subparsers, "worker", "take jobs until stopped, beside or without a server", worker)
    parser.add_argument("--threads", type=positive, default=1, help="jobs at a time (default: 1)")
    parser.add_argument("--once", action="store_true", help="do the jobs that wait, and end")
    add_database(parser)
    add_analyzer(parser)


def jobs(args: argparse.Namespace) -> int:
    """Print jobs, one a line below a line that names the columns."""
    from api.bootstrap import open_database
    from api.jobs import shaped
    from index import queue
    from index.db import connection

    with open_database(settings_from(args)) as pool, connection(pool) as conn:
        if args.cancel and not queue.cancel(conn, args.cancel):
            raise CommandError(f"no job with the id {args.cancel} waits or runs")
        found = queue.recent(conn, args.limit)
    if args.json:
        emit_json({"jobs": [shaped(job) for job in found]})
        return 0
    if not found:
        note("no jobs")
        return 0
    rows = [("ID", "KIND", "STATE", "DONE", "ERROR")]
    rows += [(str(job.id), job.kind, job.state, str(job.progress.get("done", "")), job.error or "") for job in found]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        emit("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return 0


def worker(args: argparse.Namespace) -> int:
    """Run until Ctrl-C or SIGTERM; what runs then is given back to the queue."""
    from api.bootstrap import load_analyzer, open_database
    from api.jobs import handlers
    from api.live import LiveAnalyzer
    from index.queue_worker import Worker
    from segmenter.words_file import WordsFile

    settings = settings_from(args)
    live = LiveAnalyzer(load_analyzer(settings), WordsFile(settings.words_path))
    with ExitStack() as stack:
        pool = stack.enter_context(open_database(settings))
        known = handlers(settings, pool, lambda: live.current)
        if args.once:
            one = Worker(pool, known)
            while one.run_one():
                pass
            return 0
        for _ in range(args.threads):
            stack.callback(Worker(pool, known).start().close)
        note(f"waiting for jobs, {args.threads} at a time; Ctrl-C ends this")
        threading.Event().wait()
    return 0
