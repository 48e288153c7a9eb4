"""Sentence vectors at run time: texts whose vectors are close are about the same, read by ONNX Runtime.

A text is read in windows of at most 128 characters; its vector is the mean of theirs, of length 1.
"""

import hashlib
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from encoder.data import normalise, windows
from encoder.tokenizers.char import CharTokenizer
from segmenter.deep import VOCABULARY_FILE
from segmenter.onnx import session

VECTORS_FILE = Path(__file__).parent / "weights" / "vectors.onnx"
WINDOW = 128
"""Longest window, in characters."""
MOST_WINDOWS = 16
"""Windows of a text that are read, from its beginning."""

Vectors = NDArray[np.float32]


class VectorModel:
    """The Encoder with its sentence head; usable from several threads."""

    def __init__(self, model: bytes, vocabulary: CharTokenizer) -> None:
        """Wrap an ONNX graph as `segmenter.export` writes it. Raises ValueError if its input is another."""
        self._session: Any = session(model)
        if (found := [item.name for item in self._session.get_inputs()]) != ["ids"]:
            raise ValueError(f"the model's inputs are {found}, expected ['ids']")
        self._vocabulary = vocabulary
        self.size = int(self._session.get_outputs()[0].shape[-1])
        self._digest = hashlib.sha256(model + vocabulary.fingerprint().encode()).hexdigest()[:16]

    @classmethod
    def load(cls, model: Path = VECTORS_FILE, vocabulary: Path = VOCABULARY_FILE) -> "VectorModel":
        """The shipped model."""
        return cls(model.read_bytes(), CharTokenizer.load(vocabulary))

    def fingerprint(self) -> str:
        """Changes when any vector may change."""
        return self._digest

    def vector(self, text: str, most_windows: int = MOST_WINDOWS) -> Vectors:
        """The vector of one text: float32[size]; zeros for a text without characters."""
        parts = [self._of(window) for window in islice(windows(normalise(text), WINDOW), most_windows)]
        if not parts:
            return np.zeros(self.size, dtype=np.float32)
        mean = np.mean(parts, axis=0)
        unit: Vectors = (mean / max(float(np.linalg.norm(mean)), 1e-9)).astype(np.float32)
        return unit

    def vectors(self, texts: Sequence[str], most_windows: int = MOST_WINDOWS) -> Vectors:
        """The vectors of several texts: float32[texts, size]."""
        return np.stack([self.vector(text, most_windows) for text in texts])

    def _of(self, window: str) -> Vectors:
        ids = np.array([self._vocabulary.encode(window)], dtype=np.int64)
        vector: Vectors = self._session.run(None, {"ids": ids})[0][0]
        return vector
