"""What other routes add below what was found as typed: synonyms, words with other letters, nearness in meaning."""

from collections.abc import Sequence

import numpy as np
from psycopg import Connection

from index.asked import Asked, grams_of, lexemes_of, words_of
from index.collection import Collection, Floats, Mask
from index.fusion import Tier
from index.fuzzy import FEW, by_letters
from index.match import Matcher
from index.rank import GRAM_KINDS, WORD_KINDS, Scorer
from index.reader import Reader
from index.rows import DocumentAnalyzer
from index.types import SearchRequest
from index.variants import Route, Variant, by_synonyms

FUZZY_NOTICE = "没有或很少有文章含有输入的拼写，也列出了拼写相近的词。"


class Tiers:
    """The other routes of one search."""

    def __init__(
        self,
        conn: Connection,
        reader: Reader,
        collection: Collection,
        analyzer: DocumentAnalyzer,
        request: SearchRequest,
        asked: Asked,
    ) -> None:
        self._conn, self._reader, self._collection = conn, reader, collection
        self._analyzer, self._request, self._asked = analyzer, request, asked
        open_groups = [group for group in asked.groups if not all(part.unit.quoted for part in group)]
        self._groups = open_groups
        is_off = "synonym" in request.without or not open_groups
        self._synonyms = () if is_off else by_synonyms(conn, analyzer, open_groups)

    def lexemes(self) -> set[str]:
        """What the readings by synonyms ask the postings for."""
        return _lexemes(self._synonyms)

    def found(self, scorer: Scorer, allowed: Mask, typed: Mask, notices: list[str]) -> list[Tier]:
        """What readings with other words find among `allowed`, without what was found as typed."""
        tiers = [self._tier("synonym", self._synonyms, scorer, allowed & ~typed)] if self._synonyms else []
        known = typed.copy()
        for tier in tiers:
            known[tier.ords] = True
        if int(known.sum()) <= FEW and self._groups and "fuzzy" not in self._request.without:
            fuzzy = by_letters(self._conn, self._collection.generation, self._analyzer, scorer, self._groups)
            if fuzzy:
                wanted = self._asked.lexemes() | _lexemes(fuzzy)
                wider = Scorer(self._collection, self._reader.postings([*WORD_KINDS, *GRAM_KINDS], wanted))
                tier = self._tier("fuzzy", fuzzy, wider, allowed & ~known)
                if len(tier.ords):
                    notices.append(FUZZY_NOTICE)
                tiers.append(tier)
        return [tier for tier in tiers if len(tier.ords)]

    def with_meaning(self, tiers: list[Tier], allowed: Mask, typed: Mask, notices: list[str]) -> list[Tier]:
        """The tiers with that of nearness in meaning."""
        return tiers

    def _tier(self, route: Route, variants: Sequence[Variant], scorer: Scorer, allowed: Mask) -> Tier:
        """What any of the readings finds, scored by the best of those that find it."""
        size = self._collection.size
        best = np.full(size, -1.0, np.float32)
        reading = np.full(size, -1, np.int64)
        parts: dict[str, Floats] = {name: np.zeros(size, np.float32) for name in ("words", "characters")}
        for number, variant in enumerate(variants):
            if not variant.parts:
                continue
            words = scorer.bm25(WORD_KINDS, words_of(variant.parts))
            grams = scorer.bm25(GRAM_KINDS, grams_of(variant.parts)) * scorer.weights.grams
            score = words + grams
            mask = Matcher(self._reader, self._collection, scorer, allowed, score).group(variant.parts).all
            better = mask & (score > best)
            best[better], reading[better] = score[better], number
            parts["words"][better], parts["characters"][better] = words[better], grams[better]
        return Tier(route, np.flatnonzero(reading >= 0), best, parts, variants, reading, scorer)


def _lexemes(variants: Sequence[Variant]) -> set[str]:
    found: set[str] = set()
    for variant in variants:
        found |= lexemes_of(variant.parts) | words_of(variant.parts).keys() | grams_of(variant.parts).keys()
    return found
