"""Learning byte-pair merges from counted runs (Sennrich et al. 2016, algorithm 1), with incremental pair counts."""

from __future__ import annotations

import heapq
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from encoder.tokenizers.base import is_storable

Ints = npt.NDArray[np.int64]
Pair = tuple[int, int]

_BORDER = -1  # between two runs, and in place of a symbol too rare for the vocabulary
_MERGED = -2  # the right half of a merged pair
_HALF = 32


def base_symbols(counts: Mapping[str, int], *, minimum: int, limit: int | None = None) -> list[str]:
    """Characters seen at least `minimum` times in counted runs, at most `limit`, in code point order."""
    seen: Counter[str] = Counter()
    for run, count in counts.items():
        for character in run:
            seen[character] += count
    kept = [symbol for symbol, count in seen.items() if count >= minimum and is_storable(symbol)]
    kept.sort(key=lambda symbol: (-seen[symbol], symbol))
    return sorted(kept[:limit])


def learn_merges(
    counts: Mapping[str, int], symbols: Sequence[str], *, first_id: int, size: int, minimum: int
) -> list[Pair]:
    """The merges, in order, that take a vocabulary from its base `symbols` to `size` ids.

    Each merge joins the pair seen most often, the one with the lowest ids where several are; it stops early once no
    pair is seen `minimum` times. The ids of `symbols` begin at `first_id`, a new token takes the next one; a string
    that two merges give has one id. `size` counts the ids below `first_id` too.
    """
    tokens = list(symbols)
    ids = {token: first_id + place for place, token in enumerate(tokens)}
    index = PairIndex(counts, ids, minimum)
    merges: list[Pair] = []
    while first_id + len(tokens) < size and (pair := index.most_frequent(max(1, minimum))):
        token = tokens[pair[0] - first_id] + tokens[pair[1] - first_id]
        if token not in ids:
            ids[token] = first_id + len(tokens)
            tokens.append(token)
        index.merge(pair, ids[token])
        merges.append(pair)
    return merges


class PairIndex:
    """Where each pair of neighbouring symbols stands, and how often, kept up to date as pairs are merged.

    Every distinct run is stored once, weighted by its count, in one column of symbols that is also a linked list:
    a merge rewrites the left symbol, unlinks the right one, and touches only the places around it.
    """

    def __init__(self, counts: Mapping[str, int], ids: Mapping[str, int], minimum: int) -> None:
        """`ids`: of the base symbols. Pairs of them that are seen less than `minimum` times are not followed up: no
        merge can make them more frequent.
        """
        kept = {run: count for run, count in counts.items() if len(run) > 1}
        self._symbol, self._weight = _columns(kept, ids)
        self._after = np.arange(1, len(self._symbol) + 1)
        self._before = np.arange(-1, len(self._symbol) - 1)
        self._count: dict[int, int] = defaultdict(int)
        self._places: dict[int, list[Ints]] = defaultdict(list)
        self._heap: list[tuple[int, int]] = []
        self._add(np.arange(len(self._symbol) - 1), minimum)

    def most_frequent(self, minimum: int) -> Pair | None:
        """The pair seen most often, if seen `minimum` times; of several, the one with the lowest ids."""
        while self._heap:
            count, key = -self._heap[0][0], self._heap[0][1]
            if count < minimum:
                return None
            if self._count[key] == count:
                return key >> _HALF, key & ((1 << _HALF) - 1)
            heapq.heapreplace(self._heap, (-self._count[key], key))
        return None

    def merge(self, pair: Pair, merged: int) -> None:
        """Put the symbol `merged` wherever `pair` stands; of overlapping places the left one wins."""
        left = self._places_of(pair)
        right = self._after[left]
        self._remove(np.unique(np.concatenate([self._before[left], left, right])))
        self._symbol[left] = merged
        self._symbol[right] = _MERGED
        self._after[left] = self._after[right]
        self._before[self._after[right]] = left
        self._add(np.unique(np.concatenate([self._before[left], left])))

    def _places_of(self, pair: Pair) -> Ints:
        places = np.unique(np.concatenate(self._places.pop(pair[0] << _HALF | pair[1])))
        stands = (self._symbol[places] == pair[0]) & (self._symbol[self._after[places]] == pair[1])
        places = places[stands]
        return _every_other_in_a_chain(places, self._after) if pair[0] == pair[1] else places

    def _edges(self, starts: Ints) -> tuple[Ints, Ints]:
        """The pairs that begin at `starts`, as `left << 32 | right`, and where; borders have none."""
        left, right = self._symbol[starts], self._symbol[self._after[starts]]
        inside = (left >= 0) & (right >= 0)
        return left[inside] << _HALF | right[inside], starts[inside]

    def _remove(self, starts: Ints) -> None:
        keys, places = self._edges(starts)
        unique, total, _, _ = _grouped(keys, self._weight[places])
        for key, count in zip(unique.tolist(), total.tolist(), strict=True):
            if key in self._count:
                self._count[key] -= count

    def _add(self, starts: Ints, minimum: int = 1) -> None:
        keys, places = self._edges(starts)
        unique, total, order, borders = _grouped(keys, self._weight[places])
        groups = np.split(places[order], borders)
        for key, count, group in zip(unique.tolist(), total.tolist(), groups, strict=len(unique) > 0):
            if count >= minimum:
                self._count[key] += count
                self._places[key].append(group)
                heapq.heappush(self._heap, (-self._count[key], key))


def _columns(counts: Mapping[str, int], ids: Mapping[str, int]) -> tuple[Ints, Ints]:
    """The symbols of all runs, borders around each, and beside every symbol the count of its run."""
    joined = "\0".join(["", *counts, ""]) or "\0"
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    id_of_point = np.full(sys.maxunicode + 1, _BORDER, np.int64)
    for character, id_ in ids.items():
        id_of_point[ord(character)] = id_
    lengths = np.fromiter((len(run) + 1 for run in counts), np.int64, len(counts))
    symbols = id_of_point[points]
    symbols[np.cumsum(np.concatenate([[0], lengths]))] = _BORDER
    weights = np.repeat(np.fromiter(counts.values(), np.int64, len(counts)), lengths)
    return symbols, np.concatenate([[0], weights])


def _grouped(keys: Ints, weights: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Distinct keys, their summed weights, the order that sorts the keys, and where each but the first begins in it."""
    if not len(keys):
        return keys, weights, np.zeros(0, np.int64), np.zeros(0, np.int64)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return ordered[first], np.add.reduceat(weights[order], first), order, first[1:]


def _every_other_in_a_chain(places: Ints, after: Ints) -> Ints:
    """In `aaa` the pair `aa` stands twice, overlapping: keep the first, third, ... place of each such chain."""
    rank = np.arange(len(places))
    begins = np.concatenate([[True], places[1:] != after[places[:-1]]]) if len(places) else np.zeros(0, bool)
    start = np.maximum.accumulate(np.where(begins, rank, 0))
    kept: Ints = places[(rank - start) % 2 == 0]
    return kept
