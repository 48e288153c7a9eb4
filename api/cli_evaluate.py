"""`wenci evaluate`: precision, recall, F1 and the kinds of errors against a gold-segmented file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api.cli_options import Subparsers, add_analyzer, add_command, add_json, settings_from
from api.console import emit, emit_json

if TYPE_CHECKING:
    from segmenter.evaluate import Cutter, Report


def register(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(subparsers, "evaluate", "score cuts against a gold-segmented file", run)
    parser.add_argument(
        "--gold", type=Path, required=True, metavar="FILE", help="a sentence a line, words separated by spaces"
    )
    parser.add_argument("--criterion", metavar="NAME", help="the segmentation standard the gold file follows")
    parser.add_argument(
        "--part", choices=["analyzer", "wide"], default="analyzer", help="what cuts: all of it, or the wide model alone"
    )
    parser.add_argument("--train", type=Path, metavar="FILE", help="training text: words outside it count as OOV")
    parser.add_argument(
        "--compare", action="append", default=[], choices=["jieba"], help="score another segmenter in the same run"
    )
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="show the N sentences with the most errors")
    add_json(parser)
    add_analyzer(parser)


def run(args: argparse.Namespace) -> int:
    """Cut every sentence of the gold file and report."""
    from segmenter.evaluate import PEERS, evaluate, read_gold
    from segmenter.vocabulary import Vocabulary

    gold = read_gold(args.gold)
    vocabulary = Vocabulary.load(args.criterion) if args.criterion else None
    if args.train:
        vocabulary = Vocabulary.of(word for words in read_gold(args.train) for word in words)
    report = evaluate(_warm(_cutter(args)), gold, vocabulary)
    peers = {name: evaluate(_warm(PEERS[name]()), gold, vocabulary) for name in args.compare}
    if args.json:
        data = report.as_dict(args.worst)
        if peers:
            data["peers"] = {name: peer.as_dict(args.worst) for name, peer in peers.items()}
        emit_json(data)
    else:
        emit(as_text({"wenci": report, **peers}, args.worst))
    return 0


def _cutter(args: argparse.Namespace) -> Cutter:
    """The whole analyzer, or the wide model alone."""
    if args.part == "wide":
        from segmenter.tagger import tagger_cutter
        from segmenter.wide import WideTagger

        return tagger_cutter(WideTagger.load(), args.criterion)
    from api.bootstrap import load_analyzer

    analyzer = load_analyzer(settings_from(args))
    return lambda text: [(token.start, token.end) for token in analyzer.segment(text, criterion=args.criterion)]


def _warm(cut: Cutter) -> Cutter:
    """The cutter after one cut, so that no sentence is charged with what is loaded at first use."""
    cut("词")
    return cut


def as_text(reports: dict[str, Report], worst: int) -> str:
    """The reports for people: a table, then the kinds of errors and the worst sentences of the first."""
    lines = [f"{'':10}{'P':>8}{'R':>8}{'F1':>8}{'OOV R':>8}  sentences, words, slowest sentence"]
    for name, report in reports.items():
        oov = "-" if report.oov_recall is None else f"{report.oov_recall:.4f}"
        lines.append(
            f"{name:10}{report.precision:8.4f}{report.recall:8.4f}{report.f1:8.4f}{oov:>8}"
            f"  {report.sentences}, {report.gold}, {1000 * report.slowest[0]:.1f} ms"
        )
    first = next(iter(reports.values())).as_dict(worst)
    lines += ["", "words by class (gold, found)", *_rows(first["classes"], ("gold", "found"))]
    lines += ["", "borders (right, missed, false)", *_rows(first["boundaries"], ("right", "missed", "false"))]
    for sentence in first["worst"]:
        lines += ["", f"gold {sentence['gold']}", f"cut  {sentence['predicted']}"]
    return "\n".join(lines)


def _rows(table: dict[str, dict[str, Any]], columns: tuple[str, ...]) -> list[str]:
    return [f"  {name:14}" + "".join(f"{row.get(column, 0):9}" for column in columns) for name, row in table.items()]
