"""What may come in as text."""

from __future__ import annotations

from math import isfinite
from typing import Any


def unicode_text(text: str) -> str:
    """The text itself. Raises ValueError for a lone surrogate, which is not a character."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"must not contain lone surrogates (position {error.start})") from None
    return text


def storable_text(text: str) -> str:
    """The text itself. Raises ValueError for a lone surrogate and for NUL, which PostgreSQL cannot store."""
    if "\0" in text:
        raise ValueError(f"must not contain NUL (position {text.index(chr(0))})")
    return unicode_text(text)


DEEPEST = 64
"""Levels of nested arrays and objects."""


def storable_json(value: Any, depth: int = 0) -> Any:
    """The JSON value itself. Raises ValueError where a text in it, or a number, cannot be stored, or it is too deep."""
    if depth > DEEPEST:
        raise ValueError(f"must not be nested deeper than {DEEPEST} levels")
    if isinstance(value, str):
        storable_text(value)
    elif isinstance(value, float) and not isfinite(value):
        raise ValueError("must not contain NaN or infinite numbers")
    elif isinstance(value, dict):
        for key, item in value.items():
            storable_text(key)
            storable_json(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            storable_json(item, depth + 1)
    return value
