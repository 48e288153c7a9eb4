"""The interface of every tokenizer, its special tokens and its file format."""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Self

FORMAT = "wenci-tokenizer"
FORMAT_VERSION = 1

PAD, UNK, MASK, CLS, SEP = range(5)
EXTRA_TOKENS = 27
SPECIAL_TOKENS: tuple[str, ...] = (
    "<pad>",
    "<unk>",
    "<mask>",
    "<cls>",
    "<sep>",
    *(f"<extra_{slot}>" for slot in range(EXTRA_TOKENS)),
)
FIRST_TEXT_ID = len(SPECIAL_TOKENS)
REPLACEMENT = "\ufffd"


def extra_id(slot: int) -> int:
    """The id of spare special token `slot` (0 to 26): a segmentation criterion, a task, a language.

    The slots exist in every vocabulary from the start, so that giving one a meaning changes no id and no fingerprint.
    """
    if not 0 <= slot < EXTRA_TOKENS:
        raise ValueError(f"extra token {slot} does not exist: there are {EXTRA_TOKENS}")
    return SEP + 1 + slot


class Tokenizer(ABC):
    """Text to ids and back. Ids 0 to 31 are special tokens; those of text follow.

    Text never produces a special token except `<unk>`: the text "<mask>" is six ordinary characters. Tokens cover the
    text without gaps, in order; `encode` and `spans` always have the same length.
    """

    kind: ClassVar[str]

    def __init__(self, tokens: Sequence[str]) -> None:
        """`tokens`: the text tokens in the order of their ids, the first of which is `FIRST_TEXT_ID`."""
        self._tokens: tuple[str, ...] = (*SPECIAL_TOKENS, *tokens)
        self._text_ids = {token: FIRST_TEXT_ID + place for place, token in enumerate(tokens)}
        self._special_ids = {token: id_ for id_, token in enumerate(SPECIAL_TOKENS)}
        if len(self._text_ids) != len(tokens):
            raise ValueError("a tokenizer's tokens must differ from each other")
        if clash := self._text_ids.keys() & self._special_ids.keys():
            raise ValueError(f"special tokens cannot stand for text: {sorted(clash)}")

    @abstractmethod
    def pieces(self, text: str) -> Iterator[tuple[int, int, int]]:
        """`(id, start, end)` of each token of `text`, in order; offsets are code points."""

    def encode(self, text: str) -> list[int]:
        """The ids of the tokens of `text`; what the vocabulary lacks becomes `UNK` (or bytes, for BPE)."""
        return [id_ for id_, _, _ in self.pieces(text)]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """`(start, end)` in code points of each token that `encode` gives; together they cover the text."""
        return [(start, end) for _, start, end in self.pieces(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of `ids`; a special token appears by its name. Inverse of `encode` where nothing was unknown."""
        return "".join(self.id_to_token(id_) for id_ in ids)

    def layout(self, ids: Iterable[int]) -> tuple[str, list[tuple[int, int]]]:
        """The text of `ids` and where in it each of them stands; a special token is one U+FFFD."""
        text, spans, place = [], [], 0
        for id_ in ids:
            piece = self.id_to_token(id_) if id_ >= FIRST_TEXT_ID else REPLACEMENT
            text.append(piece)
            spans.append((place, place + len(piece)))
            place += len(piece)
        return "".join(text), spans

    def token_to_id(self, token: str) -> int:
        """The id of a special token or of a text token; `UNK` for any other string."""
        special = self._special_ids.get(token)
        return self._text_ids.get(token, UNK) if special is None else special

    def id_to_token(self, id_: int) -> str:
        """The token of an id; ValueError if there is none."""
        if not 0 <= id_ < len(self._tokens):
            raise ValueError(f"id {id_} is outside the vocabulary of {len(self._tokens)} tokens")
        return self._tokens[id_]

    @property
    def vocabulary_size(self) -> int:
        """How many ids there are, special tokens included: the height of the embedding table."""
        return len(self._tokens)

    def fingerprint(self) -> str:
        """16 hex digits that change whenever any text could be encoded differently."""
        return hashlib.sha256(self._serialised()).hexdigest()[:16]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the text file that `load` reads. A crash leaves the old file or the new one, never half of one."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished = target.with_name(target.name + ".part")
        unfinished.write_bytes(self._serialised())
        unfinished.replace(target)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `save` wrote; ValueError if it is of another kind or version, or cut short."""
        kind, body = read_file(path)
        if kind != cls.kind:
            raise ValueError(f"{path} holds a tokenizer of kind {kind!r}, not {cls.kind!r}")
        return cls.from_lines(body)

    def to_lines(self) -> list[str]:
        """The lines of the file after its head; a subclass that knows more than its tokens adds to them."""
        return [json.dumps(token, ensure_ascii=False) for token in self._tokens[FIRST_TEXT_ID:]]

    @classmethod
    def from_lines(cls, lines: Sequence[str]) -> Self:
        """The inverse of `to_lines`."""
        return cls([json.loads(line) for line in lines])

    def _serialised(self) -> bytes:
        body = self.to_lines()
        head = f"{FORMAT} {FORMAT_VERSION} {self.kind} {len(body)}"
        return "\n".join([head, *body, ""]).encode()


def read_file(path: str | os.PathLike[str]) -> tuple[str, list[str]]:
    """The kind and the lines after the head of a tokenizer file; ValueError says what is wrong with it."""
    head, *body = Path(path).read_bytes().decode("utf-8", "replace").split("\n")
    match head.split(" "):
        case [magic, version, kind, count] if magic == FORMAT:
            if version != str(FORMAT_VERSION):
                raise ValueError(f"{path} has format version {version}; this program reads version {FORMAT_VERSION}")
            if len(body) != int(count) + 1 or body[-1]:
                raise ValueError(f"{path} is not whole: its head promises {count} lines, it has {len(body) - 1}")
            return kind, body[:-1]
    raise ValueError(f"{path} is not a tokenizer file")


def frequent(counts: Iterable[tuple[str, int]], minimum: int, limit: int | None) -> list[str]:
    """Tokens seen at least `minimum` times, most frequent first, ties by code point, at most `limit`.

    Surrogates are left out (no file can hold them), and so are strings that are names of special tokens.
    """
    kept = [(token, count) for token, count in counts if count >= minimum and is_storable(token)]
    kept.sort(key=lambda pair: (-pair[1], pair[0]))
    return [token for token, _ in kept[:limit]]


def is_storable(token: str) -> bool:
    """Whether a string may become a text token."""
    return token not in SPECIAL_TOKENS and not any("\ud800" <= character <= "\udfff" for character in token)
