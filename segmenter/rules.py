"""Rules that hold in every mode, whatever a model believes, unless a segmentation standard is asked for.

The units of `runs` (numbers, dates, Latin words, ...) are never cut. Besides: a date, a time, an address, an emoji, a
number with a unit or a percent sign, white space, and a mark that parts sentences or choices between two Han characters
is never joined to its neighbours by a model; a dictionary or user word may hold them. A few words of Latin and Han
characters, and dictionary words that fill quotation marks, are kept whole; a degree and an adjective are parted. Where
a caller names a standard, what the model learnt of it wins over all of this (`opened_by`). All rules with examples are
in `docs/rules.md`.
"""

from functools import cache

import numpy as np

from segmenter.arrays import among
from segmenter.characters import Shape, shapes_in
from segmenter.dictionary import GRID, Dictionary
from segmenter.hashing import CodePoints, code_points
from segmenter.lattice import Edges
from segmenter.runs import CODE_OF, Units
from segmenter.sentences import split_sentences
from segmenter.types import BoolArray, Int16Array, Kind, UInt8Array

MIXED_WORDS = ("a站", "b站", "c站", "n站", "p站", "c位", "k歌", "k线", "卡拉ok")
"""Words of Latin letters and Han characters that the dictionary lacks, in normal form."""
MIXED_SCORE = -12 * GRID
"""Their log-probability: rare, but far above an unknown letter."""

DEGREES = "太很挺更"
ADJECTIVES = (
    "丑严久乱亮傻僵冷凉厚困坏大好妙富小少弱忙怕快急惨慢懒扁挤旧早晚暗暖杂松棒毒沉浓浅淡渴湿烂烦热熟爽狠甜瘦矮短硬穷窄粗糟紧"
    "细美老胖脏苦薄贵赞轻软远迟酷重静饱高黑帅低深贱难香"
)
"""Behind a word of degree, an adjective of one character is a word of its own (太贵, 很赞)."""
PRONOUNS, PRONOUNS_BEFORE = "我你您他她它", "会要想能"
"""Behind a pronoun, these begin a word (我会)."""
NUMERALS = "一二三四五六七八九十百两几"
"""Behind 第 and one of these, a dictionary word of three characters is whole (第一次)."""
COINS = "块毛分角"
"""With 钱 behind them, they are one unit of money (块钱)."""
PARTS_AT_CAPITALS = frozenset({"ud"})
"""Standards in which a capital begins a word behind small letters too: foreign names whose words stand together without
spaces (213 of the 228 such places in the training text of `ud`; in those of the others there is hardly any)."""
LEFT_TO_THE_MODEL = ("很快", "很少", "很难", "更深")
"""Pairs that some standards, or longer words, take for one word."""

_OPENING, _CLOSING = code_points("\"'“‘「『《〈【[("), code_points("\"'”’」』》〉】])")

_ALONE_KINDS = (Kind.DATE, Kind.TIME, Kind.URL, Kind.EMAIL, Kind.EMOJI, Kind.SPACE)
_ALONE = [CODE_OF[kind] for kind in _ALONE_KINDS]
_NEVER_OPENED = [CODE_OF[kind] for kind in (Kind.URL, Kind.EMAIL, Kind.EMOJI, Kind.SPACE)]
_ALNUM = shapes_in("aA0")
_LETTER = shapes_in("aAm")
_PARTING = code_points("/,;!?。")
_DOT = ord("·")
_ORDINAL, _MONEY = ord("第"), ord("钱")


def standing_alone(units: Units, points: CodePoints, *, by_standard: bool = False) -> BoolArray:
    """Places at the ends of units that no model joins to what stands beside them, and sentence ends: bool[n + 1].

    `by_standard`: a standard was asked for, which may join all but white space, addresses and emoji.
    """
    found = np.zeros(len(units.border), dtype=np.bool_)
    start = np.flatnonzero(units.border[:-1])
    if not len(start):
        return found
    end = np.append(start[1:], len(points))
    kind, last = units.kind[start], units.shapes[end - 1]
    if by_standard:
        alone = among(kind, _NEVER_OPENED)
    else:
        measured = (kind == CODE_OF[Kind.NUMBER]) & (last != Shape.DIGIT) & (last != Shape.HAN)
        alone = among(kind, _ALONE) | measured | _parting(units.shapes, points)[start]
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
    found = among(points, _PARTING)
    found[1:] &= han[:-1]
    found[:-1] &= han[1:] | feed[1:]
    found[0] = False
    return found


def parted(points: CodePoints) -> BoolArray:
    """Places between a word of degree and an adjective, and between a pronoun and a modal verb: bool[n + 1]."""
    found = np.zeros(len(points) + 1, dtype=np.bool_)
    left, right = points[:-1], points[1:]
    found[1:-1] = among(left, code_points(DEGREES)) & among(right, code_points(ADJECTIVES))
    found[1:-1] |= among(left, code_points(PRONOUNS)) & among(right, code_points(PRONOUNS_BEFORE))
    for place in np.flatnonzero(found).tolist():
        found[place] = chr(points[place - 1]) + chr(points[place]) not in LEFT_TO_THE_MODEL
    return found


def quoted(points: CodePoints, words: Edges) -> BoolArray:
    """Which words of two characters or more fill quotation marks or brackets: bool[m]."""
    found: BoolArray = (words.end - words.start > 1) & (words.start > 0) & (words.end < len(points))
    places = np.flatnonzero(found)
    before, behind = points[words.start[places] - 1], points[words.end[places]]
    found[places] = among(before, _OPENING) & among(behind, _CLOSING)
    return found


def counting(points: CodePoints, words: Edges) -> BoolArray:
    """Which words are an ordinal with what it counts (第一次), or a unit of money of two characters: bool[m]."""
    length = words.end - words.start
    found: BoolArray = (length == len("第一次")) & (points[words.start] == _ORDINAL)
    found[found] = among(points[words.start[found] + 1], code_points(NUMERALS))
    coins = np.flatnonzero((length == len("块钱")) & (points[words.end - 1] == _MONEY))
    found[coins] = among(points[words.start[coins]], code_points(COINS))
    return found


def opened_by(units: Units, odds: Int16Array) -> BoolArray:
    """Places inside numbers, words and marks where a tagger sees a border: bool[n + 1].

    Not inside a run of letters or of digits, an address, an emoji, or what comes of one original character.
    """
    found = np.zeros(len(units.border), dtype=np.bool_)
    kind = _kind_of_unit(units)
    letter, digit = _LETTER[units.shapes], units.shapes == Shape.DIGIT
    one_run = (letter[:-1] & letter[1:]) | (digit[:-1] & digit[1:])
    found[1:-1] = (odds > 0) & ~one_run & ~among(kind[1:], _NEVER_OPENED) & ~units.joined[1:-1]
    return found


def at_capitals(units: Units) -> BoolArray:
    """Places between a small letter and a capital: bool[n + 1]; not behind one small letter alone (iPhone).

    Not inside an address, or what comes of one original character.
    """
    found = np.zeros(len(units.border), dtype=np.bool_)
    small = units.shapes == Shape.LETTER
    found[1:-1] = small[:-1] & (units.shapes[1:] == Shape.UPPER)
    before = np.append(False, _LETTER[units.shapes[:-1]])
    found[1:-1] &= before[:-1] & ~units.joined[1:-1] & ~among(_kind_of_unit(units)[1:], _NEVER_OPENED)
    return found


def _kind_of_unit(units: Units) -> UInt8Array:
    """The kind of the unit that each character belongs to: uint8[n]."""
    found: UInt8Array = units.kind[np.flatnonzero(units.border[:-1])][np.cumsum(units.border[:-1]) - 1]
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
