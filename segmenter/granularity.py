"""Parts of words: `fine` is their smallest sensible cut, `search` adds every word inside a word or made of whole words.

A part has two characters or more and is itself a word: cutting single characters off a word makes noise, not parts.
"""

import numpy as np
from numpy.typing import NDArray

from segmenter.characters import Shape, shapes_in
from segmenter.lattice import Edges, Int64Array, best_path
from segmenter.types import BoolArray, UInt8Array

_SHORTEST_PART = 2
_ROUNDS = 3
_LETTER = shapes_in("aA")
_ALNUM = shapes_in("aA0")


def fine_parts(start: Int64Array, end: Int64Array, words: Edges, size: int) -> BoolArray:
    """Borders inside the words [start, end) where `fine` cuts them: bool[size + 1].

    A word of four characters or more is replaced by the best path of two or more dictionary words that fill it, and
    those in turn.
    """
    cuts = np.zeros(size + 1, dtype=np.bool_)
    long_enough = words.end - words.start >= _SHORTEST_PART
    words = words.where(long_enough)
    for _ in range(_ROUNDS):
        can_split = end - start >= 2 * _SHORTEST_PART
        start, end = start[can_split], end[can_split]
        if not len(start):
            break
        which = np.searchsorted(start, words.start, side="right") - 1
        inside = (which >= 0) & (words.end <= end[which]) & (words.end - words.start < (end - start)[which])
        words = words.where(inside)
        length = best_path(start, end, words, size)
        split = length[start] > 0
        start, end = start[split], end[split]
        start = np.flatnonzero(length)
        end = start + length[start]
        cuts[start] = True
    return cuts


def latin_parts(shapes: UInt8Array, inside: BoolArray) -> NDArray[np.bool_]:
    """Borders between the parts of Latin words, marks being parts by themselves: bool[n + 1].

    `inside[i]`: characters i - 1 and i belong to one word. A part starts at a mark, behind a mark, at a capital behind
    a small letter or digit (camelCase), at the last of several capitals before a small letter (HTMLParser), and at
    a letter behind a digit if digits follow again (V300R200). No part is cut off that would be a single letter.
    """
    border = np.zeros(len(shapes) + 1, dtype=np.bool_)
    if len(shapes) < 2:
        return border
    left, right = shapes[:-1], shapes[1:]
    after = np.append(right[1:], np.uint8(Shape.LINE))
    before = np.insert(left[:-1], 0, np.uint8(Shape.LINE))
    mark = _ALNUM[left] != _ALNUM[right]
    upper = right == Shape.UPPER
    camel = upper & ((left == Shape.LETTER) | (left == Shape.DIGIT)) & _ALNUM[before]
    acronym = (left == Shape.UPPER) & upper & (after == Shape.LETTER)
    serial = (left == Shape.DIGIT) & _LETTER[right] & _digits_follow(shapes)[1:] & _ALNUM[before]
    border[1:-1] = (mark | camel | acronym | serial) & inside[1:-1]
    return border


def _digits_follow(shapes: UInt8Array) -> BoolArray:
    """Whether the letters from here on end at a digit: bool[n]."""
    is_letter = _LETTER[shapes]
    positions = np.where(is_letter, len(shapes), np.arange(len(shapes)))
    first_other = np.minimum.accumulate(positions[::-1])[::-1]
    ends_inside = first_other < len(shapes)
    found: BoolArray = ends_inside & (shapes[np.minimum(first_other, len(shapes) - 1)] == Shape.DIGIT)
    return found
