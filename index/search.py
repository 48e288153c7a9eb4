"""Search: parse, find, rank, show. One transaction on one generation; `search` is the only door."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from psycopg import Connection

from index.collection import Collection, Floats, Mask, serving_collection, snapshot
from index.errors import driver_errors
from index.explain import NOTHING_INDEXED, ONLY_EXCLUSIONS, ONLY_MARKS, RELAXED_NOTICE, STALE_STREAM, Reasons
from index.filters import allowed_by_query, allowed_by_request
from index.match import Found, Matcher
from index.query import Query, Unit, parse
from index.rank import GRAM_KINDS, WEIGHTS, WORD_KINDS, Scorer
from index.reader import Reader
from index.rows import DocumentAnalyzer
from index.show import Shown, needles_of, show
from index.terms import Part
from index.types import Hit, SearchRequest, SearchResult
from index.window import Entry, Ranking, ranked_page

MAX_LEXEMES = 256
"""Different words, and grams, that take part in the ranking of a very long query."""

MAX_WORD = 16
"""Characters of a query that may be one word in a post, however the query itself was cut."""

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
        run = _Run(Reader(conn, collection.generation), collection, analyzer, request, query)
        return run.result(notices)


def find_ids(conn: Connection, analyzer: DocumentAnalyzer, request: SearchRequest) -> set[str]:
    """The ids of all posts that `request` finds, unranked; its sort, limit and offset do not matter."""
    query = parse(_SURROGATES.sub("\ufffd", request.query))
    with driver_errors(), snapshot(conn):
        collection = serving_collection(conn)
        if collection is None:
            return set()
        return _Run(Reader(conn, collection.generation), collection, analyzer, request, query).ids()


def _empty(request: SearchRequest, notices: Sequence[str]) -> SearchResult:
    return SearchResult(0, True, (), tuple(notices), request.query)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The analysed query: the groups without units of mere punctuation, what is excluded, and the text as a whole."""

    groups: tuple[tuple[Part, ...], ...]
    excluded: tuple[Part, ...]
    whole: Part

    @property
    def all(self) -> list[Part]:
        """Every wanted part of every group."""
        return [part for group in self.groups for part in group]


def _analyse(analyzer: DocumentAnalyzer, query: Query) -> _Parts:
    units = [*(unit for group in query.groups for unit in group), *query.excluded, Unit(query.text)]
    texts = list(dict.fromkeys(unit.text for unit in units))
    found = dict(zip(texts, analyzer.analyze_batch(texts), strict=True))
    analyses = (found[unit.text] for unit in units)
    groups = tuple(
        tuple(Part(unit, next(analyses), open_end=len(group) == 1 and not unit.quoted) for unit in group)
        for group in query.groups
    )
    excluded = tuple(Part(unit, next(analyses)) for unit in query.excluded)
    whole = Part(Unit(query.text), next(analyses), open_end=True)
    if len(groups) == 1 and len(groups[0]) == 1 and _is_same(groups[0][0], whole):
        whole = groups[0][0]
    kept = (tuple(part for part in group if part.atoms) for group in groups)
    return _Parts(tuple(group for group in kept if group), tuple(part for part in excluded if part.atoms), whole)


def _is_same(unit: Part, whole: Part) -> bool:
    """Whether the only unit of a query is the whole of it: all that is found for one is found for the other."""
    if unit.unit.quoted or unit.stream != whole.stream:
        return False
    columns = ("word_start", "word_length", "word_level", "atom_start", "atom_length")
    return all(np.array_equal(getattr(unit.analysis, name), getattr(whole.analysis, name)) for name in columns)


class _Run:
    """One search on one collection."""

    def __init__(
        self, reader: Reader, collection: Collection, analyzer: DocumentAnalyzer, request: SearchRequest, query: Query
    ) -> None:
        self._reader = reader
        self._collection = collection
        self._request = request
        self._query = query
        self._parts = _analyse(analyzer, query)
        self._words = _first(sum((part.words for part in self._parts.all), Counter()))
        self._grams = _first(sum((part.grams for part in self._parts.all), Counter()))
        self._scorer = Scorer(collection, reader.postings([*WORD_KINDS, *GRAM_KINDS], self._lexemes()))
        self._by_request = allowed_by_request(reader, collection, analyzer, request)
        self._allowed = self._by_request & allowed_by_query(reader, collection, analyzer, query)

    def _lexemes(self) -> set[str]:
        parts = self._parts
        phrases = [*parts.all, *parts.excluded, parts.whole]
        found = {atom.lexeme for part in phrases for atom in part.atoms[:MAX_LEXEMES]}
        found |= {lexeme for part in phrases for term in part.terms[:MAX_LEXEMES] for lexeme in term.lexemes}
        found |= {part.stream for part in phrases if len(part.stream) <= MAX_WORD}
        return found | self._words.keys() | self._grams.keys()

    def result(self, notices: list[str]) -> SearchResult:
        """Match, rank and show."""
        words = self._scorer.bm25(WORD_KINDS, self._words)
        grams = self._scorer.bm25(GRAM_KINDS, self._grams) * WEIGHTS.grams
        found, across, relaxed = self._find(words + grams, notices)
        ords = np.flatnonzero(found.all)
        ranking = Ranking(words, grams, found.phrase, across, self._cover_text())
        page = ranked_page(self._reader, ranking, ords, self._request)
        shown = show(self._reader, [entry.ord for entry in page], needles_of(self._parts.all, self._whole_text()))
        reasons = Reasons(self._scorer, self._parts.all, list(shown))
        hits = tuple(
            self._hit(
                entry,
                shown[entry.ord],
                reasons.why(
                    entry.ord,
                    phrase=bool(found.phrase[entry.ord]),
                    words=bool(found.words[entry.ord]),
                    across=bool(across[entry.ord]),
                    relaxed=relaxed,
                ),
            )
            for entry in page
            if entry.ord in shown
        )
        return SearchResult(len(ords), found.is_exact, hits, tuple(notices), self._request.query)

    def ids(self) -> set[str]:
        """Match only."""
        scores = self._scorer.bm25(WORD_KINDS, self._words) + self._scorer.bm25(GRAM_KINDS, self._grams) * WEIGHTS.grams
        return self._reader.ids(np.flatnonzero(self._find(scores, [])[0].all))

    def _find(self, scores: Floats, notices: list[str]) -> tuple[Found, Mask, bool]:
        """What was found, which of it only across a border of words, and whether requirements were relaxed."""
        matcher = Matcher(self._reader, self._collection, self._scorer, self._allowed, scores)
        found = self._groups(matcher, notices)
        for part in self._parts.excluded:
            excluded = matcher.phrase(part)[0]
            found = replace(
                found, all=found.all & ~excluded, phrase=found.phrase & ~excluded, words=found.words & ~excluded
            )
        across = matcher.none()
        if self._query.is_plain and self._parts.groups:
            found, across = self._whole(matcher, found)
        elif not self._query.is_plain:
            found = self._literal(found, scores)
        if found.all.any() or not self._parts.all:
            return found, across, False
        relaxed = np.logical_or.reduce([matcher.relaxed(group) for group in self._parts.groups])
        for part in self._parts.excluded:
            relaxed &= ~matcher.phrase(part)[0]
        if relaxed.any():
            notices.append(RELAXED_NOTICE)
        return replace(found, all=relaxed, words=relaxed), across, True

    def _groups(self, matcher: Matcher, notices: list[str]) -> Found:
        if not self._parts.groups:
            return self._without_units(matcher, notices)
        found = [matcher.group(group) for group in self._parts.groups]
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
        whole, is_exact = matcher.phrase(self._parts.whole)
        across = whole & ~found.words & ~matcher.standing(self._parts.whole, whole & ~found.words)
        merged = Found(found.all | whole, found.phrase | whole, found.words, found.is_exact and is_exact)
        return merged, across

    def _literal(self, found: Found, scores: Floats) -> Found:
        """Posts that hold the query as typed, operators and all (`rm -rf`), whatever the operators say."""
        matcher = Matcher(self._reader, self._collection, self._scorer, self._by_request, scores)
        literal = matcher.literal(self._parts.whole)
        return replace(found, all=found.all | literal, phrase=found.phrase | literal)

    def _whole_text(self) -> str:
        return self._parts.whole.stream if self._query.is_plain else ""

    def _cover_text(self) -> str:
        return self._whole_text() or "".join(part.stream for part in self._parts.all)

    def _hit(self, entry: Entry, shown: Shown, why: dict[str, Any]) -> Hit:
        row = shown.row
        if self._request.explain:
            why["score"] = entry.parts
        return Hit(
            row.id, row.title, row.url, row.published_at, row.tags, entry.score,
            shown.snippet, shown.title_marks, shown.snippet_marks, why,
        )  # fmt: skip


def _first(counts: Counter[str]) -> Counter[str]:
    return Counter(dict(list(counts.items())[:MAX_LEXEMES]))
