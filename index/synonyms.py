"""Synonyms: rules in PostgreSQL, and what else a piece of a query may mean by them."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

from psycopg import Connection

from index.errors import driver_errors
from index.queries import queries
from index.rows import DocumentAnalyzer
from index.synonym_rules import Origin, Rule
from segmenter.types import Analysis

MAX_ALTERNATIVES = 8
"""Other readings of one piece of a query, at most."""

_KEPT = 8


@dataclass(frozen=True, slots=True)
class Alternative:
    """A piece of a query with one stretch, or each of several, replaced: `text` is searched like the piece itself.

    `changes` says which words as typed became which, and by which rule.
    """

    text: str
    changes: tuple[tuple[str, str, str], ...]


class _Match(NamedTuple):
    start: int
    end: int
    meanings: tuple[tuple[str, str], ...]


def rules(conn: Connection) -> list[Rule]:
    """All rules, in the order in which they were stored."""
    with driver_errors():
        rows = conn.execute(queries("synonyms.sql")["all"]).fetchall()
    return [Rule(tuple(words), tuple(meanings), two_way, id, origin) for id, origin, words, meanings, two_way in rows]


def add(conn: Connection, new: Iterable[Rule], origin: Origin = "api") -> None:
    """Store rules beside the others; one that is there already is left alone."""
    with driver_errors(), conn.transaction():
        for rule in new:
            values = {"rule": rule.line, "words": list(rule.words), "meanings": list(rule.meanings)}
            conn.execute(queries("synonyms.sql")["insert"], values | {"two_way": rule.two_way, "origin": origin})


def replace_all(conn: Connection, new: Sequence[Rule], origin: Origin = "api") -> None:
    """Let these be the rules of this origin, in one step for those who search."""
    with driver_errors(), conn.transaction():
        conn.execute(queries("synonyms.sql")["lock"])
        values = {"origin": origin, "kept": [rule.line for rule in new]}
        conn.execute(queries("synonyms.sql")["delete_origin"], values)
        add(conn, new, origin)


def delete(conn: Connection, id: int) -> bool:
    """Remove one rule; False where there is none with this id."""
    with driver_errors():
        return conn.execute(queries("synonyms.sql")["delete"], [id]).rowcount > 0


def expand(conn: Connection, analyzer: DocumentAnalyzer, text: str) -> list[Alternative]:
    """What else `text` may mean by the stored rules: at most `MAX_ALTERNATIVES`, nearest to the text first.

    A rule applies where its word stands in the text from a border of a word to a border of a word, in any granularity,
    whatever its case, width, script variant and white space. The longest word wins where several begin at one place.
    """
    synonyms = current(conn, analyzer)
    return synonyms.expand(analyzer.analyze_batch([text])[0], text) if synonyms else []


class Synonyms:
    """Rules made ready for one analyzer: words are compared as streams."""

    def __init__(self, analyzer: DocumentAnalyzer, rules: Sequence[Rule]) -> None:
        words = [word for rule in rules for word in rule.words]
        streams = [analysis.stream for analysis in analyzer.analyze_batch(words)]
        self._meanings: dict[str, dict[str, str]] = {}
        for (rule, word), stream in zip(_each_word(rules), streams, strict=True):
            others = {meaning: rule.line for meaning in rule.meanings if meaning != word}
            if stream:
                self._meanings.setdefault(stream, {}).update(others)
        self._lengths = sorted({len(stream) for stream in self._meanings}, reverse=True)

    def __bool__(self) -> bool:
        return bool(self._meanings)

    def expand(self, analysis: Analysis, text: str) -> list[Alternative]:
        """The alternatives of an analysed text: one stretch replaced at a time, then all of them."""
        matches = list(self._matches(analysis))
        single = [_replaced(text, analysis, [(match, meaning)]) for match in matches for meaning in match.meanings]
        together = [_replaced(text, analysis, [(match, match.meanings[0]) for match in matches])] if matches[1:] else []
        kept = single[: MAX_ALTERNATIVES - len(together)] + together
        return list({one.text: one for one in kept}.values())

    def _matches(self, analysis: Analysis) -> Iterator[_Match]:
        starts, ends = _borders(analysis)
        place = 0
        for start in sorted(starts):
            if start < place:
                continue
            for length in self._lengths:
                found = self._meanings.get(analysis.stream[start : start + length])
                if found and start + length in ends:
                    yield _Match(start, start + length, tuple(found.items()))
                    place = start + length
                    break


def current(conn: Connection, analyzer: DocumentAnalyzer) -> Synonyms | None:
    """The stored rules for this analyzer, kept between calls until they change; None where there are none."""
    with driver_errors():
        state = conn.execute(queries("synonyms.sql")["state"]).fetchone()
    if state is None or not state[0]:
        return None
    key = (conn.info.host, conn.info.port, conn.info.dbname, analyzer.fingerprint(), *state)
    with _lock:
        kept = _cache.get(key)
    if kept is None:
        kept = Synonyms(analyzer, rules(conn))
        with _lock:
            _cache[key] = kept
            while len(_cache) > _KEPT:
                _cache.popitem(last=False)
    return kept


_cache: OrderedDict[tuple[Any, ...], Synonyms] = OrderedDict()
_lock = Lock()


def _each_word(rules: Sequence[Rule]) -> Iterator[tuple[Rule, str]]:
    return ((rule, word) for rule in rules for word in rule.words)


def _borders(analysis: Analysis) -> tuple[set[int], set[int]]:
    """Where words of any granularity, and atoms, begin and end."""
    starts = {*analysis.word_start.tolist(), *analysis.atom_start.tolist()}
    ends = {
        *(analysis.word_start + analysis.word_length).tolist(),
        *(analysis.atom_start + analysis.atom_length).tolist(),
    }
    return starts, ends


def _replaced(text: str, analysis: Analysis, chosen: Sequence[tuple[_Match, tuple[str, str]]]) -> Alternative:
    changes = []
    for match, (meaning, rule) in reversed(chosen):
        start, end = int(analysis.starts[match.start]), int(analysis.ends[match.end - 1])
        changes.append((text[start:end], meaning, rule))
        text = _joined(text[:start], meaning, text[end:])
    return Alternative(text, tuple(reversed(changes)))


def _joined(before: str, meaning: str, after: str) -> str:
    """Latin words that would touch are kept apart."""
    left = " " if before[-1:].isascii() and before[-1:].isalnum() and meaning[:1].isascii() else ""
    right = " " if after[:1].isascii() and after[:1].isalnum() and meaning[-1:].isascii() else ""
    return before + left + meaning + right + after
