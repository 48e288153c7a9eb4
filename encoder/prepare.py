"""From text files to the corpus that pretraining reads: normalised, cut into windows, split, encoded, words marked."""

from __future__ import annotations

import json
import os
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from io import TextIOWrapper
from itertools import accumulate
from pathlib import Path
from typing import IO

import numpy as np
import zstandard

from encoder.data import Corpus, han_share, normalise, run_starts, windows
from encoder.tokenizers import CharTokenizer, Tokenizer

TOKENIZER_FILE = "tokenizer.txt"
SHINGLE = 16
_STRIDE = 8
_AHEAD = 512

StartsOfMany = Callable[[Sequence[str]], Sequence[Iterable[int]]]
"""Word starts, as code-point offsets, of each of many texts at once."""


@dataclass(frozen=True)
class PrepareConfig:
    """How text becomes windows.

    Attributes:
        window: characters of a window at most.
        shortest: windows with fewer characters are left out.
        han_share: windows with a smaller share of Han characters are left out.
        valid_share: share of the paragraphs that are only validated on, chosen by a hash of their text.
        character_minimum: rarer characters are `<unk>`, where the tokenizer is made here.
        limit: stop after so many characters; None reads everything.
    """

    window: int = 128
    shortest: int = 8
    han_share: float = 0.3
    valid_share: float = 0.005
    character_minimum: int = 5
    limit: int | None = None


@dataclass(frozen=True)
class PrepareReport:
    """What came of it: counts of windows and characters, and paragraphs left out because they were excluded."""

    vocabulary: int
    train_windows: int
    train_characters: int
    valid_windows: int
    valid_characters: int
    excluded: int


def prepare(
    lines: Iterable[str],
    out: Path,
    config: PrepareConfig | None = None,
    *,
    tokenizer: Tokenizer | None = None,
    starts: StartsOfMany | None = None,
    excluded: Excluded | None = None,
) -> PrepareReport:
    """Write `tokenizer.txt`, `train/`, `valid/` and `prepare.json` into `out`.

    Without `tokenizer`, one is trained on the characters of the training part; without `starts`, each character and
    each run of Latin letters or digits is a word. Windows are deduplicated. ValueError if either part comes out empty.
    """
    config = config or PrepareConfig()
    excluded = excluded or Excluded([])
    parts: tuple[dict[str, None], dict[str, None]] = ({}, {})
    for paragraph in _limited((normalise(line) for line in lines), config.limit):
        if paragraph not in excluded:
            held_out = is_held_out(paragraph, config.valid_share)
            parts[held_out].update(dict.fromkeys(_good_windows(paragraph, config)))
    train = list(parts[0])
    valid = [window for window in parts[1] if window not in parts[0]]
    if not train or not valid:
        raise ValueError(f"too little text: {len(train)} windows to train on, {len(valid)} to validate on")
    tokenizer = tokenizer or CharTokenizer.train(train, minimum=config.character_minimum)
    tokenizer.save(out / TOKENIZER_FILE)
    training, validation = (_build(texts, tokenizer, starts) for texts in (train, valid))
    training.save(out / "train")
    validation.save(out / "valid")
    report = PrepareReport(
        vocabulary=tokenizer.vocabulary_size,
        train_windows=len(training),
        train_characters=len(training.ids),
        valid_windows=len(validation),
        valid_characters=len(validation.ids),
        excluded=excluded.count,
    )
    (out / "prepare.json").write_text(json.dumps({**asdict(config), **asdict(report)}, indent=1) + "\n")
    return report


def read_lines(paths: Iterable[str | os.PathLike[str]], *, field: str | None = None) -> Iterator[str]:
    """The lines of UTF-8 text files, of `.zst` ones too. ValueError names a file that is not UTF-8.

    A `.jsonl` file gives the lines of its objects' `title` and `body`, or of `field` alone.
    """
    for path in map(Path, paths):
        is_json = ".jsonl" in path.suffixes
        try:
            for line in _open(path):
                yield from _texts_of(line, field) if is_json else [line.rstrip("\r\n")]
        except UnicodeDecodeError as error:
            raise ValueError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None


def training_lines(
    paths: Iterable[str | os.PathLike[str]], *, raw: bool = False, limit: int | None = None
) -> Iterator[str]:
    """The lines of text files for a tokenizer to learn from: normalised unless `raw`, `limit` characters at most."""
    lines = read_lines(paths)
    return _limited(lines if raw else map(normalise, lines), limit)


def gold_sentences(path: str | os.PathLike[str]) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """The sentences of a file with spaces between words, joined and normalised, each with its words."""
    for line in read_lines([path]):
        words = [normalise(word).replace(" ", "") for word in line.split()]
        ends = list(accumulate(map(len, words)))
        spans = [(end - len(word), end) for word, end in zip(words, ends, strict=True) if word]
        if spans:
            yield "".join(words), spans


class Excluded:
    """Texts that must take no part: a paragraph belongs to them if most of it stands in them, white space aside.

    Compared are stretches of `SHINGLE` characters; a shorter paragraph belongs if it is one of their lines.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._short: set[str] = set()
        hashes: list[int] = []
        for line in lines:
            text = _bare(line)
            if len(text) < SHINGLE:
                self._short.add(text)
            hashes += [hash(text[place : place + SHINGLE]) for place in range(len(text) - SHINGLE + 1)]
        self._hashes = np.unique(np.array(hashes, np.int64))
        self.count = 0

    def __contains__(self, paragraph: str) -> bool:
        text = _bare(paragraph)
        found = self._stands_in(text)
        self.count += found
        return found

    def _stands_in(self, text: str) -> bool:
        if len(text) < SHINGLE:
            return text in self._short
        if not len(self._hashes):
            return False
        places = {*range(0, len(text) - SHINGLE + 1, _STRIDE), len(text) - SHINGLE}
        wanted = np.array([hash(text[place : place + SHINGLE]) for place in places], np.int64)
        nearest = np.searchsorted(self._hashes, wanted).clip(max=len(self._hashes) - 1)
        return bool((self._hashes[nearest] == wanted).mean() >= 0.5)


class ReadAhead:
    """Texts to iterate over and, called with each text as it comes, its word starts; asked for in batches."""

    def __init__(self, texts: Sequence[str], starts: StartsOfMany) -> None:
        self._texts = texts
        self._starts = starts
        self._ready: deque[tuple[str, Iterable[int]]] = deque()

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self._texts), _AHEAD):
            batch = self._texts[first : first + _AHEAD]
            self._ready.extend(zip(batch, self._starts(batch), strict=True))
            yield from batch

    def __call__(self, text: str) -> Iterable[int]:
        expected, starts = self._ready.popleft()
        if expected != text:
            raise ValueError("word starts must be asked for in the order of the texts")
        return starts


def is_held_out(paragraph: str, share: float) -> bool:
    """Whether a paragraph is for validation: decided by its text alone, so the same in every run."""
    return zlib.crc32(paragraph.encode("utf-8", "surrogatepass")) < share * 2**32


def _build(texts: Sequence[str], tokenizer: Tokenizer, starts: StartsOfMany | None) -> Corpus:
    if starts is None:
        return Corpus.build(texts, tokenizer, run_starts)
    ahead = ReadAhead(texts, starts)
    return Corpus.build(ahead, tokenizer, ahead)


def _good_windows(paragraph: str, config: PrepareConfig) -> Iterator[str]:
    for window in map(str.strip, windows(paragraph, config.window)):
        if len(window) >= config.shortest and han_share(window) >= config.han_share:
            yield window


def _limited(paragraphs: Iterable[str], limit: int | None) -> Iterator[str]:
    read = 0
    for paragraph in paragraphs:
        yield paragraph
        read += len(paragraph)
        if limit is not None and read >= limit:
            return


def _open(path: Path) -> IO[str]:
    raw = path.open("rb")
    if path.suffix == ".zst":
        return TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(raw, closefd=True), "utf-8")
    return TextIOWrapper(raw, "utf-8")


def _texts_of(line: str, field: str | None) -> Iterator[str]:
    record = json.loads(line)
    for name in ("title", "body") if field is None else (field,):
        yield from str(record.get(name, "")).splitlines()


def _bare(text: str) -> str:
    return normalise(text).replace(" ", "")
