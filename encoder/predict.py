"""Showing what the pretrained Encoder puts in the place of a hidden word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from encoder import checkpoint
from encoder.config import EncoderConfig
from encoder.data import Corpus, Span, corpus_window
from encoder.events import Sample
from encoder.mlm import MaskedLanguageModel, guess_word
from encoder.prepare import TOKENIZER_FILE
from encoder.tokenizers import Tokenizer, load_tokenizer
from encoder.tokenizers.runs import is_han


@dataclass(frozen=True)
class Pretrained:
    """A model out of a run, in evaluation mode, with what its checkpoint says of it."""

    model: MaskedLanguageModel
    tokenizer: Tokenizer
    meta: checkpoint.Meta
    folder: Path


def load_pretrained(run: Path, which: str = "best") -> Pretrained:
    """The best (or `latest`) checkpoint of a run, or the checkpoint in a `step-N` folder.

    FileNotFoundError if there is none; ValueError if the tokenizer beside it is not the one it was trained with.
    """
    folder = checkpoint_folder(run, which)
    meta = checkpoint.read_meta(folder)
    tokenizer = load_tokenizer(folder.parent / TOKENIZER_FILE)
    if tokenizer.fingerprint() != meta.identity["tokenizer"]:
        raise ValueError(
            f"{folder} was trained with tokenizer {meta.identity['tokenizer']}, "
            f"beside it lies {tokenizer.fingerprint()}"
        )
    model = MaskedLanguageModel(EncoderConfig.from_dict(meta.identity["encoder"]))
    model.load_state_dict(checkpoint.load_weights(folder))
    model.eval()
    return Pretrained(model, tokenizer, meta, folder)


def checkpoint_folder(run: Path, which: str = "best") -> Path:
    """Where a run's `which` checkpoint lies (the latest one before the first validation), or `run` if it is one."""
    if (run / "meta.json").exists():
        return run
    found = checkpoint.find(run, which) or checkpoint.find(run)
    if found is None:
        raise FileNotFoundError(f"{run} holds no checkpoint")
    return found


def predict_words(
    model: MaskedLanguageModel, tokenizer: Tokenizer, text: str, words: Iterable[Span], count: int = 5
) -> Iterator[Sample]:
    """Each of `words` hidden in turn, the rest of `text` in sight, with the `count` best guesses."""
    for start, end in words:
        yield guess_word(model, tokenizer, text, start, end, count)


def draw_sentences(
    corpus: Corpus, tokenizer: Tokenizer, count: int, words: int, seed: int
) -> Iterator[tuple[str, list[Span]]]:
    """`count` windows drawn from a corpus, each with up to `words` Han words drawn to be hidden, in text order."""
    generator = np.random.default_rng(seed)
    for row in generator.permutation(len(corpus))[:count]:
        text, spans = corpus_window(corpus, tokenizer, int(row))
        spans = [span for span in spans if is_han(text[span[0] : span[1]])]
        drawn = generator.permutation(len(spans))[:words]
        yield text, sorted(spans[place] for place in drawn)


def occurrences(text: str, word: str, spans: Sequence[Span]) -> list[Span]:
    """Where `word` stands in `text`: as a word if it does so, else anywhere. ValueError if nowhere."""
    if whole := [span for span in spans if text[span[0] : span[1]] == word]:
        return whole
    place = text.find(word) if word else -1
    if place < 0:
        raise ValueError(f"{word!r} does not stand in the sentence")
    return [(place, place + len(word))]
