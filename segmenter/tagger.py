"""What the segmenter asks of a model: how likely a word border is in every gap of a text."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np

from segmenter.normalise import Normalizer
from segmenter.types import Int16Array


class Tagger(Protocol):
    """Gives border log-odds on a fixed grid; the scores depend on the text and the criterion alone."""

    @property
    def criteria(self) -> tuple[str, ...]:
        """The segmentation standards it knows; the first is the default."""

    def fingerprint(self) -> str:
        """Changes when any score may change."""

    def boundary_scores(self, texts: Sequence[str], criterion: str | None = None) -> list[Int16Array]:
        """Log-odds of a border in each gap of each normalised text, in units of 1/64: int16[len(text) - 1] each."""


def tagger_cutter(tagger: Tagger, criterion: str | None = None) -> Callable[[str], list[tuple[int, int]]]:
    """A cutter that follows a tagger alone: a border where the log-odds are above zero, or equal.

    Returned offsets lie in the original text; what the normaliser deletes belongs to the word before it.
    """
    normalizer = Normalizer()

    def cut(text: str) -> list[tuple[int, int]]:
        form = normalizer.normalize(text)
        if not form.text:
            return [(0, len(text))] if text else []
        scores = tagger.boundary_scores([form.text], criterion)[0]
        inner = form.starts[1:][(scores >= 0) & (form.starts[1:] != form.starts[:-1])]
        borders = np.concatenate([[0], inner, [len(text)]]).tolist()
        return list(pairwise(borders))

    return cut
