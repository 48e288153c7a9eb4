"""What the segmenter hands out: tokens for people, columns for an index.

Every offset is in Unicode code points. `Token` offsets lie in the original text, `Span` offsets in a normalised text,
`Analysis` positions in its `stream`.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Int32Array: TypeAlias = NDArray[np.int32]
Int16Array: TypeAlias = NDArray[np.int16]
UInt8Array: TypeAlias = NDArray[np.uint8]
BoolArray: TypeAlias = NDArray[np.bool_]


class Kind(StrEnum):
    """The class of a token, by script and shape."""

    HAN = "han"
    LATIN = "latin"
    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    URL = "url"
    EMAIL = "email"
    EMOJI = "emoji"
    SYMBOL = "symbol"
    PUNCT = "punct"
    SPACE = "space"
    OTHER = "other"


class Granularity(StrEnum):
    """How finely a text is cut; all three come from one decision."""

    COARSE = "coarse"
    FINE = "fine"
    SEARCH = "search"


class Source(StrEnum):
    """What made a token a token."""

    DICTIONARY = "dictionary"
    USER = "user"
    MODEL = "model"
    RULE = "rule"
    CHARACTER = "character"


class Token(NamedTuple):
    """A piece of the original text: `text == original[start:end]`."""

    text: str
    start: int
    end: int
    kind: Kind
    granularity: Granularity
    source: Source


class Span(NamedTuple):
    """A piece of a normalised text, in its coordinates."""

    start: int
    end: int
    kind: Kind
    source: Source


@dataclass(frozen=True, slots=True)
class Analysis:
    """One text as an index wants it, in columns.

    stream: the normalised text without white space and ignorable characters; a position is an offset into it
    starts, ends: int32[len(stream)], original offsets of each stream character
    word_start, word_length: int32[words], sorted by (start, -length), unique; the lexeme is a slice of `stream`
    word_level: uint8[words], the coarsest granularity that has the word: 0 coarse, 1 fine, 2 search
    atom_start, atom_length: int32[atoms], runs of letters and digits of scripts with spaces, single emoji and symbols
    is_dense: bool[len(stream)], the character belongs to a script written without spaces
    """

    stream: str
    starts: Int32Array
    ends: Int32Array
    word_start: Int32Array
    word_length: Int32Array
    word_level: UInt8Array
    atom_start: Int32Array
    atom_length: Int32Array
    is_dense: BoolArray
