"""The command line: `wenci COMMAND`. Every command imports what it needs when it runs."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from api import (
    cli_analytics,
    cli_discover,
    cli_encoder,
    cli_evaluate,
    cli_find,
    cli_index,
    cli_jobs,
    cli_search,
    cli_segment,
    cli_serve,
    cli_synonyms,
    cli_words,
    doctor,
)
from api.cli_options import Parser
from api.console import emit, guarded
from api.version import program_version

COMMANDS = (
    cli_serve,
    cli_index,
    cli_search,
    cli_find,
    cli_synonyms,
    cli_analytics,
    cli_jobs,
    cli_segment,
    cli_words,
    cli_discover,
    doctor,
    cli_evaluate,
    cli_encoder,
)


class _Version(argparse.Action):
    """Looks the version up when it is asked for: that takes longer than to cut a sentence."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        emit(f"wenci {program_version()}")
        parser.exit()


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command registered."""
    parser = Parser(
        prog="wenci",
        description="Chinese word segmentation, and search over PostgreSQL that never loses a post.",
        epilog="Exit codes: 0 done, 1 failed (one line says why), 2 wrong usage.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.register(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if not open_streams():
        return 1
    use_utf8()
    end_like_ctrl_c()
    parser = build_parser()
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        args.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    return guarded(lambda: int(args.run(args) or 0))


def open_streams() -> bool:
    """Make do without stdin and stderr where the caller closed them; without stdout there is nothing to be done."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - open as long as the program
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - the same
    if sys.stdout is None:
        print("wenci: standard output is closed", file=sys.stderr)
        return False
    return True


def end_like_ctrl_c() -> None:
    """SIGTERM and a closed terminal end a command the way Ctrl-C does, so that everything is closed in order."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


def use_utf8() -> None:
    """Text goes in and out as UTF-8 whatever the locale says; what cannot be encoded is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
