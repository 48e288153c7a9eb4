"""Reindexing for the command line and for jobs: what may be read, and how progress is passed on."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api.plain import plain

if TYPE_CHECKING:
    from api.settings import Settings
    from index.db import Pool
    from index.types import ReindexEvent, ReindexReport, Sourced
    from segmenter.analyzer import Analyzer

REPORTED_FAILURES = 100
"""Failures, and warnings, that a report lists."""


class SourceError(ValueError):
    """These sources cannot be read."""


class ForbiddenSourceError(SourceError):
    """The path lies outside the folders the server may read."""


def existing(paths: Sequence[str | Path]) -> list[Path]:
    """The paths, all of them there. Raises SourceError: a missing folder must not look like an empty one."""
    found = [_expanded(path) for path in paths]
    for path in found:
        if not os.path.exists(path):  # unlike Path.exists, False for a name that is too long
            raise SourceError(f"no such file or folder: {path}")
    return found


def _expanded(path: str | Path) -> Path:
    """With the home folder in place of `~`; as it is where that user has none."""
    return Path(os.path.expanduser(path))


def sources_for(requested: Sequence[str] | None, settings: Settings) -> list[Path]:
    """What a reindex over HTTP reads: the configured sources, or paths inside them.

    Without sources and without paths nothing is read, and the stored posts are cut anew.
    """
    if requested is None:
        return existing(settings.sources)
    roots = [os.path.realpath(root) for root in settings.sources]
    for path in requested:
        real = Path(os.path.realpath(_expanded(path)))
        if not any(real.is_relative_to(root) for root in roots):
            raise ForbiddenSourceError(f"{path} is outside WENCI_SOURCES")
    return existing(requested)


def run_reindex(
    pool: Pool,
    analyzer: Analyzer,
    paths: Sequence[Path],
    *,
    prune: bool,
    on_event: Callable[[ReindexEvent], None] | None = None,
    examples: bool = False,
) -> ReindexReport:
    """Read the paths into a new generation and let it serve; posts of `examples` are marked as such."""
    from index.generations import reindex
    from index.sources import read_posts

    if prune and not paths:
        raise SourceError("prune needs a source: without one it would delete every post")
    posts = read_posts(paths)
    return reindex(pool, analyzer, map(as_example, posts) if examples else posts, prune=prune, on_event=on_event)


def as_example(found: Sourced) -> Sourced:
    """A post with the mark of an example, by which it is told from posts of the user's own."""
    from index.types import Post

    return replace(found, extra={**found.extra, "example": True}) if isinstance(found, Post) else found


def may_show_examples(pool: Pool) -> bool:
    """Whether examples may be indexed: no post of the user's own is stored."""
    from index.db import connection
    from index.documents import holds_own

    with connection(pool) as conn:
        return not holds_own(conn)


def report_object(report: ReindexReport) -> dict[str, Any]:
    """The report for JSON; of many failures and warnings the first are listed and all are counted."""
    shaped: dict[str, Any] = plain(report)
    for name in ("failed", "warnings"):
        shaped[f"{name}_count"] = len(shaped[name])
        shaped[name] = shaped[name][:REPORTED_FAILURES]
    return shaped | {"prune_withheld_reason": withheld_reason(report)}


def withheld_reason(report: ReindexReport) -> str | None:
    """Why nothing was pruned although it was asked for, and what to do about it."""
    if not report.prune_withheld:
        return None
    unknown = [bad for bad in report.failed if bad.id is None]
    if not unknown:
        return (
            "--prune deleted nothing, because no post could be read, and so every stored one would go: "
            "check the PATHs, or delete posts one by one (DELETE /v1/posts/{id})"
        )
    these = f"{unknown[0].where} and {len(unknown) - 1} more" if len(unknown) > 1 else unknown[0].where
    return (
        f"--prune deleted nothing, because it is not known which posts these are or hold: {these}; "
        "mend what is named above, or give PATHs without it, and run the command again"
    )
