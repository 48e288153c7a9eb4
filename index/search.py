"""Search: parse, find, rank, show. One transaction on one generation; `search` is the only door."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from psycopg import Connection

from index.asked import Asked, analyse, grams_of, words_of
from index.collection import Collection, Floats, Mask, serving_collection, snapshot
from index.errors import driver_errors
from index.explain import NOTHING_INDEXED, ONLY_EXCLUSIONS, ONLY_MARKS, RELAXED_NOTICE, STALE_STREAM
from index.filters import allowed_by_query, allowed_by_request
from index.fusion import GUESSES, Tier, fused_page, weights_without
from index.match import Found, Matcher
from index.page import hits_of
from index.query import Query, parse
from index.rank import GRAM_KINDS, WORD_KINDS, Scorer
from index.reader import Reader
from index.rows import DocumentAnalyzer
from index.standing import Odds
from index.tiers import Tiers
from index.types import SearchRequest, SearchResult
from index.window import Ranking

_SURROGATES = re.compile("[\\ud800-\\udfff]")


def search(conn: Connection, analyzer: DocumentAnalyzer, request: SearchRequest) -> SearchResult:
    """The page of hits that `request` asks for. No text is an error; raises `IndexingError` when PostgreSQL fails."""
    query = parse(_SURROGATES.sub("\ufffd", request.query))
    with driver_errors(), snapshot(conn):
        collection = serving_collection(conn)
        if collection is None:
            return _empty(request, (NOTHING_INDEXED,))
        notices = list(query.notices)
        if collection.stream_fingerprint != analyzer.stream_fingerprint() and collection.documents:
            notices.append(STALE_STREAM)
        return _Run(conn, collection, analyzer, request, query).result(notices)


def find_ids(conn: Connection, analyzer: DocumentAnalyzer, request: SearchRequest) -> set[str]:
    """The ids of all posts that `request` finds, unranked; its sort, limit and offset do not matter."""
    query = parse(_SURROGATES.sub("\ufffd", request.query))
    with driver_errors(), snapshot(conn):
        collection = serving_collection(conn)
        if collection is None:
            return set()
        return _Run(conn, collection, analyzer, request, query).ids()


def _empty(request: SearchRequest, notices: Sequence[str]) -> SearchResult:
    return SearchResult(0, True, (), tuple(notices), request.query)


class _Run:
    """One search on one collection."""

    def __init__(
        self, conn: Connection, collection: Collection, analyzer: DocumentAnalyzer, request: SearchRequest, query: Query
    ) -> None:
        self._reader = reader = Reader(conn, collection.generation, collection.stock)
        self._collection = collection
        self._request = request
        self._query = query
        self._asked: Asked = analyse(analyzer, query)
        self._odds: Odds | None = getattr(analyzer, "border_odds", None)
        self._tiers = Tiers(conn, reader, collection, analyzer, request, self._asked)
        self._weights = weights_without(request.without)
        lexemes = self._asked.lexemes() | self._tiers.lexemes()
        self._scorer = Scorer(collection, reader.postings([*WORD_KINDS, *GRAM_KINDS], lexemes), self._weights)
        self._words = self._scorer.bm25(WORD_KINDS, words_of(self._asked.all))
        self._grams = self._scorer.bm25(GRAM_KINDS, grams_of(self._asked.all)) * self._weights.grams
        self._by_request = allowed_by_request(reader, collection, analyzer, request)
        self._allowed = self._by_request & allowed_by_query(reader, collection, analyzer, query)

    def result(self, notices: list[str]) -> SearchResult:
        """Match, rank and show."""
        found, across, relaxed, tiers = self._find(notices)
        typed = np.flatnonzero(found.all)
        ranking = Ranking(
            self._words,
            self._grams,
            found.phrase,
            across,
            self._cover_text(),
            self._weights,
            self._tiers.cosines(),
            self._odds,
            self._request.without,
        )
        page = fused_page(self._reader, typed, tiers, self._request, ranking)
        hits = hits_of(
            self._reader, self._scorer, self._asked, found, page,
            whole=self._whole_text(), across=across, relaxed=relaxed, explain=self._request.explain,
        )  # fmt: skip
        guessed = sum(len(tier.ords) for tier in tiers if tier.route in GUESSES)
        total = len(typed) + sum(len(tier.ords) for tier in tiers)
        return SearchResult(total, found.is_exact, hits, tuple(notices), self._request.query, guessed)

    def ids(self) -> set[str]:
        """Match only."""
        found, _, _, tiers = self._find([])
        ords = [np.flatnonzero(found.all), *(tier.ords for tier in tiers)]
        return self._reader.ids(np.unique(np.concatenate(ords)))

    def _find(self, notices: list[str]) -> tuple[Found, Mask, bool, list[Tier]]:
        """What was found as typed, which of it only across a border of words, whether requirements were relaxed, and
        what other routes add."""
        scores = self._words + self._grams
        matcher = Matcher(self._reader, self._collection, self._scorer, self._allowed, scores)
        found = self._groups(matcher, notices)
        barred = matcher.none()
        for part in self._asked.excluded:
            holding, is_exact = matcher.surely(part)
            barred |= holding
            found = replace(found, is_exact=found.is_exact and is_exact)
        found = replace(found, all=found.all & ~barred, phrase=found.phrase & ~barred, words=found.words & ~barred)
        across = matcher.none()
        if self._query.is_plain and self._asked.groups:
            found, across = self._whole(matcher, found)
        elif not self._query.is_plain:
            found = self._literal(found, scores)
        allowed, relaxed = self._allowed & ~barred, False
        tiers = self._tiers.found(self._scorer, allowed, found.all, notices)
        if self._asked.all and not tiers and not found.all.any():
            some = np.logical_or.reduce([matcher.relaxed(group) for group in self._asked.groups]) & ~barred
            if some.any():
                notices.append(RELAXED_NOTICE)
            found, relaxed = replace(found, all=some, words=some), True
        known = found.all.copy()
        for tier in tiers:
            known[tier.ords] = True
        return found, across, relaxed, [*tiers, *self._tiers.by_meaning(allowed, known, notices)]

    def _groups(self, matcher: Matcher, notices: list[str]) -> Found:
        if not self._asked.groups:
            return self._without_units(matcher, notices)
        found = [matcher.group(group) for group in self._asked.groups]
        merged = found[0]
        for other in found[1:]:
            merged = Found(merged.all | other.all, merged.phrase | other.phrase, merged.words | other.words,
                           merged.is_exact and other.is_exact)  # fmt: skip
        return merged

    def _without_units(self, matcher: Matcher, notices: list[str]) -> Found:
        """Nothing to find: filters alone list all they allow, anything else finds nothing and says why."""
        query, nothing = self._query, matcher.none()
        if not query.groups and (query.tags or query.before or query.after):
            return Found(self._allowed, nothing, nothing, True)
        if query.excluded and not query.groups:
            notices.append(ONLY_EXCLUSIONS)
        elif query.text.strip():
            notices.append(ONLY_MARKS)
        return Found(nothing, nothing, nothing, True)

    def _whole(self, matcher: Matcher, found: Found) -> tuple[Found, Mask]:
        """Add the posts that hold the whole query in one piece; tell those in which it only lies across words."""
        whole, is_exact = matcher.phrase(self._asked.whole)
        across = whole & ~found.words & ~matcher.standing(self._asked.whole, whole & ~found.words)
        merged = Found(found.all | whole, found.phrase | whole, found.words, found.is_exact and is_exact)
        return merged, across

    def _literal(self, found: Found, scores: Floats) -> Found:
        """Posts that hold the query as typed, operators and all (`rm -rf`), whatever the operators say."""
        matcher = Matcher(self._reader, self._collection, self._scorer, self._by_request, scores)
        literal = matcher.literal(self._asked.whole)
        return replace(found, all=found.all | literal, phrase=found.phrase | literal)

    def _whole_text(self) -> str:
        return self._asked.whole.stream if self._query.is_plain else ""

    def _cover_text(self) -> str:
        return self._whole_text() or "".join(part.stream for part in self._asked.all)
