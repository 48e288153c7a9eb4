"""Did you mean: a query with words replaced by words that stand in posts, offered when little is found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from math import log1p
from typing import Literal, NamedTuple

from psycopg import Connection

from index.collection import snapshot
from index.errors import driver_errors
from index.fusion import GUESSES
from index.fuzzy import distance
from index.notices import RELAXED
from index.pinyin import is_han, sound
from index.queries import queries
from index.rows import DocumentAnalyzer
from index.search import search
from index.spelt import spelt
from index.types import Hit, SearchRequest, SearchResult
from segmenter.types import Analysis

Reason = Literal["spelling", "sound", "character", "pinyin"]

LITTLE = 2
"""A query with so many hits or fewer may be misspelt."""

MUCH_MORE = 5
LONGEST_QUERY = 64
LONGEST_HAN = 5
SHORTEST_LATIN = 4
"""Letters of a word that may be misspelt; of one below `LONG_LATIN` one letter at most."""

LONG_LATIN = 7
PATTERNS = 24
"""Stretches with one open character that are looked up."""

SPELT = 4
"""Words of a query that are looked up as pinyin."""

KNOWN = 2.0
"""What it costs to replace a stretch that is itself a word of some post."""

TRIED = 6
"""Replacements that are searched for, at most, to see whether they find more."""

TRIED_WHOLE = 2
LONGEST_WHOLE = 16
LONGEST_WORD = 8
"""Beside hits that hold parts of it: characters of a query that is corrected, and of one that is looked for in one
piece."""

HOLDING = frozenset({"phrase", "characters", "spacing", "synonym", "filters"})
"""Routes of a hit that holds all of the query."""

PENALTY: dict[Reason, float] = {"sound": 0.0, "spelling": 1.0, "character": 3.0, "pinyin": 0.0}


@dataclass(frozen=True, slots=True)
class Change:
    """One word, as typed and as meant, and why: the same sound, other letters, one other character, or its pinyin."""

    typed: str
    meant: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Correction:
    """A query that finds more: `total` posts."""

    query: str
    changes: tuple[Change, ...]
    total: int


class _Edit(NamedTuple):
    """Stream characters `start` to `end` of the query become `word`; a lower cost is better."""

    start: int
    end: int
    word: str
    reason: Reason
    cost: float


def corrections(
    conn: Connection, analyzer: DocumentAnalyzer, request: SearchRequest, result: SearchResult
) -> list[Correction]:
    """Corrections beside the first page of a search, where it found little, or nothing that holds the whole query."""
    if request.offset or request.limit < 1:
        return []
    total = result.total - result.guessed
    if not total or request.sort != "relevance" or any(_is_held(hit, request.query) for hit in result.hits):
        return did_you_mean(conn, analyzer, request, total)
    return did_you_mean(conn, analyzer, request, whole=True) if len(request.query) <= LONGEST_WHOLE else []


def _is_held(hit: Hit, query: str) -> bool:
    """Whether the hit holds the whole query: a word in one piece, of several all."""
    routes = set(hit.why["routes"])
    is_word = len(query.strip()) <= LONGEST_WORD and all(map(is_han, query.strip()))
    is_part = is_word or hit.why.get("missing") or hit.why.get("relaxed") or not routes.isdisjoint(GUESSES)
    return not routes.isdisjoint(HOLDING) or not is_part


def did_you_mean(
    conn: Connection,
    analyzer: DocumentAnalyzer,
    request: SearchRequest,
    total: int = 0,
    limit: int = 3,
    *,
    whole: bool = False,
) -> list[Correction]:
    """Corrections of a query that found `total` posts: those that find more, best first; none where enough was found.

    Latin words are replaced by indexed ones at edit distance 1 or 2 (swapped neighbours count as one edit), stretches
    of Han by words with the same pinyin, or by words of three characters and more that differ in one, letters by words
    of which they are the pinyin or its initials. Beside a few hits only what finds `MUCH_MORE` times as many is
    offered; with `whole` only what some post holds all of. Raises `IndexingError` when PostgreSQL fails.
    """
    query = request.query
    if total > LITTLE or len(query) > LONGEST_QUERY or not query.strip() or "\0" in query:
        return []
    with driver_errors(), snapshot(conn):
        serving = conn.execute(queries("read.sql")["collection_state"]).fetchone()
        if serving is None:
            return []
        (analysis,) = analyzer.analyze_batch([query])
        edits = [*_latin(conn, serving[0], analysis), *_han(conn, serving[0], analysis, by_sound_alone=whole)]
        edits += [] if whole else _pinyin(conn, serving[0], analyzer, analysis)
        found = []
        for chosen in islice(_combinations(edits), TRIED_WHOLE if whole else TRIED):
            corrected = _apply(query, analysis, chosen)
            counted = _total(conn, analyzer, replace(request, query=corrected), whole)
            if counted > total * MUCH_MORE:
                changes = tuple(Change(_original(query, analysis, edit), edit.word, edit.reason) for edit in chosen)
                found.append(Correction(corrected, changes, counted))
            if len(found) == limit:
                break
    return found


def _total(conn: Connection, analyzer: DocumentAnalyzer, request: SearchRequest, whole: bool) -> int:
    plain = replace(request, limit=int(whole), offset=0, explain=False, without=request.without | GUESSES)
    result = search(conn, analyzer, plain)
    if whole and not any(_is_held(hit, request.query) for hit in result.hits):
        return 0
    return 0 if RELAXED.code in result.notice_codes else result.total


def _combinations(edits: Iterable[_Edit]) -> Iterable[tuple[_Edit, ...]]:
    """One edit for each stretch of the query, then all of them together; the cheapest first."""
    stretches: dict[tuple[int, int], list[_Edit]] = {}
    for edit in sorted(edits, key=lambda edit: (edit.cost, edit.start, edit.word)):
        stretches.setdefault((edit.start, edit.end), []).append(edit)
    apart = _apart(stretches)
    single = [(edit,) for edits in stretches.values() for edit in edits[:TRIED]]
    several = [tuple(choice) for choice in product(*(stretches[key][:2] for key in apart))] if len(apart) > 1 else []
    together = sorted(several, key=lambda choice: sum(edit.cost for edit in choice) / len(choice))
    return [*together[: TRIED // 2], *sorted(single, key=lambda choice: (choice[0].cost, choice[0].word))]


def _apart(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches that do not overlap, in the order given."""
    chosen: list[tuple[int, int]] = []
    for start, end in stretches:
        if all(end <= other_start or start >= other_end for other_start, other_end in chosen):
            chosen.append((start, end))
    return chosen[:4]


def _latin(conn: Connection, generation: int, analysis: Analysis) -> Iterable[_Edit]:
    places = zip(analysis.atom_start.tolist(), analysis.atom_length.tolist(), strict=True)
    atoms = [(start, start + length) for start, length in places if length >= SHORTEST_LATIN]
    for start, end in atoms:
        typed = analysis.stream[start:end]
        if not typed.isascii() or typed.isdecimal() or _known(conn, generation, typed):
            continue
        most = 1 if len(typed) < LONG_LATIN else 2
        values = {"generation": generation, "shortest": len(typed) - most, "longest": len(typed) + most}
        letters = set(typed)
        for word, documents in conn.execute(queries("suggest.sql")["latin_words"], values):
            if len(letters ^ set(word)) <= 2 * most:
                apart = distance(typed, word, most)
                if 0 < apart <= most:
                    yield _Edit(start, end, word, "spelling", PENALTY["spelling"] * apart - _weight(documents))


def _known(conn: Connection, generation: int, word: str) -> bool:
    values = {"generation": generation, "words": [word]}
    return conn.execute(queries("suggest.sql")["known"], values).fetchone() is not None


def _pinyin(conn: Connection, generation: int, analyzer: DocumentAnalyzer, analysis: Analysis) -> Iterable[_Edit]:
    """Letters as what they spell: all of the query, or one word of it."""
    places = zip(analysis.atom_start.tolist(), analysis.atom_length.tolist(), strict=True)
    spans = [(start, start + length) for start, length in places][:SPELT]
    stream = analysis.stream
    if len(spans) > 1 and all("a" <= char <= "z" or char == "'" for char in stream):
        spans.append((0, len(stream)))
    for start, end in spans:
        letters = stream[start:end]
        if not _known(conn, generation, letters):
            for word, documents in spelt(conn, generation, analyzer, letters).items():
                yield _Edit(start, end, word, "pinyin", PENALTY["pinyin"] - _weight(documents) - (end - start))


def _han(conn: Connection, generation: int, analysis: Analysis, *, by_sound_alone: bool = False) -> Iterable[_Edit]:
    spans = list(_spans(analysis.stream))
    sounds = {span: sound(analysis.stream[slice(*span)]) for span in spans}
    by_sound: dict[str, list[tuple[str, int]]] = {}
    values = {"generation": generation, "sounds": sorted(set(sounds.values()))}
    for word, documents, spoken in conn.execute(queries("suggest.sql")["alike"], values) if spans else ():
        by_sound.setdefault(spoken, []).append((word, documents))
    for (start, end), spoken in sounds.items():
        for word, documents in by_sound.get(spoken, ()):
            if word != analysis.stream[start:end]:
                known = KNOWN * any(other == analysis.stream[start:end] for other, _ in by_sound[spoken])
                cost = PENALTY["sound"] + known - _weight(documents) - (end - start)
                yield _Edit(start, end, word, "sound", cost)
    if not by_sound_alone:
        longer = [span for span in spans if span[1] - span[0] > 2]
        yield from _one_different(conn, generation, analysis.stream, longer)


def _one_different(conn: Connection, generation: int, stream: str, spans: Sequence[tuple[int, int]]) -> Iterable[_Edit]:
    patterns: dict[str, tuple[int, int]] = {}
    for start, end in spans:
        text = stream[start:end]
        patterns |= {f"{text[:place]}_{text[place + 1 :]}": (start, end) for place in range(len(text))}
    if not patterns:
        return
    lengths = sorted({end - start for start, end in spans})
    values = {"generation": generation, "patterns": list(patterns)[:PATTERNS], "lengths": lengths}
    for pattern, word, documents in conn.execute(queries("suggest.sql")["one_different"], values):
        start, end = patterns[pattern]
        if word != stream[start:end]:
            yield _Edit(start, end, word, "character", PENALTY["character"] - _weight(documents) - (end - start))


def _spans(stream: str) -> Iterable[tuple[int, int]]:
    """Every stretch of two to five Han characters."""
    for start in range(len(stream)):
        for end in range(start + 1, min(start + LONGEST_HAN, len(stream)) + 1):
            if not is_han(stream[end - 1]):
                break
            if end - start > 1:
                yield start, end


def _weight(documents: int) -> float:
    """Of a word: a tenth for each factor of e in its posts, so that frequency decides only between like words."""
    return log1p(documents) / 10


def _apply(query: str, analysis: Analysis, edits: Sequence[_Edit]) -> str:
    for edit in sorted(edits, reverse=True):
        query = query[: analysis.starts[edit.start]] + edit.word + query[analysis.ends[edit.end - 1] :]
    return query


def _original(query: str, analysis: Analysis, edit: _Edit) -> str:
    return query[analysis.starts[edit.start] : analysis.ends[edit.end - 1]]
