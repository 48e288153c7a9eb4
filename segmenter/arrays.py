"""What numpy does slowly for a few numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmenter.types import BoolArray

_FEW = 4096


def among(values: NDArray[Any], some: NDArray[Any] | Sequence[int]) -> BoolArray:
    """Which of the values are one of `some`, like `np.isin`, whose sorting costs more than the rest: bool[n]."""
    others = np.asarray(some)
    if values.size * others.size <= _FEW:
        found: BoolArray = (values[:, None] == others).any(axis=1)
        return found
    return np.isin(values, others)
