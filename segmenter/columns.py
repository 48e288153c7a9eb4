"""From a cut text to the columns an index reads: stream, words of all granularities, atoms."""

from collections.abc import Sequence

import numpy as np

from segmenter.arrays import among
from segmenter.characters import Shape, shapes_in
from segmenter.granularity import latin_parts
from segmenter.lattice import Int64Array
from segmenter.normalise import Normalized
from segmenter.runs import CODE_OF
from segmenter.segment import Cut
from segmenter.types import Analysis, BoolArray, Kind, UInt8Array

_OUT_OF_STREAM = shapes_in(" \nc")
_ALNUM = shapes_in("aA0")
_DENSE = shapes_in("HKJGTm")
_SINGLE_ATOM = shapes_in("eEftsdx")
_TRAILING = shapes_in("+#")
_LENGTH_BITS = 31
COARSE, FINE, SEARCH = 0, 1, 2


def analysis_of(normalized: Normalized, cut: Cut) -> Analysis:
    """The columns of one text (or of several joined by line feeds)."""
    shapes = cut.units.shapes
    kept = ~_OUT_OF_STREAM[shapes]
    place = np.concatenate(([0], np.cumsum(kept)))
    word_start, word_end, level = _words(cut)
    word_start, word_length, level = _unique(place[word_start], place[word_end], level)
    atom_start, atom_end = _atoms(shapes)
    stream = normalized.points[kept].astype("<u4", copy=False).tobytes().decode("utf-32-le")
    return Analysis(
        stream,
        normalized.starts[kept],
        normalized.ends[kept],
        word_start.astype(np.int32),
        word_length.astype(np.int32),
        level,
        place[atom_start].astype(np.int32),
        (place[atom_end] - place[atom_start]).astype(np.int32),
        _DENSE[shapes[kept]],
    )


def stream_of(normalized: Normalized) -> str:
    """The stream of `analysis_of` without the rest, for which nothing has to be cut."""
    points = normalized.points[~_OUT_OF_STREAM[normalized.shapes]]
    return points.astype("<u4", copy=False).tobytes().decode("utf-32-le")


def indexable(cut: Cut) -> BoolArray:
    """Which words an index takes: no white space, punctuation, control characters or ASCII symbols. bool[w]"""
    shape = cut.units.shapes[cut.start]
    skipped = among(cut.kind, [CODE_OF[Kind.SPACE], CODE_OF[Kind.PUNCT]]) | (shape == Shape.CONTROL)
    ascii_symbol = (cut.kind == CODE_OF[Kind.SYMBOL]) & ~_SINGLE_ATOM[shape]
    found: BoolArray = ~(skipped | ascii_symbol)
    return found


def fine_words(cut: Cut) -> tuple[Int64Array, Int64Array, Int64Array]:
    """(start, end, coarse word) of the words with the long ones replaced by their parts: int64[f] each."""
    border = cut.fine.copy()
    border[cut.start] = True
    start = np.flatnonzero(border[:-1])
    end = np.append(start[1:], len(border) - 1) if len(start) else start
    return start, end, np.searchsorted(cut.start, start, side="right") - 1


def inner_words(cut: Cut) -> tuple[Int64Array, Int64Array, Int64Array]:
    """(start, end, first coarse word) of what `search` adds to the words: int64[s] each.

    Dictionary words and Latin parts inside the words, and dictionary words that are several words together.
    """
    words = cut.words
    word = np.searchsorted(cut.start, words.start, side="right") - 1
    inside = words.end <= cut.end[word] if len(word) else np.zeros(0, dtype=np.bool_)
    together = among(words.start, cut.start) & among(words.end, cut.end)
    start, end = words.start[inside | together], words.end[inside | together]
    part_start, part_end = _latin_words(cut)
    start, end = np.concatenate((start, part_start)), np.concatenate((end, part_end))
    return start, end, np.searchsorted(cut.start, start, side="right") - 1


def _latin_words(cut: Cut) -> tuple[Int64Array, Int64Array]:
    shapes = cut.units.shapes
    inside = np.ones(len(shapes) + 1, dtype=np.bool_)
    inside[cut.start] = False
    border = latin_parts(shapes, inside)
    border[cut.start] = True
    start = np.flatnonzero(border[:-1])
    end = np.append(start[1:], len(shapes)) if len(start) else start
    word = np.searchsorted(cut.start, start, side="right") - 1
    is_part = _ALNUM[shapes[start]] & (end - start >= 2) & (cut.kind[word] != CODE_OF[Kind.NUMBER])
    return start[is_part], end[is_part]


def _words(cut: Cut) -> tuple[Int64Array, Int64Array, UInt8Array]:
    """(start, end, level) of every indexable word, with duplicates."""
    allowed = indexable(cut)
    coarse = (cut.start[allowed], cut.end[allowed])
    finer = [(start[allowed[word]], end[allowed[word]]) for start, end, word in (fine_words(cut), inner_words(cut))]
    groups = [coarse, *finer]
    level = np.repeat(np.array([COARSE, FINE, SEARCH], dtype=np.uint8), [len(start) for start, _ in groups])
    return np.concatenate([start for start, _ in groups]), np.concatenate([end for _, end in groups]), level


def _unique(start: Int64Array, end: Int64Array, level: UInt8Array) -> tuple[Int64Array, Int64Array, UInt8Array]:
    """Sorted by (start, -length), each once at its lowest level; empty ones left out: (start, length, level)."""
    order = np.lexsort((level, -end, start))
    start, end, level = start[order], end[order], level[order]
    first = (np.diff(start, prepend=-1) != 0) | (np.diff(end, prepend=-1) != 0)
    first &= end > start
    return start[first], (end - start)[first], level[first]


def _atoms(shapes: UInt8Array) -> tuple[Int64Array, Int64Array]:
    """Runs of letters and digits, and single emoji and symbols, by shape alone: (start, end), int64[a] each.

    `+` and `#` right behind a letter or digit are atoms too, two at most (C++, C#): other ASCII symbols are not, there
    are too many of them in program text.
    """
    before = np.insert(shapes[:-1], 0, np.uint8(Shape.LINE))[: len(shapes)]
    before_that = np.insert(before[:-1], 0, np.uint8(Shape.LINE))[: len(shapes)]
    alnum, trailing = _ALNUM[shapes], _TRAILING[shapes]
    single = _SINGLE_ATOM[shapes]
    single |= trailing & _ALNUM[before]
    single |= trailing & _TRAILING[before] & _ALNUM[before_that]
    starts = (alnum & ~_ALNUM[before]) | single
    after = np.append(shapes[1:], np.uint8(Shape.LINE))[: len(shapes)]
    ends = (alnum & ~_ALNUM[after]) | single
    return np.flatnonzero(starts), np.flatnonzero(ends) + 1


def part_of(whole: Analysis, first: int, last: int, offset: int) -> Analysis:
    """What `whole` says of the original characters [first, last), which stand at `offset` in a text of their own."""
    low, high = np.searchsorted(whole.starts, [first, last]).tolist()
    words = slice(*np.searchsorted(whole.word_start, [low, high]).tolist())
    atoms = slice(*np.searchsorted(whole.atom_start, [low, high]).tolist())
    shift = np.int32(offset - first)
    return Analysis(
        whole.stream[low:high],
        whole.starts[low:high] + shift,
        whole.ends[low:high] + shift,
        whole.word_start[words] - np.int32(low),
        whole.word_length[words],
        whole.word_level[words],
        whole.atom_start[atoms] - np.int32(low),
        whole.atom_length[atoms],
        whole.is_dense[low:high],
    )


def joined(parts: Sequence[Analysis]) -> Analysis:
    """The columns of one text from those of its pieces, whose original offsets are already those of the text."""
    shifts = np.cumsum([0, *(len(part.stream) for part in parts)])[:-1].astype(np.int32).tolist()
    return Analysis(
        "".join(part.stream for part in parts),
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.ends for part in parts]),
        np.concatenate([part.word_start + np.int32(shift) for part, shift in zip(parts, shifts, strict=True)]),
        np.concatenate([part.word_length for part in parts]),
        np.concatenate([part.word_level for part in parts]),
        np.concatenate([part.atom_start + np.int32(shift) for part, shift in zip(parts, shifts, strict=True)]),
        np.concatenate([part.atom_length for part in parts]),
        np.concatenate([part.is_dense for part in parts]),
    )
