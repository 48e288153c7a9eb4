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


def among_places(values: NDArray[np.int64], some: NDArray[np.int64]) -> BoolArray:
    """`among` for wide-spread numbers that are in order, or nearly so, as places in a text are: bool[n]."""
    if not len(some):
        return np.zeros(len(values), dtype=np.bool_)
    others = np.sort(some, kind="stable")
    found: BoolArray = others[np.minimum(np.searchsorted(others, values), len(others) - 1)] == values
    return found
