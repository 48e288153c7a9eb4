"""What the wide model sees of a character: n-grams around it, character types, and dictionary words meeting there.

Every template gives one 64-bit hash a character; training and run time call the same function. Characters are those of
normalised sentences laid out by `lay_out`: four line feeds before, between and after them, so that no window reaches
from one sentence into the next. In n-grams every digit counts as one, every letter of an alphabet as one.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.characters import Shape, character_table
from segmenter.dictionary import Dictionary, Matches
from segmenter.hashing import CodePoints, Hashes, mix, mix_rows, ngram_hashes
from segmenter.types import UInt8Array

MARGIN = 4
"""Line feeds around each sentence: the reach of the widest template."""

NGRAMS: tuple[tuple[int, int], ...] = (
    *((1, offset) for offset in (-2, -1, 0, 1, 2)),
    *((2, offset) for offset in (-2, -1, 0, 1)),
    *((3, offset) for offset in (-2, -1, 0)),
    *((4, offset) for offset in (-2, -1)),
)
"""(length, offset of the first character) of the character n-grams."""

TEMPLATES = len(NGRAMS) + 8
REACH = 2
"""The furthest offset of a template."""

LONGEST_WORD = 6
"""Longer dictionary words count as this long."""

_RAREST, _LEVEL = 1200, 128

_LINE_FEED = np.uint32(0x0A)
_DIGIT, _NUMERAL, _DATE, _HAN, _LETTER, _MARK, _OTHER = range(1, 8)
_NUMERALS = "〇零一二三四五六七八九十百千万亿两半几数"
_DATE_UNITS = "年月日时分秒号"


class Layout(NamedTuple):
    """Sentences in one column of code points: uint32[m], and where their n characters stand in it: int64[n]."""

    points: CodePoints
    places: NDArray[np.int64]


def lay_out(points: CodePoints, length: NDArray[np.int64]) -> Layout:
    """Put sentences apart, with `MARGIN` line feeds before, between and after them.

    `points` holds them one after the other, `length`, int64[sentences], says how long they are.
    """
    places = places_of(np.cumsum(length + MARGIN) - length, length)
    spread = np.full(len(points) + MARGIN * (len(length) + 1), _LINE_FEED, dtype=np.uint32)
    spread[places] = points
    return Layout(spread, places)


def places_of(start: NDArray[np.int64], length: NDArray[np.int64]) -> NDArray[np.int64]:
    """The indices `start .. start + length` of each range, one range after the other."""
    first = np.cumsum(length) - length
    places: NDArray[np.int64] = np.arange(int(length.sum())) + np.repeat(start - first, length)
    return places


@cache
def _type_table() -> UInt8Array:
    """Character type of every code point: uint8[0x110000]; 0 for white space."""
    shape = character_table().shape
    table = np.full(len(shape), _MARK, dtype=np.uint8)
    for members, value in (
        ((Shape.SPACE, Shape.LINE, Shape.CONTROL), 0),
        ((Shape.DIGIT,), _DIGIT),
        ((Shape.HAN,), _HAN),
        ((Shape.LETTER, Shape.UPPER), _LETTER),
        ((Shape.KATAKANA, Shape.HIRAGANA, Shape.HANGUL, Shape.DENSE, Shape.OTHER, Shape.MARK), _OTHER),
    ):
        table[np.isin(shape, members)] = value
    table[[ord(character) for character in _NUMERALS]] = _NUMERAL
    table[[ord(character) for character in _DATE_UNITS]] = _DATE
    return table


def character_types(points: CodePoints) -> UInt8Array:
    """One of eight types for each character: uint8[n]."""
    return _type_table()[points]


def feature_hashes(points: CodePoints, dictionary: Dictionary) -> Iterator[Hashes]:
    """Yield one column of hashes for each of the `TEMPLATES`: uint64[n], already salted by template."""
    for salt, column in enumerate(_columns(points, dictionary)):
        yield mix(column, salt)


def feature_table(points: CodePoints, dictionary: Dictionary) -> Hashes:
    """The columns of `feature_hashes`, made at once, as is best for short texts: uint64[TEMPLATES, n]."""
    return mix_rows(np.stack(_columns(points, dictionary)))


def _columns(points: CodePoints, dictionary: Dictionary) -> list[Hashes]:
    types = character_types(points)
    classes = points.copy()
    classes[types == _DIGIT] = ord("0")
    classes[types == _LETTER] = ord("a")
    ngrams = [_Shifts(hashes, len(points)) for hashes in ngram_hashes(classes, 4)]
    columns = [ngrams[length - 1].at(offset) for length, offset in NGRAMS]
    columns.append(mix(ngrams[0].at(-1), 98) ^ ngrams[0].at(1))
    columns.append(_type_pattern(types))
    matches = dictionary.match(points)
    columns.extend(_word_columns(matches, ngrams[0].at(0)))
    columns.extend(_probability_columns(matches, len(points)))
    return columns


def _type_pattern(types: UInt8Array) -> Hashes:
    shifts = _Shifts(types.astype(np.uint64), len(types))
    return _digits(*(shifts.at(offset) for offset in (-2, -1, 0, 1, 2)))


def _word_columns(matches: Matches, unigrams: Hashes) -> list[Hashes]:
    """Longest dictionary words of two characters or more that begin, end or go on at each character, combined."""
    size = len(unigrams)
    begin, inside, end = (_Shifts(column.astype(np.uint64), size) for column in longest_words(matches, size))
    here = _digits(begin.at(0), inside.at(0), end.at(0))
    return [
        here,
        mix(unigrams, 99) ^ here,
        _digits(begin.at(0), begin.at(1), end.at(-1), end.at(0)),
        _digits(begin.at(0), inside.at(0), begin.at(1), end.at(1), begin.at(-1), end.at(-1)),
    ]


def longest_words(matches: Matches, size: int) -> tuple[UInt8Array, UInt8Array, UInt8Array]:
    """Length of the longest word that begins, goes on (neither first nor last) or ends at each place: uint8[size]."""
    begin, inside, end = (np.zeros(size, dtype=np.uint8) for _ in range(3))
    long = matches.length > 1
    start, length = matches.start[long].astype(np.int64), matches.length[long].astype(np.int64)
    value = np.minimum(length, LONGEST_WORD).astype(np.uint8)
    np.maximum.at(begin, start, value)
    np.maximum.at(end, start + length - 1, value)
    for offset in range(1, int(length.max(initial=0)) - 1):
        through = length > offset + 1
        start, length, value = start[through], length[through], value[through]
        np.maximum.at(inside, start + offset, value)
    return begin, inside, end


def _probability_columns(matches: Matches, size: int) -> list[Hashes]:
    """How probable the likeliest words are that end, begin and cross at the gap before and behind each character."""
    begin, crossing, end = (_Shifts(column.astype(np.uint64), size) for column in likeliest_words(matches, size))
    here, before = crossing.at(0), crossing.at(-1)
    return [
        _hexadecimal(here, end.at(0), begin.at(1), before),
        _hexadecimal(before, end.at(-1), begin.at(0), here),
    ]


def likeliest_words(matches: Matches, size: int) -> tuple[UInt8Array, UInt8Array, UInt8Array]:
    """Level (1 to 10, 0 for none) of the likeliest word of two characters or more: uint8[size] each.

    Of those that begin at each place, that go on behind it, and that end at it. A level is 2 in log-probability.
    """
    begin, crossing, end = (np.zeros(size, dtype=np.uint8) for _ in range(3))
    long = matches.length > 1
    start, length = matches.start[long].astype(np.int64), matches.length[long].astype(np.int64)
    level = (np.clip((matches.log_probability[long].astype(np.int32) + _RAREST) // _LEVEL, 0, 9) + 1).astype(np.uint8)
    np.maximum.at(begin, start, level)
    np.maximum.at(end, start + length - 1, level)
    for offset in range(int(length.max(initial=1)) - 1):
        through = length > offset + 1
        start, length, level = start[through], length[through], level[through]
        np.maximum.at(crossing, start + offset, level)
    return begin, crossing, end


def _hexadecimal(*columns: Hashes) -> Hashes:
    """Small numbers (below 16) as the digits of one."""
    number = columns[0]
    for column in columns[1:]:
        number = (number << np.uint64(4)) | column
    return number


def _digits(*columns: Hashes) -> Hashes:
    """Small numbers (below 8) as the octal digits of one."""
    number = columns[0]
    for column in columns[1:]:
        number = (number << np.uint64(3)) | column
    return number


class _Shifts:
    """A column and its neighbours within `REACH` places: zero beyond the ends."""

    def __init__(self, column: NDArray[np.uint64], size: int) -> None:
        self._size = size
        self._padded = np.zeros(size + 2 * REACH, dtype=np.uint64)
        self._padded[REACH : REACH + len(column)] = column

    def at(self, offset: int) -> NDArray[np.uint64]:
        """What stands `offset` places on: `at(offset)[i]` is `column[i + offset]`; uint64[size], not to be changed."""
        first = REACH + offset
        return self._padded[first : first + self._size]
