"""Why a search does not show a post, or shows it further down: every reason is checked on that post alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

import numpy as np
from psycopg import Connection

from index.collection import Collection, serving_collection, snapshot
from index.content import is_storable
from index.errors import driver_errors
from index.filters import allowed_by_request
from index.match import Matcher
from index.moments import restored
from index.near import Near, near
from index.notices import STALE_STREAM, Language
from index.queries import queries
from index.query import Unit, parse
from index.rank import GRAM_KINDS, WORD_KINDS, Scorer
from index.reader import Reader
from index.rows import DocumentAnalyzer
from index.search import find_ids, search
from index.tables import Tables
from index.terms import Part, Term
from index.types import Hit, SearchRequest
from index.variants import by_synonyms

RANKED = 1000
"""Hits among which the post's rank is looked for."""

AT_ONCE = 100

Kind = Literal[
    "not_indexed", "other_generation", "tag", "date", "excluded", "nothing_to_find", "missing", "below_page",
    "across_words", "relaxed", "synonym", "fuzzy", "semantic", "unexplained",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reason:
    """One cause, as a sentence for a person and as details for a program."""

    kind: Kind
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)


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


BELOW = {
    "synonym": "只通过同义词找到，排在直接含有查询词的文章之后。",
    "fuzzy": "只通过拼写相近的词找到，排在直接含有查询词的文章之后。",
    "semantic": "只是意思相近，排在所有含有查询词的文章之后。",
}


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
            return WhyNot(request.query, id, False, False, None, total, (_absent(conn, collection, id),))
        is_stale = post.fingerprint != analyzer.fingerprint()
        rank, hit = _rank(conn, analyzer, request, id, total)
        if hit is not None or (total > RANKED and id in find_ids(conn, analyzer, request)):
            on_page = rank is not None and request.offset < rank <= request.offset + request.limit
            down = () if on_page else (_below(request, rank, total),)
            return WhyNot(request.query, id, True, on_page, rank, total, (*down, *_kept_down(hit)), is_stale)
        check = _Check(conn, collection, analyzer, request, post)
        return WhyNot(request.query, id, False, False, None, total, check.reasons(), is_stale)


def _post(conn: Connection, collection: Collection | None, id: str) -> _Post | None:
    if collection is None or not is_storable(id):
        return None
    values = {"generation": collection.generation, "id": id}
    row = conn.execute(queries("why_not.sql")["post_of_id"], values).fetchone()
    return None if row is None else _Post(*row[:-1])._replace(published_at=restored(row[-3], row[-1]))


def _absent(conn: Connection, collection: Collection | None, id: str) -> Reason:
    """Not in the serving generation: perhaps in one that is being built, or in one that served before."""
    statements = queries("why_not.sql")
    building = conn.execute(statements["building"]).fetchone() if is_storable(id) else None
    if building is not None and Tables(conn, building[0]).stored([id]):
        details = {"generation": building[0], "state": "building"}
        return Reason("other_generation", "这篇文章在正在建立、还没有启用的索引里。", details)
    if collection is not None and is_storable(id):
        values = {"generation": collection.generation, "id": id}
        row = conn.execute(statements["elsewhere"], values).fetchone()
        if row is not None:
            details = {"generation": row[0], "state": "retired"}
            return Reason("other_generation", "这篇文章只在已经换下的旧索引里。", details)
    return Reason("not_indexed", "索引里没有这篇文章。")


def _rank(
    conn: Connection, analyzer: DocumentAnalyzer, request: SearchRequest, id: str, total: int
) -> tuple[int | None, Hit | None]:
    for offset in range(0, min(total, RANKED), AT_ONCE):
        page = search(conn, analyzer, replace(request, limit=AT_ONCE, offset=offset, explain=True))
        for place, hit in enumerate(page.hits, start=offset + 1):
            if hit.id == id:
                return place, hit
    return None, None


def _below(request: SearchRequest, rank: int | None, total: int) -> Reason:
    shown = {"rank": rank, "total": total, "first": request.offset + 1, "last": request.offset + request.limit}
    place = f"第 {rank} 位" if rank is not None else f"第 {RANKED} 位以后"
    return Reason("below_page", f"找到了，排在{place}，不在这一页（{shown['first']}–{shown['last']}）。", shown)


def _kept_down(hit: Hit | None) -> Iterator[Reason]:
    if hit is None:
        return
    if hit.why.get("routes") == ["characters"]:
        yield Reason("across_words", "这些字在文章里只是跨过词的边界相邻，排在整词出现的文章之后。", {"why": hit.why})
    for route in BELOW.keys() & set(hit.why.get("routes", ())):
        yield Reason(route, BELOW[route], {"why": hit.why})  # type: ignore[arg-type]
    if hit.why.get("relaxed"):
        yield Reason("relaxed", "没有文章包含所有的词；这篇只包含其中一部分。", {"why": hit.why})


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
        self._reader = Reader(conn, collection.generation)
        self._collection, self._analyzer, self._request, self._post = collection, analyzer, request, post
        self._query = parse(_storable(request.query))
        self._groups = [
            [part for part in self._parts(group, len(group) == 1) if part.atoms] for group in self._query.groups
        ]
        self._excluded = [part for part in self._parts(self._query.excluded, False) if part.atoms]
        everything = [part for group in self._groups for part in group] + self._excluded
        self._readings = [one.text for one in by_synonyms(conn, analyzer, [group for group in self._groups if group])]
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

    def reasons(self) -> tuple[Reason, ...]:
        """What kept the post out, each cause by itself."""
        found = [*self._filters(), *self._exclusions(), *self._missing()]
        return tuple(found) or (Reason("unexplained", STALE_STREAM.zh if self._is_other_stream() else "原因不明。"),)

    def _is_other_stream(self) -> bool:
        return self._collection.stream_fingerprint != self._analyzer.stream_fingerprint()

    def _filters(self) -> Iterator[Reason]:
        request, query, post = self._request, self._query, self._post
        for tag in dict.fromkeys([*request.tags, *query.tags]):
            if not self._passes(SearchRequest("", tags=(tag,))):
                has = [*post.tags, *post.categories]
                yield Reason("tag", f"这篇文章没有标签“{tag}”。", {"tag": tag, "tags": has})
        for asked in (request, query):
            for name, moment in (("after", asked.after), ("before", asked.before)):
                if moment is not None and not self._passes(SearchRequest("", **{name: moment})):  # type: ignore[arg-type]
                    yield _date_reason(name, moment, post.published_at)

    def _passes(self, request: SearchRequest) -> bool:
        allowed = allowed_by_request(self._reader, self._collection, self._analyzer, request)
        return bool(allowed[self._post.ord])

    def _exclusions(self) -> Iterator[Reason]:
        for part in self._excluded:
            if self._matcher.surely(part)[0][self._post.ord]:
                details = {"term": part.unit.text, "post": self._near(part.stream)}
                yield Reason("excluded", f"这篇文章含有被排除的“{part.unit.text}”。", details)

    def _missing(self) -> Iterator[Reason]:
        groups = [group for group in self._groups if group]
        if not groups:
            if not (self._query.tags or self._query.before or self._query.after):
                yield Reason("nothing_to_find", "查询里没有可以查找的词。")
            return
        if any(self._matcher.group(group).all[self._post.ord] for group in groups):
            return
        for group in groups:
            for part in group:
                if not self._matcher.part(part).all[self._post.ord]:
                    yield self._missing_part(part)

    def _missing_part(self, part: Part) -> Reason:
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
        if not missing:
            message = f"这篇文章有“{part.unit.text}”的各个词，但没有连在一起。"
        else:
            message = f"这篇文章没有“{'”“'.join(missing)}”。"
        return Reason("missing", message, details)

    def _holds(self, term: Term) -> bool:
        kinds = GRAM_KINDS if term.by_grams else WORD_KINDS
        return all(bool(self._scorer.holds(kinds, lexeme)[self._post.ord]) for lexeme in term.lexemes)

    def _near(self, text: str) -> Near | None:
        """Where the post comes closest to the text, as the post was cut."""
        return near(text, self._reader.passages([self._post.ord])[self._post.ord])


def _date_reason(name: str, moment: datetime, published: datetime | None) -> Reason:
    details = {name: moment.isoformat(), "published_at": published.isoformat() if published else None}
    wanted = f"{moment:%Y-%m-%d}" + ("或以后" if name == "after" else "以前")
    has = f"发布于 {published:%Y-%m-%d}" if published else "没有发布日期"
    return Reason("date", f"这篇文章{has}，而查询要求{wanted}。", details)


def _storable(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def _lexemes(parts: Iterable[Part]) -> set[str]:
    """Everything that matching asks the postings for."""
    found: set[str] = set()
    for part in parts:
        found |= {atom.lexeme for atom in part.atoms} | part.words.keys() | part.grams.keys() | {part.stream}
        found |= {lexeme for term in part.terms for lexeme in term.lexemes}
    return found
