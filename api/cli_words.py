"""`wenci words`: the user's own words, in the file of WENCI_USER_DICTIONARY (or `words.txt` in the data directory)."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api.cli_options import Subparsers, add_analyzer, add_command, add_json, not_negative, settings_from
from api.console import CommandError, counted, emit, emit_json, note
from api.words import JIEBA, TABBED, add_word, effect, import_object, word_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from api.settings import Settings
    from segmenter.user_dictionary import UserDictionary
    from segmenter.words_file import WordsFile


def register(subparsers: Subparsers) -> None:
    """Add the command with its actions."""
    parser = subparsers.add_parser("words", help="words of your own: add, remove, list, import, export, preview")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    for name, summary, run in (
        ("add", "add a word, or change how it is weighed", add),
        ("remove", "take a word out", remove),
        ("list", "list the words", list_words),
        ("import", "add the words of a file, jieba's form or this program's", import_words),
        ("export", "print the words as a file", export),
        ("preview", "say which texts would be cut differently with a word", preview),
    ):
        action = add_command(actions, name, summary, run)
        _ARGUMENTS[name](action)
        add_json(action)
        add_analyzer(action)


def _add_word(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("word", metavar="WORD")
    parser.add_argument("--frequency", type=not_negative, help="occurrences, as in the dictionary of 60 million")
    parser.add_argument("--tag", metavar="TAG", help="a part of speech, kept for export")
    parser.add_argument("--force", action="store_true", help="cut the word out wherever it stands")


def _add_any_word(parser: argparse.ArgumentParser) -> None:
    _add_word(parser)
    parser.add_argument("--as-is", action="store_true", help="take a word with spaces or marks that words hardly have")


def _add_only_word(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("word", metavar="WORD")


def _add_preview(parser: argparse.ArgumentParser) -> None:
    _add_word(parser)
    parser.add_argument("--remove", action="store_true", help="try what taking the word out would do")
    parser.add_argument("--texts", type=Path, metavar="FILE", help="a text a line; without it, stdin is read")


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=[TABBED, JIEBA], default=TABBED, help=f"default: {TABBED}")


def _add_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE")


_ARGUMENTS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "add": _add_any_word,
    "remove": _add_only_word,
    "list": lambda parser: None,
    "import": _add_import,
    "export": _add_export,
    "preview": _add_preview,
}


def add(args: argparse.Namespace) -> int:
    """Add one word."""

    def edit(words: UserDictionary) -> None:
        if_meant = "with --as-is it is taken as it is"
        add_word(words, args.word, args.frequency, args.tag, forced=args.force, as_is=args.as_is, if_meant=if_meant)

    return _change(args, edit)


def remove(args: argparse.Namespace) -> int:
    """Take one word out."""

    def edit(words: UserDictionary) -> None:
        if not words.remove(args.word):
            raise CommandError(f"{args.word} is not among the words of {_file(args).path}")

    return _change(args, edit)


def import_words(args: argparse.Namespace) -> int:
    """Add the words of a file and name the lines that deserve a look; exit code 1 if any is no word."""
    from segmenter.dictionary import Dictionary

    outcome: dict[str, Any] = {}

    def edit(words: UserDictionary) -> None:
        report = words.read(args.file, Dictionary.load(), strict=True)
        outcome.update(import_object(report))
        for remark in report.notes:
            note(f"{args.file}:{remark.line}: {remark.reason}")

    _change(args, edit, outcome)
    if outcome["failed"]:
        note(f"{counted(outcome['failed'], 'line')} left out, {counted(outcome['added'], 'word')} added")
    return 1 if outcome["failed"] else 0


def _change(
    args: argparse.Namespace, edit: Callable[[UserDictionary], None], outcome: dict[str, Any] | None = None
) -> int:
    """Edit the file and say what it means for an index."""
    from api.bootstrap import base_analyzer

    file = _file(args)
    analyzer = base_analyzer(_settings(args))
    before = analyzer.with_user_dictionary(file.read()).fingerprint()
    with file.edit() as words:
        edit(words)
        after = analyzer.with_user_dictionary(words).fingerprint()
    meaning = effect(before, after)
    if args.json:
        emit_json({"file": str(file.path), "words": len(words), **(outcome or {}), "effect": meaning})
    else:
        emit(f"{counted(len(words), 'word')} in {file.path}")
        note(meaning["explanation"])
        note("a running server with this file takes them up at its next request")
    return 0


def list_words(args: argparse.Namespace) -> int:
    """One word a line, or JSON."""
    words = _file(args).read()
    if args.json:
        emit_json({"words": [word_object(word) for word in words]})
    else:
        sys.stdout.writelines(line.rstrip("\t") + "\n" for line in words.lines())
    return 0


def export(args: argparse.Namespace) -> int:
    """The lines of a file of words; what jieba's form cannot hold is named."""
    from segmenter.words_file import jieba_lines

    words = _file(args).read()
    lines, unfit = jieba_lines(words) if args.format == JIEBA else (list(words.lines()), [])
    if args.json:
        emit_json({"lines": lines, "left_out": [word_object(word) for word in unfit]})
    else:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        for word in unfit:
            note(f"left out, this form cannot hold it: {word.text}")
    return 0


def preview(args: argparse.Namespace) -> int:
    """Cut the texts with and without the change, and show those that differ."""
    from api.bootstrap import base_analyzer
    from segmenter.word_preview import changed_cuts

    analyzer, words = base_analyzer(_settings(args)), _file(args).read()
    before = analyzer.with_user_dictionary(words)
    if args.remove:
        words.remove(args.word)
    else:
        words.add(args.word, args.frequency, args.tag, forced=args.force)
    content = args.texts.read_text("utf-8") if args.texts else sys.stdin.buffer.read().decode("utf-8")
    texts = [line for line in content.splitlines() if line]
    changes = changed_cuts(before, analyzer.with_user_dictionary(words), texts)
    if args.json:
        found = [{"text": one.text, "before": one.before, "after": one.after} for one in changes]
        emit_json({"tried": len(texts), "changes": found})
        return 0
    for one in changes:
        emit(f"- {' '.join(one.before)}\n+ {' '.join(one.after)}")
    note(f"{len(changes)} of {len(texts)} texts would be cut differently")
    return 0


def _file(args: argparse.Namespace) -> WordsFile:
    from segmenter.words_file import WordsFile

    chosen = args.user_dictionary or os.environ.get("WENCI_USER_DICTIONARY", "").strip()
    return WordsFile(Path(chosen).expanduser().absolute() if chosen else _settings(args).words_path)


def _settings(args: argparse.Namespace) -> Settings:
    """The settings of this call without the file of words, which need not exist yet."""
    return settings_from(argparse.Namespace(**{**vars(args), "user_dictionary": ""}))
