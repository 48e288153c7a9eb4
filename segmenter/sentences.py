"""Where sentences end, for models: what is cut in one sentence does not depend on the next.

A sentence ends behind `。 ! ? ;` and the closing marks after them, unless a letter or digit follows (as in `a?b=c`),
and on both sides of a line feed. The text is normalised.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from segmenter.characters import character_table, shapes_in
from segmenter.hashing import CodePoints
from segmenter.types import UInt8Array

_ENDERS = "。!?;"
_CLOSERS = "”’」』)》〉】]\"'"
_ENDER, _CLOSER, _WORD = 1, 2, 4


@cache
def _roles() -> UInt8Array:
    """What each code point is to the end of a sentence: uint8[0x110000], a sum of `_ENDER`, `_CLOSER`, `_WORD`."""
    roles = (shapes_in("aA0")[character_table().shape] * _WORD).astype(np.uint8)
    for characters, role in ((_ENDERS, _ENDER), (_CLOSERS, _CLOSER)):
        roles[[ord(character) for character in characters]] |= role
    return roles


def split_sentences(points: CodePoints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Start and length of each sentence: int64[sentences] each; joined they are the text."""
    starts = np.flatnonzero(np.concatenate([np.ones(1, dtype=bool), _borders(points)])) if len(points) else _NONE
    return starts, np.diff(starts, append=len(points))


_NONE = np.zeros(0, dtype=np.int64)


def _borders(points: CodePoints) -> NDArray[np.bool_]:
    """Whether a sentence ends at each gap between two characters: bool[n - 1]."""
    before, after = points[:-1], points[1:]
    roles = _roles()[points]
    ender, goes_on = (roles & _ENDER) != 0, roles != 0
    ends = ender.copy()
    ends[1:] |= (roles[1:] & _CLOSER != 0) & ender[:-1]
    feed = ord("\n")
    border: NDArray[np.bool_] = (ends[:-1] & ~goes_on[1:]) | (before == feed) | (after == feed)
    return border
