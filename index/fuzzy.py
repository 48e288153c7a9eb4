"""Latin words that hardly any post holds, read as words of the vocabulary that differ in a letter or two."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from psycopg import Connection

from index.queries import queries
from index.rank import GRAM_KINDS, Scorer
from index.rows import DocumentAnalyzer
from index.terms import Part
from index.variants import Swap, Variant, open_text, variant
from segmenter.types import Analysis

SHORTEST = 4
LONG = 8
"""Letters of a word that may differ in one letter, and from here on in two."""

FEW = 2
"""A query that finds more than this many posts is read as it was typed, and so is a word that more posts hold."""

MUCH_MORE = 5
"""A word that some post holds is only read as one that this many times as many posts hold."""

READINGS = 3
"""Words that one word is read as, at most."""

MISSPELT = 3
"""Words of a group that are read otherwise, at most."""

LOOKED_UP = 8
"""Words of a query that are compared with the vocabulary, at most: each comparison reads all of it."""


class _Edit(NamedTuple):
    """Stream characters `start` to `end` may be `word`, `apart` letters away."""

    start: int
    end: int
    word: str
    apart: int


def by_letters(
    conn: Connection, generation: int, analyzer: DocumentAnalyzer, scorer: Scorer, groups: Sequence[Sequence[Part]]
) -> tuple[Variant, ...]:
    """Readings of the groups with rare Latin words replaced; `scorer` knows how many posts hold each word as typed.

    One word gives up to `READINGS`; of several, the nearest words all together, and each alone.
    """
    found: list[Variant] = []
    looked_up: dict[str, list[tuple[str, int]]] = {}
    for group in groups:
        text = open_text(group)
        if not any("a" <= char <= "z" for char in text.lower()):
            continue
        (analysis,) = analyzer.analyze_batch([text])
        edited = (edits for edits in _misspelt(conn, generation, scorer, analysis, looked_up) if edits)
        by_word = list(islice(edited, MISSPELT))
        for edits in _combined(by_word):
            swaps = [
                Swap(text[analysis.starts[edit.start] : analysis.ends[edit.end - 1]], edit.word, edit.apart)
                for edit in edits
            ]
            found.append(variant(analyzer, "fuzzy", _replaced(text, analysis, edits), group, swaps))
    return tuple(found)


def _misspelt(
    conn: Connection, generation: int, scorer: Scorer, analysis: Analysis, looked_up: dict[str, list[tuple[str, int]]]
) -> Iterator[list[_Edit]]:
    """For each rare Latin word what it may be, nearest first; `looked_up` keeps what was found."""
    places = zip(analysis.atom_start.tolist(), analysis.atom_length.tolist(), strict=True)
    for start, length in places:
        typed = analysis.stream[start : start + length]
        if length < SHORTEST or not (typed.isascii() and typed.isalpha()):
            continue
        holding = scorer.holding(GRAM_KINDS, typed)
        if holding <= FEW:
            if typed not in looked_up and len(looked_up) < LOOKED_UP:
                looked_up[typed] = near_words(conn, generation, typed, holding * MUCH_MORE)
            yield [_Edit(start, start + length, word, apart) for word, apart in looked_up.get(typed, ())]


def near_words(conn: Connection, generation: int, typed: str, fewest: int = 0) -> list[tuple[str, int]]:
    """Words of the vocabulary near to `typed` in at least `fewest` posts, with the number of letters that differ.

    The nearest first, of these the most frequent, `READINGS` at most.
    """
    most = 2 if len(typed) >= LONG else 1
    values = {"generation": generation, "shortest": len(typed) - most, "longest": len(typed) + most}
    letters = set(typed)
    near: list[tuple[int, int, str]] = []
    for word, documents in conn.execute(queries("suggest.sql")["latin_words"], values):
        if documents >= fewest and len(letters ^ set(word)) <= 2 * most:
            apart = distance(typed, word, most)
            if 0 < apart <= most:
                near.append((apart, -documents, word))
    return [(word, apart) for apart, _, word in sorted(near)[:READINGS]]


def _combined(by_word: Sequence[Sequence[_Edit]]) -> list[tuple[_Edit, ...]]:
    if len(by_word) < 2:
        return [(edit,) for edits in by_word for edit in edits]
    return [tuple(edits[0] for edits in by_word), *((edits[0],) for edits in by_word)]


def _replaced(text: str, analysis: Analysis, edits: Sequence[_Edit]) -> str:
    for edit in sorted(edits, reverse=True):
        text = text[: analysis.starts[edit.start]] + edit.word + text[analysis.ends[edit.end - 1] :]
    return text


def distance(one: str, other: str, most: int) -> int:
    """Edits between two words, swapped neighbours as one (optimal string alignment); `most + 1` for anything beyond.

    >>> distance("kubernets", "kubernetes", 2), distance("dcoker", "docker", 2), distance("redis", "docker", 2)
    (1, 1, 3)
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        row = [i]
        for j, b in enumerate(other, start=1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return min(last[-1], most + 1)
