"""Texts in blocks of bounded size: short ones joined, long ones cut where nothing can cross.

Where a long text is cut decides nothing: after white space, 。 and 、, and after a full-width mark behind a Han
character, no unit goes on, and no word of the dictionary. Marks that stand in user words are left out. Text without
any is cut where a function says that no word crosses. With a model, which reads whole sentences, a text is cut at line
feeds and behind the ends of sentences only.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from segmenter.characters import Shape, character_table

BLOCK: Final = 1 << 17
"""Characters; more only where a text has no place to cut for longer."""
STOPS: Final = {"\n": "\n", " ": " ", "\u3000": " ", "。": "。", "、": "、"}
"""Characters after which a text may be cut, with their normal forms."""
STOPS_BEHIND_HAN: Final = {"，": ",", "；": ";", "：": ":", "！": "!", "？": "?"}

SENTENCE_ENDS: Final = {"。": "。", "！": "!", "？": "?", "；": ";"}
"""A sentence ends behind these where a Han character follows (see `sentences`)."""

_NEAR_THE_END = 2048
_MARGIN = 512
"""More than the longest word, in characters of the original."""
_NOT_FIRST = (Shape.MARK, Shape.SELECTOR, Shape.JOINER, Shape.IGNORED, Shape.SKIN)


class Piece(NamedTuple):
    """A part of one text: text number, offset of the piece in it, the piece, and its offset in the block."""

    text: int
    offset: int
    piece: str
    place: int


class Blocks:
    """Cuts texts into pieces and gathers pieces in blocks."""

    def __init__(
        self,
        size: int = BLOCK,
        crossing: Iterable[str] = (),
        border_in: Callable[[str, int], int | None] = lambda window, limit: None,
        *,
        whole_sentences: bool = False,
    ) -> None:
        """Set how long texts are cut.

        size: characters of a block, about; crossing: normal forms of characters that stand inside user words
        border_in: for a window of text and a limit, the last place up to the limit where no word can cross
        whole_sentences: cut at sentence ends only
        """
        self._border_in = border_in
        barred = frozenset(crossing)
        stops = "".join(stop for stop, form in STOPS.items() if form not in barred)
        behind_han = "".join(stop for stop, form in STOPS_BEHIND_HAN.items() if form not in barred)
        if whole_sentences:
            ends = "".join(end for end, form in SENTENCE_ENDS.items() if form not in barred)
            self._stop = re.compile(rf"\n|[{ends}](?=[\u4e00-\u9fff])" if ends else r"\n")
        else:
            self._stop = re.compile(rf"[{stops}]" + (rf"|(?<=[\u4e00-\u9fff])[{behind_han}]" if behind_han else ""))
        self._size = size

    def of(self, texts: Iterable[str]) -> Iterator[list[Piece]]:
        """Lists of pieces, in order, of about `size` characters together; one line feed stands between two pieces.

        Raises TypeError for what is no text: bytes have to be decoded by who knows their encoding.
        """
        group: list[Piece] = []
        size = 0
        for number, text in enumerate(texts):
            if not isinstance(text, str):
                raise TypeError(f"a text is a str, not {type(text).__name__}")
            for offset, piece in self.pieces(text):
                if group and size + len(piece) > self._size:
                    yield group
                    group, size = [], 0
                group.append(Piece(number, offset, piece, size))
                size += len(piece) + 1
        if group:
            yield group

    def pieces(self, text: str) -> Iterator[tuple[int, str]]:
        """(offset, piece): pieces of about `size` characters that join to the text."""
        first = 0
        while len(text) - first > self._size:
            last = self._place(text, first)
            yield first, text[first:last]
            first = last
        yield first, text[first:]

    def _place(self, text: str, first: int) -> int:
        """The last place to cut in the next `size` characters, or the first one behind them, or the text's end."""
        limit = first + self._size
        for low in (max(first, limit - _NEAR_THE_END), first):
            places = [match.end() for match in self._stop.finditer(text, low, limit) if _may_start(text, match.end())]
            if places:
                return places[-1]
        border = self._border_in(text[first : limit + _MARGIN], self._size)
        if border:
            return first + border
        behind = (match.end() for match in self._stop.finditer(text, limit))
        return next((place for place in behind if _may_start(text, place)), len(text))


def _may_start(text: str, place: int) -> bool:
    """Whether the character at `place` belongs to nothing that stands before it."""
    if place >= len(text):
        return True
    table = character_table()
    point = ord(text[place])
    return not table.composes[point] and int(table.shape[point]) not in _NOT_FIRST
