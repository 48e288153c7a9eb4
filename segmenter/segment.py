"""The decision: where a normalised text is cut into words.

The best path over a lattice of units, dictionary words, user words and, with a tagger, model words. Without a tagger a
path's score is the sum of its words' log-probabilities. With one it is the sum, over the gaps inside its words, of the
log-odds that no border is there, plus `Decision.dictionary_bonus` for each dictionary word of two units or more. Either
way scores are integers in units of 1/64, and of equal paths the one whose words are longer from the left wins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from segmenter.arrays import among_places
from segmenter.characters import Shape
from segmenter.dictionary import Dictionary
from segmenter.errors import UnknownCriterionError
from segmenter.granularity import fine_parts
from segmenter.lattice import Edges, Int64Array, best_path, no_edges, uncrossed
from segmenter.normalise import Normalized, text_of
from segmenter.rules import (
    PARTS_AT_CAPITALS,
    at_capitals,
    counting,
    is_mixed,
    mixed_words,
    opened_by,
    parted,
    quoted,
    standing_alone,
)
from segmenter.runs import CODE_OF, Units, find_units, opened
from segmenter.tagger import GapScores, Tagger, scores_by_part, single_spaces, spread
from segmenter.types import BoolArray, Int16Array, Kind, Source, UInt8Array
from segmenter.user_dictionary import UserDictionary
from segmenter.user_words import UNKNOWN_SCORE, UserWords, open_units, uncut_by, usable

SOURCES: Final = tuple(Source)
SOURCE_CODE: Final = {source: code for code, source in enumerate(SOURCES)}
_BY_TELLING = ["space", "punct", "symbol", "other", "time", "date", "emoji", "number", "latin", "email", "url", "han"]
_KIND_OF_RANK = np.array([CODE_OF[Kind(name)] for name in _BY_TELLING], dtype=np.uint8)
_PAIR: Final = 2
_SPACES: Final = "  "
_RANK_OF_KIND = np.argsort(_KIND_OF_RANK).astype(np.uint8)


class Cut(NamedTuple):
    """A normalised text of n characters, cut into w words (white space among them).

    start, end: int64[w]; kind, source: uint8[w], places in `KINDS` and `SOURCES`
    words: dictionary and user words of two units or more, wherever they stand; fine: bool[n + 1], cuts inside words
    """

    units: Units
    start: Int64Array
    end: Int64Array
    kind: UInt8Array
    source: UInt8Array
    words: Edges
    fine: BoolArray


@dataclass(frozen=True)
class Decision:
    """Weights of the decision with a tagger, fitted on dev data, in units of 1/64 of log-odds.

    dictionary_bonus: for a dictionary word of two units or more
    user_bonus: for a user word, and the least that each gap inside counts for it: it is never cut into smaller ones
    whole_bonus: for a dictionary word that a rule keeps whole (T恤), whose gaps count only where they speak for it
    """

    dictionary_bonus: int = 0
    user_bonus: int = 192
    whole_bonus: int = 128


class Lattice(NamedTuple):
    """Everything the decision looks at, for a text of n characters.

    border: bool[n + 1], where words may begin and end; score: int64[n], of the unit that begins there
    known: bool[n], whether that unit is itself a word
    words: words of two units or more; user: the user words among them, and those of one unit
    model: the words of two units or more that the tagger alone would make
    ruled: bool[n + 1], where a rule parts or keeps whole against the tagger or the dictionary
    """

    border: BoolArray
    score: Int64Array
    known: BoolArray
    words: Edges
    user: Edges
    model: Edges
    ruled: BoolArray


class Segmenter:
    """Cuts normalised texts; immutable."""

    def __init__(
        self,
        dictionary: Dictionary,
        user_words: UserWords | None = None,
        tagger: Tagger | None = None,
        decision: Decision | None = None,
    ) -> None:
        """Use the words of `dictionary`, a user's own, and what `tagger` believes of each gap."""
        self._dictionary = dictionary
        self._user_words = user_words if user_words and user_words.words else None
        self._tagger = tagger
        self._decision = decision or Decision()

    def fingerprint(self) -> str:
        """Changes when any word or score does."""
        own = self._user_words.fingerprint() if self._user_words else "none"
        model = f"{self._tagger.fingerprint()} {self._decision}" if self._tagger else "none"
        return f"{self._dictionary.fingerprint()} {own} {model}"

    @property
    def criteria(self) -> tuple[str, ...]:
        """The segmentation standards it can follow, the first by default; none without a tagger."""
        return self._tagger.criteria if self._tagger else ()

    @property
    def crossing(self) -> frozenset[str]:
        """The characters of user words, in normal form."""
        return self._user_words.characters if self._user_words else frozenset()

    def with_user_words(self, words: UserDictionary) -> "Segmenter":
        """The same with these user words, as they are now."""
        return Segmenter(self._dictionary, UserWords(words, self._dictionary), self._tagger, self._decision)

    def cut(self, normalized: Normalized, criterion: str | None = None) -> Cut:
        """The words of a text. Raises UnknownCriterionError for a standard that it cannot follow."""
        if criterion is not None and criterion not in self.criteria:
            raise UnknownCriterionError(criterion, self.criteria)
        units = find_units(normalized)
        size = len(normalized.points)
        lattice = self.lattice(normalized, units, criterion)
        border = _decide(lattice)
        start = np.flatnonzero(border[:-1])
        end = np.append(start[1:], size) if size else start
        known_words = lattice.words.where(~_among(lattice.words, lattice.model)) if self._tagger else lattice.words
        fine = fine_parts(start, end, known_words, size)
        kind = _kinds(opened(units, lattice.border), start, end)
        return Cut(units, start, end, kind, _sources(lattice, kind, start, end), known_words, fine)

    def gap_scores(self, normalized: Normalized, criterion: str | None = None) -> GapScores | None:
        """What the tagger believes of each gap of a text, by its parts where they are known; None without a tagger."""
        if self._tagger is None:
            return None
        if _SPACES not in normalized.text:
            return scores_by_part(self._tagger, normalized.text, criterion)
        kept = single_spaces(normalized.points)
        found = scores_by_part(self._tagger, text_of(normalized.points[kept]), criterion)
        return found.spread(kept)

    def _odds(self, tagger: Tagger, normalized: Normalized, criterion: str | None) -> Int16Array:
        """Log-odds of a border in each gap, whatever number of spaces stand together: int16[n - 1]."""
        if _SPACES not in normalized.text:
            return tagger.boundary_scores([normalized.text], criterion)[0]
        kept = single_spaces(normalized.points)
        return spread(tagger.boundary_scores([text_of(normalized.points[kept])], criterion)[0], kept)

    def quick_odds(self, texts: Sequence[str]) -> list[Int16Array] | None:
        """Log-odds of a border in each gap of normalised texts by the quickest model; None without a tagger."""
        if self._tagger is None:
            return None
        quick = getattr(self._tagger, "quick_scores", self._tagger.boundary_scores)
        found: list[Int16Array] = quick(texts)
        return found

    def borders_in_han(self, normalized: Normalized) -> Int64Array:
        """Places between two Han characters that no unit and no word crosses, ascending; none with a tagger.

        A text may be cut there without changing anything; what a tagger believes depends on the whole sentence.
        """
        if self._tagger:
            return np.zeros(0, dtype=np.int64)
        units = find_units(normalized)
        lattice = self.lattice(normalized, units)
        is_han = units.shapes == Shape.HAN
        sure = uncrossed(lattice.border, lattice.words)[1:-1]
        return np.flatnonzero(sure & is_han[:-1] & is_han[1:]) + 1

    def lattice(self, normalized: Normalized, units: Units, criterion: str | None = None) -> Lattice:
        """The words that may stand in a text, with their scores."""
        found = self._dictionary.match(normalized.points)
        start = found.start.astype(np.int64)
        words = Edges(start, start + found.length, found.log_probability.astype(np.int64))
        words = words.merged(mixed_words(normalized.points))
        by_rules = criterion is None
        apart = parted(normalized.points) if by_rules else np.zeros(len(units.border), dtype=np.bool_)
        is_phrase = (words.end - words.start == _PAIR) & apart[words.start + 1]
        words = words.where(units.border[words.start] & units.border[words.end] & ~is_phrase)
        border, user, forced = units.border, no_edges(), no_edges()
        if self._user_words:
            user, forced = usable(self._user_words.match(normalized.points), units)
            border, opened = open_units(units, user)
            words = words.merged(opened)
        if self._tagger is None:
            words = words._replace(score=np.where(quoted(normalized.points, words), 0, words.score))
            return _lattice(border, words.merged(user), user, forced, no_edges(), apart)
        odds = self._odds(self._tagger, normalized, criterion)
        whole = np.zeros(len(words.start), dtype=np.bool_)
        apart |= standing_alone(units, normalized.points, by_standard=not by_rules)
        if by_rules:
            whole = (
                is_mixed(units.shapes, words) | quoted(normalized.points, words) | counting(normalized.points, words)
            )
        else:
            border = border | opened_by(units, odds)
            if criterion in PARTS_AT_CAPITALS:
                capitals = at_capitals(units)
                border, apart = border | capitals, apart | capitals
        return self._scored(border, words, user, forced, _inner_odds(odds, border), apart, whole)

    def _scored(
        self,
        border: BoolArray,
        words: Edges,
        user: Edges,
        forced: Edges,
        gaps: Int64Array,
        apart: BoolArray,
        whole: BoolArray,
    ) -> Lattice:
        """The lattice with scores by the tagger; gaps: int64[n + 1], log-odds at borders, 0 where none may be.

        apart: bool[n + 1], borders that no model word crosses; whole: bool[words], which words a rule keeps whole
        """
        against = np.append(0, np.cumsum(gaps))
        several = _several(border, words)
        inside = _inside(against, words)
        bonus = np.where(several, self._decision.dictionary_bonus, 0)
        joining = np.append(0, np.cumsum(np.maximum(-gaps, 0)))
        kept = self._decision.whole_bonus + _inside(joining, words)
        words = words._replace(score=np.where(whole, kept, bonus - inside))
        least = np.where(border, np.maximum(-gaps, self._decision.user_bonus), 0)
        own = user._replace(score=self._decision.user_bonus + _inside(np.append(0, np.cumsum(least)), user))
        model = _model_words(border, gaps, apart)
        model = model._replace(score=-_inside(against, model))
        model = uncut_by(words.where(whole), model)
        model = model.where(~_among(model, words.merged(own)))
        ruled = (apart & border & (gaps <= 0)) | (_within(words.where(whole), len(border)) & (gaps > 0))
        return _lattice(border, words.merged(own).merged(model), user, forced, model, ruled, unit_score=0)


def _lattice(
    border: BoolArray,
    words: Edges,
    user: Edges,
    forced: Edges,
    model: Edges,
    ruled: BoolArray,
    unit_score: int = UNKNOWN_SCORE,
) -> Lattice:
    """Put a lattice together; forced words bar what their ends cut."""
    words = uncut_by(forced, words).merged(forced)
    several = _several(border, words)
    score = np.full(len(border) - 1, unit_score, dtype=np.int64)
    single = words.where(~several)
    np.maximum.at(score, single.start, single.score)
    known = np.zeros(len(score), dtype=np.bool_)
    known[single.start] = True
    return Lattice(border, score, known, words.where(several), user, model, ruled)


def _within(words: Edges, size: int) -> BoolArray:
    """Places inside one of the words: bool[size]."""
    depth = np.bincount(words.start + 1, minlength=size) - np.bincount(words.end, minlength=size)
    found: BoolArray = np.cumsum(depth)[:size] > 0
    return found


def _several(border: BoolArray, words: Edges) -> BoolArray:
    """Which words have two units or more: bool[m]."""
    unit = np.cumsum(border[:-1])
    found: BoolArray = unit[words.end - 1] > unit[words.start]
    return found


def _inner_odds(odds: Int16Array, border: BoolArray) -> Int64Array:
    """Log-odds at each place where a border may be, 0 elsewhere and at both ends: int64[n + 1]."""
    gaps = np.zeros(len(border), dtype=np.int64)
    gaps[1 : 1 + len(odds)] = odds
    gaps[~border] = 0
    return gaps


def _inside(against: Int64Array, words: Edges) -> Int64Array:
    """The sum of the log-odds of the gaps inside each word: int64[m]."""
    total: Int64Array = against[words.end] - against[words.start + 1]
    return total


def _model_words(border: BoolArray, gaps: Int64Array, apart: BoolArray) -> Edges:
    """The words of two units or more between the places that the tagger or a rule makes borders."""
    chosen = border & ((gaps > 0) | apart)
    chosen[[0, -1]] = True
    bounds = np.flatnonzero(chosen)
    words = Edges(bounds[:-1], bounds[1:], np.zeros(max(len(bounds) - 1, 0), dtype=np.int64))
    return words.where(_several(border, words))


def _among(words: Edges, others: Edges) -> BoolArray:
    """Which words stand among the others, by place: bool[m]."""
    stride = int(max(words.end.max(initial=0), others.end.max(initial=0))) + 1
    found: BoolArray = among_places(words.start * stride + words.end, others.start * stride + others.end)
    return found


class Pieces(NamedTuple):
    """What is open in a lattice: stretches [start, end) of two units or more between borders that no word crosses.

    sure: bool[n + 1], those borders; edges: all words and units inside the stretches, sorted by start
    """

    sure: BoolArray
    start: Int64Array
    end: Int64Array
    edges: Edges


def pieces_of(lattice: Lattice) -> Pieces:
    """The stretches of a lattice in which there is something to decide; they do not know each other."""
    border, score, words = lattice.border, lattice.score, lattice.words
    sure = uncrossed(border, words)
    bounds = np.flatnonzero(sure)
    piece_start, piece_end = bounds[:-1], bounds[1:]
    unit = np.cumsum(border[:-1])
    several = unit[piece_end - 1] > unit[piece_start]
    open_piece = np.repeat(several, piece_end - piece_start)
    unit_start = np.flatnonzero(border[:-1] & open_piece)
    unit_end = np.flatnonzero(border)[unit[unit_start]]
    edges = words.merged(Edges(unit_start, unit_end, score[unit_start]))
    return Pieces(sure, piece_start[several], piece_end[several], edges)


def _decide(lattice: Lattice) -> BoolArray:
    """The borders of the best path: bool[n + 1]."""
    pieces = pieces_of(lattice)
    return pieces.sure | (best_path(pieces.start, pieces.end, pieces.edges, len(lattice.score)) > 0)


def _kinds(units: Units, start: Int64Array, end: Int64Array) -> UInt8Array:
    """The kind of each word: that of the unit it is, or of the most telling of its parts."""
    if not len(start):
        return np.zeros(0, dtype=np.uint8)
    atom_start = np.flatnonzero(units.atom_border[:-1])
    rank = np.maximum.reduceat(_RANK_OF_KIND[units.atom_kind[atom_start]], np.searchsorted(atom_start, start))
    unit = np.cumsum(units.border[:-1])
    is_unit = units.border[start] & units.border[end] & (unit[start] == unit[end - 1])
    return np.where(is_unit, units.kind[start], _KIND_OF_RANK[rank])


def _sources(lattice: Lattice, kind: UInt8Array, start: Int64Array, end: Int64Array) -> UInt8Array:
    """What made each word a word."""
    if not len(start):
        return np.zeros(0, dtype=np.uint8)
    unit = np.cumsum(lattice.border[:-1])
    several = unit[end - 1] > unit[start]
    is_known = several | lattice.known[start]
    source = np.where(is_known, SOURCE_CODE[Source.DICTIONARY], SOURCE_CODE[Source.RULE]).astype(np.uint8)
    source[~is_known & (end - start == 1) & (kind == CODE_OF[Kind.HAN])] = SOURCE_CODE[Source.CHARACTER]
    taken = Edges(start, end, start)
    source[_among(taken, lattice.model)] = SOURCE_CODE[Source.MODEL]
    source[_among(taken, lattice.user)] = SOURCE_CODE[Source.USER]
    return source
