"""A task that trains in seconds, for tests and for the processes they kill."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import torch

from encoder.config import EncoderConfig, TrainingConfig
from encoder.data import Corpus
from encoder.events import Event, StepFinished, Validated
from encoder.pretrain import MlmConfig, MlmTask
from encoder.tokenizers import CharTokenizer
from encoder.train import train

SENTENCES = [
    "春天来了,花园里开满了花。",
    "小猫在窗台上晒太阳。",
    "我们每天早上八点出门上班。",
    "图书馆的书可以借三个星期。",
    "他喜欢喝茶,不喜欢喝咖啡。",
    "火车晚点了半个小时。",
    "孩子们在操场上踢足球。",
    "今晚的月亮又圆又亮。",
]


def tokenizer() -> CharTokenizer:
    return CharTokenizer.train(SENTENCES)


def training(**changes: object) -> TrainingConfig:
    values = {"steps": 20, "batch_characters": 30, "warmup_steps": 3, "validate_every": 5, "learning_rate": 1e-2}
    return TrainingConfig(**{**values, **changes})


def task(config: TrainingConfig, *, sentences: list[str] | None = None, rate: float = 0.2, **shape: object) -> MlmTask:
    known = tokenizer()
    corpus = Corpus.build(sentences or SENTENCES, known, lambda text: range(0, len(text), 2))
    values = {"width": 16, "layers": 1, "heads": 2, "ffn_width": 16, "bigram_buckets": 53, "bigram_width": 4}
    encoder = EncoderConfig(known.vocabulary_size, **{**values, **shape})
    return MlmTask(encoder, config, known, corpus, corpus.take([0, 1]), MlmConfig(rate, samples=1))


def record(path: Path, run: Path, *, resume: bool, kill_at: int | None = None) -> None:
    """Train with dropout and write each loss to `path` to the last bit; die by SIGKILL after step `kill_at`."""
    config = training(accumulation=2)
    with path.open("a", buffering=1) as out:

        def listen(event: Event) -> None:
            if isinstance(event, StepFinished):
                out.write(json.dumps(["step", event.step, event.loss.hex(), event.gradient_norm.hex()]) + "\n")
                if event.step == kill_at:
                    os.kill(os.getpid(), signal.SIGKILL)
            if isinstance(event, Validated):
                out.write(json.dumps(["valid", event.step, event.loss.hex(), event.best_loss.hex()]) + "\n")

        train(task(config, dropout=0.1), config, run, resume=resume, listener=listen)


def main(folder: Path, what: str) -> None:
    torch.set_num_threads(1)
    if what == "killed":
        record(folder / "killed.jsonl", folder / "killed", resume=False, kill_at=13)
    record(folder / "whole.jsonl", folder / "whole", resume=False)
    record(folder / "killed.jsonl", folder / "killed", resume=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
