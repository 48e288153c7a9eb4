"""`wenci synonyms`: list, add and remove rules, or load a file of them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from api.cli_options import Subparsers, add_command, add_database, add_json, positive, settings_from
from api.console import CommandError, counted, emit, emit_json, note

if TYPE_CHECKING:
    from index.synonym_rules import Rule


def register(subparsers: Subparsers) -> None:
    """Add the command; without an option it lists the rules."""
    parser = add_command(subparsers, "synonyms", "words that stand for others in a query", synonyms)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--add", action="append", metavar="RULE", help='"k8s = Kubernetes" or "番茄 => 西红柿"')
    what.add_argument("--remove", type=positive, metavar="ID", help="remove one rule")
    what.add_argument(
        "--load", type=Path, metavar="FILE", help="let the rules of the file take the place of its last ones"
    )
    add_json(parser)
    add_database(parser)


def synonyms(args: argparse.Namespace) -> int:
    """Change the rules if asked to, and print them."""
    from api.bootstrap import open_database
    from api.plain import plain
    from index import synonyms as store
    from index.db import connection
    from index.synonym_rules import parse_rule

    new = [parse_rule(line) for line in args.add or []]
    from_file = _from_file(args.load) if args.load else None
    with open_database(settings_from(args)) as pool, connection(pool) as conn:
        store.add(conn, new)
        if from_file is not None:
            store.replace_all(conn, from_file, "file")
        if args.remove and not store.delete(conn, args.remove):
            raise CommandError(f"no rule has the id {args.remove}")
        rules = store.rules(conn)
    if args.json:
        emit_json({"rules": [{"rule": rule.line, **plain(rule)} for rule in rules]})
    else:
        for rule in rules:
            emit(f"{rule.id}\t{rule.line}")
    return 0


def _from_file(path: Path) -> list[Rule]:
    """The rules of a file; a line that is none stops the loading before anything has changed."""
    from index.synonym_rules import read_rules

    rules, remarks = read_rules(path.read_text(encoding="utf-8"))
    for remark in remarks:
        note(f"{path}:{remark.line}: {remark.reason}")
    if remarks:
        raise CommandError(f"{path}: not a rule: {counted(len(remarks), 'line')}; nothing was changed")
    return rules
