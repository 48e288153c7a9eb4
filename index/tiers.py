"""What other routes add below what was found as typed: synonyms, words with other letters, nearness in meaning."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
from psycopg import Connection

from index.asked import Asked, grams_of, lexemes_of, words_of
from index.collection import Collection, Floats, Mask
from index.fusion import Tier
from index.fuzzy import FEW, by_letters
from index.match import Matcher
from index.notices import SIMILAR_MEANING, SIMILAR_SPELLING, Notice
from index.rank import GRAM_KINDS, WORD_KINDS, Ords, Scorer
from index.reader import Reader
from index.rows import DocumentAnalyzer
from index.semantic import Meaning, meaning
from index.spacing import by_spacing
from index.terms import Part
from index.types import SearchRequest
from index.variants import Variant, by_synonyms

SHORTEST = 6
"""Characters of a query whose meaning counts; a word or two is looked for as it stands."""

FEW_FOUND = 10
"""Posts near in meaning are looked for where fewer than so many were found otherwise."""

FLOOR = 0.7
"""The least cosine of a post that is found by meaning alone: 19 of 20 pairs of title and other article have less."""

MOST_NEAR = 10
LOOKED_AT = 50
"""Posts found by meaning alone, at most, and the nearest posts of all among which they are, filters aside."""

ONE_BY_ONE = 500
"""Where filters leave no more posts, all of these are compared."""


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
        wanted = {"spacing", "synonym"} - request.without if open_groups else set()
        self._spacing = by_spacing(analyzer, open_groups) if "spacing" in wanted else ()
        self._synonyms = by_synonyms(conn, analyzer, open_groups) if "synonym" in wanted else ()

    def lexemes(self) -> set[str]:
        """What the readings by spacing and synonyms ask the postings for."""
        return _lexemes([*self._spacing, *self._synonyms])

    def found(self, scorer: Scorer, allowed: Mask, typed: Mask, notices: list[Notice]) -> list[Tier]:
        """What readings with other words find among `allowed`, without what was found as typed."""
        tiers: list[Tier] = []
        known = typed.copy()
        for readings in (self._spacing, self._synonyms):
            if readings:
                tiers.append(self._tier(readings, scorer, allowed & ~known))
                known[tiers[-1].ords] = True
        if int(known.sum()) <= FEW and self._groups and "fuzzy" not in self._request.without:
            fuzzy = by_letters(self._conn, self._collection.generation, self._analyzer, scorer, self._groups)
            if fuzzy:
                wanted = self._asked.lexemes() | _lexemes(fuzzy)
                wider = Scorer(self._collection, self._reader.postings([*WORD_KINDS, *GRAM_KINDS], wanted))
                tier = self._tier(fuzzy, wider, allowed & ~known)
                if len(tier.ords):
                    notices.append(SIMILAR_SPELLING)
                tiers.append(tier)
        return [tier for tier in tiers if len(tier.ords)]

    def cosines(self) -> Callable[[Ords], Mapping[int, float]] | None:
        """How near documents are to the query in meaning; None where that does not count."""
        near = self._near
        return None if near is None else lambda ords: near.cosines(near.vector(self._text), ords.tolist())

    def by_meaning(self, allowed: Mask, known: Mask, notices: list[Notice]) -> list[Tier]:
        """Posts near in meaning among `allowed`, where fewer than `FEW_FOUND` are `known` otherwise."""
        if self._near is None or int(known.sum()) >= FEW_FOUND:
            return []
        vector, wanted = self._near.vector(self._text), allowed & ~known
        some = np.flatnonzero(wanted)
        if len(some) <= ONE_BY_ONE:
            found = self._near.cosines(vector, some.tolist())
        else:
            found = self._near.nearest(vector, LOOKED_AT)
        size = self._collection.size
        near = sorted(
            ((-cosine, ord) for ord, cosine in found.items() if cosine >= FLOOR and ord < size and wanted[ord])
        )[:MOST_NEAR]
        if not near:
            return []
        notices.append(SIMILAR_MEANING)
        scores = np.zeros(size, np.float32)
        ords = np.array(sorted(ord for _, ord in near), np.int64)
        scores[ords] = [found[int(ord)] for ord in ords]
        return [Tier("semantic", ords, scores, {"meaning": scores})]

    @cached_property
    def _near(self) -> Meaning | None:
        """None too for a query that is not meant as a sentence: quoted, excluding, with OR, or short."""
        asked, request = self._asked, self._request
        if "semantic" in request.without or len(asked.groups) != 1 or asked.excluded:
            return None
        if any(part.unit.quoted for part in asked.all) or sum(len(part.stream) for part in asked.all) < SHORTEST:
            return None
        return meaning(self._conn, self._collection.generation)

    @property
    def _text(self) -> str:
        return " ".join(part.unit.text for part in self._asked.all)

    def _tier(self, variants: Sequence[Variant], scorer: Scorer, allowed: Mask) -> Tier:
        """What any of the readings finds, scored by the best of those that find it."""
        size = self._collection.size
        best = np.full(size, -1.0, np.float32)
        reading = np.full(size, -1, np.int64)
        unchecked = np.zeros(size, np.bool_)
        parts: dict[str, Floats] = {name: np.zeros(size, np.float32) for name in ("words", "characters")}
        for number, variant in enumerate(variants):
            if not variant.parts or not all(_may_stand(part, scorer) for part in variant.parts):
                continue
            words = scorer.bm25(WORD_KINDS, words_of(variant.parts))
            grams = scorer.bm25(GRAM_KINDS, grams_of(variant.parts)) * scorer.weights.grams
            score = words + grams
            found = Matcher(self._reader, self._collection, scorer, allowed, score).group(variant.parts)
            better = found.all & (score > best)
            unchecked[better] = found.unchecked[better]
            best[better], reading[better] = score[better], number
            parts["words"][better], parts["characters"][better] = words[better], grams[better]
        return Tier(variants[0].route, np.flatnonzero(reading >= 0), best, parts, variants, reading, scorer, unchecked)


def _may_stand(part: Part, scorer: Scorer) -> bool:
    """Whether there is any post for each piece of a unit that must stand as it is."""
    return not part.unit.quoted or all(atom.prefix or scorer.holding(GRAM_KINDS, atom.lexeme) for atom in part.atoms)


def _lexemes(variants: Sequence[Variant]) -> set[str]:
    found: set[str] = set()
    for variant in variants:
        found |= lexemes_of(variant.parts) | words_of(variant.parts).keys() | grams_of(variant.parts).keys()
    return found
