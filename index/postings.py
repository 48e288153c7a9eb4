"""Postings: which documents hold a lexeme, and how often, packed as arrays of numbers.

A row of table `posting` holds the documents of one segment: `ords`, little-endian int32 in ascending order, and `tfs`,
one byte each (a document that holds a lexeme more often counts 255).
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.tsvector import Ints, posting_gram_columns, word_columns
from segmenter.types import Analysis

TITLE_WORDS, BODY_WORDS, TITLE_GRAMS, BODY_GRAMS, TAG_WORDS, TAG_GRAMS = range(6)
MAX_TF = 255


class Postings(NamedTuple):
    """Documents in ascending order, and how often each holds the lexeme: int32[n], uint8[n]."""

    ords: Ints
    tfs: NDArray[np.uint8]


class Row(NamedTuple):
    """A row of table `posting` but for its generation and segment."""

    kind: int
    lexeme: str
    ords: bytes
    tfs: bytes


def unpack(ords: bytes, tfs: bytes) -> Postings:
    """The columns `ords` and `tfs` of one row."""
    return Postings(np.frombuffer(ords, dtype="<i4"), np.frombuffer(tfs, dtype=np.uint8))


def unpack_all(rows: Iterable[tuple[bytes, bytes]]) -> Postings:
    """The `(ords, tfs)` of all segments of a lexeme as one; no order between segments is promised."""
    pairs = list(rows)
    return unpack(b"".join(ords for ords, _ in pairs), b"".join(tfs for _, tfs in pairs))


def pack(postings: Postings) -> tuple[bytes, bytes]:
    """The columns `ords` and `tfs` of a row."""
    return postings.ords.astype("<i4").tobytes(), postings.tfs.astype(np.uint8).tobytes()


def word_counts(analysis: Analysis) -> Counter[str]:
    """How often each word stands in the text, in every granularity; words across a border of the cut do not count."""
    return _counts(analysis.stream, *word_columns(analysis).inside)


def gram_counts(analysis: Analysis) -> Counter[str]:
    """How often each bigram, single dense character and atom stands in the text."""
    return _counts(analysis.stream, *posting_gram_columns(analysis))


def _counts(stream: str, starts: Ints, lengths: Ints) -> Counter[str]:
    return Counter([stream[s:e] for s, e in zip(starts.tolist(), (starts + lengths).tolist(), strict=True)])


class Collector:
    """Postings of many documents by lexeme: five bytes each, `ord` and `tf`. Documents are added in ascending order."""

    def __init__(self) -> None:
        self._records: dict[int, dict[str, bytearray]] = {}

    def __len__(self) -> int:
        """The number of lexemes, each counted once a kind."""
        return sum(map(len, self._records.values()))

    def add(self, ord: int, kind: int, counts: Counter[str]) -> None:
        """Count the lexemes of one field of a document."""
        prefix = ord.to_bytes(4, "little")
        records = self._records.setdefault(kind, {})
        for lexeme, tf in counts.items():
            record = prefix + _TF_BYTES[tf if tf < MAX_TF else MAX_TF]
            known = records.get(lexeme)
            if known is None:
                records[lexeme] = bytearray(record)
            else:
                known += record

    def merge(self, other: "Collector") -> None:
        """Take over what another one collected from later documents."""
        for kind, others in other._records.items():
            records = self._records.setdefault(kind, {})
            for lexeme, record in others.items():
                known = records.get(lexeme)
                if known is None:
                    records[lexeme] = record
                else:
                    known += record

    def rows(self) -> Iterator[Row]:
        """One row a lexeme, in no order."""
        for kind, records in self._records.items():
            for lexeme, record in records.items():
                yield Row(kind, lexeme, *_split(record))

    def clear(self) -> None:
        """Forget everything."""
        self._records.clear()


_TF_BYTES = [bytes([tf]) for tf in range(MAX_TF + 1)]


def _split(record: bytearray) -> tuple[bytes, bytes]:
    ords = record.copy()
    del ords[4::5]
    return bytes(ords), bytes(record[4::5])


def renumber(postings: Postings, new_ords: Ints) -> Postings:
    """The postings of a copy: document `i` becomes `new_ords[i]`, and goes where that is negative or missing."""
    ords = np.append(new_ords, np.int32(-1)).take(postings.ords, mode="clip")
    kept = np.flatnonzero(ords >= 0)
    kept = kept[np.argsort(ords[kept], kind="stable")]
    return Postings(ords[kept], postings.tfs[kept])
