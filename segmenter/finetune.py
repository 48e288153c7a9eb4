"""Fine-tuning the deep part: a pretrained Encoder learns where words end, in several standards at once.

`python -m segmenter.finetune --pretrained RUN --gold pku=FILE sxu=FILE ... --dev pku=FILE ... --out RUN`. The loop, its
checkpoints and its resuming are the pretraining's (`encoder.train`); this file adds the task.
"""

import argparse
import hashlib
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoder import checkpoint
from encoder.config import EncoderConfig, TrainingConfig
from encoder.data import epoch_batches
from encoder.events import broadcast
from encoder.heads import BoundaryTagger, boundary_loss, pretrained_encoder
from encoder.listeners import ConsolePanel, MetricsLog
from encoder.model import Encoder
from encoder.task import Validation
from encoder.tokenizers.char import CharTokenizer
from encoder.train import pick_device, train
from segmenter.deep_inputs import (
    CRITERIA,
    CRITERION_INPUT,
    WINDOW,
    WORD_INPUTS,
    WORD_SIZES,
    DeepInputs,
    criterion_id,
    deep_inputs,
    id_table,
)
from segmenter.dictionary import Dictionary
from segmenter.evaluate import read_gold
from segmenter.gold import gold_text, word_f1

ABLATIONS = ("pretraining", "bigrams", "dictionary", "criterion")
"""What `--without` can leave out; bigrams only together with pretraining, which knows them."""

CATEGORIES = (*((name, WORD_SIZES) for name in WORD_INPUTS), (CRITERION_INPUT, len(CRITERIA) + 1))


class TaggedText(NamedTuple):
    """Windows of text with their borders, of one or several criteria.

    inputs: columns of n characters; border: bool[n], whether a word ends with the character
    offsets: int64[windows + 1]; criterion: uint8[windows], ids that the Encoder is given
    source: uint8[windows], ids of the standards that the borders follow
    """

    inputs: DeepInputs
    border: NDArray[np.bool_]
    offsets: NDArray[np.int64]
    criterion: NDArray[np.uint8]
    source: NDArray[np.uint8]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Characters of each window."""
        return np.diff(self.offsets)

    def without(self, names: Collection[str]) -> "TaggedText":
        """The same text with the inputs of `names` (of `ABLATIONS`) blank."""
        inputs, criterion = self.inputs, self.criterion
        if "dictionary" in names:
            blank = np.zeros_like(inputs.begin)
            inputs = DeepInputs(inputs.ids, blank, blank, blank)
        if "criterion" in names:
            criterion = np.zeros_like(criterion)
        return self._replace(inputs=inputs, criterion=criterion)

    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits of all of it."""
        digest = hashlib.sha256()
        for column in (*self.inputs, self.border, self.offsets, self.criterion):
            digest.update(np.ascontiguousarray(column).tobytes())
        return digest.hexdigest()[:16]


class Batch(NamedTuple):
    """ids (B, L); extra: the Encoder's categories; border (B, L - 1); present (B, L)."""

    ids: Tensor
    extra: dict[str, Tensor]
    border: Tensor
    present: Tensor


def tagged_text(
    gold: Mapping[str, Sequence[Sequence[str]]], table: NDArray[np.uint16], dictionary: Dictionary
) -> TaggedText:
    """Gold sentences by criterion as windows of two to `WINDOW` characters."""
    parts = [_windows(sentences, criterion_id(name), table, dictionary) for name, sentences in gold.items()]
    inputs = DeepInputs(*(np.concatenate(columns) for columns in zip(*(part.inputs for part in parts), strict=True)))
    lengths = np.concatenate([part.lengths for part in parts])
    return TaggedText(
        inputs,
        np.concatenate([part.border for part in parts]),
        np.concatenate([[0], np.cumsum(lengths)]),
        *[np.concatenate([part.criterion for part in parts])] * 2,
    )


def _windows(
    sentences: Sequence[Sequence[str]], criterion: int, table: NDArray[np.uint16], dictionary: Dictionary
) -> TaggedText:
    text = gold_text(sentences)
    inputs = deep_inputs(text.points, table, dictionary).at(text.places)
    cuts = [np.arange(0, length, WINDOW) + start for start, length in zip(text.start, text.length, strict=True)]
    offsets = np.append(np.concatenate(cuts), len(text.places))
    ids = np.full(len(offsets) - 1, criterion, dtype=np.uint8)
    return TaggedText(inputs, text.border, offsets, ids, ids)


def batch_of(text: TaggedText, rows: NDArray[np.int64], device: torch.device) -> Batch:
    """The windows `rows`, padded to the longest."""
    lengths = text.lengths[rows]
    longest = max(int(lengths.max()), 2)
    place = text.offsets[rows][:, None] + np.arange(longest)
    present = np.arange(longest) < lengths[:, None]
    place = np.where(present, place, 0)
    columns = [torch.from_numpy(np.where(present, column[place], 0).astype(np.int64)) for column in text.inputs]
    extra = {name: column.to(device) for name, column in zip(WORD_INPUTS, columns[1:], strict=True)}
    extra[CRITERION_INPUT] = torch.from_numpy(text.criterion[rows].astype(np.int64)[:, None]).to(device)
    border = torch.from_numpy(text.border[place][:, :-1])
    return Batch(columns[0].to(device), extra, border.to(device), torch.from_numpy(present).to(device))


class TaggingTask:
    """Find the borders of `text`; measure on `dev`."""

    name = "boundary tagging"

    def __init__(self, encoder: Encoder, training: TrainingConfig, text: TaggedText, dev: TaggedText) -> None:
        torch.manual_seed(training.seed)
        self.module: BoundaryTagger = BoundaryTagger(encoder)
        self.training, self.text, self.dev = training, text, dev
        self._epoch = lru_cache(2)(
            lambda epoch: epoch_batches(text.lengths, training.batch_characters, training.seed, epoch)
        )

    def identity(self) -> Mapping[str, Any]:
        """Shape and data."""
        data = {"train": self.text.fingerprint(), "dev": self.dev.fingerprint()}
        return {"encoder": self.module.encoder.config.to_dict(), "criteria": list(CRITERIA), "data": data}

    def batches(self, epoch: int) -> int:
        """How many batches the epoch has."""
        return len(self._epoch(epoch))

    def loss(self, epoch: int, batch: int) -> tuple[Tensor, int]:
        """Mean loss over the gaps of one batch."""
        rows = self._epoch(epoch)[batch]
        found = batch_of(self.text, rows, self.module.v.weight.device)
        return self._loss(found), int(self.text.lengths[rows].sum())

    def _loss(self, batch: Batch) -> Tensor:
        present = None if bool(batch.present.all()) else batch.present
        return boundary_loss(self.module(batch.ids, batch.extra, present), batch.border, present)

    def validate(self) -> Validation:
        """Mean loss over the gaps of `dev`, the share of gaps decided rightly, and word F1 by criterion."""
        odds = tag(self.module, self.dev, self.training.batch_characters)
        truth, last = self.dev.border, np.isinf(odds)
        loss = np.logaddexp(0, np.where(truth, -odds, odds))[~last].mean()
        found = {"gaps": float(((odds >= 0) == truth)[~last].mean())}
        source = np.repeat(self.dev.source, self.dev.lengths)
        for i in np.unique(source):
            mine = source == i
            found[CRITERIA[i - 1]] = word_f1(odds[mine] >= 0, (truth | last)[mine])
        return Validation(float(loss), found)


@torch.no_grad()
def tag(module: BoundaryTagger, text: TaggedText, batch_characters: int = 4096) -> NDArray[np.float32]:
    """The log-odds of a border after each of n characters, float32[n]; infinite at the end of a window."""
    odds = np.full(len(text.border), np.inf, dtype=np.float32)
    for rows in epoch_batches(text.lengths, batch_characters, 0, 0):
        batch = batch_of(text, rows, module.v.weight.device)
        found = module(batch.ids, batch.extra, batch.present).float().cpu().numpy()
        place = text.offsets[rows][:, None] + np.arange(found.shape[1])
        inside = batch.present[:, 1:].cpu().numpy()
        odds[place[inside]] = found[inside]
    return odds


def load_tagger(folder: Path) -> BoundaryTagger:
    """The tagger of a fine-tuning run's checkpoint, ready to be used."""
    meta = checkpoint.read_meta(folder)
    module = BoundaryTagger(Encoder(EncoderConfig.from_dict(meta.identity["encoder"])))
    module.load_state_dict(checkpoint.load_weights(folder))
    return module.eval()


def read_all(pairs: Sequence[str]) -> dict[str, list[list[str]]]:
    """Gold files given as CRITERION=FILE."""
    found: dict[str, list[list[str]]] = {}
    for pair in pairs:
        name, _, file = pair.partition("=")
        found.setdefault(name, []).extend(read_gold(Path(file)))
    return found


def shape_of(config: EncoderConfig, with_bigrams: bool, layers: int | None, width: int | None) -> EncoderConfig:
    """The shape of an Encoder that begins from nothing; heads stay as many."""
    width = width or config.width
    buckets = config.bigram_buckets if with_bigrams else 0
    return replace(config, bigram_buckets=buckets, layers=layers or config.layers, width=width, ffn_width=4 * width)


def main(arguments: list[str] | None = None) -> int:
    """Fine-tune, or go on with `--resume`."""
    parser = argparse.ArgumentParser(prog="python -m segmenter.finetune", description=main.__doc__)
    parser.add_argument("--pretrained", type=Path, required=True, help="a checkpoint of `wenci encoder pretrain`")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--gold", nargs="+", required=True, metavar="CRITERION=FILE")
    parser.add_argument("--dev", nargs="+", required=True, metavar="CRITERION=FILE")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=2400)
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--without", nargs="+", default=[], choices=ABLATIONS, help="leave out, to see what it is worth"
    )
    parser.add_argument("--layers", type=int, help="another depth, only with `--without pretraining`")
    parser.add_argument("--width", type=int, help="another width, the FFN four times that; likewise")
    parser.add_argument("--batch-characters", type=int, default=4096)
    parser.add_argument("--workers", type=int, default=1, help="half batches of a step computed at a time (1 or 2)")
    parser.add_argument("--device", default="cpu", help="auto, cpu or cuda")
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args(arguments)
    table, dictionary = id_table(CharTokenizer.load(options.tokenizer)), Dictionary.load()
    text = tagged_text(read_all(options.gold), table, dictionary).without(options.without)
    dev = tagged_text(read_all(options.dev), table, dictionary).without(options.without)
    torch.manual_seed(options.seed)
    encoder = pretrained_encoder(options.pretrained, dropout=options.dropout, categories=CATEGORIES)
    if "pretraining" in options.without:
        encoder = Encoder(shape_of(encoder.config, "bigrams" not in options.without, options.layers, options.width))
    elif "bigrams" in options.without:
        parser.error("a pretrained Encoder knows bigrams: leave out pretraining too")
    elif options.layers or options.width:
        parser.error("a pretrained Encoder has its size: leave out pretraining too")
    config = TrainingConfig(
        steps=options.steps,
        batch_characters=options.batch_characters // options.workers,
        accumulation=options.workers,
        learning_rate=options.rate,
        warmup_steps=min(100, options.steps // 5),
        decay_share=0.8,
        seed=options.seed,
        validate_every=400,
    )
    listen = broadcast([ConsolePanel(), MetricsLog(options.out / "metrics.jsonl")])
    train(
        TaggingTask(encoder, config, text, dev),
        config,
        options.out,
        resume=options.resume,
        device=pick_device(options.device),
        listener=listen,
        workers=options.workers,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
