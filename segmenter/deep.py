"""The deep part at run time: the fine-tuned Encoder, read by ONNX Runtime, asked about single gaps.

The wide part decides most gaps by itself. For one that it is unsure of, the Encoder reads a window of the sentence
around the gap: always the same window for the same sentence and gap, always alone in its batch, on one thread. So the
answer depends on the sentence and the gap only, and is put on the grid of 1/64 before anything is decided from it.
"""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from encoder.tokenizers.char import CharTokenizer
from segmenter.deep_inputs import CRITERION_INPUT, WORD_INPUTS, DeepInputs, criterion_id, deep_inputs, id_table
from segmenter.dictionary import GRID, Dictionary
from segmenter.features import Layout
from segmenter.onnx import session
from segmenter.types import Int16Array

MODEL_FILE = Path(__file__).parent / "weights" / "deep.onnx"
VOCABULARY_FILE = Path(__file__).parent / "weights" / "deep_vocabulary.txt"
REACH = 16
"""Characters read on either side of a group of unsure gaps."""
GROUP = 16
"""Unsure gaps at most this far apart share a window, while it stays below `LONGEST`."""
LONGEST = 96
_LIMIT = 2047


class DeepModel:
    """The Encoder with its tagging head; usable from several threads."""

    def __init__(self, model: bytes, vocabulary: CharTokenizer) -> None:
        """Wrap an ONNX graph as `segmenter.export` writes it. Raises ValueError if its inputs are others."""
        self._session: Any = session(model)
        wanted = ["ids", *WORD_INPUTS, CRITERION_INPUT]
        if (found := [item.name for item in self._session.get_inputs()]) != wanted:
            raise ValueError(f"the model's inputs are {found}, expected {wanted}")
        self._made_of = (model, vocabulary)
        self.table = id_table(vocabulary)
        self._digest = hashlib.sha256(model + vocabulary.fingerprint().encode()).hexdigest()[:16]

    def __reduce__(self) -> tuple[type["DeepModel"], tuple[bytes, CharTokenizer]]:
        """A session does not pickle; what it was made of does."""
        return DeepModel, self._made_of

    @classmethod
    def load(cls, model: Path = MODEL_FILE, vocabulary: Path = VOCABULARY_FILE) -> "DeepModel":
        """The shipped model."""
        return cls(model.read_bytes(), CharTokenizer.load(vocabulary))

    def fingerprint(self) -> str:
        """Changes when any score may change."""
        return self._digest

    def inputs(self, layout: Layout, dictionary: Dictionary) -> DeepInputs:
        """The model's inputs at the n characters of a layout."""
        return deep_inputs(layout.points, self.table, dictionary).at(layout.places)

    def odds(self, window: DeepInputs, criterion: str) -> Int16Array:
        """Log-odds of a border in each gap of one window of L characters, in units of 1/64: int16[L - 1]."""
        feed = dict(zip(("ids", *WORD_INPUTS), (column.astype(np.int64)[None] for column in window), strict=True))
        feed[CRITERION_INPUT] = np.array([[criterion_id(criterion)]], dtype=np.int64)
        (odds,) = self._session.run(["odds"], feed)
        on_grid: Int16Array = np.clip(np.rint(odds[0] * GRID), -_LIMIT, _LIMIT).astype(np.int16)
        return on_grid


def windows_around(gaps: NDArray[np.int64], length: int) -> list[tuple[int, int, NDArray[np.int64]]]:
    """(start, end, gaps) of the windows that answer for these gaps of a sentence of `length` characters.

    Gap g lies between characters g and g + 1. The windows depend on the gaps and the length alone.
    """
    found = []
    first = 0
    for i in range(1, len(gaps) + 1):
        ends = i == len(gaps) or gaps[i] - gaps[i - 1] > GROUP or gaps[i] - gaps[first] > LONGEST - 2 * REACH
        if ends:
            group = gaps[first:i]
            found.append((max(0, int(group[0]) - REACH + 1), min(length, int(group[-1]) + REACH + 1), group))
            first = i
    return found
