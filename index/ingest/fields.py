"""Values of front matter and of JSON lines: text, flags, dates, names. Every error names the field and the value."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from typing import Literal, NamedTuple

from index.ingest.errors import PostError

_TRUE = frozenset({"true", "yes", "on", "y", "1"})
_FALSE = frozenset({"false", "no", "off", "n", "0", ""})
_DATE = re.compile(
    r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?"
    r"(?:(?:[T ]|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?"
    r"\s*(Z|z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?)?",
    re.ASCII,
)
_COMMAS = re.compile(r"[,，、;；]")


def clean_text(value: str, name: str) -> str:
    """`value` without NUL, which PostgreSQL cannot hold; PostError if it has lone surrogates, which are not text."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise PostError(f"{name} has a lone surrogate (U+{ord(value[error.start]):04X}) at {error.start}") from error
    return value.replace("\x00", "")


def text_field(fields: Mapping[str, object], name: str) -> str | None:
    """The stripped text of a scalar field, None if it is absent or empty; PostError for a list or a mapping."""
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, (list, dict)):
        raise PostError(f"{name} must be text, not {shown(value)}")
    return clean_text(_scalar_text(value), name).strip() or None


def flag(fields: Mapping[str, object], name: str) -> bool | None:
    """A yes/no field, None if absent; PostError for anything else, so that a draft is never published by a slip."""
    value = fields.get(name)
    if value is None:
        return None
    word = _scalar_text(value).strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise PostError(f"{name} must be true or false, not {shown(value)}")


def kept_back(
    fields: Mapping[str, object], calendar: "Calendar", *, among_drafts: bool = False
) -> Literal["draft", "password"] | None:
    """What keeps a post from being found: a `password`; a place among drafts, `draft: true` or `published: false`."""
    if fields.get("password") not in (None, "", False):
        return "password"
    if among_drafts or flag(fields, "draft") is True:
        return "draft"
    return "draft" if not is_date(fields.get("published"), calendar) and flag(fields, "published") is False else None


def is_date(value: object, calendar: "Calendar") -> bool:
    """Whether it can be read as a date; some themes write one into `published`."""
    try:
        read_date(value, "published", calendar)
    except PostError:
        return False
    return True


class Calendar(NamedTuple):
    """The clock of a site: dates without a zone are in `zone`; where it `is_common`, all others are shown in it too."""

    zone: tzinfo = UTC
    is_common: bool = False

    def moment(self, given: datetime) -> datetime:
        """The moment, on the clock whose date the site shows. Raises ValueError and OverflowError."""
        aware = given if given.tzinfo is not None else given.replace(tzinfo=self.zone)
        aware.astimezone(UTC)
        return self._on_own_clock(aware) if self.is_common else _fixed(aware)

    def _on_own_clock(self, aware: datetime) -> datetime:
        try:
            return _fixed(aware.astimezone(self.zone))
        except OverflowError:  # the last hours of the year 9999
            return _fixed(aware)


def _fixed(moment: datetime) -> datetime:
    offset = moment.utcoffset()
    return moment.replace(tzinfo=timezone(offset) if offset else UTC, fold=0)


def first_date(
    fields: Mapping[str, object], names: Iterable[str], calendar: Calendar, warnings: list[str]
) -> datetime | None:
    """The first date that can be read among `names`; a warning for each before it that cannot."""
    for name in names:
        if fields.get(name) in (None, ""):
            continue
        try:
            return read_date(fields[name], name, calendar)
        except PostError as error:
            warnings.append(f"{error}; indexed without it")
    return None


def read_date(value: object, name: str, calendar: Calendar) -> datetime:
    """A date, with or without time and zone, on the clock whose date the site shows; PostError with field and value."""
    try:
        return calendar.moment(_native_date(value) or _parse_date(str(value).strip()))
    except (ValueError, OverflowError, TypeError) as error:
        raise PostError(f"{name} is not a date: {shown(value)}") from error


def _native_date(value: object) -> datetime | None:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    if not isinstance(value, str):
        raise ValueError("not text")
    return None


def _parse_date(text: str) -> datetime:
    match = _DATE.fullmatch(text)
    if match is None and len(text) > 64:
        raise ValueError("too long")
    if match is None:
        return parsedate_to_datetime(text)
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    microsecond = int((match.group(7) or "0").ljust(6, "0")[:6])
    extra = timedelta(0)
    if (hour, minute, second) == (24, 0, 0):
        hour, extra = 0, timedelta(days=1)
    return datetime(year, month, day, hour, minute, second, microsecond, tzinfo=_offset(match.group(8))) + extra


def _offset(text: str | None) -> tzinfo | None:
    if text is None:
        return None
    if text[0] not in "+-":
        return UTC
    digits = text[1:].replace(":", "")
    hours, minutes = (digits, "0") if len(digits) <= 2 else (digits[:-2], digits[-2:])
    if int(minutes) > 59:
        raise ValueError("bad offset")
    size = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-size if text[0] == "-" else size)


def names_field(value: object, name: str, *, split_spaces: bool = False) -> list[str]:
    """A list of names from a string or a list (nested lists are flattened), stripped, without doubles.

    A string is split at commas, and at white space where the generator does so.
    """
    found: dict[str, None] = {}
    for item in flatten(value, name):
        whole = not isinstance(value, str)
        for part in [item] if whole else _split(item, split_spaces):
            stripped = part.strip()
            if stripped:
                found[stripped] = None
    return list(found)


def flatten(value: object, name: str) -> Iterator[str]:
    """The scalars of a value or of lists in lists, as text, in order."""
    stack = [value]
    while stack:
        item = stack.pop()
        if item is None or item is False:
            continue
        if isinstance(item, list):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            raise PostError(f"{name} must be names, not {shown(item)}")
        else:
            yield clean_text(_scalar_text(item), name)


def _split(text: str, split_spaces: bool) -> list[str]:
    parts = _COMMAS.split(text)
    return [word for part in parts for word in part.split()] if split_spaces else parts


def _scalar_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def shown(value: object) -> str:
    """A short printable form of any value, for messages."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except (RecursionError, ValueError):
        text = type(value).__name__
    text = "".join(character if character.isprintable() else "\ufffd" for character in text[:61])
    return repr(text if len(text) <= 60 else text[:59] + "…")
