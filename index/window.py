"""The order of hits: BM25 for all, a closer look at the best, and a page of the whole."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from index.collection import Floats, Mask
from index.passages import BODY, TITLE
from index.rank import WEIGHTS, Ords, Weights, best_first, cover
from index.reader import Reader, StoredPassage
from index.standing import Odds, Place, best_place, firmness, is_short
from index.types import SearchRequest

WINDOW = 40
"""Posts whose text is read to see how much of the query stands there in one piece; as many again that hold it all."""

COVER_LENGTH = 64
"""Characters of the query that this looks at."""

PHRASE_FIRST = 16
"""A query up to so many characters is meant as it stands: posts that hold it in one piece come first."""

LEAST_COSINE = 0.05

FIRM = 20
"""Posts of the window whose borders around a short query are looked at by the model."""

FIRM_STEP, GRADE_STEP = 2, 3
"""Best scores that the firmest place adds, and each grade: more than BM25 and firmness together can differ by."""

TIES = 1000
"""Posts of equal score that are put in order of their ids, at most."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What orders hits: BM25 of words and of grams, the phrase hits, those only across words, and the query's text.

    `meaning` gives the cosines of documents beside the query, as far as they have vectors; `odds` what the model
    believes of borders; `without` names rewards that are left out (`index.fusion`).
    """

    words: Floats
    grams: Floats
    phrase: Mask
    across: Mask
    text: str
    weights: Weights = WEIGHTS
    meaning: Callable[[Ords], Mapping[int, float]] | None = None
    odds: Odds | None = None
    without: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Entry:
    """A hit in order: its score is the sum of `parts`."""

    ord: int
    score: float
    parts: dict[str, float] = field(default_factory=dict)


def ranked_page(reader: Reader, ranking: Ranking, ords: Ords, request: SearchRequest) -> list[Entry]:
    """The hits from `offset` on, `limit` of them, of all `ords`."""
    limit, offset = max(request.limit, 0), max(request.offset, 0)
    if not limit or offset >= len(ords):
        return []
    base = ranking.words + ranking.grams
    if request.sort == "newest" or not base[ords].any():
        order = reader.newest(ords, limit, offset)
        return [plain_entry(ranking, ord) for ord in order]
    entries: list[Entry] = []
    for tier in (ords[~ranking.across[ords]], ords[ranking.across[ords]]):
        wanted = offset + limit - len(entries)
        if wanted > 0 and len(tier):
            window = _window(reader, ranking, base, tier)
            entries += _reranked(reader, ranking, window)
            rest = np.setdiff1d(tier, window, assume_unique=True)
            entries += _rest(reader, ranking, base, rest, offset + limit - len(entries))
    return entries[offset : offset + limit]


def plain_entry(ranking: Ranking, ord: int, **more: float) -> Entry:
    """A hit with its BM25, and what else counts."""
    parts = {"words": float(ranking.words[ord]), "characters": float(ranking.grams[ord]), **more}
    return Entry(ord, sum(parts.values()), parts)


def _window(reader: Reader, ranking: Ranking, base: Floats, ords: Ords) -> Ords:
    best = _best(reader, base, ords, WINDOW)
    whole = _best(reader, base, ords[ranking.phrase[ords]], WINDOW)
    return np.union1d(best, whole)


def _best(reader: Reader, keys: Floats, ords: Ords, count: int) -> Ords:
    """The `count` documents with the highest keys, in no order; of equal ones those with the smallest ids."""
    if len(ords) <= count:
        return ords
    least = keys[best_first(keys, ords, count)[-1]]
    sure, tied = ords[keys[ords] > least], ords[keys[ords] == least][:TIES]
    missing = count - len(sure)
    if len(tied) > missing:
        posts = reader.posts(tied.tolist())
        tied = np.array(sorted(posts, key=lambda ord: posts[ord].id)[:missing], np.int64)
    return np.concatenate([sure, tied])


def _reranked(reader: Reader, ranking: Ranking, window: Ords) -> list[Entry]:
    text = ranking.text[:COVER_LENGTH]
    passages = reader.passages(window.tolist())
    entries = [_covered(ranking, ord, text, found) for ord, found in passages.items()]
    if ranking.meaning is not None and ranking.weights.meaning:
        entries = _with_meaning(ranking, entries, ranking.meaning(window))
    if is_short(ranking.text) and "stands" not in ranking.without:
        entries = _standing_first(reader, ranking, entries, passages)
    elif len(ranking.text) <= PHRASE_FIRST and "phrase" not in ranking.without:
        entries = _phrase_first(ranking, entries)
    entries.sort(key=_by_score)
    tied = [entry.ord for here, after in pairwise(entries) if here.score == after.score for entry in (here, after)]
    if tied:
        posts = reader.posts(dict.fromkeys(tied))
        entries.sort(key=lambda entry: (-entry.score, posts[entry.ord].id if entry.ord in posts else ""))
    return entries


def _standing_first(
    reader: Reader, ranking: Ranking, entries: Sequence[Entry], passages: Mapping[int, Sequence[StoredPassage]]
) -> list[Entry]:
    """Adds the best score for each grade, so that how the query stands counts before how often.

    Among posts of one grade, how firmly it stands there counts as much as how often; the best `FIRM` are looked at.
    """
    step = max((entry.score for entry in entries), default=0.0)
    places = {entry.ord: best_place(ranking.text, passages[entry.ord]) for entry in entries}
    firm: dict[int, float] = {}
    if ranking.odds is not None and len(ranking.text) > 1 and len(entries) > 1 and "borders" not in ranking.without:
        best = _first_in_grades(reader, entries, places)
        found = firmness(ranking.text, [places[entry.ord] for entry in best], ranking.odds)
        firm = dict(zip((entry.ord for entry in best), found, strict=True))
    result = []
    for entry in entries:
        parts = {"stands": GRADE_STEP * step * places[entry.ord].grade}
        if firm:
            parts["borders"] = FIRM_STEP * step * firm.get(entry.ord, 0.5)
        result.append(Entry(entry.ord, entry.score + sum(parts.values()), entry.parts | parts))
    return result


def _first_in_grades(reader: Reader, entries: Sequence[Entry], places: Mapping[int, Place]) -> Sequence[Entry]:
    """The `FIRM` best by grade and score, of equal ones those with the smallest ids."""
    if len(entries) <= FIRM:
        return entries
    posts = reader.posts([entry.ord for entry in entries])
    known = [entry for entry in entries if entry.ord in posts]
    return sorted(known, key=lambda one: (-places[one.ord].grade, -one.score, posts[one.ord].id))[:FIRM]


def _with_meaning(ranking: Ranking, entries: Sequence[Entry], cosines: Mapping[int, float]) -> list[Entry]:
    """Multiplies scores by the cosine; a post without a vector counts like the average of the others."""
    usual = sum(cosines.values()) / len(cosines) if cosines else 1.0
    result = []
    for entry in entries:
        share = max(cosines.get(entry.ord, usual), LEAST_COSINE) ** ranking.weights.meaning
        lost = entry.score * (share - 1)
        result.append(Entry(entry.ord, entry.score + lost, entry.parts | {"meaning": lost}))
    return result


def _phrase_first(ranking: Ranking, entries: Sequence[Entry]) -> list[Entry]:
    """Adds the best score to posts that hold the query in one piece."""
    step = max((entry.score for entry in entries), default=0.0)
    return [
        Entry(entry.ord, entry.score + step, entry.parts | {"phrase": step}) if ranking.phrase[entry.ord] else entry
        for entry in entries
    ]


def _by_score(entry: Entry) -> float:
    return -entry.score


def _covered(ranking: Ranking, ord: int, text: str, passages: Sequence[StoredPassage]) -> Entry:
    base = float(ranking.words[ord] + ranking.grams[ord])
    body = "\n".join(passage.stream for passage in passages if passage.field == BODY)
    title = "\n".join(passage.stream for passage in passages if passage.field == TITLE)
    whole = 1.0 if ranking.phrase[ord] else cover(text, f"{title}\n{body}" if title else body)
    pieces = base * ranking.weights.cover * whole
    in_title = base * ranking.weights.title_cover * cover(text, title) if title else 0.0
    return plain_entry(ranking, ord, pieces=pieces, title=in_title)


def _rest(reader: Reader, ranking: Ranking, base: Floats, ords: Ords, count: int) -> list[Entry]:
    """The best of those outside the window; equal ones by id."""
    if count <= 0 or not len(ords):
        return []
    posts = reader.posts(_best(reader, base, ords, count).tolist())
    order = sorted(posts, key=lambda ord: (-float(base[ord]), posts[ord].id))
    return [plain_entry(ranking, ord) for ord in order]
