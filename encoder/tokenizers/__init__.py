"""Tokenizers behind one interface; `load_tokenizer` reads any of them."""

from __future__ import annotations

import os

from encoder.tokenizers.base import (
    CLS,
    EXTRA_TOKENS,
    FIRST_TEXT_ID,
    MASK,
    PAD,
    SEP,
    SPECIAL_TOKENS,
    UNK,
    Tokenizer,
    extra_id,
    read_file,
)
from encoder.tokenizers.bpe import BPETokenizer
from encoder.tokenizers.char import CharTokenizer
from encoder.tokenizers.word import WordTokenizer

__all__ = [
    "CLS",
    "EXTRA_TOKENS",
    "FIRST_TEXT_ID",
    "KINDS",
    "MASK",
    "PAD",
    "SEP",
    "SPECIAL_TOKENS",
    "UNK",
    "BPETokenizer",
    "CharTokenizer",
    "Tokenizer",
    "WordTokenizer",
    "extra_id",
    "load_tokenizer",
]

KINDS: dict[str, type[Tokenizer]] = {kind.kind: kind for kind in (CharTokenizer, WordTokenizer, BPETokenizer)}


def load_tokenizer(path: str | os.PathLike[str]) -> Tokenizer:
    """The tokenizer in a file, of whatever kind; ValueError if it is not one that this program reads."""
    kind, body = read_file(path)
    if kind not in KINDS:
        raise ValueError(f"{path} holds a tokenizer of kind {kind!r}; known are {', '.join(KINDS)}")
    return KINDS[kind].from_lines(body)
