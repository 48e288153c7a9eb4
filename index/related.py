"""Posts like another one: distinctive words that both hold, tags that both carry, and nearness in meaning.

The score is a sum of three parts: tf-idf over the postings, relative to the best of all posts, and beside that
`TAG_BOOST` for all tags in common and `MEANING_BOOST` for the same meaning. Of near-copies of one another only the
first is shown. Answers are kept until any post or vector changes.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log1p
from typing import NamedTuple

import numpy as np
from psycopg import Connection

from index import semantic
from index.collection import Collection, Floats, Mask, serving_collection, snapshot
from index.copies import first_of_copies
from index.distinctive import PRIOR, Term, distinctive, is_enough
from index.embed import text_of
from index.errors import PostNotFound, driver_errors
from index.postings import word_counts
from index.rank import WORD_KINDS, Ords, Scorer, best_first
from index.reader import Reader, Row, SourcePost
from index.recent import Recent
from index.rows import DocumentAnalyzer
from index.semantic import Meaning
from index.types import Related
from segmenter.vectors import Vectors

SHARED = 8
"""Shared words that are named, at most."""

TITLE_BOOST = 3
"""A word of the title counts like so many in the body."""

TAG_BOOST = 0.35
"""Share of the best word score that all tags in common add."""

MEANING_BOOST = 0.5
USUAL = 0.55
"""The cosine of any two articles; what is above counts, up to 1."""

FLOOR = 0.7
"""The least cosine of a post that shares neither words nor tags."""

NEAREST = 40
"""Posts that are looked at for their meaning alone."""

TIES = 50
"""Posts of equal score that are put in order of their ids."""


class Near(NamedTuple):
    """The vector of the post or text, and those of the others."""

    meaning: Meaning
    vector: Vectors

    def cosines(self, ords: Ords) -> dict[int, float]:
        """Of the documents, and of the nearest of all."""
        return self.meaning.nearest(self.vector, NEAREST) | self.meaning.cosines(self.vector, ords.tolist())


_kept: Recent[list[Related]] = Recent(2000)


def related(conn: Connection, analyzer: DocumentAnalyzer, post_id: str, limit: int = 5) -> list[Related]:
    """The posts most like this one, best first, equal ones by id; never the post itself.

    Raises `PostNotFound`, and other `IndexingError` when PostgreSQL fails.
    """
    with driver_errors(), snapshot(conn):
        collection = serving_collection(conn)
        reader = Reader(conn, collection.generation) if collection else None
        post = reader.source_post(post_id) if reader else None
        if collection is None or reader is None or post is None:
            raise PostNotFound(f"There is no post {post_id!r}.")
        info, state = conn.info, (collection.generation, collection.size, collection.documents)
        key = (
            info.host,
            info.port,
            info.dbname,
            *state,
            *semantic.states(conn),
            analyzer.fingerprint(),
            post.ord,
            limit,
        )
        found = _kept.get(key)
        if found is None:
            near = near_post(semantic.meaning(conn, collection.generation), post)
            found = likest(reader, collection, counts_of(analyzer, post), post, limit, near=near)
            _kept.put(key, found)
        return list(found)


def near_post(meaning: Meaning | None, post: SourcePost) -> Near | None:
    """The stored vector of a post beside the others; None where it has none."""
    vector = meaning.vector_of(post.ord) if meaning is not None else None
    return None if meaning is None or vector is None else Near(meaning, vector)


def near_text(meaning: Meaning | None, post: SourcePost) -> Near | None:
    """The vector of a text that is no post."""
    return None if meaning is None else Near(meaning, meaning.vector(text_of(post.title, post.body)))


def counts_of(analyzer: DocumentAnalyzer, post: SourcePost) -> Counter[str]:
    """How often the post has each word of two characters or more, those of the title `TITLE_BOOST` times."""
    title, body = analyzer.analyze_batch([post.title, post.body])
    counts = word_counts(body)
    for word, count in word_counts(title).items():
        counts[word] += TITLE_BOOST * count
    return Counter({word: count for word, count in counts.items() if len(word) > 1})


def likest(
    reader: Reader,
    collection: Collection,
    counts: Counter[str],
    post: SourcePost,
    limit: int,
    *,
    fewest: int = 2,
    near: Near | None = None,
) -> list[Related]:
    """`fewest`: how many posts must hold a word, the post itself among them."""
    limit = max(limit, 0)
    scorer = Scorer(collection, reader.postings(WORD_KINDS, counts))
    terms = distinctive(scorer, collection, counts, fewest)
    words = _by_words(scorer, collection, terms)
    best = max(float(words[collection.live].max(initial=0.0)), 1.0)
    tags = _tag_shares(reader, collection, post) * np.float32(TAG_BOOST * best)
    if collection.documents < PRIOR:
        words[~is_enough(scorer, terms, post.ord) & (tags == 0)] = 0
    parts = {"words": words, "tags": tags}
    scores = words + tags
    scores[post.ord] = 0
    ords = best_first(scores, np.flatnonzero(collection.live & (scores > 0)), limit + TIES)
    cosines: Mapping[int, float] = {}
    if near is not None and limit:
        cosines = near.cosines(ords)
        parts["meaning"] = _by_meaning(collection, cosines, scores > 0, best)
        parts["meaning"][post.ord] = 0
        scores = scores + parts["meaning"]
        ords = best_first(scores, np.flatnonzero(collection.live & (scores > 0)), limit + TIES)
    rows = reader.posts(ords.tolist())
    order = sorted(rows, key=lambda ord: (-float(scores[ord]), rows[ord].id))
    order = first_of_copies(reader, order, limit)
    held = {term.text: scorer.holds(WORD_KINDS, term.text) for term in terms}
    return [
        _shown(
            rows[ord],
            {name: float(values[ord]) for name, values in parts.items()},
            [text for text, mask in held.items() if mask[ord]],
            post.tags,
            cosines.get(ord),
        )
        for ord in order
    ]


def _by_words(scorer: Scorer, collection: Collection, terms: Sequence[Term]) -> Floats:
    scores = np.zeros(collection.size, np.float32)
    for term in terms:
        for kind in WORD_KINDS:
            found = scorer.postings(kind, term.text)
            if found is not None:
                scores[found.ords] += term.weight * np.log1p(found.tfs.astype(np.float32))
    scores /= np.sqrt(np.maximum(collection.body_ratio + collection.title_ratio, 0.25))
    return scores


def _by_meaning(collection: Collection, cosines: Mapping[int, float], is_like: Mask, best: float) -> Floats:
    """What nearness in meaning adds; to posts that share nothing else only from `FLOOR` on."""
    added = np.zeros(collection.size, np.float32)
    for ord, cosine in cosines.items():
        if ord < collection.size and cosine >= (USUAL if is_like[ord] else FLOOR):
            added[ord] = MEANING_BOOST * best * (cosine - USUAL) / (1 - USUAL)
    return added


def _tag_shares(reader: Reader, collection: Collection, post: SourcePost) -> Floats:
    """For each document the share of the post's tags that it carries, rarer tags counting more."""
    shares = np.zeros(collection.size, np.float32)
    holders = [ords[ords < collection.size] for ords in reader.tag_holders(post.tags).values()]
    weights = [log1p(collection.documents / max(len(ords), 1)) for ords in holders]
    for ords, weight in zip(holders, weights, strict=True):
        shares[ords] += weight / (sum(weights) or 1.0)
    return shares


def _shown(
    row: Row, parts: dict[str, float], shared: list[str], tags: tuple[str, ...], similarity: float | None
) -> Related:
    return Related(
        id=row.id,
        title=row.title,
        url=row.url,
        published_at=row.published_at,
        tags=row.tags,
        score=sum(parts.values()),
        shared=tuple(shared[:SHARED]),
        shared_tags=tuple(tag for tag in tags if tag in row.tags),
        similarity=None if similarity is None else round(similarity, 3),
        parts=parts,
    )
