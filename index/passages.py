"""Posts as passages: small enough for every limit of a `tsvector`, overlapping so that no phrase is lost.

Guarantee: for any two stream positions less than `PIECE_SPAN` apart, some passage holds both.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.tsvector import PIECE_SPAN, Ints, gram_columns, vector_literal, word_columns
from segmenter.types import Analysis

TITLE, BODY, TAGS = 0, 1, 2
WEIGHTS = {TITLE: "A", BODY: "", TAGS: "B"}

MAX_LENGTH = 2_000
"""Stream characters of a passage. Far below the limit on positions: PostgreSQL rechecks a phrase by reading the whole
vector of a passage, and snippets and proximity want a unit of about a screen."""

MAX_OCCURRENCES = 255
"""PostgreSQL keeps 256 positions of a lexeme and drops the rest silently."""

MAX_BYTES = 800_000
"""Of one vector; PostgreSQL's limit is 1 MB. A position costs its lexeme's bytes and at most `PLACE_BYTES` more."""

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
    words, grams = word_columns(analysis), gram_columns(analysis)
    for seq, (first, end) in enumerate(borders(analysis, words, grams)):
        yield Passage(
            field=field,
            seq=seq,
            first=first,
            stream=analysis.stream[first:end],
            offsets=encode_offsets(analysis.starts[first:end], analysis.ends[first:end]),
            words=_vector(analysis.stream, *words, first, end, WEIGHTS[field]),
            grams=_vector(analysis.stream, *grams, first, end, WEIGHTS[field]),
        )


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


def encode_offsets(starts: Ints, ends: Ints) -> bytes:
    """Original offsets of a stretch of stream, as runs of three little-endian int32: stream index, start, width.

    Within a run starts grow by one; a run of more than one character has width 1. Read by `decode_offsets`.
    """
    if not len(starts):
        return b""
    width = ends - starts
    new_run = (np.diff(starts) != 1) | (width[1:] != 1) | (width[:-1] != 1)
    at = np.concatenate([[0], np.flatnonzero(new_run) + 1])
    return np.stack([at, starts[at], width[at]], axis=1).astype("<i4").tobytes()


def decode_offsets(data: bytes, size: int) -> tuple[Ints, Ints]:
    """Original starts and ends of `size` stream characters."""
    if not size:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    at, start, width = np.frombuffer(data, dtype="<i4").reshape(-1, 3).T
    run = np.repeat(np.arange(len(at)), np.diff(at, append=size))
    starts = (start[run] + np.arange(size) - at[run]).astype(np.int32)
    return starts, (starts + width[run]).astype(np.int32)
