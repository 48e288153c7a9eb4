"""Why a post was found, and the sentences that tell a person what became of the query."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from index.collection import Mask
from index.postings import BODY_GRAMS, BODY_WORDS, TAG_GRAMS, TAG_WORDS, TITLE_GRAMS, TITLE_WORDS
from index.rank import Scorer
from index.terms import Part

NOTHING_INDEXED = "还没有建立索引。"
ONLY_MARKS = "查询里只有标点，没有可以查找的字。"
ONLY_EXCLUSIONS = "查询里只有要排除的词；请至少写一个要查找的词。"
RELAXED_NOTICE = "没有文章包含所有的词，下面的文章只包含其中一部分。"
STALE_STREAM = "索引是用另一个版本的规范化规则建立的，结果可能不全；请重建索引。"

FIELDS = {"title": (TITLE_WORDS, TITLE_GRAMS), "body": (BODY_WORDS, BODY_GRAMS), "tags": (TAG_WORDS, TAG_GRAMS)}
MATCHED = 32
"""Matched tokens that are listed, at most."""


class Reasons:
    """Tells of each post of a page which tokens of the query it holds, and in which fields."""

    def __init__(self, scorer: Scorer, parts: Sequence[Part], ords: Sequence[int]) -> None:
        self._place = {ord: place for place, ord in enumerate(ords)}
        page = _Page(scorer, ords)
        self._streams = [part.stream for part in parts]
        self._pieces = _pieces(parts)
        self._held = {
            token: {name: page.holding(kinds[kind], lexemes) for name, kinds in FIELDS.items()}
            for token, lexemes, kind in _tokens(parts)
        }

    def why(self, ord: int, *, phrase: bool, words: bool, across: bool, relaxed: bool) -> dict[str, Any]:
        """The routes that found the post, the tokens of the query that it holds, and in which fields.

        Routes: `phrase` (the query, or a quoted unit, in one piece), `words` (its words, in any order), `characters`
        (in one piece, but only across a border of words). `relaxed` says that not all words had to be there.
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
        return reasons | ({"relaxed": True} if relaxed else {})


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
