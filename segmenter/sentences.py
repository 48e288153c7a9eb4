"""Where sentences end, for models: what is cut in one sentence does not depend on the next.

A sentence ends behind `。 ! ? ;` and the closing marks after them, unless a letter or digit follows (as in `a?b=c`),
and on both sides of a line feed. The text is normalised.
"""

import numpy as np
from numpy.typing import NDArray

from segmenter.characters import Shape, character_table
from segmenter.hashing import CodePoints

_ENDERS = np.array(sorted(map(ord, "。!?;")), dtype=np.uint32)
_CLOSERS = np.array(sorted(map(ord, "”’」』)》〉】]\"'")), dtype=np.uint32)
_WORD_SHAPES = (Shape.LETTER, Shape.UPPER, Shape.DIGIT)


def split_sentences(points: CodePoints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Start and length of each sentence: int64[sentences] each; joined they are the text."""
    starts = np.flatnonzero(np.concatenate([np.ones(1, dtype=bool), _borders(points)])) if len(points) else _NONE
    return starts, np.diff(starts, append=len(points))


_NONE = np.zeros(0, dtype=np.int64)


def _borders(points: CodePoints) -> NDArray[np.bool_]:
    """Whether a sentence ends at each gap between two characters: bool[n - 1]."""
    before, after = points[:-1], points[1:]
    ender, closer = np.isin(points, _ENDERS), np.isin(points, _CLOSERS)
    ends = ender.copy()
    ends[1:] |= closer[1:] & ender[:-1]
    goes_on = ender | closer | np.isin(character_table().shape[points], _WORD_SHAPES)
    feed = ord("\n")
    border: NDArray[np.bool_] = (ends[:-1] & ~goes_on[1:]) | (before == feed) | (after == feed)
    return border
