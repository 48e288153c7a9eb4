"""Completion of what a person is typing, by titles, tags and frequent phrases."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from psycopg import Connection

from index.collection import snapshot
from index.errors import driver_errors
from index.pinyin import typed
from index.queries import queries
from index.rows import DocumentAnalyzer
from index.suggestions import INITIALS, KEY_LENGTH, PHRASE, PINYIN, TAG, TEXT, TITLE

KINDS: dict[int, Literal["title", "tag", "phrase"]] = {TITLE: "title", TAG: "tag", PHRASE: "phrase"}
ROUTES: dict[int, Literal["text", "pinyin", "initials"]] = {TEXT: "text", PINYIN: "pinyin", INITIALS: "initials"}

KINDS_IN_ORDER = (TAG, PHRASE, TITLE)
"""Which one comes first among the best of each kind."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A completion. `route` says what of it begins with the query: the text, its pinyin, the initials of that.

    `documents`: the posts with the tag, or that begin with the phrase. `id` and `url` are those of a title's post.
    """

    text: str
    kind: Literal["title", "tag", "phrase"]
    route: Literal["text", "pinyin", "initials"]
    documents: int
    id: str | None = None
    url: str | None = None


class _Row(NamedTuple):
    route: int
    kind: int
    place: int
    number: int
    documents: int


def suggest(conn: Connection, analyzer: DocumentAnalyzer, query: str, limit: int = 10) -> list[Suggestion]:
    """The best `limit` completions of `query`, white space aside, in a fixed order; none for an empty one.

    What begins with the text itself stands above what only its pinyin begins with; then the beginning of a title or tag
    above a later word; then the best of each kind in turn, by number of posts. Raises `IndexingError` when PostgreSQL
    fails.
    """
    wanted = prefixes(analyzer, query)
    if not wanted or limit < 1:
        return []
    with driver_errors(), snapshot(conn):
        serving = conn.execute(queries("read.sql")["collection_state"]).fetchone()
        if serving is None:
            return []
        values = {
            "generation": serving[0],
            "routes": list(wanted),
            "prefixes": list(wanted.values()),
            "limit": 3 * limit + 10,
        }
        is_short = all(len(prefix) == 1 for prefix in wanted.values())
        name = "complete_head" if is_short else "complete"
        rows = _in_order(_Row(*row) for row in conn.execute(queries("suggest.sql")[name], values))
        chosen = rows[: 4 * limit]
        given = {"generation": serving[0], "numbers": [row.number for row in chosen]}
        found = {row[0]: row[1:] for row in conn.execute(queries("suggest.sql")["suggestions"], given)}
    return _distinct(chosen, found)[:limit]


def prefixes(analyzer: DocumentAnalyzer, query: str) -> dict[int, str]:
    """For each route what keys have to begin with; pinyin only where nothing but Latin letters was typed."""
    query = "".join(char for char in query.strip()[: 4 * KEY_LENGTH] if char.isprintable())
    stream = analyzer.stream(query)[:KEY_LENGTH]
    found = {TEXT: stream} if stream else {}
    spelt = typed(query)[:KEY_LENGTH]
    if spelt.isascii() and spelt.isalnum() and spelt[0].isalpha():
        found |= {PINYIN: spelt, INITIALS: spelt}
    return found


def _in_order(rows: Iterable[_Row]) -> list[_Row]:
    """By route and place, then the best of each kind in turn; each suggestion once."""
    best: dict[int, _Row] = {}
    for row in sorted(rows, key=lambda row: (row.route, row.place, -row.documents, row.number)):
        best.setdefault(row.number, row)
    places: dict[tuple[int, int, int], int] = {}
    ranked = []
    for row in best.values():
        group = (row.route, row.place, row.kind)
        places[group] = places.get(group, -1) + 1
        ranked.append((row.route, row.place, places[group], KINDS_IN_ORDER.index(row.kind), row))
    return [row for *_, row in sorted(ranked, key=lambda item: item[:4])]


def _distinct(rows: Sequence[_Row], found: dict[int, tuple[str, int, str | None, str | None]]) -> list[Suggestion]:
    suggestions: dict[str, Suggestion] = {}
    for row in rows:
        if row.number in found:
            text, documents, id, url = found[row.number]
            suggestion = Suggestion(text, KINDS[row.kind], ROUTES[row.route], documents, id, url)
            suggestions.setdefault(" ".join(text.casefold().split()), suggestion)
    return list(suggestions.values())
