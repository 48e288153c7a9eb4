"""What `before` and `after` take: whatever the query takes behind `before:` and `after:`, and moments besides."""

from __future__ import annotations

from datetime import datetime

from api.moments import parse_bound
from index.moments import date_of


def parse_filter(value: object) -> datetime:
    """A year, a month, a date or a time; the first moment of what is longer. Raises ValueError.

    >>> parse_filter("2024"), parse_filter("2024-05")
    (datetime.datetime(2024, 1, 1, 0, 0), datetime.datetime(2024, 5, 1, 0, 0))
    """
    found = date_of(value.strip()) if isinstance(value, str) else None
    return parse_bound(value if found is None else found)
