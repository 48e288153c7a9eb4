"""How often a piece of a sentence is cut alone as it is in the sentence: self-consistency, jieba beside it.

Spans are two, three or four consecutive words of a segmenter's own cut of a sentence; each is cut again by itself and
counts when its words are the same. Every segmenter has its own spans, one of each length for each sentence, placed by a
seed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from segmenter.analyzer import Analyzer
from segmenter.evaluate import read_gold
from segmenter.types import Granularity

SEG = Path(__file__).parents[2] / "shared" / "data" / "seg"
LENGTHS = (2, 3, 4)
CutAll = Callable[[Sequence[str]], list[list[str]]]


def wenci(mode: str, criterion: str | None) -> CutAll:
    """The analyzer in one mode."""
    analyzer = Analyzer.default(mode=mode)
    return lambda texts: [
        [token.text for token in tokens]
        for tokens in analyzer.segment_batch(texts, Granularity.COARSE, criterion=criterion)
    ]


def jieba() -> CutAll:
    """jieba, default mode."""
    import jieba as package

    tokenizer = package.Tokenizer()
    tokenizer.initialize()
    return lambda texts: [tokenizer.lcut(text) for text in texts]


def spans(words: Sequence[str], rng: random.Random) -> Iterator[list[str]]:
    """One span of each length that the sentence has room for."""
    for length in LENGTHS:
        if len(words) > length:
            start = rng.randrange(len(words) - length + 1)
            yield list(words[start : start + length])


def consistency(cut_all: CutAll, texts: Sequence[str], seed: int) -> dict[str, Any]:
    """Spans, and how many of them are cut alike alone; altogether and by length."""
    rng = random.Random(seed)
    chosen = [span for words in cut_all(texts) for span in spans(words, rng)]
    alone = cut_all(["".join(span) for span in chosen])
    same = [found == span for found, span in zip(alone, chosen, strict=True)]
    by_length = {
        str(length): sum(hit for hit, span in zip(same, chosen, strict=True) if len(span) == length)
        / max(sum(len(span) == length for span in chosen), 1)
        for length in LENGTHS
    }
    return {"spans": len(chosen), "same": sum(same), "share": sum(same) / max(len(same), 1), "by_length": by_length}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """The analyzer in each mode, and jieba, on the same sentences."""
    texts = ["".join(words) for path in options.gold for words in read_gold(path)][: options.sentences]
    print(f"{len(texts)} sentences", file=sys.stderr)
    modes = {mode: consistency(wenci(mode, options.criterion), texts, options.seed) for mode in options.modes}
    peers = {"jieba": consistency(jieba(), texts, options.seed)} if options.peers else {}
    return {"sentences": len(texts), "modes": modes, "peers": peers}


def main() -> int:
    """Print one JSON object, or a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    gold = sorted(SEG.glob("*/dev.txt"))
    parser.add_argument("--gold", nargs="+", type=Path, default=gold, metavar="FILE")
    parser.add_argument("--modes", nargs="+", default=["dictionary", "wide", "hybrid"])
    parser.add_argument("--criterion", default=None)
    parser.add_argument("--sentences", type=int, default=None, help="the first N only")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--peers", nargs="*", choices=["jieba"], default=["jieba"])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = measure(options)
    if options.json:
        print(json.dumps(result))
        return 0
    for name, row in {**result["modes"], **result["peers"]}.items():
        lengths = "  ".join(f"{length} words {share:.4f}" for length, share in row["by_length"].items())
        print(f"{name:12}{row['share']:.4f} of {row['spans']} spans   {lengths}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
