"""`wenci discover`: new words of a corpus, with figures, examples and the line that would add each."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api.cli_options import Subparsers, add_analyzer, add_command, add_json, positive, settings_from
from api.console import emit, emit_json, note

if TYPE_CHECKING:
    from segmenter.discover import Candidate

ORDERS: dict[str, Callable[[Candidate], Any]] = {
    "score": lambda word: -word.score,
    "frequency": lambda word: -word.frequency,
    "cohesion": lambda word: -word.cohesion,
    "branching": lambda word: -word.branching,
    "model": lambda word: (-word.model, -word.frequency),
}


def register(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(subparsers, "discover", "find new words in a corpus", run)
    parser.add_argument(
        "corpus",
        nargs="+",
        type=Path,
        metavar="CORPUS",
        help="a text a line, or posts (.jsonl, .jsonl.zst, folders, .md)",
    )
    parser.add_argument("--limit", type=positive, default=100, help="words to print (default: 100)")
    parser.add_argument("--by", choices=list(ORDERS), default="score", help="what to sort by (default: score)")
    parser.add_argument("--least", type=positive, default=5, help="occurrences (default: 5)")
    parser.add_argument("--longest", type=positive, default=5, help="characters (default: 5)")
    parser.add_argument("--counted", type=positive, default=2_000_000, help="n-grams held in memory at most")
    parser.add_argument("--entries", action="store_true", help="print only the lines of a file of user words")
    add_json(parser)
    add_analyzer(parser)


def run(args: argparse.Namespace) -> int:
    """Read the corpus twice and print what may be words."""
    from api.bootstrap import load_analyzer
    from segmenter.discover import DiscoveryConfig, discover

    for path in args.corpus:
        if not path.exists():
            raise FileNotFoundError(f"no such file: {path}")
    config = DiscoveryConfig(longest=args.longest, least=args.least, limit=args.counted)
    found = discover(lambda: texts(args.corpus), load_analyzer(settings_from(args)), config)
    words = sorted(found.candidates, key=ORDERS[args.by])[: args.limit]
    if args.json:
        listed = [as_object(word) for word in words]
        emit_json({"characters": found.characters, "count_error": found.lost, "words": listed})
        return 0
    for word in words:
        emit(word.entry if args.entries else line(word))
    note(f"{len(words)} of {len(found.candidates)} candidates; {found.characters} Han characters read")
    if found.lost:
        note(f"counts may be too low by {found.lost}; --counted raises the number of n-grams held")
    return 0


def texts(paths: Sequence[Path]) -> Iterator[str]:
    """Lines of text files, titles and bodies of posts."""
    from index.sources import read_posts
    from index.types import Post

    for path in paths:
        if path.is_dir() or path.name.endswith((".jsonl", ".jsonl.zst", ".md")):
            for post in read_posts([path]):
                if isinstance(post, Post):
                    yield f"{post.title}\n{post.body}"
        else:
            with path.open(encoding="utf-8", errors="replace") as lines:
                yield from lines


def as_object(word: Candidate) -> dict[str, Any]:
    """One candidate for machines."""
    return {
        "word": word.word,
        "frequency": word.frequency,
        "cohesion": round(word.cohesion, 3),
        "branching": round(word.branching, 3),
        "model": round(word.model, 3),
        "score": round(word.score, 3),
        "entry": word.entry,
        "examples": word.examples,
    }


def line(word: Candidate) -> str:
    """One candidate for people."""
    figures = f"{word.frequency:7}  pmi {word.cohesion:5.2f}  branching {word.branching:4.2f}  model {word.model:4.2f}"
    return f"{word.word}  {figures}  {' / '.join(word.examples)}"
