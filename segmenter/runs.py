"""The units of a text: the pieces that no dictionary word may cut, found by script and shape in linear time.

A unit is one Han character; a run of one other script; a Latin word, number, date, time, URL or e-mail address with its
inner marks; an emoji sequence; a mark; or white space. Simple units fall out of comparing neighbours, all at once.
Those with inner marks are found by one regular expression over the shapes; its repetitions are possessive, bounded, or
start where no longer repetition of the same could have started, which is what keeps hostile input linear.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.arrays import among
from segmenter.characters import Shape, shapes_in
from segmenter.hashing import CodePoints, code_points
from segmenter.normalise import Normalized
from segmenter.types import BoolArray, Kind, UInt8Array

KINDS: Final = tuple(Kind)
"""Columns hold a kind as its place in this tuple."""
CODE_OF: Final = {kind: code for code, kind in enumerate(KINDS)}

_ATOM = r"[aA0]++"
_NUMBER = r"0++(?:\.0++)*+"
_GROUPED = r"(?<!0,)0{1,3}(?:,000)++(?!0)(?:\.0++)?+"
_URL_BODY = r"""[aA0\-._~:/?#\[\]@!$&'()*+,;=%|]"""
_URL_END = r"[aA0/=_\-~#&%$+*|]"
_CLOCK = r"00?:00(?::00(?:\.0++)?)?"
_REST_OF_WORD = rf"(?:(?:_++|[.\-'&q]){_ATOM})*+(?:_++|\+\+0*+)?"

_COMPLEX = re.compile(
    rf"""
    (?P<emoji> ff | e[tE]++ | (?<![aA0])[0\#*]k )
  | (?<![aA0_]) (?! {_ATOM} (?![.,\-_'&q+\#:/@%d]) ) (?:
        (?P<url> [aA][aA0+.\-]{{0,15}} :// {_URL_BODY}*{_URL_END} )
      | (?P<email> (?<![.+]) [aA0][aA0.+_\-]{{0,63}} @ {_ATOM} (?:[.\-]{_ATOM})* \.[aA][aA0]++ )
      | (?P<date> 0000(?P<mark>[\-/.])00?(?P=mark)00? (?: [aA]{_CLOCK} (?:[aA]|[+\-]00:?00)? )? (?![aA0]) )
      | (?P<time> (?<!:) {_CLOCK} (?![aA0:]) )
      | (?P<rate> (?: {_GROUPED} | {_NUMBER} ) [aA]{{1,4}} / [aA]{{1,3}}0? (?![aA0/.]) )
      | (?P<quantity> (?: 0++\.0++ | {_GROUPED} ) [aA]{{1,4}}+ (?![0.\-_'&q+]) )
      | (?P<counted> {_GROUPED}- [aA][aA0]*+ {_REST_OF_WORD} )
      | (?P<number> (?: {_GROUPED} | {_NUMBER} (?!-?[aA]) ) (?: %|d[aA]?(?![aA0]) )?+ )
      | (?P<sharp> (?<![.\-'&q]) [aA]\#(?![aA0\#]) )
      | (?P<word> (?: {_NUMBER}-?+ )?+ [aA][aA0]*+ {_REST_OF_WORD} | _++{_ATOM}{_REST_OF_WORD} )
    )
  | (?P<dotted> (?<![aA0_.)\]}}'"]) \. [aA][aA0]*+ {_REST_OF_WORD} )
    """.encode(),
    re.VERBOSE,
)
_PATH = re.compile(rf"(?::0{{1,5}}+)?/(?:{_URL_BODY}*{_URL_END})?".encode())
_HOST = re.compile(
    r"(?:www\..+|.+\.(?:com|org|net|edu|gov|info|cn|io|dev|app|me|cc|tv|co|hk|tw|jp|uk|de|fr|eu|us|xyz|top|ai)"
    r"|\d{1,3}(?:\.\d{1,3}){3})\Z"
)
_LONGEST_HOST = 253
_RATE_OF = frozenset(("h", "s", "m", "l", "d", "kg", "ml", "min", "hr", "sec", "day", "dl", "m2", "m3", "km", "g", "w"))
_MAY_BE_A_HOST = ("word", "number", "quantity")
_KIND_OF_GROUP = {
    "emoji": Kind.EMOJI,
    "url": Kind.URL,
    "email": Kind.EMAIL,
    "date": Kind.DATE,
    "time": Kind.TIME,
    "rate": Kind.NUMBER,
    "number": Kind.NUMBER,
    "quantity": Kind.NUMBER,
    "counted": Kind.LATIN,
    "sharp": Kind.LATIN,
    "word": Kind.LATIN,
    "dotted": Kind.LATIN,
}
_ALNUM = shapes_in("aA0")
_LETTER = shapes_in("aA")
_INNER = shapes_in(".,-_'&q+#:/@%dk")
_SPECIAL_STARTS = shapes_in("fe_#*")
_JOINS_ITSELF = shapes_in("KJGT \n")
_NEVER_MARKED = shapes_in(" \nc")
_REPEATS = shapes_in("-=.~*_#+^<>|/\\`")
_EM_DASH = 0x2014
_BOX_DRAWING = 0x25
_HAN_DIGITS = code_points("〇零一二三四五六七八九")
_FEWEST_HAN_DIGITS = 3
_KIND_OF_SHAPE = np.full(256, CODE_OF[Kind.PUNCT], dtype=np.uint8)
for _shapes, _kind in (
    ("aA", Kind.LATIN),
    ("0", Kind.NUMBER),
    ("H", Kind.HAN),
    ("KJGTcxmivj", Kind.OTHER),
    (" \n", Kind.SPACE),
    ("sdk+<=>|~^`$", Kind.SYMBOL),
    ("eEft", Kind.EMOJI),
):
    _KIND_OF_SHAPE[[ord(shape) for shape in _shapes]] = CODE_OF[_kind]


class Units(NamedTuple):
    """The units of a normalised text of n characters: k units that cover it.

    border: bool[n + 1], whether a unit starts (or the text ends) there; kind: uint8[n], that of the unit (see `KINDS`)
    atom_border, atom_kind: the same for what user words may cut: all but runs of letters and digits, and what comes of
    one original character
    shapes: uint8[n], the text's shapes with each mark behind a letter turned into a letter
    joined: bool[n + 1], places inside what comes of one original character
    """

    border: BoolArray
    kind: UInt8Array
    atom_border: BoolArray
    atom_kind: UInt8Array
    shapes: UInt8Array
    joined: BoolArray


def find_units(normalized: Normalized) -> Units:
    """Cut a normalised text into units."""
    shapes = _settle_marks(normalized.shapes)
    atom_border = _atom_borders(shapes)
    border = atom_border.copy()
    border[1:-1] &= ~_same_run(normalized.points, shapes)
    kind = _simple_kinds(shapes, border)
    atom_kind = _simple_kinds(shapes, atom_border)
    for start, end, code in _complex_units(normalized.text, shapes.tobytes(), _candidates(shapes, border)):
        border[start + 1 : end] = False
        kind[start] = code
    for start, end in _han_numbers(normalized.points):
        border[start + 1 : end] = False
        kind[start] = CODE_OF[Kind.NUMBER]
    joined = np.zeros(len(border), dtype=np.bool_)
    joined[1:-1] = normalized.starts[1:] < normalized.ends[:-1]
    same_origin = np.flatnonzero(joined)
    for where in same_origin[border[same_origin]].tolist():
        if kind[where - 1] == CODE_OF[Kind.PUNCT]:
            kind[where - 1] = kind[where]
    border[same_origin] = atom_border[same_origin] = False
    return Units(border, kind, atom_border, atom_kind, shapes, joined)


def opened(units: Units, border: BoolArray) -> Units:
    """The same units where runs of letters and digits, too, may be cut at these places: bool[n + 1]."""
    if not (border & ~units.atom_border).any():
        return units
    atom_border = units.atom_border | border
    return units._replace(atom_border=atom_border, atom_kind=_simple_kinds(units.shapes, atom_border))


def _han_numbers(points: CodePoints) -> Iterator[tuple[int, int]]:
    """(start, end) of the numbers written digit by digit in Han, such as 二〇二六."""
    edges = np.flatnonzero(np.diff(among(points, _HAN_DIGITS), prepend=False, append=False))
    starts, ends = edges[::2], edges[1::2]
    numbers = ends - starts >= _FEWEST_HAN_DIGITS
    yield from zip(starts[numbers].tolist(), ends[numbers].tolist(), strict=True)


def _settle_marks(shapes: UInt8Array) -> UInt8Array:
    """Combining marks behind a letter or digit become letters."""
    is_mark = shapes == Shape.MARK
    if not is_mark.any():
        return shapes
    base = np.maximum.accumulate(np.where(is_mark, 0, np.arange(len(shapes))))
    return np.where(is_mark & _ALNUM[shapes[base]], np.uint8(Shape.LETTER), shapes)


def _atom_borders(shapes: UInt8Array) -> BoolArray:
    """Everywhere but inside a run of letters and digits and before a mark: bool[n + 1]."""
    border = np.ones(len(shapes) + 1, dtype=np.bool_)
    left, right = shapes[:-1], shapes[1:]
    border[1:-1] = ~((_ALNUM[left] & _ALNUM[right]) | ((right == Shape.MARK) & ~_NEVER_MARKED[left]))
    return border


def _same_run(points: CodePoints, shapes: UInt8Array) -> BoolArray:
    """Whether two neighbours are of one run: of a script, of white space, of one repeated mark. bool[n - 1]"""
    left = shapes[:-1]
    repeats = _REPEATS[left] | (points[:-1] == _EM_DASH) | ((points[:-1] >> 8) == _BOX_DRAWING)
    found: BoolArray = (left == shapes[1:]) & _JOINS_ITSELF[left] | repeats & (points[:-1] == points[1:])
    return found


def _simple_kinds(shapes: UInt8Array, border: BoolArray) -> UInt8Array:
    """The kind by the first character, but a run of letters and digits is a number only if no letter is in it."""
    kind = _KIND_OF_SHAPE[shapes]
    starts = np.flatnonzero(border[:-1])
    if len(starts):
        has_letter = np.logical_or.reduceat(_LETTER[shapes], starts)
        kind[starts[has_letter & _ALNUM[shapes[starts]]]] = CODE_OF[Kind.LATIN]
    return kind


def _candidates(shapes: UInt8Array, border: BoolArray) -> NDArray[np.int64]:
    """Where a unit with inner marks may start: int64[m], ascending."""
    following = np.append(shapes[1:], np.uint8(Shape.LINE))
    before = np.insert(shapes[:-1], 0, np.uint8(Shape.LINE))
    starts = np.flatnonzero(border[:-1])
    ends = np.append(starts[1:], len(shapes)) - 1
    first = _ALNUM[shapes[starts]] & _INNER[following[ends]]
    first |= _SPECIAL_STARTS[shapes[starts]]
    dotted = (shapes[starts] == ord(".")) & _LETTER[following[starts]] & ~_ALNUM[before[starts]]
    found: NDArray[np.int64] = starts[first | dotted]
    return found


def _complex_units(text: str, shapes: bytes, candidates: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """(start, end, kind code) of the units with inner marks, ascending."""
    position = 0
    for candidate in candidates.tolist():
        match = _COMPLEX.match(shapes, candidate) if candidate >= position else None
        if match is None:
            continue
        start, position = match.span()
        group = match.lastgroup or ""
        if group == "rate" and text[start:position].rpartition("/")[2] not in _RATE_OF:
            position = start + text[start:position].rindex("/")
        kind = _KIND_OF_GROUP[group]
        if group in _MAY_BE_A_HOST and shapes[position : position + 1] in (b"/", b":"):
            is_host = position - start <= _LONGEST_HOST and _HOST.match(text, start, position)
            path = _PATH.match(shapes, position) if is_host else None
            if path:
                position, kind = path.end(), Kind.URL
        yield start, position, CODE_OF[kind]
