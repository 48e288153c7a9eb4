"""Where a word can end at all: runs of one script, numbers, white space, and each mark by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"

_RUN = re.compile(rf"[{HAN}]+|\s+|\d+|(?:(?![{HAN}])[^\W\d_])+|.", re.DOTALL)
_HAN = re.compile(f"[{HAN}]")


def runs(text: str) -> Iterator[str]:
    """The runs of `text`, in order; they join to it.

    >>> list(runs("用Python3写的 😀!"))
    ['用', 'Python', '3', '写的', ' ', '😀', '!']
    """
    return (match.group() for match in _RUN.finditer(text))


def is_han(run: str) -> bool:
    """Whether a run is of Han characters: words inside it have no marked borders."""
    return _HAN.match(run) is not None
