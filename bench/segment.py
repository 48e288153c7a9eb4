"""Speed and F1 of cutting beside jieba, rjieba and THULAC, all in one run.

Every segmenter cuts the same sentences, one after the other, `--repeats` times in turn; the median counts. Wenci's
figures are those of `--mode`, with `--threads` threads; `modes` has those of the other modes, `wide` is the wide model
alone, on one thread. Seconds are those of the clock; `chars_per_cpu_s` counts processor time of all threads instead,
which other work on the machine disturbs less. Without `--criterion` the standard is the one that the gold file's path
names, if it names one.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

from segmenter.analyzer import Analyzer
from segmenter.deep_inputs import CRITERIA
from segmenter.evaluate import evaluate, read_gold, spans_of
from segmenter.models import MODES
from segmenter.normalise import Normalizer
from segmenter.types import Granularity
from segmenter.wide import WEIGHTS_FILE, WideTagger

DEFAULT_GOLD = Path(__file__).parents[2] / "shared" / "data" / "seg" / "pku" / "dev.txt"
BATCH = 256
ALONE = "wide alone"

Words = list[list[str]]
CutAll = Callable[[Sequence[str]], Words]


def wenci(mode: str | None, criterion: str | None, threads: int) -> CutAll:
    """The analyzer, batches of sentences spread over threads; the dictionary mode has no criterion."""
    analyzer = Analyzer.default(mode=mode)
    standard = criterion if criterion in analyzer.criteria else None

    def cut(texts: Sequence[str]) -> Words:
        return [
            [token.text for token in tokens]
            for tokens in analyzer.segment_batch(texts, Granularity.COARSE, criterion=standard)
        ]

    def cut_all(texts: Sequence[str]) -> Words:
        batches = [texts[first : first + BATCH] for first in range(0, len(texts), BATCH)]
        with ThreadPoolExecutor(threads) as pool:
            return [words for batch in pool.map(cut, batches) for words in batch]

    return cut_all


def wide(criterion: str | None) -> CutAll:
    """Normalised sentences, scores of the wide model for all at once, words that follow them alone."""
    tagger, normalizer = WideTagger.load(), Normalizer()

    def cut_all(texts: Sequence[str]) -> Words:
        forms = [normalizer.normalize(text) for text in texts]
        words = []
        for text, form, scores in zip(
            texts, forms, tagger.boundary_scores([form.text for form in forms], criterion), strict=True
        ):
            starts = form.starts[1:]
            inner = starts[(scores >= 0) & (starts != form.starts[:-1])].tolist()
            words.append([text[start:end] for start, end in pairwise([0, *inner, len(text)])])
        return words

    return cut_all


def jieba() -> CutAll:
    """jieba, default mode."""
    import jieba as package

    package.setLogLevel(logging.WARNING)
    tokenizer = package.Tokenizer()
    tokenizer.initialize()
    return lambda texts: [tokenizer.lcut(text) for text in texts]


def rjieba() -> CutAll:
    """jieba's rewrite in Rust."""
    import rjieba as package

    return lambda texts: [package.cut(text) for text in texts]


def thulac() -> CutAll:
    """THULAC, cutting only."""
    import thulac as package

    model = package.thulac(seg_only=True)
    return lambda texts: [[word for word, _ in model.cut(text)] for text in texts]


PEERS: dict[str, Callable[[], CutAll]] = {"jieba": jieba, "rjieba": rjieba, "thulac": thulac}


class Speed(NamedTuple):
    """Characters a second by the clock, and a second of processor time."""

    clock: float
    processor: float


def timed(cutters: dict[str, CutAll], texts: Sequence[str], repeats: int) -> dict[str, Speed]:
    """The speed of each, by the median of the repeats; each has one unmeasured run before."""
    characters = sum(map(len, texts))
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in cutters}
    for repeat in range(repeats + 1):
        for name, cut_all in cutters.items():
            began = perf_counter(), process_time()
            cut_all(texts)
            if repeat:
                took[name].append((perf_counter() - began[0], process_time() - began[1]))
        print(f"repeat {repeat} of {repeats}", file=sys.stderr)
    return {
        name: Speed(*(characters / median(column) for column in zip(*times, strict=True)))
        for name, times in took.items()
    }


def scores(cut_all: CutAll, gold: Sequence[Sequence[str]]) -> float:
    """Word F1."""
    texts = ["".join(words) for words in gold]
    cuts = iter(cut_all(texts))
    return evaluate(lambda text: spans_of(next(cuts)), gold).f1


def named_in(path: Path) -> str | None:
    """The standard that a path names in its folder or its own name, such as pku in `seg/pku/dev.txt`."""
    names = [name for part in (path.parent.name, path.name) for name in re.split(r"[^a-z]+", part.lower())]
    return next((name for name in names if name in CRITERIA), None)


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Every segmenter that is installed, on the gold sentences."""
    gold = [words for path in options.gold for words in read_gold(path)][: options.sentences]
    criterion = options.criterion or named_in(options.gold[0])
    mode = options.mode
    others = [other for other in options.modes if other != mode]
    cutters = {name: wenci(name, criterion, options.threads) for name in (mode, *others)}
    if WEIGHTS_FILE.exists():
        cutters[ALONE] = wide(criterion)
    for name in options.peers:
        try:
            cutters[name] = PEERS[name]()
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
    speed = timed(cutters, ["".join(words) for words in gold], options.repeats)
    rows: dict[str, dict[str, Any]] = {}
    for name, cut_all in cutters.items():
        clock, processor = speed[name]
        rows[name] = {"chars_per_s": round(clock), "chars_per_cpu_s": round(processor), "f1": scores(cut_all, gold)}
        rows[name]["of_jieba"] = clock / speed["jieba"].clock if "jieba" in speed else None
        rows[name]["of_jieba_cpu"] = processor / speed["jieba"].processor if "jieba" in speed else None
    return {
        **rows.pop(mode),
        "mode": mode,
        "criterion": criterion,
        "threads": options.threads,
        "modes": {name: rows.pop(name) for name in others},
        "peers": rows,
    }


def main() -> int:
    """Print one JSON object, or a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gold", nargs="+", type=Path, default=[DEFAULT_GOLD], metavar="FILE")
    parser.add_argument("--criterion", default=None)
    parser.add_argument("--mode", default="wide", choices=MODES, help="default: wide, as without a standard")
    parser.add_argument("--modes", nargs="*", choices=MODES, default=["wide", "hybrid"], help="measured besides")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=None, help="the first N only")
    parser.add_argument("--peers", nargs="*", choices=sorted(PEERS), default=sorted(PEERS))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = measure(options)
    if options.json:
        print(json.dumps(result))
        return 0
    for name, row in {result["mode"]: result, **result["modes"], **result["peers"]}.items():
        ratio = "" if row["of_jieba"] is None else f"{row['of_jieba']:6.2f} x jieba, by CPU {row['of_jieba_cpu']:.2f}"
        print(f"{name:12}{row['chars_per_s']:12,} characters/s   F1 {row['f1']:.4f}  {ratio}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
