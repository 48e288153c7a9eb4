"""`wenci segment`: text in, words out, line by line."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from api.cli_options import Subparsers, add_analyzer, add_command, add_json, settings_from
from api.console import emit, note

if TYPE_CHECKING:
    from segmenter.analyzer import Analyzer
    from segmenter.types import Granularity

CHUNK = 1 << 16
FORMATS = ["text", "json", "svg", "dot"]


def register(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(subparsers, "segment", "cut text into words: TEXT, or each line of stdin", run)
    parser.add_argument("text", nargs="?", metavar="TEXT", help="the text; without it, stdin is read line by line")
    parser.add_argument(
        "--granularity", "-g", choices=["coarse", "fine", "search"], default="coarse", help="default: coarse"
    )
    parser.add_argument("--criterion", metavar="NAME", help="the segmentation standard, where the model knows several")
    parser.add_argument("--explain", action="store_true", help="say why: offered words, the model's belief, the rival")
    parser.add_argument(
        "--format", choices=FORMATS, default=None, help="of the explanation: text (default), json, svg or dot"
    )
    parser.add_argument("--dot", action="store_true", help="the same as --explain --format dot, for Graphviz")
    add_json(parser)
    add_analyzer(parser)


def run(args: argparse.Namespace) -> int:
    """One line out for each line in; a line that is not text is named and gives an empty line."""
    from api.bootstrap import load_analyzer
    from segmenter.types import Granularity

    analyzer = load_analyzer(settings_from(args))
    if args.explain or args.dot or args.format:
        return _explain(analyzer, args)
    writer = _Writer(analyzer, Granularity(args.granularity), args.criterion, as_json=args.json)
    if args.text is not None:
        writer.write([args.text.encode("utf-8", "surrogateescape")])
    else:
        for lines in read_lines(sys.stdin.fileno()):
            writer.write(lines)
            sys.stdout.flush()
    return 1 if writer.failed else 0


def _explain(analyzer: Analyzer, args: argparse.Namespace) -> int:
    """Explain one text: the argument, or all of stdin without its last line feed."""
    from api.explaining import rendered

    text = args.text if args.text is not None else sys.stdin.buffer.read().decode("utf-8").removesuffix("\n")
    form = "dot" if args.dot else args.format or ("json" if args.json else "text")
    emit(rendered(analyzer.explain(text, criterion=args.criterion), form).removesuffix("\n"))
    return 0


def read_lines(descriptor: int) -> Iterator[list[bytes]]:
    """The complete lines that are there, as soon as they are there; the last one may lack its newline."""
    pending = bytearray()
    while chunk := os.read(descriptor, CHUNK):
        border = chunk.rfind(b"\n")
        if border < 0:
            pending += chunk
            continue
        pending += chunk[:border]
        yield bytes(pending).split(b"\n")
        pending = bytearray(chunk[border + 1 :])
    if pending:
        yield [bytes(pending)]


class _Writer:
    """Cuts lines and writes one line for each, in order."""

    def __init__(self, analyzer: Analyzer, granularity: Granularity, criterion: str | None, *, as_json: bool) -> None:
        self._analyzer = analyzer
        self._granularity = granularity
        self._criterion = criterion
        self._as_json = as_json
        self._line = 0
        self.failed = 0

    def write(self, lines: Sequence[bytes]) -> None:
        texts = [self._decode(line) for line in lines]
        good = (text for text in texts if text is not None)
        results = self._analyzer.segment_iter(good, self._granularity, criterion=self._criterion)
        for text in texts:
            emit(self._format(text, [] if text is None else next(results)))

    def _decode(self, line: bytes) -> str | None:
        self._line += 1
        try:
            return line.removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError as error:
            self.failed += 1
            note(f"line {self._line}: not UTF-8 at byte {error.start + 1}")
            return None

    def _format(self, text: str | None, tokens: Sequence[Any]) -> str:
        if not self._as_json:
            return " ".join(token.text for token in tokens)
        if text is None:
            return json.dumps({"text": None, "tokens": [], "error": "not UTF-8"})
        from api.segmenting import token_object

        return json.dumps({"text": text, "tokens": [token_object(token) for token in tokens]}, ensure_ascii=False)
