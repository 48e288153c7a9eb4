"""Filters of a search, as masks over `ord`."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from index.collection import Collection, Mask
from index.postings import TAG_GRAMS
from index.query import Query
from index.rank import Scorer
from index.reader import Reader
from index.rows import DocumentAnalyzer
from index.tsvector import query_atoms
from index.types import SearchRequest


def allowed_by_request(
    reader: Reader, collection: Collection, analyzer: DocumentAnalyzer, request: SearchRequest
) -> Mask:
    """Documents that pass the filters beside the query."""
    mask = collection.live & _tagged(reader, collection, analyzer, request.tags)
    return mask & _dated(reader, collection, request.after, request.before)


def allowed_by_query(reader: Reader, collection: Collection, analyzer: DocumentAnalyzer, query: Query) -> Mask:
    """Documents that pass the filters typed in the query."""
    mask = _tagged(reader, collection, analyzer, query.tags)
    return mask & _dated(reader, collection, query.after, query.before)


def _tagged(reader: Reader, collection: Collection, analyzer: DocumentAnalyzer, tags: Sequence[str]) -> Mask:
    """Documents that have all of these tags or categories; case, width and traditional forms do not matter."""
    mask = np.ones(collection.size, np.bool_)
    for analysis in analyzer.analyze_batch(list(tags)) if tags else []:
        lexemes = {atom.lexeme for atom in query_atoms(analysis)}
        scorer = Scorer(collection, reader.postings([TAG_GRAMS], lexemes))
        ords = scorer.intersection(TAG_GRAMS, lexemes) if lexemes else np.flatnonzero(collection.live)
        found = np.zeros(collection.size, np.bool_)
        found[reader.tag_among(analysis.stream, ords)] = True
        mask &= found
    return mask


def _dated(reader: Reader, collection: Collection, after: datetime | None, before: datetime | None) -> Mask:
    if after is None and before is None:
        return np.ones(collection.size, np.bool_)
    found = reader.dated_ords(after, before)
    mask = np.zeros(collection.size, np.bool_)
    mask[found[found < collection.size]] = True
    return mask
