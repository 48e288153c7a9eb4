"""Ranking formulas, free of SQL: BM25 over postings, and how much of a query a text holds in one piece.

BM25 as in Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the idf that is never negative.
The constants were chosen on the development articles (`bench/known_item.py`); the ADR on ranking has the figures.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from index.collection import Collection, Floats, Mask
from index.listed import listed
from index.postings import (
    BODY_GRAMS,
    BODY_WORDS,
    TAG_GRAMS,
    TAG_WORDS,
    TITLE_GRAMS,
    TITLE_WORDS,
    Postings,
)

WORD_KINDS = (TITLE_WORDS, BODY_WORDS, TAG_WORDS)
GRAM_KINDS = (TITLE_GRAMS, BODY_GRAMS, TAG_GRAMS)

Lists = Mapping[tuple[int, str], Postings]
Ords = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Weights:
    """Constants of the ranking.

    k1, b: of BM25; title, tags: weight of these fields beside the body's 1; grams: weight of bigrams and atoms beside
    words; cover, cover_power: reward for long pieces of the query in one piece (`cover`), relative to the BM25 score;
    title_cover: the same for the title alone; meaning: the power of the cosine that scores are multiplied by.
    """

    k1: float = 2.5
    b: float = 0.75
    b_title: float = 0.4
    title: float = 3.0
    tags: float = 1.5
    grams: float = 0.5
    cover: float = 0.8
    title_cover: float = 0.4
    cover_power: float = 1.5
    meaning: float = 1.0


WEIGHTS = Weights()


def idf(documents: int, holding: int) -> float:
    """`ln(1 + (N - n + 0.5) / (n + 0.5))`, at least 0."""
    return log(1 + (max(documents - holding, 0) + 0.5) / (holding + 0.5))


class Scorer:
    """BM25 scores over all documents of a collection, one array element each."""

    def __init__(self, collection: Collection, lists: Lists, weights: Weights = WEIGHTS) -> None:
        self._lists = listed(collection, lists, (weights.k1, weights.b, weights.b_title))
        self._documents = collection.documents
        self.size = collection.size
        self.weights = weights
        self._collection = collection
        self._boosts = (weights.title, 1.0, weights.tags)

    @cached_property
    def _norms(self) -> tuple[Floats, ...]:
        """What a term frequency is measured by in title, body and tags of each document."""
        weights, collection = self.weights, self._collection
        body = weights.k1 * (1 - weights.b + weights.b * collection.body_ratio)
        title = weights.k1 * (1 - weights.b_title + weights.b_title * collection.title_ratio)
        return title, body, np.full(self.size, weights.k1, np.float32)

    def idf(self, kinds: Iterable[int], lexeme: str) -> float:
        """Rarity of a lexeme by the field that most documents have it in."""
        return idf(self._documents, self.holding(kinds, lexeme))

    def holding(self, kinds: Iterable[int], lexeme: str) -> int:
        """How many documents hold the lexeme, by the field that most have it in."""
        lists = (self._lists.get((kind, lexeme)) for kind in kinds)
        return max((len(found.postings.ords) for found in lists if found is not None), default=0)

    def bm25(self, kinds: tuple[int, ...], lexemes: Mapping[str, int]) -> Floats:
        """Scores for lexemes and how often the query has each; `kinds` are title, body, tags in this order."""
        scores = np.zeros(self.size, np.float32)
        k1 = self.weights.k1
        for lexeme, count in lexemes.items():
            weight = self.idf(kinds, lexeme) * count * (k1 + 1)
            for kind, norm, boost in zip(kinds, self._norms, self._boosts, strict=True):
                found = self._lists.get((kind, lexeme))
                if found is not None:
                    found.add_to(scores, norm, weight * boost)
        return scores

    def postings(self, kind: int, lexeme: str) -> Postings | None:
        """The documents of a lexeme in one kind, or None."""
        found = self._lists.get((kind, lexeme))
        return None if found is None else found.postings

    def held_by(self, kind: int, lexeme: str, ords: Ords) -> Mask | None:
        """Which of these few documents hold the lexeme in one kind, or None where no document does."""
        found = self._lists.get((kind, lexeme))
        return None if found is None else found.held_by(ords)

    def holds(self, kinds: Iterable[int], lexeme: str) -> Mask:
        """Which documents hold the lexeme in any of these kinds."""
        mask = np.zeros(self.size, np.bool_)
        for kind in kinds:
            found = self._lists.get((kind, lexeme))
            if found is not None:
                found.mark(mask)
        return mask

    def intersection(self, kind: int, lexemes: Iterable[str]) -> Ords:
        """Documents that hold all lexemes in one kind."""
        lists = [self._lists.get((kind, lexeme)) for lexeme in lexemes]
        present = sorted((found.postings.ords for found in lists if found is not None), key=len)
        if len(present) < len(lists) or not present:
            return np.empty(0, np.int64)
        ords = present[0].astype(np.int64)
        for other in present[1:]:
            if not len(ords):
                break
            mask = np.zeros(self.size, np.bool_)
            mask[other] = True
            ords = ords[mask[ords]]
        return ords


def pieces_in(query: str, text: str, shortest: int = 2) -> list[tuple[int, int]]:
    """`(start, length)` of the longest pieces of `query` that stand in `text`, taken greedily from the left.

    >>> pieces_in("网关计划任务被删除", "删除了网关的计划任务")
    [(0, 2), (2, 4), (7, 2)]
    """
    found, start, size = [], 0, len(query)
    while start + shortest <= size:
        end = start + shortest
        if query[start:end] not in text:
            start += 1
            continue
        while end < size and query[start : end + 1] in text:
            end += 1
        found.append((start, end - start))
        start = end
    return found


def cover(query: str, text: str, power: float = WEIGHTS.cover_power) -> float:
    """How much of `query` stands in `text` in long pieces: `sum(length ** power) / len(query) ** power`, at most 1."""
    if not query:
        return 0.0
    if query in text:
        return 1.0
    lengths = [length for _, length in pieces_in(query, text)]
    return float(sum(length**power for length in lengths) / len(query) ** power)


def best_first(scores: NDArray[np.float32], ords: Ords, count: int) -> Ords:
    """The `count` documents of highest score among `ords`, best first, equal ones by number."""
    if len(ords) > count:
        chosen = np.argpartition(-scores[ords], count - 1)[:count]
        ords = ords[scores[ords] >= scores[ords[chosen]].min()]
    return ords[np.lexsort((ords, -scores[ords]))][:count]
