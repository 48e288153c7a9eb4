"""A tiny analyzer for tests of pure functions: every dense character and bigram is a word."""

import re
import unicodedata

import numpy as np

from segmenter.types import Analysis


def analyze(text: str) -> Analysis:
    kept = [(index, char) for index, char in enumerate(text) if not char.isspace() and ord(char) > 31]
    stream = "".join(char.lower() for _, char in kept)
    dense = np.array([char >= "\u2e80" and unicodedata.category(char) == "Lo" for char in stream], bool)
    starts = np.array([index for index, _ in kept], np.int32)
    atoms = _atoms(text, starts.tolist())
    words = sorted(
        {(i, -1) for i in np.flatnonzero(dense).tolist()}
        | {(i, -2) for i in np.flatnonzero(dense[:-1] & dense[1:]).tolist()}
        | {(start, -length) for start, length in atoms}
    )
    return Analysis(
        stream=stream,
        starts=starts,
        ends=starts + 1,
        word_start=np.array([start for start, _ in words], np.int32),
        word_length=np.array([-length for _, length in words], np.int32),
        word_level=np.zeros(len(words), np.uint8),
        atom_start=np.array([start for start, _ in atoms], np.int32),
        atom_length=np.array([length for _, length in atoms], np.int32),
        is_dense=dense,
    )


def _atoms(text: str, starts: list[int]) -> list[tuple[int, int]]:
    place = {original: position for position, original in enumerate(starts)}
    return [(place[m.start()], m.end() - m.start()) for m in re.finditer(r"[A-Za-z0-9]+|[+😀★]", text)]
