"""How a short query stands in a post: as a word, as several, inside one, or only across a border of words."""

from collections.abc import Iterable, Iterator

from index.reader import StoredPassage

SHORT = 4
"""Characters of a query whose standing is looked at; longer ones hardly lie across a border by chance."""

MAX_PLACES = 30
"""Places looked at in one passage."""

WORD, WORDS, INSIDE, HALF, ACROSS = 4, 3, 2, 1, 0
"""One coarse word; several whole ones; inside a longer one; bordered on one side; on none, with a border within."""


def is_short(text: str) -> bool:
    """Whether the standing of this query matters: up to `SHORT` letters of a script without spaces."""
    return 0 < len(text) <= SHORT and text.isalpha() and not text.isascii()


def standing(text: str, passages: Iterable[StoredPassage]) -> int:
    """The best of the grades `WORD` to `ACROSS` over the places of `text`; `ACROSS` where there is none."""
    best = ACROSS
    for passage in passages:
        for place in _places(text, passage.stream):
            best = max(best, _grade(passage.offsets, place, place + len(text)))
            if best == WORD:
                return best
    return best


def _places(text: str, stream: str) -> Iterator[int]:
    place = stream.find(text)
    for _ in range(MAX_PLACES):
        if place < 0:
            return
        yield place
        place = stream.find(text, place + 1)


def _grade(offsets: bytes, start: int, end: int) -> int:
    outer = _is_edge(offsets, start) + _is_edge(offsets, end)
    inner = any(_is_edge(offsets, place) for place in range(start + 1, end))
    if outer == 2:
        return WORDS if inner else WORD
    if not inner:
        return INSIDE
    return HALF if outer else ACROSS


def _is_edge(offsets: bytes, place: int) -> int:
    """One bit of the edges that `index.passages.encode_places` wrote."""
    bits = 4 + 12 * int.from_bytes(offsets[:4], "little")
    return offsets[bits + (place >> 3)] >> (7 - (place & 7)) & 1
