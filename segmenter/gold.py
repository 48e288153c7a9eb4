"""Gold-segmented text as training material: normalised sentences with their borders."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.features import lay_out, places_of
from segmenter.hashing import CodePoints
from segmenter.normalise import Normalizer
from segmenter.sentences import split_sentences


class GoldText(NamedTuple):
    """Sentences laid out for feature extraction.

    points: uint32[m], with margins; places: int64[n], where the n characters of sentences stand in it
    border: bool[n], whether a word ends with the character; start, length: int64[sentences], in places
    """

    points: CodePoints
    places: NDArray[np.int64]
    border: NDArray[np.bool_]
    start: NDArray[np.int64]
    length: NDArray[np.int64]


def gold_text(gold: Iterable[Sequence[str]]) -> GoldText:
    """Normalise sentences given as words, and split them where the tagger will split texts."""
    normalizer = Normalizer()
    pieces: list[CodePoints] = []
    borders: list[NDArray[np.bool_]] = [np.zeros(0, dtype=bool)]
    for words in gold:
        form = normalizer.normalize("".join(words))
        ends = np.cumsum([len(word) for word in words])
        following = np.append(form.starts[1:], ends[-1])
        border = np.isin(following, ends) & (following != form.starts)
        for start, length in zip(*(column.tolist() for column in split_sentences(form.points)), strict=True):
            pieces.append(form.points[start : start + length])
            borders.append(border[start : start + length])
    layout = lay_out(pieces)
    start = np.cumsum(layout.length) - layout.length
    return GoldText(
        layout.points, places_of(layout.start, layout.length), np.concatenate(borders), start, layout.length
    )
