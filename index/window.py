"""The order of hits: BM25 for all, a closer look at the best, and a page of the whole."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from index.collection import Floats, Mask
from index.passages import BODY, TITLE
from index.rank import WEIGHTS, Ords, Weights, best_first, cover
from index.reader import Reader, StoredPassage
from index.standing import is_short, standing
from index.types import SearchRequest

WINDOW = 40
"""Posts whose text is read to see how much of the query stands there in one piece; as many again that hold it all."""

COVER_LENGTH = 64
"""Characters of the query that this looks at."""

PHRASE_FIRST = 16
"""A query up to so many characters is meant as it stands: posts that hold it in one piece come first."""

TIES = 1000
"""Posts of equal score that are put in order of their ids, at most."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What orders hits: BM25 of words and of grams, the phrase hits, those only across words, and the query's text.

    `meaning` gives the cosines of documents beside the query, as far as they have vectors.
    """

    words: Floats
    grams: Floats
    phrase: Mask
    across: Mask
    text: str
    weights: Weights = WEIGHTS
    meaning: Callable[[Ords], Mapping[int, float]] | None = None


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
    window = _window(reader, ranking, base, ords)
    entries = _reranked(reader, ranking, window)
    if offset + limit > len(entries):
        rest = np.setdiff1d(ords, window, assume_unique=True)
        entries += _rest(reader, ranking, base, rest, offset + limit - len(entries))
    return entries[offset : offset + limit]


def plain_entry(ranking: Ranking, ord: int, **more: float) -> Entry:
    """A hit with its BM25, and what else counts."""
    parts = {"words": float(ranking.words[ord]), "characters": float(ranking.grams[ord]), **more}
    return Entry(ord, sum(parts.values()), parts)


def _window(reader: Reader, ranking: Ranking, base: Floats, ords: Ords) -> Ords:
    proper = ords[~ranking.across[ords]]
    best = _best(reader, base, proper, WINDOW)
    whole = _best(reader, base, proper[ranking.phrase[proper]], WINDOW)
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
    if is_short(ranking.text):
        entries = _standing_first(ranking, entries, passages)
    elif len(ranking.text) <= PHRASE_FIRST:
        entries = _phrase_first(ranking, entries)
    entries.sort(key=_by_score)
    tied = [entry.ord for here, after in pairwise(entries) if here.score == after.score for entry in (here, after)]
    if tied:
        posts = reader.posts(dict.fromkeys(tied))
        entries.sort(key=lambda entry: (-entry.score, posts[entry.ord].id if entry.ord in posts else ""))
    return entries


def _standing_first(
    ranking: Ranking, entries: Sequence[Entry], passages: Mapping[int, Sequence[StoredPassage]]
) -> list[Entry]:
    """Adds the best score once for each grade, so that how the query stands counts before how often."""
    step = max((entry.score for entry in entries), default=0.0)
    grades = [standing(ranking.text, passages[entry.ord]) for entry in entries]
    return [
        Entry(entry.ord, entry.score + step * grade, entry.parts | {"stands": step * grade})
        for entry, grade in zip(entries, grades, strict=True)
    ]


def _with_meaning(ranking: Ranking, entries: Sequence[Entry], cosines: Mapping[int, float]) -> list[Entry]:
    """Adds a share of the best score by the cosine; a post without a vector counts like the average of the others."""
    step = ranking.weights.meaning * max((entry.score for entry in entries), default=0.0)
    usual = sum(cosines.values()) / max(len(cosines), 1)
    added = {entry.ord: step * max(cosines.get(entry.ord, usual), 0.0) for entry in entries}
    return [
        Entry(entry.ord, entry.score + added[entry.ord], entry.parts | {"meaning": added[entry.ord]})
        for entry in entries
    ]


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
    """The best of those outside the window; equal ones by id, those only across words at the end."""
    keys = np.where(ranking.across, base - base.max() - 1, base).astype(np.float32)
    posts = reader.posts(_best(reader, keys, ords, count).tolist())
    order = sorted(posts, key=lambda ord: (-float(keys[ord]), posts[ord].id))
    return [plain_entry(ranking, ord) for ord in order]
