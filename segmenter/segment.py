"""The decision: where a normalised text is cut into words."""

from typing import Final, NamedTuple

import numpy as np

from segmenter.characters import Shape
from segmenter.dictionary import Dictionary
from segmenter.granularity import fine_parts
from segmenter.lattice import Edges, Int64Array, best_path, no_edges, uncrossed
from segmenter.normalise import Normalized
from segmenter.runs import CODE_OF, Units, find_units
from segmenter.types import BoolArray, Kind, Source, UInt8Array
from segmenter.user_dictionary import UserDictionary
from segmenter.user_words import UNKNOWN_SCORE, UserWords, open_units, uncut_by, usable

SOURCES: Final = tuple(Source)
SOURCE_CODE: Final = {source: code for code, source in enumerate(SOURCES)}
_BY_TELLING = ["space", "punct", "symbol", "other", "time", "date", "emoji", "number", "latin", "email", "url", "han"]
_KIND_OF_RANK = np.array([CODE_OF[Kind(name)] for name in _BY_TELLING], dtype=np.uint8)
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


class Lattice(NamedTuple):
    """Everything the decision looks at, for a text of n characters.

    border: bool[n + 1], where words may begin and end; known: int64[n], the score of the unit that begins there
    words: words of two units or more; user: the user words among them, and those of one unit
    """

    border: BoolArray
    known: Int64Array
    words: Edges
    user: Edges


class Segmenter:
    """Cuts normalised texts; immutable."""

    def __init__(self, dictionary: Dictionary, user_words: UserWords | None = None) -> None:
        """Use the words of `dictionary`, and a user's own."""
        self._dictionary = dictionary
        self._user_words = user_words if user_words and user_words.words else None

    def fingerprint(self) -> str:
        """Changes when any word or score does."""
        own = self._user_words.fingerprint() if self._user_words else "none"
        return f"{self._dictionary.fingerprint()} {own}"

    @property
    def crossing(self) -> frozenset[str]:
        """The characters of user words, in normal form."""
        return self._user_words.characters if self._user_words else frozenset()

    def with_user_words(self, words: UserDictionary) -> "Segmenter":
        """The same with these user words, as they are now."""
        return Segmenter(self._dictionary, UserWords(words, self._dictionary))

    def cut(self, normalized: Normalized) -> Cut:
        """The words of a text."""
        units = find_units(normalized)
        size = len(normalized.points)
        lattice = self._lattice(normalized, units)
        border = _decide(lattice)
        start = np.flatnonzero(border[:-1])
        end = np.append(start[1:], size) if size else start
        fine = fine_parts(start, end, lattice.words, size)
        kind = _kinds(units, start, end)
        return Cut(units, start, end, kind, _sources(lattice, kind, start, end), lattice.words, fine)

    def borders_in_han(self, normalized: Normalized) -> Int64Array:
        """Places between two Han characters that no unit and no word crosses, ascending."""
        units = find_units(normalized)
        lattice = self._lattice(normalized, units)
        is_han = units.shapes == Shape.HAN
        sure = uncrossed(lattice.border, lattice.words)[1:-1]
        return np.flatnonzero(sure & is_han[:-1] & is_han[1:]) + 1

    def _lattice(self, normalized: Normalized, units: Units) -> Lattice:
        found = self._dictionary.match(normalized.points)
        start = found.start.astype(np.int64)
        words = Edges(start, start + found.length, found.log_probability.astype(np.int64))
        words = words.where(units.border[words.start] & units.border[words.end])
        border, user = units.border, no_edges()
        if self._user_words:
            user, forced = usable(self._user_words.match(normalized.points), units)
            border, opened = open_units(units, user)
            words = uncut_by(forced, words.merged(opened).merged(user))
            words = words.merged(forced)
        unit = np.cumsum(border[:-1])
        several = unit[words.end - 1] > unit[words.start]
        known = np.full(len(normalized.points), UNKNOWN_SCORE, dtype=np.int64)
        single = words.where(~several)
        np.maximum.at(known, single.start, single.score)
        return Lattice(border, known, words.where(several), user)


def _decide(lattice: Lattice) -> BoolArray:
    """The borders of the best path: bool[n + 1]."""
    border, known, words, _ = lattice
    sure = uncrossed(border, words)
    bounds = np.flatnonzero(sure)
    piece_start, piece_end = bounds[:-1], bounds[1:]
    unit = np.cumsum(border[:-1])
    several = unit[piece_end - 1] > unit[piece_start]
    open_piece = np.repeat(several, piece_end - piece_start)
    unit_start = np.flatnonzero(border[:-1] & open_piece)
    unit_end = np.flatnonzero(border)[unit[unit_start]]
    edges = words.merged(Edges(unit_start, unit_end, known[unit_start]))
    taken = best_path(piece_start[several], piece_end[several], edges, len(known))
    return sure | (taken > 0)


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
    is_known = several | (lattice.known[start] > UNKNOWN_SCORE)
    source = np.where(is_known, SOURCE_CODE[Source.DICTIONARY], SOURCE_CODE[Source.RULE]).astype(np.uint8)
    source[~is_known & (end - start == 1) & (kind == CODE_OF[Kind.HAN])] = SOURCE_CODE[Source.CHARACTER]
    stride = len(lattice.known) + 1
    by_user = np.isin(start * stride + end, lattice.user.start * stride + lattice.user.end)
    source[by_user] = SOURCE_CODE[Source.USER]
    return source
