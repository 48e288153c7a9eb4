"""Search: parse, find, rank, show. One transaction on one generation; `search` is the only door."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

import numpy as np
from psycopg import Connection

from index.asked import Asked, analyse
from index.collection import Collection, Floats, Mask, serving_collection, snapshot
from index.errors import driver_errors
from index.filters import Filters
from index.fusion import GUESSES, fused_page, weights_without
from index.match import CHECKED, EXCLUSIONS_CHECKED, Found, Matcher
from index.notices import (
    AS_TYPED,
    INEXACT,
    LOWER_OR,
    NOTHING_INDEXED,
    ONLY_EXCLUSIONS,
    ONLY_MARKS,
    RELAXED,
    STALE_STREAM,
    Notice,
    exclusion_unchecked,
    unchecked,
)
from index.page import Outcome, hits_of
from index.query import Query, parse
from index.rank import GRAM_KINDS, WORD_KINDS, Scorer
from index.reader import Reader
from index.rows import DocumentAnalyzer
from index.standing import Odds
from index.tiers import Tiers
from index.types import Hit, SearchRequest, SearchResult
from index.window import Ranking

LITTLE = 2
"""With so many hits or fewer, an `or` between words may have been meant as OR."""

_SURROGATES = re.compile("[\\ud800-\\udfff]")


def search(conn: Connection, analyzer: DocumentAnalyzer, request: SearchRequest) -> SearchResult:
    """The page of hits that `request` asks for. No text is an error; raises `IndexingError` when PostgreSQL fails."""
    query = parse(_SURROGATES.sub("\ufffd", request.query))
    with driver_errors(), snapshot(conn):
        collection = serving_collection(conn)
        if collection is None:
            return _answer(request, 0, (), [NOTHING_INDEXED])
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


def _answer(
    request: SearchRequest, total: int, hits: tuple[Hit, ...], notices: Sequence[Notice], guessed: int = 0
) -> SearchResult:
    """The result in the language that was asked for."""
    codes = tuple(notice.code for notice in notices)
    texts = tuple(notice.text(request.language) for notice in notices)
    return SearchResult(total, not INEXACT.intersection(codes), hits, texts, request.query, guessed, codes)


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
        self._words = self._scorer.bm25(WORD_KINDS, self._asked.words)
        self._grams = self._scorer.bm25(GRAM_KINDS, self._asked.grams) * self._weights.grams
        self._filters = Filters(conn, reader, collection, analyzer, request, query)
        self._by_request = self._filters.beside()
        self._allowed = self._by_request & self._filters.typed()

    def result(self, notices: list[Notice]) -> SearchResult:
        """Match, rank and show."""
        notices += self._filters.notices(bool(self._allowed.any()))
        outcome = self._find(notices)
        found, tiers = outcome.found, outcome.tiers
        typed = np.flatnonzero(found.all)
        ranking = Ranking(
            self._words,
            self._grams,
            found.phrase,
            outcome.across,
            self._cover_text(),
            self._weights,
            self._tiers.cosines(),
            self._odds,
            self._request.without,
        )
        page = fused_page(self._reader, typed, tiers, self._request, ranking)
        hits = hits_of(
            self._reader, self._scorer, self._asked, outcome, page,
            whole=self._whole_text(), explain=self._request.explain,
        )  # fmt: skip
        guessed = sum(len(tier.ords) for tier in tiers if tier.route in GUESSES)
        total = len(typed) + sum(len(tier.ords) for tier in tiers)
        if self._query.has_lower_or and (outcome.relaxed or total - guessed <= LITTLE):
            notices.append(LOWER_OR)
        return _answer(self._request, total, hits, notices, guessed)

    def ids(self) -> set[str]:
        """Match only."""
        outcome = self._find([])
        ords = [np.flatnonzero(outcome.found.all), *(tier.ords for tier in outcome.tiers)]
        return self._reader.ids(np.unique(np.concatenate(ords)))

    def _find(self, notices: list[Notice]) -> Outcome:
        """What was found as typed, and what other routes add."""
        scores = self._words + self._grams
        matcher = Matcher(self._reader, self._collection, self._scorer, self._allowed, scores)
        found = self._groups(matcher)
        barred, spared, across = matcher.none(), matcher.none(), matcher.none()
        for part in self._asked.excluded:
            holding, others = matcher.surely(part)
            barred |= holding
            spared |= others
        found &= ~barred
        if self._query.is_plain and self._asked.groups:
            found, across = self._whole(matcher, found)
        elif not self._query.is_plain:
            found = self._literal(found, scores)
        self._without_words(found, notices)
        allowed, relaxed = self._allowed & ~barred, False
        tiers = self._tiers.found(self._scorer, allowed, found.all, notices)
        if self._asked.all and not tiers and not found.all.any():
            some = np.logical_or.reduce([matcher.relaxed(group) for group in self._asked.groups]) & ~barred
            if some.any():
                notices.append(RELAXED)
            found, relaxed = replace(found, all=some, words=some), True
        known = found.all.copy()
        for tier in tiers:
            known[tier.ords] = True
        tiers += self._tiers.by_meaning(allowed, known, notices)
        outcome = Outcome(found, across, spared, relaxed, tiers)
        self._tell_unchecked(outcome, known, notices)
        return outcome

    def _groups(self, matcher: Matcher) -> Found:
        """What the units find; without any, filters alone list all they allow."""
        nothing = matcher.none()
        everything = self._allowed if self._is_filter else nothing
        found = [matcher.group(group) for group in self._asked.groups] or [Found(everything, nothing, nothing, nothing)]
        return reduce(or_, found)

    @property
    def _is_filter(self) -> bool:
        return not self._query.groups and self._query.has_filters

    def _without_words(self, found: Found, notices: list[Notice]) -> None:
        """Where there was no word to look for: say so, or that the text was looked for as it was typed."""
        query = self._query
        if self._asked.groups or self._is_filter or not query.text.strip():
            return
        if found.all.any():
            notices.append(AS_TYPED)
        else:
            notices.append(ONLY_EXCLUSIONS if query.excluded and not query.groups else ONLY_MARKS)

    def _tell_unchecked(self, outcome: Outcome, known: Mask, notices: list[Notice]) -> None:
        """Say how many hits were not checked, if any."""
        if count := int(outcome.unchecked.sum()):
            notices.append(unchecked(count, CHECKED))
        if count := int((outcome.spared & known).sum()):
            notices.append(exclusion_unchecked(count, EXCLUSIONS_CHECKED))

    def _whole(self, matcher: Matcher, found: Found) -> tuple[Found, Mask]:
        """Add the posts that hold the whole query in one piece; tell those in which it only lies across words."""
        whole, not_seen = matcher.phrase(self._asked.whole)
        across = whole & ~found.words & ~matcher.standing(self._asked.whole, whole & ~found.words)
        return found | Found(whole, whole, matcher.none(), not_seen), across

    def _literal(self, found: Found, scores: Floats) -> Found:
        """Posts that hold the query as typed, operators and all (`rm -rf`), whatever the operators say."""
        matcher = Matcher(self._reader, self._collection, self._scorer, self._by_request, scores)
        literal = matcher.literal(self._asked.whole)
        return found | Found(literal, literal, matcher.none(), matcher.none())

    def _whole_text(self) -> str:
        return self._asked.whole.stream if self._query.is_plain else ""

    def _cover_text(self) -> str:
        return self._whole_text() or "".join(part.stream for part in self._asked.all)
