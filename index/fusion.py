"""How the routes come together: what is found as typed first, what other readings find below, guesses last.

Five tiers, each in its own order, none ever before the one above it:

1. posts that hold the query as typed, in the order of `index.window`;
2. posts that hold it with Latin words and numbers written together or apart (`spacing`);
3. posts that hold it with synonyms in place (`synonym`);
4. posts that hold it with Latin words a letter or two away in place (`fuzzy`);
5. posts whose text is near in meaning (`semantic`).

A post stands in the first tier that has it. Inside tiers 2 to 4 BM25 of the reading decides, in tier 5 the cosine, and
everywhere the post's id between equals. `sort="newest"` orders 1 to 3 together by date, and 4 and 5 by date below.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from index.collection import Floats, Mask
from index.rank import WEIGHTS, Ords, Scorer, Weights
from index.reader import Reader
from index.types import SearchRequest
from index.variants import Variant
from index.window import Entry, Ranking, plain_entry, ranked_page

GUESSES = frozenset({"fuzzy", "semantic"})
"""Routes that go by likeness; they never count as found where it matters that something is there."""

REWARDS = frozenset({"grams", "pieces", "title", "tags", "stands", "phrase", "meaning", "borders"})
PARTS = GUESSES | {"spacing", "synonym"} | REWARDS
"""What `SearchRequest.without` may name."""


@dataclass(frozen=True, slots=True)
class Tier:
    """Posts that one route adds below what others found: their numbers, scores over `ord`, and the readings behind.

    `reading[ord]` is the number of the variant that scores best there; -1 for a post that is near in meaning. Of the
    posts in `unchecked` it was not checked that they hold the reading in one piece.
    """

    route: str
    ords: Ords
    scores: Floats
    parts: Mapping[str, Floats]
    variants: Sequence[Variant] = ()
    reading: Ords | None = None
    scorer: Scorer | None = None
    unchecked: Mask | None = None

    def variant(self, ord: int) -> Variant | None:
        """The reading that found the post."""
        return None if self.reading is None else self.variants[int(self.reading[ord])]


@dataclass(frozen=True, slots=True)
class Placed:
    """A hit of a page and the tier that it comes from; None for what was found as typed."""

    entry: Entry
    tier: Tier | None


def fused_page(
    reader: Reader, typed: Ords, tiers: Sequence[Tier], request: SearchRequest, ranking: Ranking
) -> list[Placed]:
    """The hits from `offset` on, `limit` of them, over all tiers; `ranking` orders those found as typed."""
    if request.sort == "newest" and tiers:
        return _newest(reader, typed, tiers, request, ranking)
    placed = [Placed(entry, None) for entry in ranked_page(reader, ranking, typed, request)]
    first, limit = max(request.offset, 0) - len(typed), max(request.limit, 0) - len(placed)
    for tier in tiers:
        if limit <= 0:
            break
        begin = max(first, 0)
        chosen = _ordered(reader, tier, begin + limit)[begin:]
        placed += [Placed(_entry(tier, ord), tier) for ord in chosen]
        first, limit = first - len(tier.ords), limit - len(chosen)
    return placed


def _ordered(reader: Reader, tier: Tier, count: int) -> list[int]:
    """The best `count` posts of a tier; of equal ones those with the smallest ids."""
    ords = tier.ords
    if len(ords) > count:
        least = np.partition(-tier.scores[ords], count - 1)[count - 1]
        ords = ords[-tier.scores[ords] <= least]
    posts = reader.posts(ords.tolist())
    return sorted(posts, key=lambda ord: (-float(tier.scores[ord]), posts[ord].id))[:count]


def _entry(tier: Tier, ord: int) -> Entry:
    parts = {name: float(scores[ord]) for name, scores in tier.parts.items()}
    return Entry(ord, sum(parts.values()), parts)


def _newest(
    reader: Reader, typed: Ords, tiers: Sequence[Tier], request: SearchRequest, ranking: Ranking
) -> list[Placed]:
    sure = [typed, *(tier.ords for tier in tiers if tier.route not in GUESSES)]
    of = {int(ord): tier for tier in tiers for ord in tier.ords}
    placed: list[Placed] = []
    first, limit = max(request.offset, 0), max(request.limit, 0)
    for ords in (np.concatenate(sure), *(tier.ords for tier in tiers if tier.route in GUESSES)):
        if limit > 0 and first < len(ords):
            for ord in reader.newest(np.sort(ords), limit, max(first, 0)):
                tier = of.get(ord)
                placed.append(Placed(_entry(tier, ord) if tier else plain_entry(ranking, ord), tier))
                limit -= 1
        first -= len(ords)
    return placed


def weights_without(names: frozenset[str]) -> Weights:
    """The weights of the ranking with some of them off."""
    off = {"grams": "grams", "pieces": "cover", "title": "title_cover", "tags": "tags", "meaning": "meaning"}
    return replace(WEIGHTS, **{off[name]: 0.0 for name in names & off.keys()})
