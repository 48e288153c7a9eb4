"""Text for training as flat arrays, and the batches drawn from it.

A corpus is three arrays in a folder: the ids of all windows one after another (uint16), a bit for each id that says
whether a word starts there, and the offset of each window. An epoch then costs no tokenising, and a batch is a pure
function of (seed, epoch, number), so a resumed run needs no generator state to go on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from encoder.tokenizers.base import PAD, Tokenizer

WordStarts = Callable[[str], Iterable[int]]
"""Where words begin in a text, as code-point offsets: dictionary words, runs of Latin letters, digits."""

Span = tuple[int, int]

MOST_IDS = 1 << 16
"""Ids are stored in two bytes."""

_Item = TypeVar("_Item", bound=np.generic)
_SENTENCE = re.compile(r"[^。!?;\n]*[。!?;\n]*[」』”’)\]]*")
_RUN = re.compile(r"[a-z0-9]+", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")


def normalise(text: str) -> str:
    """NFKC and case fold, with runs of white space made one space: the form in which the Encoder reads text."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _SPACE.sub(" ", folded).strip()


def han_share(text: str) -> float:
    """The share of Han characters in a text, 0 for an empty one."""
    return len(_HAN.findall(text)) / len(text) if text else 0.0


def windows(text: str, limit: int) -> Iterator[str]:
    """Cut a paragraph into windows of at most `limit` characters, at sentence ends where possible. They join to it."""
    window = ""
    for sentence in _SENTENCE.findall(text):
        if len(window) + len(sentence) > limit and window:
            yield window
            window = ""
        while len(sentence) > limit:
            yield sentence[:limit]
            sentence = sentence[limit:]
        window += sentence
    if window:
        yield window


def run_starts(text: str) -> list[int]:
    """Word starts without any dictionary: each run of Latin letters and digits is a word, as is any other character."""
    inside = {place for run in _RUN.finditer(text) for place in range(run.start() + 1, run.end())}
    return [place for place in range(len(text)) if place not in inside]


@dataclass(frozen=True)
class Corpus:
    """Windows of ids and their word starts.

    Attributes:
        ids: uint16 (N,), all windows one after another.
        word_starts: bool (N,), true where a word begins.
        offsets: int64 (windows + 1,), window i is `ids[offsets[i]:offsets[i + 1]]`.
        tokenizer: fingerprint of the tokenizer that made the ids.
        fingerprint: 16 hex digits of the arrays' SHA-256.
    """

    ids: NDArray[np.uint16]
    word_starts: NDArray[np.bool_]
    offsets: NDArray[np.int64]
    tokenizer: str
    fingerprint: str

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each window."""
        return np.diff(self.offsets)

    @classmethod
    def build(cls, texts: Iterable[str], tokenizer: Tokenizer, word_starts: WordStarts = run_starts) -> Corpus:
        """Encode texts, one window each. A word begins with the token that begins where the word does: a token that
        reaches over a border belongs to the word it began in. ValueError for more than 65,536 different ids.
        """
        if tokenizer.vocabulary_size > MOST_IDS:
            raise ValueError(f"a corpus holds ids below {MOST_IDS}, the tokenizer has {tokenizer.vocabulary_size}")
        ids, starts, offsets = [], [], [0]
        for text in texts:
            found = np.array(list(tokenizer.pieces(text)), dtype=np.int64).reshape(-1, 3)
            row = found[:, 0].astype(np.uint16)
            inside = np.zeros(len(text) + 1, dtype=np.bool_)
            inside[list(word_starts(text))] = True
            inside[:1] = True
            mark = inside[found[:, 1]] & (np.diff(found[:, 1], prepend=-1) > 0)
            ids.append(row)
            starts.append(mark)
            offsets.append(offsets[-1] + len(row))
        return cls.of(_joined(ids, np.uint16), _joined(starts, np.bool_), np.array(offsets), tokenizer.fingerprint())

    @classmethod
    def of(
        cls, ids: NDArray[np.uint16], starts: NDArray[np.bool_], offsets: NDArray[np.int64], tokenizer: str
    ) -> Corpus:
        """A corpus from its arrays, with the fingerprint computed."""
        digest = hashlib.sha256(tokenizer.encode())
        for array in (ids, starts, offsets):
            digest.update(np.ascontiguousarray(array).tobytes())
        return cls(ids, starts, offsets, tokenizer, digest.hexdigest()[:16])

    def take(self, rows: Sequence[int] | NDArray[np.int64]) -> Corpus:
        """The windows `rows`, in that order, as a corpus of its own."""
        parts = [slice(self.offsets[row], self.offsets[row + 1]) for row in rows]
        offsets = np.concatenate(([0], np.cumsum(self.lengths[np.asarray(rows, dtype=np.int64)])))
        ids = _joined([self.ids[part] for part in parts], np.uint16)
        starts = _joined([self.word_starts[part] for part in parts], np.bool_)
        return Corpus.of(ids, starts, offsets, self.tokenizer)

    def save(self, folder: Path) -> None:
        """Write the arrays and `corpus.json` into `folder`; the JSON comes last and so marks a whole corpus."""
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / "ids.npy", self.ids)
        np.save(folder / "word_starts.npy", np.packbits(self.word_starts))
        np.save(folder / "offsets.npy", self.offsets)
        meta = {"windows": len(self), "characters": len(self.ids), "tokenizer": self.tokenizer}
        (folder / "corpus.json").write_text(json.dumps(meta | {"fingerprint": self.fingerprint}, indent=1) + "\n")

    @classmethod
    def load(cls, folder: Path) -> Corpus:
        """Read what `save` wrote. Raises ValueError if the arrays are not those the JSON speaks of."""
        meta = json.loads((folder / "corpus.json").read_text())
        ids, offsets = np.load(folder / "ids.npy"), np.load(folder / "offsets.npy")
        starts = np.unpackbits(np.load(folder / "word_starts.npy"), count=len(ids)).astype(np.bool_)
        corpus = cls.of(ids, starts, offsets, meta["tokenizer"])
        if corpus.fingerprint != meta["fingerprint"]:
            raise ValueError(f"{folder} was changed after it was written: fingerprint {corpus.fingerprint}")
        return corpus


def corpus_window(corpus: Corpus, tokenizer: Tokenizer, row: int) -> tuple[str, list[Span]]:
    """Window `row` as text, with its words; what is unknown to the tokenizer appears as one `\\ufffd` a token."""
    first, last = corpus.offsets[row], corpus.offsets[row + 1]
    text, spans = tokenizer.layout(corpus.ids[first:last].tolist())
    starts = (spans[place][0] for place in np.flatnonzero(corpus.word_starts[first:last]))
    return text, spans_from_starts(starts, len(text))


def spans_from_starts(starts: Iterable[int], length: int) -> list[Span]:
    """The words of a text of `length` characters, as `(start, end)`, from where they begin."""
    borders = sorted({0, *starts} - {length})
    return list(zip(borders, [*borders[1:], length], strict=True)) if length else []


def _joined(parts: Sequence[NDArray[_Item]], kind: type[_Item]) -> NDArray[_Item]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)


def epoch_batches(lengths: NDArray[np.int64], batch_characters: int, seed: int, epoch: int) -> list[NDArray[np.int64]]:
    """The batches of one epoch: every window once, like lengths together, in an order drawn from (seed, epoch).

    Windows are shuffled, sorted by length rounded up to a multiple of 8, and cut so that rows x longest row stays
    within `batch_characters` (one row at least).
    """
    generator = np.random.default_rng((seed, epoch))
    order = generator.permutation(len(lengths))
    rounded = -(-lengths[order] // 8) * 8
    order = order[np.argsort(rounded, kind="stable")]
    batches, start = [], 0
    for stop in _cuts(lengths[order], batch_characters):
        batches.append(order[start:stop])
        start = stop
    return [batches[i] for i in generator.permutation(len(batches))]


def _cuts(lengths: NDArray[np.int64], batch_characters: int) -> Iterator[int]:
    start = longest = 0
    for place, length in enumerate(lengths.tolist()):
        longest = max(longest, length)
        if place > start and longest * (place - start + 1) > batch_characters:
            yield place
            start, longest = place, length
    if len(lengths):
        yield len(lengths)


def padded_rows(corpus: Corpus, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """ids (B, L) padded with PAD, and word starts (B, L), false at padding."""
    longest = int(corpus.lengths[rows].max())
    ids = np.full((len(rows), longest), PAD, dtype=np.int64)
    starts = np.zeros((len(rows), longest), dtype=np.bool_)
    for place, row in enumerate(rows):
        first, last = corpus.offsets[row], corpus.offsets[row + 1]
        ids[place, : last - first] = corpus.ids[first:last]
        starts[place, : last - first] = corpus.word_starts[first:last]
    return ids, starts
