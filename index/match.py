"""Which posts a query finds: the phrase route that loses nothing, and the words route that forgives order and gaps."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from index.collection import Collection, Floats, Mask
from index.rank import GRAM_KINDS, WORD_KINDS, Ords, Scorer, best_first
from index.reader import Reader
from index.terms import Part, Term
from index.tsvector import Atom, phrase, pieces

CHECKED = 250
"""Documents whose phrase is checked against the stored positions. Of more candidates the best are checked; the rest
hold all grams of the phrase in one field, and stay in the result unchecked."""

EXCLUSIONS_CHECKED = 8 * CHECKED
"""The same for an excluded unit; of more candidates those that were not checked stay in the result."""

MAX_PIECES = 16
"""Pieces of a long phrase that are asked for; a text that holds the phrase holds all of them."""

REQUIRED_UNITS = 3
"""Up to so many units between white space are all required; of more, as of the words of one unit, enough."""

SHARES = {1: 1.0, 2: 1.0, 3: 0.6}
"""Of so many terms, the share of the weight (idf) that a post must hold."""

LONG_SHARE = 0.1
LEAST_SCORE = 0.3
"""Of more terms: a small share, and this part of the best BM25 score. A sentence rarely stands in a post word for word;
requiring half of its words loses the post that is meant (`docs/adr/`, ranking)."""

ANY = 0.0
"""The share where nothing holds enough: one term is, if the post reaches `LEAST_SCORE`."""


@dataclass(frozen=True, slots=True)
class Found:
    """Documents as masks over `ord`: all, by phrase, by words, and those whose phrase was not checked."""

    all: Mask
    phrase: Mask
    words: Mask
    unchecked: Mask

    def __or__(self, other: "Found") -> "Found":
        """What either finds; a phrase that one of them has checked is checked."""
        checked = (self.phrase & ~self.unchecked) | (other.phrase & ~other.unchecked)
        return Found(
            self.all | other.all,
            self.phrase | other.phrase,
            self.words | other.words,
            (self.unchecked | other.unchecked) & ~checked,
        )

    def __and__(self, mask: Mask) -> "Found":
        """Those of the documents that are in the mask."""
        return Found(self.all & mask, self.phrase & mask, self.words & mask, self.unchecked & mask)


class Matcher:
    """Finds documents among `allowed` ones, for parts of one query. `scores` says which candidates to check first."""

    def __init__(self, reader: Reader, collection: Collection, scorer: Scorer, allowed: Mask, scores: Floats) -> None:
        self._reader = reader
        self._scorer = scorer
        self._allowed = allowed
        self._scores = scores
        self._size = collection.size
        self._phrases: dict[Part, tuple[Mask, Mask]] = {}

    def none(self) -> Mask:
        """A mask of no document."""
        return np.zeros(self._size, np.bool_)

    def part(self, part: Part) -> Found:
        """Documents that hold the unit as it stands, or, unless it is quoted, enough of its words."""
        found, unchecked = self.phrase(part)
        has_words = any(not term.by_grams for term in part.terms)
        words = self.words(part.terms) if has_words and not part.unit.quoted else self.none()
        return Found(found | words, found, words, unchecked)

    def group(self, parts: Sequence[Part]) -> Found:
        """Documents that hold all units of a group; of many unquoted units, enough."""
        required = [part for part in parts if part.unit.quoted or len(parts) <= REQUIRED_UNITS]
        pooled = [term for part in parts if part not in required for term in part.terms]
        found = {part: self.part(part) for part in required}
        everything = self._allowed & self.words(pooled) if pooled else self._allowed.copy()
        for one in found.values():
            everything &= one.all
        phrases = [one.phrase for part, one in found.items() if part.unit.quoted or len(parts) == 1]
        phrase = np.logical_and.reduce(phrases) & everything if phrases else self.none()
        words = found[parts[0]].words & everything if len(parts) == len(found) == 1 else everything
        unchecked = self.none()
        for one in found.values():
            unchecked |= one.unchecked if len(parts) == 1 else one.unchecked & ~one.words
        return Found(everything, phrase, words, unchecked & everything)

    def relaxed(self, parts: Sequence[Part]) -> Mask:
        """Documents that hold some of the words, and all of the quoted units; none where everything is quoted."""
        mask = self.words([term for part in parts if not part.unit.quoted for term in part.terms], ANY)
        for part in parts:
            if part.unit.quoted:
                mask &= self.phrase(part)[0]
        return mask

    def words(self, terms: Sequence[Term], least: float | None = None) -> Mask:
        """Documents that hold terms of at least this share of the weight, or of what their number asks for."""
        if not terms:
            return self.none()
        total = 0.0
        held = np.zeros(self._size, np.float32)
        different = {term.text: term for term in terms}
        for term in different.values():
            mask, weight = self._term(term)
            held += mask * np.float32(weight)
            total += weight
        needed = SHARES.get(len(different), LONG_SHARE) if least is None else least
        mask = (held >= total * needed * 0.9999) & (held > 0) & self._allowed
        if (len(different) > len(SHARES) or least is not None) and mask.any():
            mask &= self._scores >= LEAST_SCORE * self._scores[mask].max()
        return mask

    def _term(self, term: Term) -> tuple[Mask, float]:
        kinds = GRAM_KINDS if term.by_grams else WORD_KINDS
        mask = self._scorer.holds(kinds, term.lexemes[0])
        for lexeme in term.lexemes[1:]:
            mask &= self._scorer.holds(kinds, lexeme)
        return mask, max(self._scorer.idf(kinds, lexeme) for lexeme in term.lexemes)

    def phrase(self, part: Part) -> tuple[Mask, Mask]:
        """Documents that hold the unit in one piece, and those among them that were not checked. Looked up once."""
        if part not in self._phrases:
            mask, unchecked = self.surely(part, CHECKED)
            self._phrases[part] = mask | unchecked, unchecked
        return self._phrases[part]

    def surely(self, part: Part, limit: int | None = None) -> tuple[Mask, Mask]:
        """Documents that were seen to hold the unit in one piece, and others that may, of which none was looked at.

        What an exclusion bars are the first: a candidate that merely has all the characters must not be lost for it.
        """
        mask, ords = self._phrase(part, EXCLUSIONS_CHECKED if limit is None else limit)
        unchecked = self.none()
        unchecked[ords] = True
        return mask, unchecked

    def _phrase(self, part: Part, limit: int) -> tuple[Mask, Ords]:
        """Documents that hold the unit, and candidates that were not checked, as more than `limit` were there."""
        mask, none = self.none(), np.empty(0, np.int64)
        if not part.atoms:
            return mask, none
        if len(part.atoms) == 1 and self._is_open(part.atoms[0], part):
            mask[self._within(self._reader.phrase_ords(phrase(part.atoms)))] = True
            return mask & self._allowed, none
        ords = self._candidates(part)
        if len(part.atoms) == 1 or not len(ords):
            mask[ords] = True
            return mask, none
        standing = self._standing_word(part)
        mask[ords] = standing[ords]
        ords = ords[~standing[ords]]
        checked = best_first(self._scores, ords, limit)
        for first in range(0, len(checked), CHECKED):
            mask[self._checked(part, checked[first : first + CHECKED])] = True
        return mask, np.setdiff1d(ords, checked, assume_unique=True)

    def standing(self, part: Part, among: Mask) -> Mask:
        """Documents of `among` in which the unit is one word, or its coarse words stand at their distances.

        Of more than `CHECKED` the best are looked at.
        """
        mask = self._scorer.holds(WORD_KINDS, part.stream)
        ords = np.flatnonzero(among & ~mask)
        if len(ords) and len(part.coarse) > 1:
            best = best_first(self._scores, ords, CHECKED)
            found = self._reader.standing_among(part.standing, best)
            mask[self._within(found)] = True
        return mask & among

    def literal(self, part: Part) -> Mask:
        """Documents whose stream holds the unit with all its marks; the best `CHECKED` candidates are looked at."""
        mask = self.none()
        if part.atoms:
            best = best_first(self._scores, self._candidates(part), CHECKED)
            if len(best):
                mask[self._reader.literal_among(part.stream[:64], best)] = True
        return mask

    def _standing_word(self, part: Part) -> Mask:
        if part.coarse == [(0, part.stream)]:
            return self._scorer.holds(WORD_KINDS, part.stream) & self._allowed
        return self.none()

    def _is_open(self, atom: Atom, part: Part) -> bool:
        return atom.prefix and not part.analysis.is_dense[atom.start]

    def _candidates(self, part: Part) -> Ords:
        """Documents that hold every gram of the unit in one field; an unfinished last word is left to the check."""
        lexemes = {atom.lexeme for atom in part.atoms if not self._is_open(atom, part)}
        if not lexemes:
            return self._within(self._reader.phrase_ords(phrase(part.atoms[-1:])))
        mask = self.none()
        for kind in GRAM_KINDS:
            mask[self._scorer.intersection(kind, lexemes)] = True
        return np.flatnonzero(mask & self._allowed)

    def _checked(self, part: Part, ords: Ords) -> Ords:
        """Those of the documents that hold the phrase, or all pieces of a long one.

        Where every character is dense, that is to hold the characters: a look at the text, which is much shorter than
        the vector of a passage.
        """
        is_dense = bool(part.analysis.is_dense.all())
        for piece in _some(pieces(part.atoms)):
            if not len(ords):
                break
            if is_dense:
                last = piece[-1]
                found = self._reader.literal_among(part.stream[piece[0].start : last.start + len(last.lexeme)], ords)
            else:
                found = self._reader.phrase_among(phrase(piece), ords)
            ords = np.intersect1d(ords, found, assume_unique=True)
        return ords

    def _within(self, ords: Ords) -> Ords:
        ords = ords[ords < self._size]
        return ords[self._allowed[ords]]


def _some(all_pieces: list[list[Atom]]) -> Iterable[list[Atom]]:
    step = -(-len(all_pieces) // MAX_PIECES)
    return all_pieces[::step]
