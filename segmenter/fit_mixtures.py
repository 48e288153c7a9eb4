"""Fitting how wide and deep are mixed: `python -m segmenter.fit_mixtures --dev pku=FILE ...`.

For each criterion the deep part's share and the bias are searched on a grid for the best
word F1 of the dev file; prints one line a criterion and writes `weights/mixtures.json`. Two small numbers are fitted on
some hundred sentences; what they bring is measured on closed test sets only.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.blend import Answers, Mixture, mixed
from segmenter.chain import Emissions, gap_log_odds
from segmenter.deep import LONGEST, DeepModel
from segmenter.deep_inputs import deep_inputs
from segmenter.dictionary import Dictionary
from segmenter.evaluate import read_gold
from segmenter.features import Layout
from segmenter.gold import GoldText, gold_text, word_f1
from segmenter.models import MIXTURES_FILE
from segmenter.types import Int16Array
from segmenter.wide import CERTAIN, WideTagger

DEEP_SHARES: Final = range(0, 97, 4)
BIASES: Final = range(-3072, 3073, 512)


class Scores(NamedTuple):
    """What is known of n characters.

    wide, deep: log-odds behind each, int16[n]; border, last: truth and ends of sentences, bool[n]
    emissions: the wide part's, int32[n] each; starts: the sentences' first characters, int64[sentences]
    """

    wide: Int16Array
    deep: Int16Array
    border: NDArray[np.bool_]
    last: NDArray[np.bool_]
    emissions: Emissions
    starts: NDArray[np.int64]


def score(
    gold: Iterable[Sequence[str]], criterion: str, wide: WideTagger, deep: DeepModel, words: Dictionary
) -> Scores:
    """What both parts say of every gap of gold sentences."""
    text = gold_text(gold)
    last = np.zeros(len(text.places), dtype=np.bool_)
    last[text.start + text.length - 1] = True
    emissions = wide.emissions(Layout(text.points, text.places), criterion)
    odds = np.clip(gap_log_odds(emissions, text.start), -CERTAIN, CERTAIN).astype(np.int16)
    return Scores(odds, _deep_odds(text, criterion, deep, words), text.border, last, emissions, text.start)


def _deep_odds(text: GoldText, criterion: str, deep: DeepModel, words: Dictionary) -> Int16Array:
    inputs = deep_inputs(text.points, deep.table, words).at(text.places)
    odds = np.zeros(len(text.places), dtype=np.int16)
    for first, length in zip(text.start.tolist(), text.length.tolist(), strict=True):
        for start in range(first, first + length, LONGEST):
            end = min(start + LONGEST, first + length)
            if end - start > 1:
                odds[start : end - 1] = deep.odds(inputs.at(slice(start, end)), criterion)
    return odds


def f1_of(scores: Scores, odds: NDArray[np.int16]) -> float:
    """F1 of the words between borders, against the words between the true ones."""
    return word_f1((odds > 0) | scores.last, scores.border | scores.last)


def fit(scores: Scores, doubt: int) -> tuple[Mixture, float]:
    """The best mixture and its F1; of equals, the one with the smaller bias, then the smaller share."""
    answers = Answers(scores.deep.astype(np.int64), (np.abs(scores.wide) < doubt) & ~scores.last)
    choices = (Mixture(doubt, share, bias) for share, bias in product(DEEP_SHARES, BIASES))
    found = ((f1_of(scores, mixed(scores.emissions, scores.starts, answers, mixture)), mixture) for mixture in choices)
    f1, mixture = max(found, key=lambda pair: (pair[0], -abs(pair[1].bias), -pair[1].deep_share))
    return mixture, f1


def main(arguments: list[str] | None = None) -> int:
    """Fit the mixture of each criterion on its dev file."""
    parser = argparse.ArgumentParser(prog="python -m segmenter.fit_mixtures", description=main.__doc__)
    parser.add_argument("--dev", nargs="+", required=True, metavar="CRITERION=FILE")
    parser.add_argument("--doubt", type=int, default=Mixture.doubt, help="unsure below this, in 1/64 of log-odds")
    parser.add_argument("--doubt-of", nargs="*", default=[], metavar="CRITERION=N", help="the same for one criterion")
    parser.add_argument("--output", type=Path, default=MIXTURES_FILE)
    options = parser.parse_args(arguments)
    words = Dictionary.load()
    wide, deep = WideTagger.load(dictionary=words), DeepModel.load()
    doubts = {name: int(doubt) for name, _, doubt in (pair.partition("=") for pair in options.doubt_of)}
    mixtures = {}
    for pair in options.dev:
        criterion, _, file = pair.partition("=")
        scores = score(read_gold(Path(file)), criterion, wide, deep, words)
        mixture, f1 = fit(scores, doubts.get(criterion, options.doubt))
        alone = f"wide {f1_of(scores, scores.wide):.4f}, deep {f1_of(scores, scores.deep):.4f}"
        print(f"{criterion}: {alone}, mixed {f1:.4f} {mixture}", file=sys.stderr)
        mixtures[criterion] = asdict(mixture)
    options.output.write_text(json.dumps(mixtures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
