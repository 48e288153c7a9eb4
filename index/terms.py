"""A unit of a query through the analyzer: the lexemes that must touch, and the words that should be there."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from index.query import Unit
from index.tsvector import Atom, gram_columns, query_atoms, word_columns
from segmenter.types import Analysis

_STANDS = "ABC"
"""Weights of words that stand as words (`index.passages.WEIGHTS`)."""


@dataclass(frozen=True, slots=True)
class Term:
    """Something a post should hold: one word, or two neighbouring characters that no dictionary knows (as a bigram)."""

    text: str
    lexemes: tuple[str, ...]
    by_grams: bool


@dataclass(frozen=True, eq=False)
class Part:
    """A unit and its analysis. `open_end` says that its last Latin word may be the beginning of a longer one."""

    unit: Unit
    analysis: Analysis
    open_end: bool = False

    @cached_property
    def stream(self) -> str:
        """The unit's characters without white space."""
        return self.analysis.stream

    @cached_property
    def atoms(self) -> list[Atom]:
        """The grams of the unit at their distances; none when it holds nothing but punctuation."""
        atoms = query_atoms(self.analysis)
        if atoms and not self.open_end and not self.analysis.is_dense[atoms[-1].start]:
            atoms[-1] = atoms[-1]._replace(prefix=False)
        return atoms

    @cached_property
    def words(self) -> Counter[str]:
        """How often each word of any granularity stands in the unit."""
        starts, lengths = word_columns(self.analysis).inside
        return Counter(self.stream[s : s + n] for s, n in zip(starts.tolist(), lengths.tolist(), strict=True))

    @cached_property
    def grams(self) -> Counter[str]:
        """How often each bigram and atom stands in the unit."""
        starts, lengths = gram_columns(self.analysis)
        pairs = zip(starts.tolist(), lengths.tolist(), strict=True)
        grams = [self.stream[s : s + n] for s, n in pairs if n > 1 or not self.analysis.is_dense[s]]
        return Counter(grams or [atom.lexeme for atom in self.atoms])

    @cached_property
    def coarse(self) -> list[tuple[int, str]]:
        """Start and text of each coarse word."""
        return self._words_of_level(0)

    @cached_property
    def terms(self) -> list[Term]:
        """What should be found of the unit when it does not stand in a post as it is.

        The smallest sensible words. Of single characters in a row each pair of neighbours is a term, found as a bigram;
        one that stands alone counts only where there is nothing else.
        """
        terms: list[Term] = []
        lone: list[Term] = []
        run = ""
        next_start = -1
        for start, text in [*self.leaves, (-1, "")]:
            if run and (start != next_start or not self._is_single(start, text)):
                (terms if len(run) > 1 else lone).extend(_character_terms(run))
                run = ""
            if self._is_single(start, text):
                run += text
                next_start = start + 1
            elif text:
                terms.append(Term(text, (text,), by_grams=False))
        return terms or lone or [Term(atom.lexeme, (atom.lexeme,), by_grams=True) for atom in self.atoms]

    def _is_single(self, start: int, text: str) -> bool:
        return len(text) == 1 and bool(self.analysis.is_dense[start])

    @cached_property
    def leaves(self) -> list[tuple[int, str]]:
        """Start and text of the fine words, and of the coarse ones that have no finer parts."""
        fine = self._words_of_level(1)
        covered = {place for start, text in fine for place in range(start, start + len(text))}
        return sorted([*fine, *((start, text) for start, text in self.coarse if start not in covered)])

    def _words_of_level(self, level: int) -> list[tuple[int, str]]:
        analysis = self.analysis
        chosen = analysis.word_level == level
        pairs = zip(analysis.word_start[chosen].tolist(), analysis.word_length[chosen].tolist(), strict=True)
        return [(start, analysis.stream[start : start + length]) for start, length in pairs]

    @cached_property
    def standing(self) -> str:
        """The coarse words as a phrase over the column `words`, only where they stand as words."""
        parts, before = [], 0
        for index, (start, text) in enumerate(self.coarse):
            if index:
                parts.append(f"<{start - before}>")
            parts.append(Atom(text, start).quoted(_STANDS))
            before = start
        return " ".join(parts)


def _character_terms(run: str) -> list[Term]:
    grams = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return [Term(gram, (gram,), by_grams=True) for gram in grams]
