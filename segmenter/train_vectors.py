"""Training sentence vectors: `python -m segmenter.train_vectors --pretrained RUN --posts FILE --out RUN ...`.

Pairs are a title and a window of its body, and neighbouring windows of bodies or of other texts (see
`encoder.contrastive`). Of the posts, the `--held-out` ones with the smallest SHA-256 of their id take no part, for an
honest measurement.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from io import TextIOWrapper
from itertools import islice
from pathlib import Path

import zstandard

from encoder.config import TrainingConfig
from encoder.contrastive import ContrastiveTask, Groups
from encoder.data import han_share, normalise, windows
from encoder.events import broadcast
from encoder.heads import pretrained_encoder
from encoder.listeners import ConsolePanel, MetricsLog
from encoder.model import Encoder
from encoder.tokenizers.char import CharTokenizer
from encoder.train import train

Document = tuple[bool, list[str]]

TITLE, WINDOW, SHORTEST, MOST = 64, 128, 24, 12
VALIDATION = 256
"""Posts kept out of training to watch it."""
REPEATS = 3
"""How often a post stands in an epoch: each time with another pair."""
GROUP = 10
"""Neighbouring paragraphs that count as one document."""


def lines(path: Path) -> Iterator[str]:
    """The lines of a text file, also of a compressed one (`.zst`)."""
    with path.open("rb") as file:
        stream = zstandard.ZstdDecompressor().stream_reader(file) if path.suffix == ".zst" else file
        yield from TextIOWrapper(stream, encoding="utf-8")


def post_documents(path: Path, held_out: int) -> list[Document]:
    """Title and first windows of the body of each post that is not held out."""
    posts = [json.loads(line) for line in lines(path) if line.strip()]
    posts.sort(key=lambda post: hashlib.sha256(post["id"].encode()).hexdigest())
    return [(True, [normalise(post["title"])[:TITLE], *_body(post["body"])]) for post in posts[held_out:]]


def _body(text: str) -> list[str]:
    return list(islice((one for one in windows(normalise(text), WINDOW) if len(one) >= SHORTEST), MOST))


def paragraph_documents(path: Path) -> Iterator[Document]:
    """Runs of neighbouring paragraphs, one a line, mostly Chinese ones."""
    group: list[str] = []
    for line in lines(path):
        text = normalise(line)
        if len(text) >= 16 and han_share(text) >= 0.4:
            group.append(text[:WINDOW])
        if len(group) == GROUP:
            yield False, group
            group = []


def shallower(encoder: Encoder, layers: int) -> Encoder:
    """The first `layers` layers of an encoder."""
    found = Encoder(replace(encoder.config, layers=layers))
    known = found.state_dict()
    found.load_state_dict({name: value for name, value in encoder.state_dict().items() if name in known})
    return found


def main(arguments: list[str] | None = None) -> int:
    """Train, or go on with what OUT holds."""
    parser = argparse.ArgumentParser(prog="python -m segmenter.train_vectors", description=main.__doc__)
    parser.add_argument("--pretrained", type=Path, required=True, help="a checkpoint of `wenci encoder pretrain`")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--posts", type=Path, required=True, help="JSON lines with id, title and body")
    parser.add_argument("--paragraphs", type=Path, nargs="*", default=[], help="text, one paragraph a line")
    parser.add_argument("--held-out", type=int, default=1900)
    parser.add_argument("--most-paragraphs", type=int, default=6000, help="documents made of paragraphs, at most")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--layers", type=int, default=1, help="layers of the encoder that are used")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rate", type=float, default=7e-4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    tokenizer = CharTokenizer.load(options.tokenizer)
    posts = post_documents(options.posts, options.held_out)
    others = (document for path in options.paragraphs for document in paragraph_documents(path))
    documents = [*posts[:-VALIDATION] * REPEATS, *islice(others, options.most_paragraphs)]
    config = TrainingConfig(
        steps=options.steps,
        learning_rate=options.rate,
        warmup_steps=30,
        decay_share=0.6,
        seed=options.seed,
        validate_every=100,
    )
    encoder = shallower(pretrained_encoder(options.pretrained), options.layers)
    valid = Groups.build(posts[-VALIDATION:], tokenizer)
    task = ContrastiveTask(encoder, config, Groups.build(documents, tokenizer), valid)
    listen = broadcast([ConsolePanel(), MetricsLog(options.out / "metrics.jsonl")])
    train(task, config, options.out, resume=True, listener=listen)
    return 0


if __name__ == "__main__":
    sys.exit(main())
