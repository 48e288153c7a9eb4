"""A parsed query through the analyzer: its groups of parts, what is excluded, and the text as a whole."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_

import numpy as np

from index.query import Query, Unit
from index.rows import DocumentAnalyzer
from index.terms import Part

MAX_LEXEMES = 256
"""Different words, and grams, that take part in the ranking of a very long query."""

MAX_WORD = 16
"""Characters of a query that may be one word in a post, however the query itself was cut."""


@dataclass(frozen=True)
class Asked:
    """The analysed query: the groups without units of mere punctuation, what is excluded, and the text as a whole."""

    groups: tuple[tuple[Part, ...], ...]
    excluded: tuple[Part, ...]
    whole: Part

    @property
    def all(self) -> list[Part]:
        """Every wanted part of every group; one that several groups share stands once."""
        parts = [part for group in self.groups for part in group]
        return list(dict.fromkeys(parts)) if len(self.groups) > 1 else parts

    @cached_property
    def words(self) -> Counter[str]:
        """The words that score; of a word in several groups the most that one of them has."""
        return reduce(or_, map(words_of, self.groups), Counter())

    @cached_property
    def grams(self) -> Counter[str]:
        """The grams that score, in the same way."""
        return reduce(or_, map(grams_of, self.groups), Counter())

    def lexemes(self) -> set[str]:
        """Everything that matching and ranking ask the postings for."""
        return lexemes_of([*self.all, *self.excluded, self.whole]) | self.words.keys() | self.grams.keys()


def analyse(analyzer: DocumentAnalyzer, query: Query) -> Asked:
    """Each text is analysed once; the only unit of a query stands for the whole where both are the same.

    A unit that stands in several groups, as parentheses make them, is one part.
    """
    units = [*(unit for group in query.groups for unit in group), *query.excluded, Unit(query.text)]
    texts = list(dict.fromkeys(unit.text for unit in units))
    found = dict(zip(texts, analyzer.analyze_batch(texts), strict=True))
    known: dict[tuple[Unit, bool], Part] = {}

    def part(unit: Unit, is_alone: bool) -> Part:
        open_end = is_alone and not unit.quoted
        new = Part(unit, found[unit.text], open_end)
        return known.setdefault((unit, open_end), new) if len(query.groups) > 1 else new

    groups = tuple(tuple(part(unit, len(group) == 1) for unit in group) for group in query.groups)
    excluded = tuple(Part(unit, found[unit.text]) for unit in query.excluded)
    whole = Part(Unit(query.text), found[query.text], open_end=True)
    if len(groups) == 1 and len(groups[0]) == 1 and _is_same(groups[0][0], whole):
        whole = groups[0][0]
    kept = (tuple(part for part in group if part.atoms) for group in groups)
    return Asked(tuple(group for group in kept if group), tuple(part for part in excluded if part.atoms), whole)


def parts_of(analyzer: DocumentAnalyzer, units: Sequence[Unit]) -> tuple[Part, ...]:
    """The parts of one group."""
    analyses = analyzer.analyze_batch([unit.text for unit in units])
    parts = [
        Part(unit, analysis, open_end=len(units) == 1 and not unit.quoted)
        for unit, analysis in zip(units, analyses, strict=True)
    ]
    return tuple(part for part in parts if part.atoms)


def lexemes_of(parts: Iterable[Part]) -> set[str]:
    """Lexemes that finding these parts needs."""
    found: set[str] = set()
    for part in parts:
        found |= {atom.lexeme for atom in part.atoms[:MAX_LEXEMES]}
        found |= {lexeme for term in part.terms[:MAX_LEXEMES] for lexeme in term.lexemes}
        if len(part.stream) <= MAX_WORD:
            found.add(part.stream)
    return found


def words_of(parts: Iterable[Part]) -> Counter[str]:
    """The words that score, and how often the parts have each."""
    return _first(sum((part.words for part in parts), Counter()))


def grams_of(parts: Iterable[Part]) -> Counter[str]:
    """The grams that score, and how often the parts have each."""
    return _first(sum((part.grams for part in parts), Counter()))


def _first(counts: Counter[str]) -> Counter[str]:
    return Counter(dict(list(counts.items())[:MAX_LEXEMES]))


def _is_same(unit: Part, whole: Part) -> bool:
    """Whether the only unit of a query is the whole of it: all that is found for one is found for the other."""
    if unit.unit.quoted or unit.stream != whole.stream:
        return False
    columns = ("word_start", "word_length", "word_level", "atom_start", "atom_length")
    return all(np.array_equal(getattr(unit.analysis, name), getattr(whole.analysis, name)) for name in columns)
