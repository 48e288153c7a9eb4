"""The wide part of the model at run time: a table of small integers, looked up by hashed features and summed.

Each feature of a character (see `features`) has one row of three weights, for the character as first, last and only
one of a word; "middle" is the zero they are measured from. A row is found by the feature's hash and recognised by eight
more bits of it, so that what was never seen in training mostly adds nothing. Sums and the inference over them (`chain`)
are in integers: the same on every platform. In effect a linear-chain conditional random field (Lafferty et al., 2001).
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.chain import Emissions, gap_log_odds
from segmenter.dictionary import Dictionary
from segmenter.errors import SegmenterError
from segmenter.features import TEMPLATES, Layout, feature_hashes, feature_table, lay_out
from segmenter.hashing import CodePoints, Hashes, code_points
from segmenter.sentences import split_sentences
from segmenter.types import Int16Array, UInt8Array

WEIGHTS_FILE = Path(__file__).parent / "weights" / "wide.npz"
CERTAIN = 2047
"""The log-odds given to a border that is not in doubt, and the greatest there is, in units of 1/64."""

_FORMAT = 1
_BLOCK = 1 << 15
_SHORT = 800
"""Characters whose features are looked up all at once; of longer texts a column at a time, in the cache."""
_HALF = np.uint64(32)
_CHECK = np.uint64(0xFF)
_LANES = (8, 26, 44)
_LANE_BITS = 18


class WideModelError(SegmenterError):
    """The wide model's file does not fit this program."""


class Delta(NamedTuple):
    """What a criterion adds to the shared weights: rows, uint32[m], and numbers to add, int8[m, 3]."""

    rows: NDArray[np.uint32]
    weights: NDArray[np.int8]


class WideModel:
    """Weights as they are stored; scores sentences for one criterion at a time.

    checks: uint8[rows]; weights: int8[rows, 3], in units of `unit`/64; deltas: for each criterion; meta: what made it
    """

    def __init__(
        self, checks: UInt8Array, weights: NDArray[np.int8], deltas: dict[str, Delta], meta: dict[str, Any]
    ) -> None:
        if meta.get("format") != _FORMAT or meta.get("templates") != TEMPLATES:
            raise WideModelError
        self.checks = checks
        self.weights = weights
        self.deltas = deltas
        self.meta = meta
        self.unit = int(meta["unit"])
        self._tables: dict[str, NDArray[np.int64]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Without the tables, which are quicker made again than sent to another process."""
        return self.__dict__ | {"_tables": {}}

    @classmethod
    def load(cls, path: Path = WEIGHTS_FILE) -> "WideModel":
        """Read a model's file (tens of milliseconds). Raises WideModelError when it is of another format."""
        with np.load(path, allow_pickle=False) as stored:
            meta = json.loads(stored["meta"].tobytes().decode())
            names = meta.get("criteria", [])
            deltas = {name: Delta(stored[f"rows_{name}"], stored[f"delta_{name}"]) for name in names}
            return cls(stored["checks"], stored["weights"], deltas, meta)

    def save(self, path: Path) -> None:
        """Write the model as a compressed .npz file; equal models give equal bytes."""
        arrays: dict[str, NDArray[Any]] = {"checks": self.checks, "weights": self.weights}
        for name, delta in self.deltas.items():
            arrays |= {f"rows_{name}": delta.rows, f"delta_{name}": delta.weights}
        meta = {**self.meta, "criteria": list(self.deltas)}
        arrays["meta"] = np.frombuffer(json.dumps(meta, sort_keys=True).encode(), dtype=np.uint8)
        np.savez_compressed(path, allow_pickle=False, **arrays)

    @property
    def criteria(self) -> tuple[str, ...]:
        """The segmentation standards the model knows; the first is the default."""
        return tuple(self.deltas)

    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change when any weight does."""
        digest = hashlib.sha256(json.dumps([self.criteria, self.unit]).encode())
        for array in (self.checks, self.weights, *(column for delta in self.deltas.values() for column in delta)):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    def emissions(self, columns: Iterable[Hashes], criterion: str) -> Emissions:
        """Scores of each character as first, middle, last and only one of a word, in units of 1/64: int32[n] each.

        columns: hashed features, uint64[n] or several as uint64[m, n]
        """
        return self.emissions_by(columns, [criterion])[0]

    def emissions_by(self, columns: Iterable[Hashes], criteria: Sequence[str]) -> list[Emissions]:
        """`emissions` for each of the criteria, which costs less than to ask for one after the other."""
        tables = [self._table(criterion) for criterion in criteria]
        totals = [np.zeros((), dtype=np.int64) for _ in tables]
        for hashes in columns:
            place = row_of(hashes, len(self.checks))
            rows = [table[place] for table in tables]
            known = (rows[0] & 0xFF) == (hashes & _CHECK).astype(np.int64)  # the same in every table
            for i, row in enumerate(rows):
                found = (row >> _LANES[0]) * known
                totals[i] = totals[i] + (found.sum(axis=0) if found.ndim > 1 else found)
        return [self._unpacked(total) for total in totals]

    def _unpacked(self, total: NDArray[np.int64]) -> Emissions:
        first, last, only = (lane * np.int32(self.unit) for lane in _unpack(total))
        return Emissions(first, np.zeros_like(first), last, only)

    def _table(self, criterion: str) -> NDArray[np.int64]:
        """Shared and own weights of a criterion, three lanes of 18 bits over the check bits: int64[rows]."""
        if criterion not in self.deltas:
            raise WideModelError(f"no criterion {criterion!r}; there are {', '.join(self.deltas)}")
        if criterion not in self._tables:
            rows, more = self.deltas[criterion]
            table = self.checks.astype(np.int64)
            for label, lane in enumerate(_LANES):
                weights = self.weights[:, label].astype(np.int64)
                weights[rows] += more[:, label]
                weights <<= lane
                table += weights
            self._tables[criterion] = table
        return self._tables[criterion]


def row_of(hashes: Hashes, rows: int) -> NDArray[np.int64]:
    """The row of a table of `rows` that each feature hash belongs to: int64[n]."""
    return (((hashes >> _HALF) * np.uint64(rows)) >> _HALF).astype(np.int64)


def check_of(hashes: Hashes) -> UInt8Array:
    """The bits a row is recognised by: uint8[n]."""
    return (hashes & _CHECK).astype(np.uint8)


def _unpack(total: NDArray[np.int64]) -> list[NDArray[np.int32]]:
    """Undo the packing of three signed numbers into one sum."""
    half, full = 1 << (_LANE_BITS - 1), 1 << _LANE_BITS
    lanes = []
    for _ in _LANES:
        lane = ((total + half) & (full - 1)) - half
        lanes.append(lane.astype(np.int32))
        total = (total - lane) >> _LANE_BITS
    return lanes


class WideTagger:
    """The wide model as a `Tagger`: border log-odds for texts."""

    def __init__(self, model: WideModel, dictionary: Dictionary) -> None:
        """Raises WideModelError when the model was trained with another dictionary."""
        if model.meta.get("dictionary") != dictionary.fingerprint():
            raise WideModelError("the wide model was trained with another dictionary")
        self.model = model
        self._dictionary = dictionary

    @classmethod
    def load(cls, path: Path = WEIGHTS_FILE, dictionary: Dictionary | None = None) -> "WideTagger":
        """The shipped model, with the shipped dictionary."""
        return cls(WideModel.load(path), dictionary or Dictionary.load())

    @property
    def criteria(self) -> tuple[str, ...]:
        """The segmentation standards the model knows; the first is the default."""
        return self.model.criteria

    def fingerprint(self) -> str:
        """Changes when any score may change."""
        return self.model.fingerprint()

    def boundary_scores(self, texts: Sequence[str], criterion: str | None = None) -> list[Int16Array]:
        """Log-odds of a border in each gap of each normalised text, in units of 1/64: int16[len(text) - 1] each.

        A sentence's scores are the same alone, in a text, in a batch. Raises WideModelError for an unknown criterion.
        """
        return self.boundary_scores_by(texts, [criterion or self.criteria[0]])[0]

    def boundary_scores_by(self, texts: Sequence[str], criteria: Sequence[str]) -> list[list[Int16Array]]:
        """`boundary_scores` by each of the criteria, which costs less than to ask for one after the other."""
        odds_by = self._odds(code_points("\n".join(texts)), criteria)
        starts = np.cumsum([0, *(len(text) + 1 for text in texts)]).tolist()
        bounds = [(start, start + max(len(text) - 1, 0)) for start, text in zip(starts, texts, strict=False)]
        return [[odds[start:end] for start, end in bounds] for odds in odds_by]

    def _odds(self, points: CodePoints, criteria: Sequence[str]) -> list[Int16Array]:
        """Log-odds behind each character of a text, by each of the criteria: int16[n] each."""
        start, length = split_sentences(points)
        parts = [[np.zeros(0, dtype=np.int16)] for _ in criteria]
        for block in _blocks(start):
            first = int(start[block.start])
            inside = points[first : first + int(length[block].sum())]
            for part, odds in zip(parts, self._block_odds(inside, length[block], criteria), strict=True):
                part.append(odds)
        return [np.concatenate(part) for part in parts]

    def emissions(self, layout: Layout, criterion: str) -> Emissions:
        """Scores of the n characters of sentences that are laid out, in units of 1/64: int32[n] each."""
        return self._emissions_by(layout, [criterion])[0]

    def _emissions_by(self, layout: Layout, criteria: Sequence[str]) -> list[Emissions]:
        found = self.model.emissions_by(self._features(layout.points), criteria)
        return [Emissions(*(column[layout.places] for column in emissions)) for emissions in found]

    def _block_odds(
        self, points: CodePoints, length: NDArray[np.int64], criteria: Sequence[str]
    ) -> Iterator[Int16Array]:
        for emissions in self._emissions_by(lay_out(points, length), criteria):
            odds = gap_log_odds(emissions, np.cumsum(length) - length)
            yield np.clip(odds, -CERTAIN, CERTAIN).astype(np.int16)

    def _features(self, points: CodePoints) -> Iterable[Hashes]:
        if len(points) <= _SHORT:
            return [feature_table(points, self._dictionary)]
        return feature_hashes(points, self._dictionary)


def _blocks(start: NDArray[np.int64]) -> Iterable[slice]:
    """Sentences in groups of about `_BLOCK` characters, so that columns stay in the cache."""
    group = start // _BLOCK
    bounds = np.flatnonzero(np.diff(group, prepend=-1, append=-1)).tolist()
    return (slice(first, last) for first, last in pairwise(bounds))
