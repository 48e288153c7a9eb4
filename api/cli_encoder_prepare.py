"""`wenci encoder prepare`: from text files to a corpus, with words from the dictionary segmenter."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from api.cli_options import Subparsers, add_command, add_json, not_negative, positive
from api.console import emit, emit_json


def register(actions: Subparsers) -> None:
    """Add the action."""
    parser = add_command(actions, "prepare", "make a corpus to pretrain on out of text files", prepare_corpus)
    parser.add_argument("files", nargs="+", metavar="FILE", help="text, one paragraph a line; also .zst and .jsonl")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="where to write the corpus")
    parser.add_argument("--tokenizer", metavar="FILE", help="a tokenizer to use; without it characters are counted")
    parser.add_argument(
        "--words",
        choices=["dictionary", "runs"],
        default="dictionary",
        help="what is masked whole (default: dictionary)",
    )
    parser.add_argument(
        "--exclude", nargs="+", default=[], metavar="FILE", help="texts whose paragraphs must take no part"
    )
    parser.add_argument("--window", type=positive, default=128, metavar="N", help="characters a window (default: 128)")
    parser.add_argument("--minimum", type=positive, default=5, metavar="N", help="rarer ones are <unk> (default: 5)")
    parser.add_argument("--valid-share", type=share, default=0.005, metavar="X", help="held out (default: 0.005)")
    parser.add_argument("--limit", type=not_negative, metavar="N", help="read so many characters at most")
    add_json(parser)


def prepare_corpus(args: argparse.Namespace) -> int:
    """Read, normalise, cut, encode, mark words, write."""
    from encoder.prepare import Excluded, PrepareConfig, prepare, read_lines
    from encoder.tokenizers import load_tokenizer

    config = PrepareConfig(
        window=args.window, valid_share=args.valid_share, character_minimum=args.minimum, limit=args.limit
    )
    report = prepare(
        read_lines(args.files),
        Path(args.out),
        config,
        tokenizer=load_tokenizer(args.tokenizer) if args.tokenizer else None,
        starts=dictionary_starts() if args.words == "dictionary" else None,
        excluded=Excluded(read_lines(args.exclude)),
    )
    if args.json:
        emit_json(asdict(report))
    else:
        emit("\n".join(f"{name.replace('_', ' ')}: {value:,}" for name, value in asdict(report).items()))
    return 0


def dictionary_cut() -> Callable[[str], list[str]]:
    """The words of a text by the dictionary segmenter."""
    analyzer = _analyzer()
    return lambda text: [token.text for token in analyzer.segment(text)]


def dictionary_starts() -> Callable[[Sequence[str]], list[Iterable[int]]]:
    """Where the words of each of many texts begin; what lies between two words begins anew."""
    analyzer = _analyzer()

    def starts(texts: Sequence[str]) -> list[Iterable[int]]:
        return [_borders(tokens, len(text)) for text, tokens in zip(texts, _segmented(analyzer, texts), strict=True)]

    return starts


def _segmented(analyzer: Any, texts: Sequence[str]) -> Any:
    from segmenter.types import Granularity

    return analyzer.segment_batch(texts, Granularity.COARSE)


def _borders(tokens: Iterable[Any], length: int) -> Iterable[int]:
    return {0, *(token.start for token in tokens), *(token.end for token in tokens)} - {length}


def _analyzer() -> Any:
    from segmenter.analyzer import Analyzer

    return Analyzer.default(mode="dictionary")


def share(value: str) -> float:
    """An argparse type: a number from 0 to 1."""
    return _number(value, 0.0, 1.0)


def positive_number(value: str) -> float:
    """An argparse type: a number above 0."""
    return _number(value, 1e-12, 1e12)


def _number(value: str, low: float, high: float) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not low <= number <= high:
        raise argparse.ArgumentTypeError(f"expected a number from {low:g} to {high:g}, got {value!r}")
    return number
