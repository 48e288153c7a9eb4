"""The decision: where a normalised text is cut into words."""

from typing import Final, NamedTuple

import numpy as np

from segmenter.dictionary import GRID, Dictionary
from segmenter.granularity import fine_parts
from segmenter.lattice import Edges, Int64Array, best_path, uncrossed
from segmenter.normalise import Normalized
from segmenter.runs import CODE_OF, Units, find_units
from segmenter.types import BoolArray, Kind, Source, UInt8Array

SOURCES: Final = tuple(Source)
SOURCE_CODE: Final = {source: code for code, source in enumerate(SOURCES)}
UNKNOWN_SCORE: Final = -18 * GRID
"""Score of a unit that is no word: less than the rarest word of 60 million."""

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


class Segmenter:
    """Cuts normalised texts; immutable."""

    def __init__(self, dictionary: Dictionary) -> None:
        """Use the words of `dictionary`."""
        self._dictionary = dictionary

    def fingerprint(self) -> str:
        """Changes when any word or score does."""
        return self._dictionary.fingerprint()

    def cut(self, normalized: Normalized) -> Cut:
        """The words of a text."""
        units = find_units(normalized)
        size = len(normalized.points)
        known, words = self._words(normalized, units)
        sure = uncrossed(units.border, words)
        border = self._decide(units, known, words, sure)
        start = np.flatnonzero(border[:-1])
        end = np.append(start[1:], size) if size else start
        fine = fine_parts(start, end, words, size)
        return Cut(units, start, end, *_describe(units, start, end, known), words, fine)

    def _words(self, normalized: Normalized, units: Units) -> tuple[Int64Array, Edges]:
        """The score of each unit at its start, int64[n], and the words of two units or more."""
        found = self._dictionary.match(normalized.points)
        start = found.start.astype(np.int64)
        end = start + found.length
        score = found.log_probability.astype(np.int64)
        unit = np.cumsum(units.border[:-1])
        fits = units.border[start] & units.border[end]
        several = fits & (unit[end - 1] > unit[start])
        single = fits & ~several
        known = np.full(len(normalized.points), UNKNOWN_SCORE, dtype=np.int64)
        known[start[single]] = score[single]
        return known, Edges(start, end, score).where(several)

    def _decide(self, units: Units, known: Int64Array, words: Edges, sure: BoolArray) -> BoolArray:
        """The borders of the best path: bool[n + 1]."""
        bounds = np.flatnonzero(sure)
        piece_start, piece_end = bounds[:-1], bounds[1:]
        unit = np.cumsum(units.border[:-1])
        several = unit[piece_end - 1] > unit[piece_start]
        open_piece = np.repeat(several, piece_end - piece_start)
        unit_start = np.flatnonzero(units.border[:-1] & open_piece)
        borders = np.flatnonzero(units.border)
        unit_end = borders[unit[unit_start]] if len(unit_start) else unit_start
        edges = words.merged(Edges(unit_start, unit_end, known[unit_start]))
        taken = best_path(piece_start[several], piece_end[several], edges, len(known))
        return sure | (taken > 0)


def _describe(units: Units, start: Int64Array, end: Int64Array, known: Int64Array) -> tuple[UInt8Array, UInt8Array]:
    """Kind and source of each word: the kind of its most telling unit."""
    if not len(start):
        return np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.uint8)
    unit_start = np.flatnonzero(units.border[:-1])
    first_unit = np.searchsorted(unit_start, start)
    rank = np.maximum.reduceat(_RANK_OF_KIND[units.kind[unit_start]], first_unit)
    kind = _KIND_OF_RANK[rank]
    several = np.diff(first_unit, append=len(unit_start)) > 1
    is_han = kind == CODE_OF[Kind.HAN]
    source = np.full(len(start), SOURCE_CODE[Source.RULE], dtype=np.uint8)
    source[is_han] = SOURCE_CODE[Source.CHARACTER]
    source[(is_han & (known[start] > UNKNOWN_SCORE)) | several] = SOURCE_CODE[Source.DICTIONARY]
    return kind, source
