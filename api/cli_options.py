"""Options that several commands share, laid over the environment."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from api.console import UsageError
from api.settings import Settings, SettingsError

if TYPE_CHECKING:
    from index.notices import Language

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

VARIABLES = {
    "data_dir": "WENCI_DATA_DIR",
    "database_url": "WENCI_DATABASE_URL",
    "host": "WENCI_HOST",
    "port": "WENCI_PORT",
    "user_dictionary": "WENCI_USER_DICTIONARY",
    "mode": "WENCI_MODE",
}


class Parser(argparse.ArgumentParser):
    """Says what to do about a query that looks like an option."""

    def error(self, message: str) -> NoReturn:
        """End with the usage, the message and exit code 2."""
        takes_query = any(action.metavar in QUERIES for action in self._actions)
        if takes_query and message.startswith(("the following arguments are required", "unrecognized arguments")):
            message += f"; a query that begins with - needs -- before it, as in: {self.prog} -- -word"
        super().error(message)


QUERIES = ("QUERY", "TYPED")
"""How commands name the query that they take."""


def add_command(
    subparsers: Subparsers, name: str, summary: str, run: Callable[[argparse.Namespace], int], **more: Any
) -> argparse.ArgumentParser:
    """A command with its one-line summary."""
    parser = subparsers.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".", **more)
    parser.set_defaults(run=run, parser=parser)
    return parser


def add_json(parser: argparse.ArgumentParser) -> None:
    """`--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON for machines")


def add_analyzer(parser: argparse.ArgumentParser) -> None:
    """Options of the analyzer."""
    parser.add_argument("--user-dictionary", metavar="FILE", help="words of your own (WENCI_USER_DICTIONARY)")
    parser.add_argument("--mode", metavar="MODE", help="how words are decided (WENCI_MODE)")


def add_database(parser: argparse.ArgumentParser) -> None:
    """Options of the database."""
    parser.add_argument("--data-dir", metavar="FOLDER", help="data of the embedded PostgreSQL (WENCI_DATA_DIR)")
    parser.add_argument("--database-url", metavar="URL", help="a PostgreSQL of your own (WENCI_DATABASE_URL)")


def add_labels(parser: argparse.ArgumentParser) -> None:
    """`--tag` and `--category`."""
    parser.add_argument("--tag", action="append", default=[], help="only posts with this tag; can be repeated")
    parser.add_argument(
        "--category",
        action="append",
        default=[],
        help="only posts in this category, a nested one by its path (A/B); can be repeated",
    )


def add_language(parser: argparse.ArgumentParser) -> None:
    """`--lang`."""
    parser.add_argument("--lang", choices=["zh", "en"], help="language of notices (default: that of the locale)")


def language_of(args: argparse.Namespace) -> Language:
    """The language that was asked for, or that of the locale."""
    from api.languages import of_environment

    return args.lang or of_environment(os.environ)


def settings_from(args: argparse.Namespace) -> Settings:
    """The environment, with the options of this call over it. Raises UsageError."""
    environ = dict(os.environ)
    for option, variable in VARIABLES.items():
        value = getattr(args, option, None)
        if value is not None:
            environ[variable] = str(value)
    try:
        return Settings.from_env(environ)
    except SettingsError as error:
        raise UsageError(str(error)) from None


def positive(value: str) -> int:
    """An argparse type: a whole number above 0."""
    if not (value.isascii() and value.isdigit()) or not 0 < int(value) < 2**31:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, got {value!r}")
    return int(value)


def not_negative(value: str) -> int:
    """An argparse type: a whole number, 0 or more."""
    if not (value.isascii() and value.isdigit()) or int(value) >= 2**31:
        raise argparse.ArgumentTypeError(f"expected a whole number, 0 or more, got {value!r}")
    return int(value)


def moment(value: str) -> Any:
    """An argparse type: a year, month, date or time; without a zone it is compared with the dates that posts show."""
    from api.bounds import parse_filter

    try:
        return parse_filter(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
