"""Text to its form for matching, with the way back: NFKC, case folding, simplified characters, nothing invisible.

Every character is mapped alone, by table; only what canonical composition may join (accents, Hangul letters) is looked
at together, and only there. So a piece of a text has the normal form it has inside the text, as long as no accent is
cut off its letter.

>>> form = Normalizer().normalize("Ｗord：軟\u200b體㎏")
>>> form.text, form.starts.tolist()
('word:软体kg', [0, 1, 2, 3, 4, 5, 7, 8, 8])
"""

import unicodedata
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.characters import DELETED, CharacterTable, Shape, character_table, shapes_in
from segmenter.errors import LoneSurrogateError
from segmenter.hashing import CodePoints, code_points
from segmenter.types import Int32Array, UInt8Array

_LONGEST_CLUSTER = 32
_NEVER_A_BASE = (Shape.SPACE, Shape.LINE, Shape.CONTROL)


class Normalized(NamedTuple):
    """A normalised text of n characters, in columns.

    text: white space is kept, as a space or, for line breaks, a line feed
    points: uint32[n], its code points; starts, ends: int32[n], where each character comes from in the original
    shapes: uint8[n] (see `characters.Shape`); joined and upper-case letters are marked as the original has them
    """

    text: str
    points: CodePoints
    starts: Int32Array
    ends: Int32Array
    shapes: UInt8Array


class Normalizer:
    """Maps texts to their normal form; stateless."""

    def __init__(self, table: CharacterTable | None = None) -> None:
        """Use the shipped table, or another one."""
        self._table = table or character_table()

    def fingerprint(self) -> str:
        """Changes when any character's normal form or shape does."""
        return self._table.fingerprint

    def normalize(self, text: str) -> Normalized:
        """The normal form of `text`. Raises LoneSurrogateError; any other string is fine."""
        original = code_points(text)
        _refuse_surrogates(original)
        mapped = self._table.mapping[original]
        columns = _Columns.of(original, mapped) if mapped.min(initial=0) >= 0 else self._edit(original, mapped)
        composes = self._table.composes[columns.points]
        if composes.any():
            columns = self._compose(columns, composes)
        shapes = self._shapes(original, columns)
        return Normalized(text_of(columns.points), columns.points, columns.starts, columns.ends, shapes)

    def _edit(self, original: CodePoints, mapped: Int32Array) -> "_Columns":
        """Apply the mappings to no character and to several."""
        table = self._table
        counts = np.where(mapped == DELETED, 0, 1)
        several = np.flatnonzero(mapped < DELETED)
        which = -2 - mapped[several]
        counts[several] = table.expansion_start[which + 1] - table.expansion_start[which]
        source = np.repeat(np.arange(len(mapped), dtype=np.int32), counts)
        points = mapped[source]
        filled = _ranges(table.expansion_start[which], counts[several])
        points[points < 0] = table.expansion_points[filled]
        return _Columns(points.astype(np.uint32), source, self._ends(original)[source])

    def _ends(self, original: CodePoints) -> Int32Array:
        """The end of each original character, variation selectors and tags behind it included: int32[n]."""
        ends = np.arange(1, len(original) + 1, dtype=np.int32)
        selectors = self._table.shape[original] == Shape.SELECTOR
        if not selectors.any():
            return ends
        last_of_run = np.where(selectors[1:], 0, ends[:-1])
        reversed_ends = np.append(last_of_run, ends[-1])[::-1]
        reversed_ends[reversed_ends == 0] = len(original) + 1
        return np.minimum.accumulate(reversed_ends)[::-1].astype(np.int32)

    def _compose(self, columns: "_Columns", composes: NDArray[np.bool_]) -> "_Columns":
        """Replace each letter with marks behind it by its canonical composition, where that differs."""
        edits = []
        shapes = self._table.shape[columns.points]
        text = text_of(columns.points)
        for first, last in _clusters(composes, np.isin(shapes, _NEVER_A_BASE)):
            composed = _composition(text[first:last])
            if composed != text[first:last]:
                edits.append((first, last, composed))
        return columns.replaced(edits) if edits else columns

    def _shapes(self, original: CodePoints, columns: "_Columns") -> UInt8Array:
        shape = self._table.shape
        shapes = shape[columns.points]
        before = shape[original]
        upper = np.flatnonzero((before == Shape.UPPER)[columns.starts] & (shapes == Shape.LETTER))
        shapes[upper] = Shape.UPPER
        _keep_wide_marks(shapes, before[columns.starts] == Shape.PUNCT)
        if (before == Shape.JOINER).any():
            joined = (shapes == Shape.EMOJI) & (before[np.maximum(columns.starts - 1, 0)] == Shape.JOINER)
            shapes[joined & (columns.starts > 0)] = Shape.JOINED_EMOJI
        return shapes


def _keep_wide_marks(shapes: UInt8Array, was_wide: NDArray[np.bool_]) -> None:
    """Marks that end an address in Chinese text (，；！？（）) keep a shape of their own, except inside numbers."""
    places = np.flatnonzero(was_wide & _WIDE[shapes])
    places = places[(places > 0) & (places < len(shapes) - 1)]
    in_number = (shapes[places - 1] == Shape.DIGIT) & (shapes[places + 1] == Shape.DIGIT)
    shapes[places[~in_number]] = Shape.PUNCT


_WIDE = shapes_in(",;!?()")


class _Columns(NamedTuple):
    """Code points and where each comes from: uint32[n], int32[n], int32[n]."""

    points: CodePoints
    starts: Int32Array
    ends: Int32Array

    @classmethod
    def of(cls, original: CodePoints, mapped: Int32Array) -> "_Columns":
        starts = np.arange(len(original), dtype=np.int32)
        return cls(mapped.astype(np.uint32), starts, starts + np.int32(1))

    def replaced(self, edits: list[tuple[int, int, str]]) -> "_Columns":
        """With `points[first:last]` replaced by a text, for each (first, last, text), ascending."""
        counts = np.ones(len(self.points), dtype=np.int64)
        ends = self.ends.copy()
        for first, last, composed in edits:
            counts[first:last] = 0
            counts[first] = len(composed)
            ends[first] = ends[last - 1]
        source = np.repeat(np.arange(len(counts)), counts)
        points = self.points[source]
        places = np.cumsum(counts) - counts
        first_of_edit = np.array([first for first, _, _ in edits])
        filled = _ranges(places[first_of_edit], counts[first_of_edit])
        points[filled] = code_points("".join(composed for _, _, composed in edits))
        return _Columns(points, self.starts[source], ends[source])


def _refuse_surrogates(original: CodePoints) -> None:
    lone = (original >= 0xD800) & (original < 0xE000)
    if lone.any():
        position = int(np.argmax(lone))
        raise LoneSurrogateError(position, int(original[position]))


def text_of(points: CodePoints) -> str:
    """The text of code points."""
    return points.astype("<u4", copy=False).tobytes().decode("utf-32-le")


def _ranges(firsts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """first, first + 1, ... for each pair of `firsts` and `counts`, joined."""
    return np.repeat(firsts - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())


def _clusters(composes: NDArray[np.bool_], never_a_base: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """(first, last) of each run of composing characters with its base, in pieces of bounded length.

    The bound keeps canonical ordering, which is quadratic in a run of marks, linear in the text.
    """
    edges = np.diff(composes, prepend=False, append=False)
    places = np.flatnonzero(edges)
    firsts, lasts = places[::2], places[1::2]
    has_base = (firsts > 0) & ~never_a_base[firsts - 1]
    clusters = []
    for first, last in zip((firsts - has_base).tolist(), lasts.tolist(), strict=True):
        clusters += [(piece, min(piece + _LONGEST_CLUSTER, last)) for piece in range(first, last, _LONGEST_CLUSTER)]
    return clusters


@lru_cache(maxsize=4096)
def _composition(cluster: str) -> str:
    return unicodedata.normalize("NFC", cluster)
