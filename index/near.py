"""Where a stored post comes closest to a text that it does not hold, with the words as the post was cut."""

from collections.abc import Iterable
from dataclasses import dataclass

from index.phrases import coarse_words
from index.rank import pieces_in
from index.reader import StoredPassage

FIELDS = ("title", "body", "tags")
AROUND = 12
"""Stream characters on each side whose words are named."""


@dataclass(frozen=True, slots=True)
class Near:
    """The longest `piece` of the text that stands in the post, in which field, and the coarse words around it.

    `inside_word` says that the whole text stands there, but not at the beginning of a Latin word.
    """

    piece: str
    field: str
    words: tuple[str, ...]
    inside_word: bool


def near(text: str, passages: Iterable[StoredPassage]) -> Near | None:
    """The best place of the passages; None where no character of the text stands in any."""
    best: tuple[int, str, StoredPassage] | None = None
    for passage in passages:
        for start, length in pieces_in(text, passage.stream, shortest=1):
            if best is None or length > best[0]:
                best = length, text[start : start + length], passage
    if best is None:
        return None
    _, piece, passage = best
    at = passage.stream.index(piece)
    words = tuple(
        passage.stream[start:end]
        for start, end in coarse_words(passage.stream, passage.offsets)
        if end > at - AROUND and start < at + len(piece) + AROUND
    )
    return Near(piece, FIELDS[passage.field], words, piece == text and piece[:1].isascii())
