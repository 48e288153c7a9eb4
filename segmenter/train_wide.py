"""Training the wide part: `python -m segmenter.train_wide --gold pku=PATH sxu=PATH ... --output FILE`.

All criteria share weights, and each adds its own to them (Daume, 2007, "Frustratingly easy domain adaptation").
Features are counted over all training text; those seen at least twice are trained. Then the strongest are kept, as many
as the table has room for, and trained a little longer without the rest, and rounded.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.crf import Corpus, Floats, Trainer
from segmenter.dictionary import GRID, Dictionary
from segmenter.evaluate import evaluate, read_gold
from segmenter.features import TEMPLATES, feature_hashes
from segmenter.gold import GoldText, gold_text
from segmenter.hashing import Hashes
from segmenter.tagger import tagger_cutter
from segmenter.vocabulary import VOCABULARY_FILE, Vocabulary, save_vocabularies
from segmenter.wide import WEIGHTS_FILE, Delta, WideModel, WideTagger, check_of, row_of

Log = Callable[[str], None]


@dataclass(frozen=True)
class WideConfig:
    """Choices of a training run.

    rows: rows of the table; unit: one unit of a weight in 1/64; least: how often a feature must be seen
    """

    rows: int = 1_500_000
    unit: int = 2
    least: int = 2
    least_own: int = 2
    epochs: int = 4
    after_epochs: int = 1
    rate: float = 0.1
    smallest_own: int = 4
    seed: int = 1


class Features(NamedTuple):
    """Features of all training text.

    hashes: uint64[features], each shared feature's hash; own: int64[own features], `feature * criteria + criterion`
    rows: int32[n, 2 * templates], for each character the shared features, then its criterion's own (counted on from
    the shared ones), -1 for those seen too rarely
    """

    hashes: Hashes
    own: NDArray[np.int64]
    rows: NDArray[np.int32]


def train(texts: dict[str, GoldText], dictionary: Dictionary, config: WideConfig, log: Log = print) -> WideModel:
    """Train one model for all criteria."""
    features, corpus = _corpus(texts, dictionary, config)
    log(f"{len(corpus.border)} characters, {len(features.hashes)} shared and {len(features.own)} own features")
    rng = np.random.default_rng(config.seed)
    trainer = Trainer(len(features.hashes) + len(features.own))
    _epochs(trainer, corpus, config.epochs, config.rate, rng, log)
    kept = _strongest(features, trainer.weights, config.rows, len(texts))
    log(f"{kept[: len(features.hashes)].sum()} shared and {kept[len(features.hashes) :].sum()} own features kept")
    np.copyto(features.rows, -1, where=~np.append(kept, False)[features.rows])
    trainer.weights[:-1][~kept] = 0.0
    _epochs(trainer, corpus, config.after_epochs, config.rate / 4, rng, log)
    return _export(features, trainer.weights[:-1], kept, list(texts), dictionary, config)


def _epochs(trainer: Trainer, corpus: Corpus, epochs: int, rate: float, rng: np.random.Generator, log: Log) -> None:
    for epoch in range(epochs):
        rates = (rate * (1 - epoch / epochs), rate * (1 - (epoch + 1) / epochs))
        log(f"epoch {epoch + 1}: loss {trainer.epoch(corpus, rates, rng):.4f}")


def _corpus(texts: dict[str, GoldText], dictionary: Dictionary, config: WideConfig) -> tuple[Features, Corpus]:
    """Number the features of all texts."""
    sizes = [len(text.places) for text in texts.values()]
    criterion = np.repeat(np.arange(len(texts)), sizes)
    rows = np.full((sum(sizes), 2 * TEMPLATES), -1, dtype=np.int32)
    columns = zip(*(feature_hashes(text.points, dictionary) for text in texts.values()), strict=True)
    hashes: list[Hashes] = []
    shared = 0
    for template, parts in enumerate(columns):
        column = np.concatenate([part[text.places] for part, text in zip(parts, texts.values(), strict=True)])
        values, place, count = np.unique(column, return_inverse=True, return_counts=True)
        rows[:, template] = _numbered(count >= config.least, shared)[place]
        hashes.append(values[count >= config.least])
        shared += len(hashes[-1])
    own = _number_own(rows, criterion, len(texts), shared, config.least_own)
    offsets = np.cumsum([0, *sizes])[:-1]
    start = np.concatenate([text.start + offset for text, offset in zip(texts.values(), offsets, strict=True)])
    length = np.concatenate([text.length for text in texts.values()])
    border = np.concatenate([text.border for text in texts.values()])
    return Features(np.concatenate(hashes), own, rows), Corpus(rows, border, start, length)


def _numbered(wanted: NDArray[np.bool_], first: int) -> NDArray[np.int32]:
    """Numbers from `first` for those wanted, -1 for the others."""
    return np.where(wanted, np.cumsum(wanted) - 1 + first, -1).astype(np.int32)


def _number_own(
    rows: NDArray[np.int32], criterion: NDArray[np.int64], criteria: int, shared: int, least: int
) -> NDArray[np.int64]:
    """Fill the second half of `rows`; returns the key `feature * criteria + criterion` of each own feature."""
    count = np.zeros(shared * criteria, dtype=np.int32)
    for column in rows[:, :TEMPLATES].T:
        seen = column >= 0
        count += np.bincount(column[seen].astype(np.int64) * criteria + criterion[seen], minlength=len(count)).astype(
            np.int32
        )
    number = _numbered(count >= least, shared)
    for template in range(TEMPLATES):
        column = rows[:, template].astype(np.int64)
        rows[:, TEMPLATES + template] = np.where(column >= 0, number[np.maximum(column, 0) * criteria + criterion], -1)
    return np.flatnonzero(count >= least)


def _strongest(features: Features, weights: Floats, rows: int, criteria: int) -> NDArray[np.bool_]:
    """Which features stay: of those that meet in one row of the table the one with the greatest weights.

    A feature is as strong as its greatest weight in any criterion; own features stay where their shared one does.
    """
    shared = len(features.hashes)
    parent = features.own // criteria
    strength = np.abs(weights[:shared]).max(axis=1)
    np.maximum.at(strength, parent, np.abs(weights[parent] + weights[shared:-1]).max(axis=1))
    row = row_of(features.hashes, rows)
    order = np.lexsort((features.hashes, -strength, row))
    first = np.ones(shared, dtype=bool)
    first[1:] = row[order][1:] != row[order][:-1]
    kept = np.zeros(shared, dtype=bool)
    kept[order[first]] = True
    return np.concatenate([kept, kept[parent]])


def _export(
    features: Features,
    weights: Floats,
    kept: NDArray[np.bool_],
    criteria: Sequence[str],
    dictionary: Dictionary,
    config: WideConfig,
) -> WideModel:
    """Round the weights and put them where their hashes say."""
    scale = GRID / config.unit
    shared = len(features.hashes)
    place = row_of(features.hashes, config.rows)
    table = np.zeros((config.rows, 3), dtype=np.int8)
    checks = np.zeros(config.rows, dtype=np.uint8)
    table[place[kept[:shared]]] = _rounded(weights[:shared][kept[:shared]] * scale)
    checks[place[kept[:shared]]] = check_of(features.hashes[kept[:shared]])
    deltas = {}
    for number, name in enumerate(criteria):
        mine = np.flatnonzero((features.own % len(criteria) == number) & kept[shared:])
        values = _rounded(weights[shared + mine] * scale)
        mine, values = (column[np.abs(values).max(axis=1) >= config.smallest_own] for column in (mine, values))
        where = place[features.own[mine] // len(criteria)]
        order = np.argsort(where)
        deltas[name] = Delta(where[order].astype(np.uint32), values[order])
    meta = {"format": 1, "templates": TEMPLATES, "unit": config.unit, "dictionary": dictionary.fingerprint()}
    return WideModel(checks, table, deltas, {**meta, "config": asdict(config)})


def _rounded(values: NDArray[np.floating]) -> NDArray[np.int8]:
    rounded: NDArray[np.int8] = np.clip(np.rint(values), -127, 127).astype(np.int8)
    return rounded


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the wide model on gold-segmented files and write it; scores go to stdout as JSON."""
    parser = argparse.ArgumentParser(prog="python -m segmenter.train_wide", description=main.__doc__)
    parser.add_argument("--gold", nargs="+", required=True, metavar="CRITERION=FILE", help="training text")
    parser.add_argument("--dev", nargs="*", default=[], metavar="CRITERION=FILE", help="scored, never trained on")
    parser.add_argument("--output", type=Path, default=WEIGHTS_FILE)
    parser.add_argument("--vocabulary", type=Path, default=VOCABULARY_FILE, help="for OOV recall")
    defaults = asdict(WideConfig())
    for name, value in defaults.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    options = parser.parse_args(arguments)
    config = WideConfig(**{name: getattr(options, name) for name in defaults})
    gold = {name: read_gold(path) for name, path in map(_named_path, options.gold)}
    vocabularies = {name: Vocabulary.of(word for words in lines for word in words) for name, lines in gold.items()}
    texts = {name: gold_text(lines) for name, lines in gold.items()}
    dictionary = Dictionary.load()
    model = train(texts, dictionary, config, log=lambda line: print(line, file=sys.stderr, flush=True))
    model.save(options.output)
    save_vocabularies(vocabularies, options.vocabulary)
    tagger = WideTagger(model, dictionary)
    scores = {
        name: evaluate(tagger_cutter(tagger, name), read_gold(path), vocabularies[name]).f1
        for name, path in map(_named_path, options.dev)
    }
    print(json.dumps({"bytes": options.output.stat().st_size, "f1": scores}))
    return 0


def _named_path(argument: str) -> tuple[str, Path]:
    name, _, path = argument.partition("=")
    return name, Path(path)


if __name__ == "__main__":
    sys.exit(main())
