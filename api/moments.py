"""Dates and times from outside."""

from __future__ import annotations

from datetime import UTC, datetime


def parse_moment(value: object) -> datetime:
    """A date or time in ISO 8601, taken as UTC where it has no zone. Raises ValueError."""
    moment = parse_bound(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def parse_bound(value: object) -> datetime:
    """A date or time in ISO 8601. Without a zone it is compared with the dates that posts show. Raises ValueError."""
    if isinstance(value, datetime):
        moment = value
    elif isinstance(value, str):
        moment = _from_text(value)
    else:
        raise ValueError("expected a date or time as a string")
    if not 2 <= moment.year <= 9998:
        raise ValueError("expected a year from 2 to 9998")
    return moment


def _from_text(value: str) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise ValueError("expected a date or time such as 2026-03-01 or 2026-03-01T08:00:00Z") from None
