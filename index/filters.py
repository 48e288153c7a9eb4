"""Filters of a search, as masks over `ord`."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np
from psycopg import Connection

from index.collection import Collection, Mask
from index.labels import columns_of
from index.notices import NO_POST_PASSES, Notice, no_such_category, no_such_date, no_such_tag
from index.postings import TAG_GRAMS
from index.query import Query
from index.rank import Scorer
from index.reader import Reader
from index.rows import DocumentAnalyzer
from index.tsvector import query_atoms
from index.types import SearchRequest


class Filters:
    """The filters of one request: those beside the query, and those typed in it. Each name is looked up once."""

    def __init__(
        self,
        conn: Connection,
        reader: Reader,
        collection: Collection,
        analyzer: DocumentAnalyzer,
        request: SearchRequest,
        query: Query,
    ) -> None:
        self._conn, self._reader, self._collection, self._analyzer = conn, reader, collection, analyzer
        self._request, self._query = request, query
        self._tags: dict[str, Mask] = {}
        self._categories: dict[str, Mask] = {}

    def beside(self) -> Mask:
        """Documents that pass the filters beside the query."""
        asked = self._request
        mask = self._collection.live & self._named(asked.tags, asked.categories)
        return mask & self.dated(asked.after, asked.before)

    def typed(self) -> Mask:
        """Documents that pass the filters typed in the query."""
        query = self._query
        mask = self._named(query.tags, query.categories) & self.dated(query.after, query.before)
        for name in query.not_tags:
            mask &= ~self.tagged(name)
        for name in query.not_categories:
            mask &= ~self.categorised(name)
        return mask

    def notices(self, are_passed: bool) -> Iterator[Notice]:
        """What no post has of what was asked for, or excluded; `are_passed` says that some post passes all filters."""
        request, query, live = self._request, self._query, self._collection.live
        found = [no_such_tag(name) for name, mask in self._tags.items() if not (mask & live).any()]
        found += [no_such_category(name) for name, mask in self._categories.items() if not (mask & live).any()]
        if not are_passed and live.any():
            for asked in (request, query):
                if not (self.dated(asked.after, asked.before) & live).any():
                    found.append(no_such_date(_day(asked.after), _day(asked.before)))
            found = found or [NO_POST_PASSES]
        yield from found

    def _named(self, tags: Sequence[str], categories: Sequence[str]) -> Mask:
        mask = np.ones(self._collection.size, np.bool_)
        for name in tags:
            mask &= self.tagged(name)
        for name in categories:
            mask &= self.categorised(name)
        return mask

    def tagged(self, name: str) -> Mask:
        """Documents with this tag or category; case, width and traditional forms do not matter."""
        if name not in self._tags:
            (analysis,) = self._analyzer.analyze_batch([name])
            lexemes = {atom.lexeme for atom in query_atoms(analysis)}
            scorer = Scorer(self._collection, self._reader.postings([TAG_GRAMS], lexemes))
            live = np.flatnonzero(self._collection.live)
            ords = scorer.intersection(TAG_GRAMS, lexemes) if lexemes else live
            found = np.zeros(self._collection.size, np.bool_)
            found[self._reader.tag_among(analysis.stream, ords)] = True
            self._tags[name] = found
        return self._tags[name]

    def categorised(self, name: str) -> Mask:
        """Documents in this category, in the same way; a nested one is asked for by its whole path (`A/B`)."""
        if name not in self._categories:
            categories = columns_of(self._conn, self._collection).categories
            same = categories.like(name, self._analyzer)
            self._categories[name] = categories.holding(same, self._collection.size)
        return self._categories[name]

    def dated(self, after: datetime | None, before: datetime | None) -> Mask:
        """Documents published between the bounds."""
        if after is None and before is None:
            return np.ones(self._collection.size, np.bool_)
        found = self._reader.dated_ords(after, before)
        mask = np.zeros(self._collection.size, np.bool_)
        mask[found[found < self._collection.size]] = True
        return mask


def _day(moment: datetime | None) -> str | None:
    return f"{moment:%Y-%m-%d}" if moment else None
