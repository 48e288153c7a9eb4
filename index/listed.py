"""Postings made ready for one state of a collection: the documents that are there, and what each adds to a score.

Readiness is kept between queries (`index.kept`): of the frequent lexemes, which cost most, it is hardly ever made anew.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from index.collection import Collection, Floats, Mask
from index.kept import Kept
from index.postings import Postings
from index.tsvector import Ints

Keys = tuple[int, str]
"""Kind and lexeme."""

DENSE = 8
"""Shares of a lexeme that one in so many documents holds are an array over all documents, which is added faster."""

_OVERHEAD = 300


class Listed:
    """The living documents of one lexeme in one kind."""

    def __init__(self, postings: Postings) -> None:
        self.postings = postings
        self._shares: Floats | None = None
        self._ascending: Ints | None = None

    def add_to(self, scores: Floats, norm: Floats, weight: float) -> None:
        """Add `weight * tf / (tf + norm)` to the scores of the documents; `norm`: float32[documents]."""
        shares = self.shares(norm)
        if len(shares) == len(scores):
            scores += np.float32(weight) * shares
        else:
            scores[self.postings.ords] += np.float32(weight) * shares

    def shares(self, norm: Floats) -> Floats:
        """`tf / (tf + norm)` of each document of the list, or, where these are many, of all documents."""
        if self._shares is None:
            ords, tfs = self.postings
            tf = tfs.astype(np.float32)
            shares = tf / (tf + norm[ords])
            if is_dense(len(ords), len(norm)):
                everywhere = np.zeros(len(norm), np.float32)
                everywhere[ords] = shares
                shares = everywhere
            self._shares = shares
        return self._shares

    def mark(self, mask: Mask) -> None:
        """Set the mask, bool[documents], where documents hold the lexeme."""
        shares = self._shares
        if shares is not None and len(shares) == len(mask):
            mask |= shares > 0
        else:
            mask[self.postings.ords] = True

    def held_by(self, ords: NDArray[np.int64]) -> Mask:
        """Which of these few documents hold the lexeme: bool[len(ords)]."""
        shares = self._shares
        if shares is not None and len(shares) > len(self.postings.ords):
            return shares[ords] > 0
        if not len(self.postings.ords):
            return np.zeros(len(ords), np.bool_)
        if self._ascending is None:
            self._ascending = _ascending(self.postings.ords)
        places = self._ascending.searchsorted(ords)
        found: Mask = self._ascending.take(places, mode="clip") == ords
        return found


def _ascending(ords: Ints) -> Ints:
    return ords if (ords[1:] > ords[:-1]).all() else np.sort(ords)


def is_dense(holding: int, size: int) -> bool:
    """Whether so many documents of all are many."""
    return holding * DENSE > size


def living(postings: Postings, live: Mask) -> Postings:
    """The postings of documents that are there: neither replaced or deleted, nor written since `live` was read."""
    known = postings.ords < len(live)
    known[known] = live[postings.ords[known]]
    return postings if known.all() else Postings(postings.ords[known], postings.tfs[known])


_KEPT: Kept[tuple[int, tuple[float, ...], int, str], Listed] = Kept(96 << 20)


def listed(collection: Collection, lists: Mapping[Keys, Postings], constants: tuple[float, ...]) -> dict[Keys, Listed]:
    """Each list made ready; `constants` are what the norms that its shares are asked for depend on."""
    stock = collection.stock
    if stock is None:
        return {key: Listed(living(found, collection.live)) for key, found in lists.items()}
    kept = _KEPT.get((stock.state, constants, *key) for key in lists)
    ready = {(kind, lexeme): found for (_, _, kind, lexeme), found in kept.items()}
    fresh = {key: Listed(living(found, collection.live)) for key, found in lists.items() if key not in ready}
    _KEPT.put(((stock.state, constants, *key), one, _size(one, collection.size)) for key, one in fresh.items())
    return ready | fresh


def _size(one: Listed, size: int) -> int:
    """Bytes, shares among them. That the postings may be shared with those that a reader keeps does not count."""
    holding = len(one.postings.ords)
    return _OVERHEAD + 5 * holding + 4 * (size if is_dense(holding, size) else holding)
