"""Why a post was found: by which routes, what it holds of the query, and which of its words are missing."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from index.asked import grams_of, lexemes_of, words_of
from index.collection import Mask
from index.postings import BODY_GRAMS, BODY_WORDS, TAG_GRAMS, TAG_WORDS, TITLE_GRAMS, TITLE_WORDS
from index.rank import Scorer
from index.terms import Part
from index.tsvector import gram_columns

FIELDS = {"title": (TITLE_WORDS, TITLE_GRAMS), "body": (BODY_WORDS, BODY_GRAMS), "tags": (TAG_WORDS, TAG_GRAMS)}
MATCHED = 32
"""Matched tokens, and missing words, that are listed, at most."""


class Reasons:
    """Tells of each post of a page which tokens of the query it holds, in which fields, and which words it lacks."""

    def __init__(self, scorer: Scorer, groups: Sequence[Sequence[Part]], ords: Sequence[int]) -> None:
        self._place = {ord: place for place, ord in enumerate(ords)}
        self._page = page = _Page(scorer, ords)
        self._groups = groups
        parts = [part for group in groups for part in group]
        self._streams = [part.stream for part in parts]
        self._pieces = _pieces(parts)
        self._held = {
            token: {name: page.holding(kinds[kind], lexemes) for name, kinds in FIELDS.items()}
            for token, lexemes, kind in _tokens(parts)
        }

    def why(self, ord: int, *, phrase: bool, words: bool, across: bool, relaxed: bool) -> dict[str, Any]:
        """The routes that found the post, the tokens of the query that it holds, and in which fields.

        Routes: `phrase` (the query, or a quoted unit, in one piece), `words` (its words, in any order), `characters`
        (in one piece, but only across a border of words). `relaxed` says that not all words had to be there. `missing`
        are words of the query that the post holds neither as words nor, in Chinese, inside others.
        """
        routes = ["characters"] if across else ["phrase"] if phrase else []
        routes += ["words"] if words else []
        place = self._place[ord]
        matched = [
            token
            for token, fields in self._held.items()
            if any(held[place] for held in fields.values()) and (phrase or token not in self._pieces)
        ]
        found = {name for fields in self._held.values() for name, held in fields.items() if held[place]}
        reasons: dict[str, Any] = {
            "routes": routes or ["filters"],
            "matched": (matched or (self._streams if phrase else []))[:MATCHED],
            "fields": [name for name in FIELDS if name in found],
        }
        missing = self._missing(place) if words and not phrase else []
        return reasons | ({"missing": missing} if missing else {}) | ({"relaxed": True} if relaxed else {})

    def _missing(self, place: int) -> list[str]:
        """The words that the post lacks of the group of which it lacks least."""
        lacking = ([word for word, held in words.items() if not held[place]] for words in self._words)
        return min(lacking, key=len, default=[])[:MATCHED]

    @cached_property
    def _words(self) -> list[dict[str, Mask]]:
        """For each group its words, and which posts of the page hold them."""
        parts = [part for group in self._groups for part in group]
        asked = lexemes_of(parts) | words_of(parts).keys() | grams_of(parts).keys()
        return [
            {word: self._holding(word, grams) for word, grams in _words(group) if {word, *grams} <= asked}
            for group in self._groups
        ]

    def _holding(self, word: str, grams: Sequence[str]) -> Mask:
        """bool[page]: holds the word, or in one field all of its grams, which may be the word inside another one."""
        held = np.zeros(len(self._place), np.bool_)
        for kind, _ in FIELDS.values():
            held |= self._page.holding(kind, (word,))
        if grams and not held.all():
            for _, kind in FIELDS.values():
                held |= self._page.holding(kind, grams)
        return held


def _words(group: Sequence[Part]) -> Iterator[tuple[str, list[str]]]:
    """The smallest words of the units, each with the grams that lie within it; a lone dense character is its own."""
    for part in group:
        starts, lengths = gram_columns(part.analysis)
        lengths_at = dict(zip(starts.tolist(), lengths.tolist(), strict=True))
        dense = part.analysis.is_dense
        for start, word in part.leaves:
            end = start + len(word)
            spans = [(at, at + lengths_at[at]) for at in range(start, end) if at in lengths_at]
            grams = [part.stream[at:to] for at, to in spans if to <= end and (to - at > 1 or not dense[at])]
            yield word, grams or ([word] if len(word) == 1 and dense[start] else [])


def _pieces(parts: Sequence[Part]) -> set[str]:
    """Units that are more than one word: holding all their grams does not mean holding them in one piece."""
    single = {word for part in parts for _, word in part.coarse} | {term.text for part in parts for term in part.terms}
    return {part.stream for part in parts if len(part.atoms) > 1} - single


def _tokens(parts: Sequence[Part]) -> list[tuple[str, tuple[str, ...], int]]:
    """Token, lexemes, and 0 for words or 1 for grams; without repetitions, in the order of the query."""
    tokens: dict[str, tuple[str, tuple[str, ...], int]] = {}
    for part in parts:
        atoms = tuple(atom.lexeme for atom in part.atoms if not atom.prefix or len(part.atoms) == 1)
        for token in [
            *((word, (word,), 0) for _, word in part.coarse),
            *((term.text, term.lexemes, int(term.by_grams)) for term in part.terms),
            *([(part.stream, atoms, 1)] if atoms else []),
        ]:
            tokens.setdefault(token[0], token)
    return list(tokens.values())


class _Page:
    """Which documents of a page hold a lexeme, without a look at the rest of its documents one by one."""

    def __init__(self, scorer: Scorer, ords: Sequence[int]) -> None:
        self._scorer = scorer
        self._ords = np.array(ords, np.int64)
        self._none = np.zeros(len(ords), np.bool_)
        self._known: dict[tuple[int, str], Mask] = {}

    def holding(self, kind: int, lexemes: Sequence[str]) -> Mask:
        """bool[page]: holds all of the lexemes in this kind of posting."""
        held = ~self._none
        for lexeme in lexemes:
            held &= self._one(kind, lexeme)
        return held

    def _one(self, kind: int, lexeme: str) -> Mask:
        if (kind, lexeme) not in self._known:
            held = self._scorer.held_by(kind, lexeme, self._ords)
            self._known[kind, lexeme] = self._none if held is None else held
        return self._known[kind, lexeme]
