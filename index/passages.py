"""Posts as passages: small enough for every limit of a `tsvector`, overlapping so that no phrase is lost.

Guarantee: for any two stream positions less than `PIECE_SPAN` apart, some passage holds both.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.tsvector import PIECE_SPAN, Ints, Words, gram_columns, vector_literal, word_columns
from segmenter.types import Analysis

TITLE, BODY, TAGS = 0, 1, 2
WEIGHTS = {TITLE: "A", BODY: "C", TAGS: "B"}
ACROSS = ""
"""The weight (D) of words that only appear across a border of the cut: a query `:ABC` asks for words that stand."""

MAX_LENGTH = 2_000
"""Stream characters of a passage. Far below the limit on positions: PostgreSQL rechecks a phrase by reading the whole
vector of a passage, and snippets and proximity want a unit of about a screen."""

MAX_OCCURRENCES = 255
"""PostgreSQL keeps 256 positions of a lexeme and drops the rest silently."""

MAX_BYTES = 400_000
"""Of a vector, or of each half where it is written in two; PostgreSQL's limit is 1 MB. A position costs its lexeme's
bytes and at most `PLACE_BYTES` more."""

PLACE_BYTES = 12

OVERLAP = PIECE_SPAN


@dataclass(frozen=True, slots=True)
class Passage:
    """A row of table `passage`: `stream == post_stream[first:first + len(stream)]`; the vectors are literals."""

    field: int
    seq: int
    first: int
    stream: str
    offsets: bytes
    words: str
    grams: str


def tag_text(tags: Iterable[str], categories: Iterable[str]) -> str:
    """Tags and categories as one searchable text; the commas keep a phrase from running from one into the next."""
    return "，".join(dict.fromkeys([*tags, *categories]))


def cut_post(title: Analysis, body: Analysis, tags: Analysis) -> Iterator[Passage]:
    """All passages of a post, field by field; `seq` counts within a field. An empty field has none."""
    yield from cut(title, TITLE)
    yield from cut(body, BODY)
    yield from cut(tags, TAGS)


def cut(analysis: Analysis, field: int) -> Iterator[Passage]:
    """The passages of one field, in order."""
    words, grams, edges = word_columns(analysis), gram_columns(analysis), word_edges(analysis)
    for seq, (first, end) in enumerate(borders(analysis, _joined(words), grams)):
        yield Passage(
            field=field,
            seq=seq,
            first=first,
            stream=analysis.stream[first:end],
            offsets=encode_places(analysis.starts[first:end], analysis.ends[first:end], edges[first : end + 1]),
            words=_words_vector(analysis.stream, words, first, end, WEIGHTS[field]),
            grams=_vector(analysis.stream, *grams, first, end, ""),
        )


def _joined(words: Words) -> tuple[Ints, Ints]:
    """All words in the order of their starts, which is all that `borders` needs."""
    starts = np.concatenate([words.inside[0], words.across[0]])
    order = np.argsort(starts, kind="stable")
    return starts[order], np.concatenate([words.inside[1], words.across[1]])[order]


def borders(analysis: Analysis, *columns: tuple[Ints, Ints]) -> list[tuple[int, int]]:
    """`(first, end)` of each passage for lexemes given as `(starts, lengths)` columns."""
    size = len(analysis.stream)
    limits = [limit for starts, lengths in columns for limit in _limits(analysis.stream, starts, lengths)]
    result, first = [], 0
    while first < size:
        end = min([first + MAX_LENGTH, size, *(int(limit[first]) for limit in limits)])
        end = max(end, min(first + MAX_OCCURRENCES, size))
        result.append((first, end))
        first = end - OVERLAP if end < size else size
    return result


def _limits(stream: str, starts: Ints, lengths: Ints) -> Iterator[NDArray[np.int64]]:
    """Arrays over positions: the furthest end a passage may have when it begins there."""
    if not len(starts):
        return
    size = len(stream)
    cost = np.bincount(starts, lengths * 4 + PLACE_BYTES, minlength=size)
    if cost.sum() > MAX_BYTES:
        total = np.concatenate([[0.0], np.cumsum(cost)])
        yield np.searchsorted(total, total[:-1] + MAX_BYTES, side="right") - 1
    if len(starts) > MAX_OCCURRENCES:
        limit = _occurrence_limit(stream, starts, lengths)
        if limit is not None:
            yield limit


def _occurrence_limit(stream: str, starts: Ints, lengths: Ints) -> NDArray[np.int64] | None:
    """Where the first lexeme would reach its 256th position, for a passage from each position; None when none does."""
    key = _hashes(stream, starts, lengths)
    order = np.argsort(key, kind="stable")
    key, place = key[order], starts[order]
    later = key[MAX_OCCURRENCES:] == key[:-MAX_OCCURRENCES]
    if not later.any():
        return None
    limit = np.full(len(stream), len(stream), dtype=np.int64)
    np.minimum.at(limit, place[:-MAX_OCCURRENCES][later], place[MAX_OCCURRENCES:][later].astype(np.int64))
    return np.minimum.accumulate(limit[::-1])[::-1]


def _hashes(stream: str, starts: Ints, lengths: Ints) -> NDArray[np.uint64]:
    """A polynomial hash modulo 2**64 of each span. A collision can only make a passage shorter than it might be."""
    with np.errstate(over="ignore"):
        codes = np.frombuffer(stream.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
        base, inverse = _BASE, np.uint64(pow(int(_BASE), -1, 1 << 64))
        powers = np.cumprod(np.full(len(codes), base))
        inverses = np.cumprod(np.full(len(codes), inverse))
        total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(codes * powers, dtype=np.uint64)])
        hashes: NDArray[np.uint64] = (total[starts + lengths] - total[starts]) * inverses[starts]
        return hashes


_BASE = np.uint64(0x9E3779B97F4A7C15)


def _words_vector(stream: str, words: Words, first: int, end: int, weight: str) -> str:
    inside = _vector(stream, *words.inside, first, end, weight)
    across = _vector(stream, *words.across, first, end, ACROSS)
    return f"{inside} {across}".strip()


def _vector(stream: str, starts: Ints, lengths: Ints, first: int, end: int, weight: str) -> str:
    lower, upper = np.searchsorted(starts, [first, end])
    kept = _within_bytes(lengths[lower:upper])
    begin, size = starts[lower:upper][kept].tolist(), lengths[lower:upper][kept].tolist()
    lexemes = [stream[s : s + n] for s, n in zip(begin, size, strict=True)]
    return vector_literal(lexemes, [s - first + 1 for s in begin], weight)


def _within_bytes(lengths: Ints) -> slice | NDArray[np.int64]:
    """Everything, unless hundreds of nested words start in a stretch that can not be shorter: then the shortest."""
    if int(lengths.sum()) * 4 + len(lengths) * PLACE_BYTES <= MAX_BYTES:
        return slice(None)
    order = np.argsort(lengths, kind="stable")
    kept = np.cumsum(lengths[order] * 4 + PLACE_BYTES) <= MAX_BYTES
    return np.sort(order[kept])


class Places(NamedTuple):
    """Where the characters of a stretch of stream stand: original starts and ends, and the borders of coarse words.

    `edges[i]` says that a coarse word begins or ends before character `i`; there is one more edge than characters.
    """

    starts: Ints
    ends: Ints
    edges: NDArray[np.bool_]


def word_edges(analysis: Analysis) -> NDArray[np.bool_]:
    """bool[len(stream) + 1]: does a coarse word begin or end before this character?"""
    coarse = analysis.word_level == 0
    edges = np.zeros(len(analysis.stream) + 1, np.bool_)
    edges[analysis.word_start[coarse]] = True
    edges[(analysis.word_start + analysis.word_length)[coarse]] = True
    return edges


def encode_places(starts: Ints, ends: Ints, edges: NDArray[np.bool_]) -> bytes:
    """Places as bytes: the number of runs, the runs, the edges as bits; all numbers little-endian int32.

    A run is three numbers: stream index, original start, width. Within a run starts grow by one; a run of more than one
    character has width 1. Read by `decode_places`.
    """
    if not len(starts):
        return b""
    width = ends - starts
    new_run = (np.diff(starts) != 1) | (width[1:] != 1) | (width[:-1] != 1)
    at = np.concatenate([[0], np.flatnonzero(new_run) + 1])
    runs = np.stack([at, starts[at], width[at]], axis=1).astype("<i4")
    return len(runs).to_bytes(4, "little") + runs.tobytes() + np.packbits(edges).tobytes()


class Spans(NamedTuple):
    """Original starts and ends of some stretches, and whether a coarse word begins or ends at either side of each."""

    starts: Ints
    ends: Ints
    before: NDArray[np.bool_]
    behind: NDArray[np.bool_]


def spans_at(data: bytes, firsts: Sequence[int], lasts: Sequence[int]) -> Spans:
    """The places of the stretches `firsts[i]` to `lasts[i]` (not empty) alone, which is cheaper than to decode all."""
    count = int.from_bytes(data[:4], "little")
    at, start, width = np.frombuffer(data, dtype="<i4", count=count * 3, offset=4).reshape(-1, 3).T
    bits = np.frombuffer(data, dtype=np.uint8, offset=4 + 12 * count)
    size = len(firsts)
    border = np.array([*firsts, *lasts], np.int64)
    place = border - np.repeat([0, 1], size)
    run = at.searchsorted(place, side="right") - 1
    original = (start[run] + (place - at[run])).astype(np.int32)
    edges = (bits[border >> 3] >> (7 - (border & 7)) & 1).astype(np.bool_)
    return Spans(original[:size], original[size:] + width[run[size:]], edges[:size], edges[size:])


def decode_places(data: bytes, size: int) -> Places:
    """The places of the first `size` stream characters, which may be fewer than there are."""
    if not size:
        return Places(np.empty(0, np.int32), np.empty(0, np.int32), np.zeros(1, np.bool_))
    count = int.from_bytes(data[:4], "little")
    at, start, width = np.frombuffer(data, dtype="<i4", count=count * 3, offset=4).reshape(-1, 3).T
    at = at[: at.searchsorted(size)]
    run = np.repeat(np.arange(len(at)), np.diff(at, append=size))
    starts = (start[run] + np.arange(size) - at[run]).astype(np.int32)
    bits = np.frombuffer(data, dtype=np.uint8, offset=4 + 12 * count)
    edges = np.unpackbits(bits, count=size + 1).astype(np.bool_)
    return Places(starts, (starts + width[run]).astype(np.int32), edges)
