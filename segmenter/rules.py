"""Rules that hold in every mode, whatever a model believes: what stands alone, and what keeps Han and Latin together.

The units of `runs` (numbers, dates, Latin words, ...) are never cut. Besides: a date, a time, an address, an emoji, a
number with a unit or a percent sign, white space, and a mark that parts sentences or choices between two Han characters
is never joined to its neighbours by a model; a dictionary or user word may hold them. All rules with examples are in
`docs/rules.md`.
"""

from functools import cache

import numpy as np

from segmenter.characters import Shape, shapes_in
from segmenter.dictionary import GRID, Dictionary
from segmenter.hashing import CodePoints, code_points
from segmenter.lattice import Edges
from segmenter.runs import CODE_OF, Units
from segmenter.sentences import split_sentences
from segmenter.types import BoolArray, Kind, UInt8Array

MIXED_WORDS = ("a站", "b站", "c站", "n站", "p站", "c位", "k歌", "k线", "卡拉ok")
"""Words of Latin letters and Han characters that the dictionary lacks, in normal form."""
MIXED_SCORE = -12 * GRID
"""Their log-probability: rare, but far above an unknown letter."""

_ALONE_KINDS = (Kind.DATE, Kind.TIME, Kind.URL, Kind.EMAIL, Kind.EMOJI, Kind.SPACE)
_ALONE = [CODE_OF[kind] for kind in _ALONE_KINDS]
_ALNUM = shapes_in("aA0")
_PARTING = code_points("/,;!?。")
_DOT = ord("·")


def standing_alone(units: Units, points: CodePoints) -> BoolArray:
    """Places at the ends of units that no model joins to what stands beside them, and sentence ends: bool[n + 1]."""
    found = np.zeros(len(units.border), dtype=np.bool_)
    start = np.flatnonzero(units.border[:-1])
    if not len(start):
        return found
    end = np.append(start[1:], len(points))
    kind, last = units.kind[start], units.shapes[end - 1]
    measured = (kind == CODE_OF[Kind.NUMBER]) & (last != Shape.DIGIT) & (last != Shape.HAN)
    alone = np.isin(kind, _ALONE) | measured | _parting(units.shapes, points)[start]
    alone[1:] &= points[start[1:] - 1] != _DOT
    found[split_sentences(points)[0]] = True
    found[start[alone]] = True
    found[end[alone]] = True
    return found


def _parting(shapes: UInt8Array, points: CodePoints) -> BoolArray:
    """Marks behind a Han character and before another, or at the end of a line: bool[n].

    The end of a line counts, so that a text may be cut behind a mark without changing what the mark does.
    """
    han, feed = shapes == Shape.HAN, shapes == Shape.LINE
    found = np.isin(points, _PARTING)
    found[1:] &= han[:-1]
    found[:-1] &= han[1:] | feed[1:]
    found[0] = False
    return found


def mixed_words(points: CodePoints) -> Edges:
    """The words of `MIXED_WORDS` in a text."""
    found = _table().match(points)
    start = found.start.astype(np.int64)
    return Edges(start, start + found.length, np.full(len(start), MIXED_SCORE, dtype=np.int64))


def is_mixed(shapes: UInt8Array, words: Edges) -> BoolArray:
    """Which words hold a Han character and a letter or digit: bool[m]."""
    han = np.append(0, np.cumsum(shapes == Shape.HAN))
    alnum = np.append(0, np.cumsum(_ALNUM[shapes]))
    found: BoolArray = (han[words.end] > han[words.start]) & (alnum[words.end] > alnum[words.start])
    return found


@cache
def _table() -> Dictionary:
    return Dictionary.build((word, 1) for word in MIXED_WORDS)
