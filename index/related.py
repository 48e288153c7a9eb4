"""Posts like another one: distinctive words that both hold (tf-idf over the postings), and tags that both carry."""

from collections import Counter
from dataclasses import dataclass
from math import log1p, sqrt

import numpy as np
from psycopg import Connection

from index.collection import Collection, Floats, serving_collection, snapshot
from index.errors import PostNotFound, driver_errors
from index.postings import word_counts
from index.rank import WORD_KINDS, Scorer, best_first
from index.reader import Reader, Row, SourcePost
from index.rows import DocumentAnalyzer
from index.types import Related

TERMS = 40
"""Distinctive words of the post that others are asked for."""

SHARED = 8
"""Shared words that are named, at most."""

TITLE_BOOST = 3
"""A word of the title counts like so many in the body."""

TAG_BOOST = 0.35
"""Share of the best word score that all tags in common add."""

MOST = 0.2
"""A word that more than this share of the posts hold says nothing about one of them (from `FEW` posts on)."""

FEW = 20

TIES = 50
"""Posts of equal score that are put in order of their ids."""


@dataclass(frozen=True, slots=True)
class _Term:
    text: str
    weight: float


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
        return _related(reader, collection, _counts(analyzer, post), post, limit)


def _counts(analyzer: DocumentAnalyzer, post: SourcePost) -> Counter[str]:
    title, body = analyzer.analyze_batch([post.title, post.body])
    counts = word_counts(body)
    for word, count in word_counts(title).items():
        counts[word] += TITLE_BOOST * count
    return Counter({word: count for word, count in counts.items() if len(word) > 1})


def _related(
    reader: Reader, collection: Collection, counts: Counter[str], post: SourcePost, limit: int, fewest: int = 2
) -> list[Related]:
    """`fewest`: how many posts must hold a word, the post itself among them."""
    scorer = Scorer(collection, reader.postings(WORD_KINDS, counts))
    terms = _distinctive(scorer, collection, counts, fewest)
    scores = np.zeros(collection.size, np.float32)
    for term in terms:
        for kind in WORD_KINDS:
            found = scorer.postings(kind, term.text)
            if found is not None:
                scores[found.ords] += term.weight * np.log1p(found.tfs.astype(np.float32))
    scores /= np.sqrt(np.maximum(collection.body_ratio + collection.title_ratio, 0.25))
    tags = _tag_shares(reader, collection, post)
    scores += tags * TAG_BOOST * max(float(scores[collection.live].max(initial=0.0)), 1.0)
    scores[post.ord] = 0
    ords = best_first(scores, np.flatnonzero(collection.live & (scores > 0)), max(limit, 0) + TIES)
    rows = reader.posts(ords.tolist())
    order = sorted(rows, key=lambda ord: (-float(scores[ord]), rows[ord].id))[: max(limit, 0)]
    held = {term.text: scorer.holds(WORD_KINDS, term.text) for term in terms}
    return [
        _shown(rows[ord], float(scores[ord]), [text for text, mask in held.items() if mask[ord]], post.tags)
        for ord in order
    ]


def _distinctive(scorer: Scorer, collection: Collection, counts: Counter[str], fewest: int) -> list[_Term]:
    """The words of highest tf-idf that other posts hold too; idf counts twice, once for each of the two posts."""
    most = collection.documents * MOST if collection.documents >= FEW else collection.documents
    terms = []
    for word, count in counts.items():
        holding = scorer.holding(WORD_KINDS, word)
        if fewest <= holding <= most:
            terms.append(_Term(word, log1p(count) * scorer.idf(WORD_KINDS, word) ** 2))
    terms = sorted(terms, key=lambda term: (-term.weight, term.text))[:TERMS]
    norm = sqrt(sum(term.weight**2 for term in terms)) or 1.0
    return [_Term(term.text, term.weight / norm) for term in terms]


def _tag_shares(reader: Reader, collection: Collection, post: SourcePost) -> Floats:
    """For each document the share of the post's tags that it carries, rarer tags counting more."""
    shares = np.zeros(collection.size, np.float32)
    holders = [ords[ords < collection.size] for ords in reader.tag_holders(post.tags).values()]
    weights = [log1p(collection.documents / max(len(ords), 1)) for ords in holders]
    for ords, weight in zip(holders, weights, strict=True):
        shares[ords] += weight / (sum(weights) or 1.0)
    return shares


def _shown(row: Row, score: float, shared: list[str], tags: tuple[str, ...]) -> Related:
    return Related(
        id=row.id,
        title=row.title,
        url=row.url,
        published_at=row.published_at,
        tags=row.tags,
        score=score,
        shared=tuple(shared[:SHARED]),
        shared_tags=tuple(tag for tag in tags if tag in row.tags),
    )
