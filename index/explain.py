"""Why a post was found, and the sentences that tell a person what became of the query."""

from collections.abc import Sequence
from typing import Any

import numpy as np

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


def why(
    scorer: Scorer, ord: int, parts: Sequence[Part], *, phrase: bool, words: bool, across: bool, relaxed: bool
) -> dict[str, Any]:
    """The routes that found the post, the tokens of the query that it holds, and in which fields.

    Routes: `phrase` (the query, or a quoted unit, in one piece), `words` (its words, in any order), `characters` (in
    one piece, but only across a border of words). `relaxed` says that not all words had to be there.
    """
    routes = ["characters"] if across else ["phrase"] if phrase else []
    routes += ["words"] if words else []
    fields: set[str] = set()
    matched = []
    for token, lexemes, kind in _tokens(parts):
        holding = [name for name, kinds in FIELDS.items() if all(_holds(scorer, kinds[kind], x, ord) for x in lexemes)]
        fields.update(holding)
        if holding:
            matched.append(token)
    if phrase and not matched:
        matched = [part.stream for part in parts]
    reasons: dict[str, Any] = {
        "routes": routes or ["filters"],
        "matched": matched[:MATCHED],
        "fields": [name for name in FIELDS if name in fields],
    }
    return reasons | ({"relaxed": True} if relaxed else {})


def _tokens(parts: Sequence[Part]) -> list[tuple[str, tuple[str, ...], int]]:
    """Token, lexemes, and 0 for words or 1 for grams; without repetitions, in the order of the query."""
    tokens = {
        text: (text, lexemes, kind)
        for part in parts
        for text, lexemes, kind in [
            *((word, (word,), 0) for _, word in part.coarse),
            *((term.text, term.lexemes, int(term.by_grams)) for term in part.terms),
            (part.stream, tuple(atom.lexeme for atom in part.atoms if not atom.prefix or len(part.atoms) == 1), 1),
        ]
    }
    return list(tokens.values())


def _holds(scorer: Scorer, kind: int, lexeme: str, ord: int) -> bool:
    found = scorer.postings(kind, lexeme)
    return found is not None and bool(np.any(found.ords == ord))
