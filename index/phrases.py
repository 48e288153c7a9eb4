"""Words, and pairs of neighbours, at the beginning of posts, by how many posts have them: what people may look for."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from index.passages import Places, decode_places

HEAD = 300
"""Characters of a post's body that are looked at, besides its title."""

HEAD_CHARACTERS = 2 * HEAD
"""Original characters that hold those: white space does not count among them."""

LONGEST = 24
"""Characters of a phrase."""


class Phrases:
    """Counts phrases over posts; each is written as it first stood in one."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._written: dict[str, str] = {}
        self._post = -1
        self._seen: set[str] = set()

    def add(self, ord: int, stream: str, offsets: bytes, text: str) -> None:
        """Count a passage that begins `text`; passages of one post follow one another."""
        if ord != self._post:
            self._post, self._seen = ord, set()
        for phrase, original in phrases_of(stream, offsets, text):
            if phrase not in self._seen:
                self._seen.add(phrase)
                self._counts[phrase] += 1
                self._written.setdefault(phrase, original)

    def frequent(self, least: int, most: float) -> list[tuple[str, str, int]]:
        """`(phrase, as written, posts)` of those that `least` posts have, and no more than `most`."""
        return [
            (phrase, self._written[phrase], count) for phrase, count in self._counts.items() if least <= count <= most
        ]


def phrases_of(stream: str, offsets: bytes, text: str) -> Iterator[tuple[str, str]]:
    """Each word and each pair of words that follow one another, as a stretch of `stream` and of the original `text`."""
    size = min(len(stream), HEAD)
    places = decode_places(offsets, size)
    starts, ends = places.starts.tolist(), places.ends.tolist()
    words = _words(stream, places)
    before = touching = -1
    for first, end in words:
        if not _tells(stream[first:end]) or ends[end - 1] > len(text):
            continue
        yield stream[first:end], text[starts[first] : ends[end - 1]]
        if touching == first and end - before <= LONGEST and not _has_break(text, ends[first - 1], starts[first]):
            yield stream[before:end], " ".join(text[starts[before] : ends[end - 1]].split())
        before, touching = first, end


def _has_break(text: str, first: int, end: int) -> bool:
    return first < end and "\n" in text[first:end]


def coarse_words(stream: str, offsets: bytes) -> list[tuple[int, int]]:
    """`(start, end)` of the coarse words of a stored passage."""
    return _words(stream, decode_places(offsets, len(stream)))


def _words(stream: str, places: Places) -> list[tuple[int, int]]:
    edges = places.edges.nonzero()[0].tolist()
    return [(first, end) for first, end in pairwise(edges) if stream[first].isalnum()]


def _tells(word: str) -> bool:
    """Long enough to mean something; a number alone does not."""
    return len(word) >= 2 and not word.isdecimal()
