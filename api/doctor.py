"""`wenci doctor`: what works on this machine, what is off, and what to do about it."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from api.cli_options import Subparsers, add_analyzer, add_command, add_database, add_json, settings_from
from api.console import emit, emit_json, is_expected, one_line

if TYPE_CHECKING:
    from psycopg import Connection

    from api.settings import Settings
    from segmenter.analyzer import Analyzer


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `off` is a part that is missing though the rest works; `failed` must be mended."""

    what: str
    state: Literal["ok", "off", "failed"]
    detail: str


def register(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(subparsers, "doctor", "check what works on this machine and say what is off", run)
    add_json(parser)
    add_database(parser)
    add_analyzer(parser)


def run(args: argparse.Namespace) -> int:
    """Exit code 1 if anything failed."""
    findings = list(examine(settings_from(args)))
    if args.json:
        emit_json({"ok": not has_failed(findings), "findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            emit(f"{finding.state:6}  {finding.what}: {finding.detail}")
    return 1 if has_failed(findings) else 0


def has_failed(findings: list[Finding]) -> bool:
    """Whether anything must be mended."""
    return any(finding.state == "failed" for finding in findings)


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at one thing after the other; what fails does not stop the rest."""
    yield Finding("python", "ok", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    analyzer, finding = attempt("analyzer", lambda: _analyzer(settings))
    yield finding
    if settings.database_url is None:
        yield attempt("data folder", lambda: (None, _data_folder(settings)))[1]
    try:
        with _connection(settings) as connection:
            yield Finding("database", "ok", _database(connection))
            yield from _database_findings(connection, analyzer)
    except Exception as error:
        yield _failure("database", error)


def attempt(what: str, check: Callable[[], tuple[Any, str]]) -> tuple[Any, Finding]:
    """Run a check that returns `(value, detail)`; an error becomes a finding."""
    try:
        value, detail = check()
    except Exception as error:
        return None, _failure(what, error)
    return value, Finding(what, "ok", detail)


def _failure(what: str, error: Exception) -> Finding:
    known = isinstance(error, (OSError, ValueError)) or is_expected(error)
    return Finding(what, "failed", one_line(error) if known else f"{type(error).__name__}: {one_line(error)}")


def _analyzer(settings: Settings) -> tuple[Analyzer, str]:
    from api.bootstrap import load_analyzer

    analyzer = load_analyzer(settings)
    words = [token.text for token in analyzer.segment("研究生命的起源")]
    return analyzer, f"{' '.join(words)} (fingerprint {analyzer.fingerprint()[:12]})"


def _data_folder(settings: Settings) -> str:
    folder = settings.data_dir
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise OSError(f"{folder} cannot be written; choose another with WENCI_DATA_DIR")
    return str(folder)


@contextmanager
def _connection(settings: Settings) -> Iterator[Connection[Any]]:
    from api.bootstrap import database_url
    from index.db import connection, open_pool

    with database_url(settings) as url, open_pool(url, max_size=1, patience=5.0) as pool, connection(pool) as conn:
        yield conn


def _database(connection: Connection[Any]) -> str:
    from api.readiness import server_version

    where = connection.info.host or "local socket"
    return f"PostgreSQL {server_version(connection)} at {where}, database {connection.info.dbname}"


def _database_findings(connection: Connection[Any], analyzer: Analyzer | None) -> Iterator[Finding]:
    from api.readiness import pgvector_off, readiness
    from index.migrate import pending

    off = pgvector_off(connection)
    yield Finding("pgvector", "off" if off else "ok", off[0]["reason"] if off else "available")
    names, finding = attempt("migrations", lambda: _migrations(pending(connection)))
    yield finding
    if names or names is None or analyzer is None:
        return
    state, finding = attempt("index", lambda: _index(readiness(connection, analyzer)))
    yield finding
    for part in state["off"] if state else ():
        if part["what"] == "fresh index" or (part["what"] == "semantic route" and not off):
            yield Finding(part["what"], "off", part["reason"])


def _migrations(names: list[str]) -> tuple[list[str], str]:
    return names, f"to be applied by `wenci migrate`: {', '.join(names)}" if names else "all applied"


def _index(state: dict[str, Any]) -> tuple[dict[str, Any], str]:
    if state["generation"] is None:
        return state, "empty; fill it with `wenci reindex PATH`"
    return state, f"{state['documents']} posts in generation {state['generation']}"
