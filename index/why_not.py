"""Why a search does not show a post, or shows it further down: every reason is checked on that post alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from psycopg import Connection

from index import reasons
from index.collection import Collection, serving_collection, snapshot
from index.content import is_storable
from index.errors import driver_errors
from index.filters import Filters
from index.match import Matcher
from index.moments import restored
from index.near import Near, near
from index.notices import STALE_STREAM, Language, Notice
from index.queries import queries
from index.query import Unit, parse
from index.rank import GRAM_KINDS, WORD_KINDS, Scorer
from index.reader import Reader
from index.rows import DocumentAnalyzer
from index.search import find_ids, search
from index.spacing import by_spacing
from index.tables import Tables
from index.terms import Part, Term
from index.types import Hit, SearchRequest
from index.variants import by_synonyms

RANKED = 1000
"""Hits among which the post's rank is looked for."""

AT_ONCE = 100

Kind = Literal[
    "not_indexed", "other_generation", "tag", "category", "date", "excluded", "nothing_to_find", "missing",
    "below_page", "across_words", "relaxed", "spacing", "synonym", "fuzzy", "semantic", "unexplained",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reason:
    """One cause, as a sentence for a person and as details for a program."""

    kind: Kind
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)


class _Cause(NamedTuple):
    """A reason before it is put into words."""

    notice: Notice
    details: Mapping[str, Any]

    def told(self, language: Language) -> Reason:
        return Reason(cast(Kind, self.notice.code), self.notice.text(language), self.details)


@dataclass(frozen=True, slots=True)
class WhyNot:
    """What became of a post in a search. `rank` counts from 1; None where the post is not found, or below `RANKED`.

    `on_page` says that the page asked for shows it; `reasons` is then what keeps it down, if anything. `is_stale` says
    that another analyzer than the one in use has cut the post.
    """

    query: str
    id: str
    found: bool
    on_page: bool
    rank: int | None
    total: int
    reasons: tuple[Reason, ...]
    is_stale: bool = False


class _Post(NamedTuple):
    ord: int
    title: str
    tags: Sequence[str]
    categories: Sequence[str]
    published_at: datetime | None
    fingerprint: str


def why_not(conn: Connection, analyzer: DocumentAnalyzer, request: SearchRequest, id: str) -> WhyNot:
    """Why the page of hits that `request` asks for does not show the post, or not higher up.

    Raises `IndexingError` when PostgreSQL fails; a post that is nowhere is a reason, not an error.
    """
    with driver_errors(), snapshot(conn):
        collection = serving_collection(conn)
        post = _post(conn, collection, id)
        total = search(conn, analyzer, replace(request, limit=0, offset=0)).total if collection else 0
        if collection is None or post is None:
            absent = _absent(conn, collection, id).told(request.language)
            return WhyNot(request.query, id, False, False, None, total, (absent,))
        is_stale = post.fingerprint != analyzer.fingerprint()
        rank, hit = _rank(conn, analyzer, request, id, total)
        if hit is not None or (total > RANKED and id in find_ids(conn, analyzer, request)):
            on_page = rank is not None and request.offset < rank <= request.offset + request.limit
            down = () if on_page else (_below(request, rank, total),)
            causes = tuple(cause.told(request.language) for cause in (*down, *_kept_down(hit)))
            return WhyNot(request.query, id, True, on_page, rank, total, causes, is_stale)
        check = _Check(conn, collection, analyzer, request, post)
        causes = tuple(cause.told(request.language) for cause in check.causes())
        return WhyNot(request.query, id, False, False, None, total, causes, is_stale)


def _post(conn: Connection, collection: Collection | None, id: str) -> _Post | None:
    if collection is None or not is_storable(id):
        return None
    values = {"generation": collection.generation, "id": id}
    row = conn.execute(queries("why_not.sql")["post_of_id"], values).fetchone()
    return None if row is None else _Post(*row[:-1])._replace(published_at=restored(row[-3], row[-1]))


def _absent(conn: Connection, collection: Collection | None, id: str) -> _Cause:
    """Not in the serving generation: perhaps in one that is being built, or in one that served before."""
    statements = queries("why_not.sql")
    building = conn.execute(statements["building"]).fetchone() if is_storable(id) else None
    if building is not None and Tables(conn, building[0]).stored([id]):
        details = {"generation": building[0], "state": "building"}
        return _Cause(reasons.BUILDING, details)
    if collection is not None and is_storable(id):
        values = {"generation": collection.generation, "id": id}
        row = conn.execute(statements["elsewhere"], values).fetchone()
        if row is not None:
            details = {"generation": row[0], "state": "retired"}
            return _Cause(reasons.RETIRED, details)
    return _Cause(reasons.NOT_INDEXED, {})


def _rank(
    conn: Connection, analyzer: DocumentAnalyzer, request: SearchRequest, id: str, total: int
) -> tuple[int | None, Hit | None]:
    for offset in range(0, min(total, RANKED), AT_ONCE):
        page = search(conn, analyzer, replace(request, limit=AT_ONCE, offset=offset, explain=True))
        for place, hit in enumerate(page.hits, start=offset + 1):
            if hit.id == id:
                return place, hit
    return None, None


def _below(request: SearchRequest, rank: int | None, total: int) -> _Cause:
    first, last = request.offset + 1, request.offset + request.limit
    shown = {"rank": rank, "total": total, "first": first, "last": last}
    return _Cause(reasons.below_page(rank, RANKED, first, last), shown)


def _kept_down(hit: Hit | None) -> Iterator[_Cause]:
    if hit is None:
        return
    why = {"why": hit.why}
    if hit.why.get("routes") == ["characters"]:
        yield _Cause(reasons.ACROSS_WORDS, why)
    for route in reasons.BELOW.keys() & set(hit.why.get("routes", ())):
        yield _Cause(reasons.BELOW[route], why)
    if hit.why.get("relaxed"):
        yield _Cause(reasons.RELAXED, why)


class _Check:
    """One query on one post that it did not find."""

    def __init__(
        self,
        conn: Connection,
        collection: Collection,
        analyzer: DocumentAnalyzer,
        request: SearchRequest,
        post: _Post,
    ) -> None:
        self._conn, self._reader = conn, Reader(conn, collection.generation)
        self._collection, self._analyzer, self._request, self._post = collection, analyzer, request, post
        self._query = parse(_storable(request.query))
        self._groups = [
            [part for part in self._parts(group, len(group) == 1) if part.atoms] for group in self._query.groups
        ]
        self._excluded = [part for part in self._parts(self._query.excluded, False) if part.atoms]
        everything = [part for group in self._groups for part in group] + self._excluded
        groups = [group for group in self._groups if group]
        readings = (*by_spacing(analyzer, groups), *by_synonyms(conn, analyzer, groups))
        self._readings = [one.text for one in readings]
        self._scorer = Scorer(collection, self._reader.postings([*WORD_KINDS, *GRAM_KINDS], _lexemes(everything)))
        only = np.zeros(collection.size, np.bool_)
        only[post.ord] = True
        zeros = np.zeros(collection.size, np.float32)
        self._matcher = Matcher(self._reader, collection, self._scorer, only, zeros)

    def _parts(self, units: Sequence[Unit], is_alone: bool) -> list[Part]:
        analyses = self._analyzer.analyze_batch([unit.text for unit in units])
        return [
            Part(unit, analysis, open_end=is_alone and not unit.quoted)
            for unit, analysis in zip(units, analyses, strict=True)
        ]

    def causes(self) -> list[_Cause]:
        """What kept the post out, each cause by itself."""
        found = [*self._filters(), *self._exclusions(), *self._missing()]
        return found or [_Cause(self._unexplained(), {})]

    def _unexplained(self) -> Notice:
        is_other_stream = self._collection.stream_fingerprint != self._analyzer.stream_fingerprint()
        return replace(STALE_STREAM, code="unexplained") if is_other_stream else reasons.UNEXPLAINED

    def _filters(self) -> Iterator[_Cause]:
        request, query, post = self._request, self._query, self._post
        filters = Filters(self._conn, self._reader, self._collection, self._analyzer, request, query)
        named = {"tag": [*post.tags, *post.categories], "category": post.categories}
        for kind, holding, wanted, barred in (
            ("tag", filters.tagged, [*request.tags, *query.tags], query.not_tags),
            ("category", filters.categorised, [*request.categories, *query.categories], query.not_categories),
        ):
            for name in dict.fromkeys(wanted):
                if not holding(name)[post.ord]:
                    yield _Cause(reasons.LACKS[kind](name), {kind: name, _PLURAL[kind]: named[kind]})
            for name in dict.fromkeys(barred):
                if holding(name)[post.ord]:
                    yield _Cause(reasons.BARRED[kind](name), {kind: name, _PLURAL[kind]: named[kind]})
        for asked in (request, query):
            for bound, moment in (("after", asked.after), ("before", asked.before)):
                if moment is not None and not filters.dated(**_bounds(bound, moment))[post.ord]:
                    yield _date_cause(bound, moment, post.published_at)

    def _exclusions(self) -> Iterator[_Cause]:
        for part in self._excluded:
            if self._matcher.surely(part)[0][self._post.ord]:
                details = {"term": part.unit.text, "post": self._near(part.stream)}
                yield _Cause(reasons.excluded(part.unit.text), details)

    def _missing(self) -> Iterator[_Cause]:
        groups = [group for group in self._groups if group]
        if not groups:
            if not self._query.has_filters:
                yield _Cause(reasons.NOTHING_TO_FIND, {})
            return
        if any(self._matcher.group(group).all[self._post.ord] for group in groups):
            return
        for part in {part.unit: part for group in groups for part in group}.values():
            if not self._matcher.part(part).all[self._post.ord]:
                yield self._missing_part(part)

    def _missing_part(self, part: Part) -> _Cause:
        missing = [term.text for term in part.terms if not self._holds(term)]
        terms = [{"term": text, "post": self._near(text)} for text in missing]
        details = {
            "unit": part.unit.text,
            "quoted": part.unit.quoted,
            "query_words": [word for _, word in part.coarse],
            "held": [term.text for term in part.terms if self._holds(term)],
            "missing": terms,
            "post": self._near(part.stream),
            "readings": self._readings,
        }
        return _Cause(reasons.missing(missing) if missing else reasons.apart(part.unit.text), details)

    def _holds(self, term: Term) -> bool:
        kinds = GRAM_KINDS if term.by_grams else WORD_KINDS
        return all(bool(self._scorer.holds(kinds, lexeme)[self._post.ord]) for lexeme in term.lexemes)

    def _near(self, text: str) -> Near | None:
        """Where the post comes closest to the text, as the post was cut."""
        return near(text, self._reader.passages([self._post.ord])[self._post.ord])


_PLURAL = {"tag": "tags", "category": "categories"}


def _bounds(name: str, moment: datetime) -> dict[str, datetime | None]:
    return {"after": None, "before": None, name: moment}


def _date_cause(name: str, moment: datetime, published: datetime | None) -> _Cause:
    details = {name: moment.isoformat(), "published_at": published.isoformat() if published else None}
    return _Cause(reasons.wrong_date(name, moment, published), details)


def _storable(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def _lexemes(parts: Iterable[Part]) -> set[str]:
    """Everything that matching asks the postings for."""
    found: set[str] = set()
    for part in parts:
        found |= {atom.lexeme for atom in part.atoms} | part.words.keys() | part.grams.keys() | {part.stream}
        found |= {lexeme for term in part.terms for lexeme in term.lexemes}
    return found
