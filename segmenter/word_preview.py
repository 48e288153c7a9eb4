"""What a change of user words would do: the texts that would be cut differently, before and after."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from segmenter.analyzer import Analyzer

_ENDS = re.compile(r"(?<=[。！？；!?;\n])")


@dataclass(frozen=True, slots=True)
class ChangedCut:
    """A text with the words it is cut into before and after a change."""

    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def changed_cuts(before: "Analyzer", after: "Analyzer", texts: Iterable[str]) -> list[ChangedCut]:
    """Those of the texts that the two analyzers cut differently, in order."""
    listed = list(texts)
    pairs = zip(listed, before.segment_batch(listed), after.segment_batch(listed), strict=True)
    return [
        ChangedCut(text, tuple(token.text for token in old), tuple(token.text for token in new))
        for text, old, new in pairs
        if [(token.start, token.end) for token in old] != [(token.start, token.end) for token in new]
    ]


def sentences_with(text: str, word: str) -> Iterator[str]:
    """The sentences of a text that hold a word as it is written, without white space at the ends."""
    for sentence in _ENDS.split(text):
        if word.casefold() in sentence.casefold():
            yield sentence.strip()
