"""New words of a corpus: Han n-grams that are frequent, that hold together, and that stand in many surroundings.

Cohesion is the pointwise mutual information of an n-gram at its weakest split, branching the smaller of the entropies
of what stands left and right of it (Zhikov, Takamura and Okumura 2010; Jin and Tanaka-Ishii 2006). With a model,
`model` is the share of occurrences in which it makes the n-gram a word although the dictionary does not have it.

The corpus is read twice, in blocks, and n-grams are counted in bounded memory (see `counting`): at most `limit` n-grams
and `limit` surroundings, some 32 bytes each, and `candidates` of them with examples. A count may be too low by
`Discovery.lost` at most.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from segmenter.analyzer import Analyzer
from segmenter.characters import Shape
from segmenter.counting import BoundedCounter
from segmenter.dictionary import Dictionary
from segmenter.hashing import CodePoints, Hashes, hash_text, ngram_hashes
from segmenter.lattice import Int64Array
from segmenter.normalise import Normalized, Normalizer
from segmenter.types import BoolArray, Source

BLOCK: Final = 1 << 16
EXAMPLES: Final = 3
_AROUND = 10
_SIDES = ("left", "right")


@dataclass(frozen=True)
class DiscoveryConfig:
    """What counts as a candidate.

    longest: characters of an n-gram; least: occurrences; cohesion, branching: the least of each, in nats
    candidates: n-grams looked at more closely; limit: n-grams that are counted at once
    """

    longest: int = 5
    least: int = 5
    cohesion: float = 3.0
    branching: float = 1.0
    candidates: int = 50_000
    limit: int = 2_000_000


@dataclass(slots=True)
class Candidate:
    """A new word, in normal form; `entry` is the proposed line of a file of user words."""

    word: str
    frequency: int
    cohesion: float = 0.0
    branching: float = 0.0
    by_model: int = 0
    examples: list[str] = field(default_factory=list)

    @property
    def model(self) -> float:
        """Share of its occurrences that a model makes a word."""
        return self.by_model / self.frequency

    @property
    def score(self) -> float:
        """What the list is sorted by: log-frequency, cohesion and branching in nats, and four times `model`."""
        return float(np.log(self.frequency)) + self.cohesion + self.branching + 4 * self.model

    @property
    def entry(self) -> str:
        """A common word, never cut into smaller ones."""
        return f"{self.word}\t\t"


@dataclass(frozen=True, slots=True)
class Discovery:
    """The candidates, best first; how many Han characters were read; by how much a count may be too low."""

    candidates: list[Candidate]
    characters: int
    lost: int


def discover(read: Callable[[], Iterable[str]], analyzer: Analyzer, config: DiscoveryConfig | None = None) -> Discovery:
    """The new words of a corpus that `read` gives, text by text, each time it is called.

    What the analyzer already makes a word by dictionary or user word is left out.
    """
    config = config or DiscoveryConfig()
    counted = _count(read(), config)
    look = _Look(*_frequent(counted, config), analyzer, config)
    for text, normalized in _blocks(read()):
        look.at(text, normalized)
    return Discovery(look.found(counted), counted.characters, counted.ngrams.lost)


@dataclass(slots=True)
class _Counted:
    ngrams: BoundedCounter
    characters: int = 0


def _count(texts: Iterable[str], config: DiscoveryConfig) -> _Counted:
    """First reading: every Han n-gram."""
    counted = _Counted(BoundedCounter(config.limit))
    for _, normalized in _blocks(texts):
        for hashes, inside in _ngrams(normalized, config.longest):
            counted.ngrams.add(hashes[inside])
        counted.characters += int((normalized.shapes == Shape.HAN).sum())
    return counted


def _frequent(counted: _Counted, config: DiscoveryConfig) -> tuple[Hashes, Int64Array]:
    """(hashes, ascending; counts) of the most frequent n-grams; single characters are among them."""
    keys, counts = counted.ngrams.items()
    enough = counts >= config.least
    keys, counts = keys[enough], counts[enough]
    if len(keys) > config.candidates:
        order = np.sort(np.argsort(-counts, kind="stable")[: config.candidates])
        keys, counts = keys[order], counts[order]
    return keys, counts


def _blocks(texts: Iterable[str]) -> Iterator[tuple[str, Normalized]]:
    """The texts joined by line feeds in blocks of about `BLOCK` characters; lone surrogates become U+FFFD."""
    normalizer = Normalizer()
    group: list[str] = []
    size = 0
    for text in texts:
        for first in range(0, len(text), BLOCK):
            part = text[first : first + BLOCK]
            group.append(part)
            size += len(part) + 1
            if size >= BLOCK:
                yield _normalized("\n".join(group), normalizer)
                group, size = [], 0
    if group:
        yield _normalized("\n".join(group), normalizer)


def _normalized(text: str, normalizer: Normalizer) -> tuple[str, Normalized]:
    clean = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return clean, normalizer.normalize(clean)


def _ngrams(normalized: Normalized, longest: int) -> Iterator[tuple[Hashes, BoolArray]]:
    """For n = 1, 2, ... the hashes of n-grams by place, and which of them are all Han."""
    han = normalized.shapes == Shape.HAN
    inside = han
    for n, hashes in enumerate(ngram_hashes(normalized.points, longest), start=1):
        inside = han if n == 1 else inside[:-1] & han[n - 1 :]
        yield hashes, inside


class _Look:
    """Second reading: what the frequent n-grams are, what stands beside them, where they are."""

    def __init__(self, keys: Hashes, counts: Int64Array, analyzer: Analyzer, config: DiscoveryConfig) -> None:
        self._keys, self._counts = keys, counts
        self._analyzer, self._config = analyzer, config
        self._words: dict[int, Candidate] = {}
        self._beside = BoundedCounter(config.limit)
        self._sides: dict[tuple[int, str], list[int]] = {}

    def at(self, text: str, normalized: Normalized) -> None:
        """Look at one block."""
        if not len(self._keys):
            return
        for n, (hashes, inside) in enumerate(_ngrams(normalized, self._config.longest), start=1):
            if n == 1:
                continue
            places = np.flatnonzero(inside)
            number = np.minimum(np.searchsorted(self._keys, hashes[places]), len(self._keys) - 1)
            known = self._keys[number] == hashes[places]
            places, number = places[known], number[known]
            self._surroundings(normalized.points, places, number, n)
            self._examples(text, normalized, places, number, n)
        self._ask(text)

    def _surroundings(self, points: CodePoints, places: Int64Array, number: Int64Array, n: int) -> None:
        """Count what stands left and right of each occurrence; the ends of the block count as one character."""
        padded = np.concatenate((np.zeros(1, dtype=np.uint32), points, np.zeros(1, dtype=np.uint32)))
        for side, beside in enumerate((padded[places], padded[places + n + 1])):
            self._beside.add(_key(number, beside, side))

    def _examples(self, text: str, normalized: Normalized, places: Int64Array, number: Int64Array, n: int) -> None:
        """Remember the word and its first surroundings in the original."""
        for which, place in zip(*_firsts(number, places), strict=True):
            word = self._words.get(which)
            if word is None:
                form = normalized.text[place : place + n]
                word = self._words[which] = Candidate(form, int(self._counts[which]))
            if len(word.examples) < EXAMPLES:
                low = int(normalized.starts[max(place - _AROUND, 0)])
                high = int(normalized.ends[min(place + n + _AROUND, len(normalized.points)) - 1])
                word.examples.append(" ".join(text[low:high].split()))

    def _ask(self, text: str) -> None:
        """Count where the model makes a word that the dictionary does not have."""
        if not self._analyzer.criteria:
            return
        normalizer = Normalizer()
        made = [token.text for token in self._analyzer.segment(text) if token.source is Source.MODEL]
        for form in normalizer.normalize("\n".join(made)).text.split("\n"):
            if 2 <= len(form) <= self._config.longest:
                wanted = np.uint64(hash_text(form))
                number = int(np.searchsorted(self._keys, wanted))
                if number < len(self._keys) and self._keys[number] == wanted and number in self._words:
                    self._words[number].by_model += 1

    def found(self, counted: _Counted) -> list[Candidate]:
        """The candidates that pass, best first."""
        branching = self._branching()
        dictionary = Dictionary.load()
        kept = []
        for number, word in self._words.items():
            if dictionary.contains(word.word):
                continue
            word.cohesion = _cohesion(word, counted)
            word.branching = branching.get(number, 0.0)
            if word.cohesion >= self._config.cohesion and word.branching >= self._config.branching:
                kept.append(word)
        alone = {word.word: token for word in kept if (token := self._analyzer.segment(word.word))}
        own = {form for form, tokens in alone.items() if len(tokens) == 1 and tokens[0].source is Source.USER}
        return sorted((word for word in kept if word.word not in own), key=lambda word: (-word.score, word.word))

    def _branching(self) -> dict[int, float]:
        """The smaller of the two entropies of each candidate, in nats."""
        keys, counts = self._beside.items()
        group = (keys >> np.uint64(21)).astype(np.int64)
        if not len(group):
            return {}
        first = np.flatnonzero(np.diff(group, prepend=-1))
        total = np.add.reduceat(counts, first)
        share = counts / np.repeat(total, np.diff(first, append=len(group)))
        entropy = -np.add.reduceat(share * np.log(share), first)
        found: dict[int, list[float]] = {}
        for name, value in zip(group[first].tolist(), entropy.tolist(), strict=True):
            found.setdefault(name // 2, []).append(value)
        return {number: min(values) if len(values) == len(_SIDES) else 0.0 for number, values in found.items()}


def _key(number: Int64Array, beside: CodePoints, side: int) -> Hashes:
    """A candidate, a side and a character in one number, by which keys of one side of one candidate lie together."""
    return ((number.astype(np.uint64) * np.uint64(2) + np.uint64(side)) << np.uint64(21)) | beside.astype(np.uint64)


def _firsts(number: Int64Array, places: Int64Array) -> tuple[list[int], list[int]]:
    """(candidate, place) of the first occurrence of each in a block."""
    which, first = np.unique(number, return_index=True)
    return which.tolist(), places[first].tolist()


def _cohesion(word: Candidate, counted: _Counted) -> float:
    """log(p(word) / (p(left) p(right))) at the split where it is lowest."""
    form = word.word
    parts = [(form[:i], form[i:]) for i in range(1, len(form))]
    hashes = np.array([[hash_text(left), hash_text(right)] for left, right in parts], dtype=np.uint64)
    counts = np.maximum(counted.ngrams.counts(hashes.ravel()).reshape(-1, 2), word.frequency).astype(np.float64)
    information = np.log(word.frequency) + np.log(max(counted.characters, 1)) - np.log(counts).sum(axis=1)
    return float(information.min())
