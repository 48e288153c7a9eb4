"""Counting hashed things of a stream in bounded memory: lossy counting (Manku and Motwani 2002) with numpy.

At most `limit` different hashes are kept, 16 bytes each, and twice as many while they are merged. Where there are more,
those with the smallest counts are dropped. What is dropped may come again, so a count may be too low, by `lost` at
most; it is never too high.
"""

import numpy as np
from numpy.typing import NDArray

from segmenter.hashing import Hashes
from segmenter.lattice import Int64Array


class BoundedCounter:
    """Counts of 64-bit hashes.

    >>> counter = BoundedCounter(limit=100)
    >>> counter.add(np.array([3, 5, 3], dtype=np.uint64))
    >>> counter.counts(np.array([3, 4], dtype=np.uint64)).tolist(), counter.lost
    ([2, 0], 0)
    """

    def __init__(self, limit: int) -> None:
        """`limit`: different hashes at most, at least 2."""
        self._limit = max(limit, 2)
        self._keys: Hashes = np.zeros(0, dtype=np.uint64)
        self._counts: Int64Array = np.zeros(0, dtype=np.int64)
        self._waiting: list[Hashes] = []
        self._waiting_size = 0
        self.lost = 0

    def add(self, hashes: Hashes) -> None:
        """Count each of the hashes once more: uint64[n]."""
        for first in range(0, len(hashes), self._limit):
            part = hashes[first : first + self._limit]
            self._waiting.append(part)
            self._waiting_size += len(part)
            if self._waiting_size >= self._limit:
                self._merge()

    def counts(self, hashes: Hashes) -> Int64Array:
        """The count of each, 0 where it is not kept: int64[n]."""
        keys, counts = self.items()
        place = np.minimum(np.searchsorted(keys, hashes), max(len(keys) - 1, 0))
        if not len(keys):
            return np.zeros(len(hashes), dtype=np.int64)
        found: Int64Array = np.where(keys[place] == hashes, counts[place], 0)
        return found

    def items(self) -> tuple[Hashes, Int64Array]:
        """(hashes, ascending; counts)."""
        self._merge()
        return self._keys, self._counts

    def _merge(self) -> None:
        if not self._waiting:
            return
        fresh, times = np.unique(np.concatenate(self._waiting), return_counts=True)
        self._waiting, self._waiting_size = [], 0
        keys = np.concatenate((self._keys, fresh))
        counts = np.concatenate((self._counts, times.astype(np.int64)))
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[order]
        first = np.flatnonzero(_changes(keys))
        self._keys, self._counts = keys[first], np.add.reduceat(counts, first)
        if len(self._keys) > self._limit:
            self._drop()

    def _drop(self) -> None:
        """Keep the larger half of the limit; ties at the smallest count kept are dropped too, unless all tie."""
        half = self._limit // 2
        floor = int(np.partition(self._counts, -half)[-half])
        kept = self._counts > floor
        if not kept.any():
            kept[:half] = True
        self.lost += floor
        self._keys, self._counts = self._keys[kept], self._counts[kept]


def _changes(keys: Hashes) -> NDArray[np.bool_]:
    found = np.ones(len(keys), dtype=np.bool_)
    found[1:] = keys[1:] != keys[:-1]
    return found
