"""Dates of posts: a moment, and what the clock showed that the post was dated by. The latter is its date."""

import re
from datetime import UTC, datetime, timezone

_DATE = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")


def zoned(moment: datetime | None) -> datetime | None:
    """A time without a zone is taken for UTC, whatever the session's zone is."""
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


def in_utc(moment: datetime | None) -> datetime | None:
    """The same moment on the clock of UTC: PostgreSQL refuses offsets of 16 hours and more."""
    known = zoned(moment)
    return None if known is None else known.astimezone(UTC)


def local(moment: datetime | None) -> datetime | None:
    """What the clock showed that the moment was written by, without its zone."""
    return None if moment is None else moment.replace(tzinfo=None, fold=0)


def restored(moment: datetime | None, shown: datetime | None) -> datetime | None:
    """The moment on the clock that showed `shown`, from the two columns that a date is stored as."""
    if moment is None or shown is None:
        return moment
    offset = shown - moment.astimezone(UTC).replace(tzinfo=None)
    return shown.replace(tzinfo=timezone(offset) if offset else UTC)


def date_of(text: str) -> datetime | None:
    """The first moment of a year, month or day, without a zone: `2024`, `2024-05`, `2024/5/31`; else None."""
    found = _DATE.fullmatch(text)
    if not found:
        return None
    year, month, day = (int(part or 1) for part in found.groups())
    try:
        return datetime(year, month, day)
    except ValueError:
        return None
