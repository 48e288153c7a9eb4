"""Gold-segmented text as training material: normalised sentences with their borders."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.features import lay_out
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
    points: list[CodePoints] = [np.zeros(0, dtype=np.uint32)]
    borders: list[NDArray[np.bool_]] = [np.zeros(0, dtype=bool)]
    lengths: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    for words in gold:
        form = normalizer.normalize("".join(words))
        ends = np.cumsum([len(word) for word in words])
        following = np.append(form.starts[1:], ends[-1])
        borders.append(np.isin(following, ends) & (following != form.starts))
        points.append(form.points)
        lengths.append(split_sentences(form.points)[1])
    length = np.concatenate(lengths)
    layout = lay_out(np.concatenate(points), length)
    return GoldText(layout.points, layout.places, np.concatenate(borders), np.cumsum(length) - length, length)


def word_f1(found: NDArray[np.bool_], truth: NDArray[np.bool_]) -> float:
    """F1 of the words between borders, against the words between the true ones; both bool[n], the last one true."""
    words, right_words = _words(found), _words(truth)
    right = len(np.intersect1d(words, right_words, assume_unique=True))
    return 2 * right / (len(words) + len(right_words))


def _words(border: NDArray[np.bool_]) -> NDArray[np.int64]:
    ends = np.flatnonzero(border) + 1
    return np.append(0, ends[:-1]) * (len(border) + 1) + ends
