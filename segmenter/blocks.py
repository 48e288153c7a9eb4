"""Texts in blocks of bounded size: short ones joined, long ones cut where nothing that matters can cross."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

BLOCK = 1 << 17
"""Characters; more only where a text has no line break for longer."""


class Piece(NamedTuple):
    """A part of one text: text number, offset of the piece in it, the piece, and its offset in the block."""

    text: int
    offset: int
    piece: str
    place: int


def cut_at_lines(text: str, block: int = BLOCK) -> Iterator[tuple[int, str]]:
    """(offset, piece): pieces of about `block` characters that end at line feeds and join to the text."""
    first = 0
    while len(text) - first > block:
        last = text.rfind("\n", first, first + block) + 1
        if not last:
            last = text.find("\n", first + block) + 1
        if not last:
            break
        yield first, text[first:last]
        first = last
    yield first, text[first:]


def blocks(texts: Iterable[str], block: int = BLOCK) -> Iterator[list[Piece]]:
    """Lists of pieces, in order, of about `block` characters together; one line feed stands between two pieces."""
    group: list[Piece] = []
    size = 0
    for number, text in enumerate(texts):
        for offset, piece in cut_at_lines(text, block):
            if group and size + len(piece) > block:
                yield group
                group, size = [], 0
            group.append(Piece(number, offset, piece, size))
            size += len(piece) + 1
    if group:
        yield group
