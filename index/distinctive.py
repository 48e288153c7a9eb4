"""The words that tell what a post is about: rare in the collection and, where that is small, rare in general.

A collection of a few posts can not tell filler from words that matter: the dictionary's frequencies say what is filler.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import log, log1p, sqrt
from typing import Final

import numpy as np

from index.collection import Collection, Floats, Mask
from index.postings import TITLE_WORDS
from index.rank import WORD_KINDS, Scorer
from segmenter.dictionary import Dictionary

TERMS = 40
"""Distinctive words of the post that others are asked for."""

MOST = 0.2
"""A word that more than this share of the posts hold says nothing about one of them (from `FEW` posts on)."""

FEW = 20

RARE = 0.04
"""The same with all of `PRIOR` added, where filler is known by its frequency in general text."""

PRIOR: Final = 200
"""Posts of general text that fill a smaller collection up to this number."""

_NUMBER = re.compile(r"[\d.]+|第?[零〇一二两三四五六七八九十百千万亿几数半]+[年月日天次个种位名章节]?")

LENGTH: Final = 400
"""Words of such a post."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word and how much it counts."""

    text: str
    weight: float


def distinctive(scorer: Scorer, collection: Collection, counts: Counter[str], fewest: int) -> list[Term]:
    """The words of highest tf-idf that other posts hold too; idf counts twice, once for each of the two posts.

    A small collection is filled up with `PRIOR` posts of general text, in which filler is what is frequent there.
    """
    documents = collection.documents
    most = documents * MOST if documents >= FEW else documents
    added = max(PRIOR - documents, 0)
    held = {word: scorer.holding(WORD_KINDS, word) for word in counts}
    if added:  # few enough to count those that have the word in the title alone, too
        held = {word: int((scorer.holds(WORD_KINDS, word) & collection.live).sum()) for word in counts}
    words = [word for word, holding in held.items() if fewest <= holding <= most and not (added and is_number(word))]
    general = general_shares(words) * added if added else np.zeros(len(words), np.float32)
    rare = RARE + (MOST - RARE) * (1 - added / PRIOR) ** 2
    terms = []
    for word, more in zip(words, general.tolist(), strict=True):
        holding = held[word]
        if not added or holding + more <= rare * (documents + added):
            weight = log(1 + (documents + added - holding - more + 0.5) / (holding + more + 0.5))
            terms.append(Term(word, log1p(counts[word]) * weight**2))
    terms = sorted(terms, key=lambda term: (-term.weight, term.text))[:TERMS]
    norm = sqrt(sum(term.weight**2 for term in terms)) or 1.0
    return [Term(term.text, term.weight / norm) for term in terms]


def is_enough(scorer: Scorer, terms: Sequence[Term], source: int) -> Mask:
    """In a small collection one word in common may be chance: two are asked for, or one that is in a title."""
    held = {term.text: scorer.holds(WORD_KINDS, term.text) for term in terms}
    shared = np.zeros(scorer.size, np.int64)
    enough = np.zeros(scorer.size, np.bool_)
    for text, mask in held.items():
        inside_another = [other for longer, other in held.items() if text in longer and text != longer]
        shared += mask & ~np.logical_or.reduce(inside_another) if inside_another else mask
        in_title = scorer.holds([TITLE_WORDS], text)
        enough |= mask if in_title[source] else in_title
    return enough | (shared > 1)


def general_shares(words: Sequence[str]) -> Floats:
    """The share of texts of `LENGTH` words that hold each word, by its frequency; 0 for what no dictionary has."""
    dictionary = _dictionary()
    shares = -np.expm1(-LENGTH * dictionary.frequencies(words) / dictionary.total)
    return shares.astype(np.float32)


def is_number(word: str) -> bool:
    """Whether the word is a number, in figures or Chinese, or says which one in a row: `12`, `四十`, `第二天`."""
    return _NUMBER.fullmatch(word) is not None


@cache
def _dictionary() -> Dictionary:
    return Dictionary.load()
