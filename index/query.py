"""What a person typed, as units to find: words, "quoted phrases", -exclusions, OR, tag:, before:, after:.

Nothing a person types is an error: what does not parse is a word like any other, and a notice says so where that helps.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from index.notices import Notice, not_a_date, too_many_units

QUOTES = {'"': '"', "“": "”", "„": "”", "«": "»", "「": "」", "『": "』"}
MAX_UNITS = 64
"""Units of a query; what follows is ignored, with a notice (whole-text matching still sees all of it)."""

_FILTER = re.compile(r"(tag|before|after):(.+)", re.IGNORECASE | re.DOTALL)
_DATE = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of the query that must be found; a quoted one only as it stands."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: posts that hold all units of one group, none of `excluded`, and pass the filters.

    `text` is the query as typed; `is_plain` says that it holds no operator, so that `text` as a whole may be a phrase.
    """

    text: str
    groups: tuple[tuple[Unit, ...], ...]
    excluded: tuple[Unit, ...] = ()
    tags: tuple[str, ...] = ()
    before: datetime | None = None
    after: datetime | None = None
    notices: tuple[Notice, ...] = ()
    is_plain: bool = True


@dataclass(slots=True)
class _Draft:
    groups: list[list[Unit]] = field(default_factory=lambda: [[]])
    excluded: list[Unit] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    before: datetime | None = None
    after: datetime | None = None
    notices: list[Notice] = field(default_factory=list)
    operators: int = 0


def parse(text: str) -> Query:
    """Parse a query. Full-width forms are folded first, so `－公司` and `tag：数据库` are what they look like."""
    draft = _Draft()
    for item in _items(unicodedata.normalize("NFKC", text.replace("\0", " "))):
        _take(draft, item)
    groups = [_joined(group) for group in draft.groups if group]
    if _is_only_or(draft):
        groups, draft.operators = [units_of(text)], 0
    if sum(map(len, groups)) > MAX_UNITS:
        draft.notices.append(too_many_units(MAX_UNITS))
        groups = _first_units(groups, MAX_UNITS)
    return Query(
        text=text,
        groups=tuple(map(tuple, groups)),
        excluded=tuple(draft.excluded[:MAX_UNITS]),
        tags=tuple(draft.tags),
        before=draft.before,
        after=draft.after,
        notices=tuple(draft.notices),
        is_plain=not draft.operators,
    )


def _is_only_or(draft: _Draft) -> bool:
    """Whether all that was typed is OR, which then is a word like any other."""
    has_more = any(draft.groups) or draft.excluded or draft.tags or draft.before or draft.after
    return draft.operators > 0 and not has_more


def units_of(text: str) -> list[Unit]:
    """The units of a text without operators: whatever it holds is a word."""
    return _joined([Unit(piece) for piece in unicodedata.normalize("NFKC", text).split()])[:MAX_UNITS]


def _joined(units: list[Unit]) -> list[Unit]:
    """Joins units between which white space is mere typography.

    That is, in a query with Chinese in it, white space on either side of a Latin word: `用 Docker compose 部署` is one
    unit, `部署 容器` and `Docker compose` are two each.
    """
    has_chinese = any(not unit.text.isascii() for unit in units)
    result = units[:1]
    for unit in units[1:]:
        before = result[-1]
        is_latin = before.text[-1].isascii() or unit.text[0].isascii()
        if has_chinese and is_latin and not (before.quoted or unit.quoted):
            result[-1] = Unit(f"{before.text} {unit.text}")
        else:
            result.append(unit)
    return result


@dataclass(frozen=True, slots=True)
class _Item:
    sign: str
    prefix: str
    text: str
    quoted: bool


def _items(text: str) -> Iterator[_Item]:
    """Pieces between white space and quotes; a sign or a `tag:` before a quote belongs to it."""
    place, size = 0, len(text)
    while place < size:
        if text[place].isspace():
            place += 1
            continue
        at_start = place == 0 or text[place - 1].isspace()
        sign = "-" if at_start and text[place] == "-" and place + 1 < size and not text[place + 1].isspace() else ""
        place += len(sign)
        prefix = _quoted_prefix(text, place)
        place += len(prefix)
        end = _closing(text, place)
        if end is not None:
            yield _Item(sign, prefix, text[place + 1 : end], True)
            place = end + 1
            continue
        end = place + 1
        while end < size and not text[end].isspace() and _closing(text, end) is None:
            end += 1
        yield _Item(sign, prefix, text[place:end], False)
        place = end


def _quoted_prefix(text: str, place: int) -> str:
    found = re.compile("tag:", re.IGNORECASE).match(text, place)
    return found.group() if found and _closing(text, found.end()) is not None else ""


def _closing(text: str, place: int) -> int | None:
    """Where the phrase that opens here closes; None when none opens, or it is empty."""
    closing = QUOTES.get(text[place]) if place < len(text) else None
    end = text.find(closing, place + 1) if closing else -1
    return end if end > place and text[place + 1 : end].strip() else None


def _take(draft: _Draft, item: _Item) -> None:
    if item.text == "OR" and not (item.quoted or item.sign or item.prefix):
        if draft.groups[-1]:
            draft.groups.append([])
        draft.operators += 1
    elif not item.sign and _is_filter(draft, item):
        draft.operators += 1
    elif item.sign:
        draft.excluded.append(Unit(item.prefix + item.text, item.quoted))
        draft.operators += 1
    else:
        draft.groups[-1].append(Unit(item.prefix + item.text, item.quoted))
        draft.operators += item.quoted


def _is_filter(draft: _Draft, item: _Item) -> bool:
    if item.prefix:
        draft.tags.append(item.text.strip())
        return True
    found = None if item.quoted else _FILTER.fullmatch(item.text)
    if not found:
        return False
    name, value = found[1].lower(), found[2]
    if name == "tag":
        draft.tags.append(value)
        return True
    moment = date_of(value)
    if moment is None:
        draft.notices.append(not_a_date(item.text))
        return False
    setattr(draft, name, moment)
    return True


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


def _first_units(groups: list[list[Unit]], count: int) -> list[list[Unit]]:
    kept: list[list[Unit]] = []
    for group in groups:
        if count > 0:
            kept.append(group[:count])
        count -= len(group)
    return kept
