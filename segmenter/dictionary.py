"""A word list as a compiled hash table that is read with numpy: every word of a text in one pass.

The table holds each word, and each proper prefix (two characters or more) of a word so that looking for long words
costs nothing where none begins. A slot is a 32-bit fingerprint of the n-gram's 64-bit hash and one number:
`2 * (frequency index + 1) + is a prefix of a longer word`, with 0 for "not a word". Collisions are resolved by taking
the next slot; that every stored word is told from every other is checked when the table is built, and a string that
is not stored passes for a word with probability below 1e-9.
"""

import argparse
import hashlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.hashing import CodePoints, Hashes, code_points, hash_text, mix, ngram_hashes, prefix_hashes

GRID = 64
"""Log-probabilities and log-odds are integers in units of 1/64."""

_FORMAT = 1
_LOAD = 0.62
_HALF = np.uint64(32)
_BLOCK = 2**15
_TAIL = 256
_FEW = 512
"""Hashes for which all places of a search are read at once."""
_SHORT, _USUAL = 640, 4
"""Characters of a text in which the n-grams of up to so many characters are looked up at once."""
DEFAULT_FILE = Path(__file__).parent / "data" / "dictionary.npz"


class Matches(NamedTuple):
    """Dictionary words in a text: columns sorted by start, then length."""

    start: NDArray[np.int32]
    length: NDArray[np.int32]
    log_probability: NDArray[np.int16]
    """Natural logarithm of frequency / total, in units of 1/64."""


class Dictionary:
    """An immutable word list with frequencies.

    >>> cities = Dictionary.build([("南京", 50), ("南京市", 20), ("市长", 30), ("长江大桥", 10)])
    >>> found = cities.match(code_points("南京市长江大桥"))
    >>> list(zip(found.start.tolist(), found.length.tolist()))
    [(0, 2), (0, 3), (2, 2), (3, 4)]
    """

    def __init__(
        self,
        fingerprints: NDArray[np.uint32],
        values: NDArray[np.uint32] | NDArray[np.uint16],
        frequencies: NDArray[np.int64],
        log_probabilities: NDArray[np.int16],
        header: NDArray[np.int64],
    ) -> None:
        """Wrap the arrays of a compiled table; `header` is (format, words, longest word, total, most probes, salt)."""
        if int(header[0]) != _FORMAT:
            raise ValueError(f"dictionary format {int(header[0])}, expected {_FORMAT}")
        self._fingerprints = fingerprints
        self._values = values
        self._frequencies = frequencies
        self._log_probabilities = log_probabilities
        self._header = header
        self.words = int(header[1])
        self.longest = int(header[2])
        self.total = int(header[3])
        self._probes = int(header[4])
        self._salt = int(header[5])

    @classmethod
    def build(cls, entries: Iterable[tuple[str, int]], normalize: Callable[[str], str] | None = None) -> "Dictionary":
        """Compile (word, frequency) pairs; frequencies of words with one normalised form add up.

        Raises ValueError for a negative frequency. Empty words are left out.
        """
        frequency_of: dict[str, int] = {}
        for word, frequency in entries:
            if frequency < 0:
                raise ValueError(f"negative frequency {frequency} of {word!r}")
            form = normalize(word) if normalize else word
            if form:
                frequency_of[form] = frequency_of.get(form, 0) + frequency
        return _compile(frequency_of)

    @classmethod
    def load(cls, path: Path = DEFAULT_FILE) -> "Dictionary":
        """Read a compiled table (a few milliseconds). Raises ValueError when the file is of another format."""
        with np.load(path, allow_pickle=False) as arrays:
            return cls(*(arrays[name] for name in cls._arrays()))

    def save(self, path: Path) -> None:
        """Write the table as an uncompressed .npz file; equal dictionaries give equal bytes."""
        np.savez(path, **{name: getattr(self, f"_{name}") for name in self._arrays()})

    @staticmethod
    def _arrays() -> tuple[str, ...]:
        return ("fingerprints", "values", "frequencies", "log_probabilities", "header")

    def rescored(self, scores: NDArray[np.int16]) -> "Dictionary":
        """The same words, sharing memory: `scores[i]` takes the place of the i-th smallest frequency's probability."""
        if scores.shape != self._log_probabilities.shape:
            raise ValueError(f"{len(scores)} scores for {len(self._log_probabilities)} frequencies")
        return Dictionary(self._fingerprints, self._values, self._frequencies, scores, self._header)

    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change when any word or frequency does."""
        digest = hashlib.sha256()
        for name in self._arrays():
            digest.update(np.ascontiguousarray(getattr(self, f"_{name}")).tobytes())
        return digest.hexdigest()[:16]

    def lookup(self, hashes: Hashes) -> NDArray[np.uint32]:
        """The table's number for each n-gram hash (see the module's docstring), 0 where there is none: uint32[n]."""
        slots, wanted = _places(hashes, self._salt, len(self._fingerprints))
        if len(hashes) <= _FEW:
            return self._lookup_few(slots, wanted)
        found = np.zeros(len(hashes), dtype=np.uint32)
        open_queries: NDArray[np.int64] | None = None
        for _ in range(self._probes):
            stored = self._fingerprints[slots]
            hit = stored == wanted
            places = np.flatnonzero(hit)
            found[places if open_queries is None else open_queries[places]] = self._values[slots[places]]
            left = np.flatnonzero(~hit & (stored != 0))
            if not len(left):
                break
            open_queries = left if open_queries is None else open_queries[left]
            slots, wanted = slots[left] + 1, wanted[left]
        return found

    def _lookup_few(self, slots: NDArray[np.int64], wanted: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """`lookup` in few steps, each over a table of searches and probes."""
        places = slots[:, None] + np.arange(self._probes)
        stored = self._fingerprints[places]
        hit = stored == wanted[:, None]
        rows = np.arange(len(slots))
        last = (hit | (stored == 0)).argmax(axis=1)
        found: NDArray[np.uint32] = self._values[places[rows, last]] * hit[rows, last]
        return found.astype(np.uint32, copy=False)

    def match(self, points: CodePoints) -> Matches:
        """All words of the dictionary in a text, overlapping ones too.

        Many short texts are best matched at once, joined by a character that is in no word (such as a line feed).
        """
        if 0 < len(points) <= _SHORT and self.longest >= _USUAL:
            return self._match_short(points)
        parts = [self._match_block(points, first) for first in range(0, max(len(points), 1), _BLOCK)]
        return Matches(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def _match_short(self, points: CodePoints) -> Matches:
        """`match` in few steps: what is no beginning of a word is looked up too, and left out afterwards."""
        size = len(points)
        hashes = np.zeros((_USUAL, size), dtype=np.uint64)
        for row, ngrams in zip(hashes, ngram_hashes(points, _USUAL), strict=True):
            row[: len(ngrams)] = ngrams
        code = self.lookup(hashes.ravel()).reshape(_USUAL, size)
        for less in range(1, _USUAL):
            code[less, max(size - less, 0) :] = 0
        for less in range(2, _USUAL):
            code[less] *= code[less - 1] & 1
        start, length = (code.T > 1).nonzero()
        codes = code[length, start]
        longer = self._longer(points, hashes[-1], code[-1])
        if longer:
            start, length, codes = (
                np.concatenate([column, *more])
                for column, more in zip((start, length, codes), zip(*longer, strict=True), strict=True)
            )
            order = start.argsort(kind="stable")
            start, length, codes = start[order], length[order], codes[order]
        probability = self._log_probabilities[(codes >> 1).astype(np.int64) - 1]
        return Matches(start.astype(np.int32), (length + 1).astype(np.int32), probability)

    def _longer(
        self, points: CodePoints, shorter: Hashes, code: NDArray[np.uint32]
    ) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]]:
        """(starts, lengths less one, table's numbers) of the words of more than `_USUAL` characters, by length."""
        found = []
        start = np.arange(len(code))
        for length in range(_USUAL + 1, self.longest + 1):
            going = (((code & 1) == 1) & (start + length <= len(points))).nonzero()[0]
            if not len(going):
                break
            start = start[going]
            shorter = prefix_hashes(points, start, length, shorter[going])
            code = self.lookup(shorter)
            words = (code > 1).nonzero()[0]
            found.append((start[words], np.full(len(words), length - 1), code[words]))
        return found

    def _match_block(self, points: CodePoints, first: int) -> Matches:
        """The words that begin in `points[first:first + _BLOCK]`."""
        levels = self._levels(points[first : first + _BLOCK + self.longest - 1], min(_BLOCK, len(points) - first))
        starts, lengths, codes = [], [], []
        for length, (start, code) in enumerate(levels, start=1):
            is_word = np.flatnonzero(code > 1)
            starts.append(start[is_word])
            lengths.append(np.full(len(is_word), length, dtype=np.int32))
            codes.append(code[is_word])
        start = np.concatenate(starts)
        order = np.argsort(start, kind="stable")
        probability = self._log_probabilities[(np.concatenate(codes)[order] >> 1).astype(np.int64) - 1]
        return Matches((start[order] + first).astype(np.int32), np.concatenate(lengths)[order], probability)

    def _levels(self, points: CodePoints, count: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint32]]]:
        """For each length the starts below `count` that may still begin a word, with the table's numbers."""
        for ngrams in ngram_hashes(points, min(2, self.longest)):
            shorter = ngrams[:count]
            start, code = np.arange(len(shorter)), self.lookup(shorter)
            yield start, code
        for length in range(3, self.longest + 1):
            going = np.flatnonzero((code & 1).astype(bool) & (start + length <= len(points)))
            if not len(going):
                return
            start = start[going]
            shorter = prefix_hashes(points, start, length, shorter[going])
            code = self.lookup(shorter)
            yield start, code

    def _code(self, word: str) -> int:
        return int(self.lookup(np.array([hash_text(word)], dtype=np.uint64))[0]) if word else 0

    def contains(self, word: str) -> bool:
        """Whether the (normalised) word is in the dictionary."""
        return self._code(word) > 1

    def frequency(self, word: str) -> int:
        """The word's frequency, 0 when it is not in the dictionary."""
        code = self._code(word)
        return int(self._frequencies[(code >> 1) - 1]) if code > 1 else 0

    def frequencies(self, words: Sequence[str]) -> NDArray[np.int64]:
        """`frequency` of each of many (normalised) words, in one pass: int64[len(words)]."""
        points = code_points("".join(words))
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        ends = np.cumsum(lengths)
        found = np.zeros(len(words), dtype=np.int64)
        going, hashes = np.flatnonzero(lengths > 0), None
        for length in range(1, self.longest + 1):
            hashes = prefix_hashes(points, (ends - lengths)[going], length, hashes)
            whole = lengths[going] == length
            code = self.lookup(hashes[whole]).astype(np.int64)
            found[going[whole]] = np.where(code > 1, self._frequencies[np.maximum((code >> 1) - 1, 0)], 0)
            going, hashes = going[~whole], hashes[~whole]
        return found

    def log_probability(self, word: str) -> int | None:
        """log(frequency / total) in units of 1/64, None when the word is not in the dictionary."""
        code = self._code(word)
        return int(self._log_probabilities[(code >> 1) - 1]) if code > 1 else None


def _places(hashes: Hashes, salt: int, slots: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """First slot and fingerprint of each hash; behind the last first slot are `_TAIL` more, so no search wraps."""
    mixed = mix(hashes, salt)
    home = ((mixed >> _HALF) * np.uint64(slots - _TAIL)) >> _HALF
    fingerprint = mixed.astype(np.uint32)
    fingerprint[fingerprint == 0] = 1
    return home.astype(np.int64), fingerprint


def _compile(frequency_of: dict[str, int]) -> Dictionary:
    total = max(sum(frequency_of.values()), 1)
    longest = max(map(len, frequency_of), default=1)
    frequencies, index = np.unique(np.fromiter(frequency_of.values(), np.int64, len(frequency_of)), return_inverse=True)
    hashes, codes = _entries(list(frequency_of), index.astype(np.int64))
    probabilities = np.log(np.maximum(frequencies, 1) / total)
    log_probabilities = np.clip(np.rint(probabilities * GRID), -(2**15), 0).astype(np.int16)
    narrow = len(frequencies) < 2**15 - 1
    for salt in range(64):
        table = _fill(hashes, salt, int(len(hashes) / _LOAD) + _TAIL + 1)
        if table is None:
            continue
        fingerprints, slots, probes = table
        values = np.zeros(len(fingerprints), dtype=np.uint32)
        values[slots] = codes
        header = np.array([_FORMAT, len(frequency_of), longest, total, probes, salt], dtype=np.int64)
        dictionary = Dictionary(
            fingerprints, values.astype(np.uint16) if narrow else values, frequencies, log_probabilities, header
        )
        if np.array_equal(dictionary.lookup(hashes), codes):
            return dictionary
    raise ValueError("no salt tells all words apart")


def _entries(words: list[str], frequency_index: NDArray[np.int64]) -> tuple[Hashes, NDArray[np.uint32]]:
    """Hashes, sorted, and table numbers of all words and of their prefixes of two characters or more."""
    points = code_points("".join(words))
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    starts = np.cumsum(lengths) - lengths
    hashes: list[Hashes] = [np.zeros(0, dtype=np.uint64)]
    codes: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    current: Hashes | None = None
    for length in range(1, int(lengths.max(initial=0)) + 1):
        current = prefix_hashes(points, starts, length, current)
        whole = lengths == length
        hashes += [current[whole]] + ([current[~whole]] if length > 1 else [])
        codes += [2 * (frequency_index[whole] + 1)] + ([np.ones(int((~whole).sum()), np.int64)] if length > 1 else [])
        starts, lengths, frequency_index, current = (
            column[~whole] for column in (starts, lengths, frequency_index, current)
        )
    keys, place = np.unique(np.concatenate(hashes), return_inverse=True)
    merged = np.zeros(len(keys), dtype=np.uint32)
    np.bitwise_or.at(merged, place, np.concatenate(codes).astype(np.uint32))
    if np.count_nonzero(merged > 1) != len(words):
        raise ValueError("two words have the same hash")
    return keys, merged


def _fill(hashes: Hashes, salt: int, size: int) -> tuple[NDArray[np.uint32], NDArray[np.int64], int] | None:
    """Fingerprint table, the slot of each hash and the most probes a search needs; None if they do not fit.

    Entries stand in the order of their first slots, which keeps the longest search short (Robin Hood hashing).
    """
    homes, fingerprints = _places(hashes, salt, size)
    order = np.argsort(homes, kind="stable")
    rank = np.arange(len(order))
    slots = np.empty(len(order), dtype=np.int64)
    slots[order] = np.maximum.accumulate(homes[order] - rank) + rank
    if slots.max(initial=0) >= size - 1:
        return None
    table = np.zeros(size, dtype=np.uint32)
    table[slots] = fingerprints
    return table, slots, int((slots - homes).max(initial=0)) + 1


def jieba_entries(path: Path | None = None) -> Iterator[tuple[str, int]]:
    """(word, frequency) of the word list in the installed jieba package, or of a file of its form."""
    if path is None:
        spec = importlib.util.find_spec("jieba")
        if spec is None or spec.origin is None:
            raise ValueError("jieba is not installed")
        path = Path(spec.origin).parent / "dict.txt"
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            word, frequency, *_ = line.split(" ")
            yield word, int(frequency)


def main(arguments: list[str] | None = None) -> int:
    """`python -m segmenter.dictionary build`: compile jieba's word list into the file that is shipped."""
    from segmenter.normalise import Normalizer

    parser = argparse.ArgumentParser(prog="python -m segmenter.dictionary", description=main.__doc__)
    parser.add_argument("command", choices=["build"])
    parser.add_argument("--words", type=Path, help="a file of lines 'word frequency ...' instead of jieba's")
    parser.add_argument("--output", type=Path, default=DEFAULT_FILE)
    options = parser.parse_args(arguments)
    normalizer = Normalizer()
    dictionary = Dictionary.build(jieba_entries(options.words), lambda word: normalizer.normalize(word).text)
    dictionary.save(options.output)
    print(f"{dictionary.words} words, {options.output.stat().st_size} bytes: {options.output}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
