"""What a person typed, as units to find: words, "quoted phrases", -exclusions, OR, (one OR other), and filters by name.

Nothing a person types is an error: what does not parse is a word like any other, and a notice says so where that helps.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import product
from math import prod

from index.items import Item, folded, items
from index.moments import date_of
from index.notices import FILTERS_AND_OR, PARENTHESES, Notice, no_name, not_a_date, too_many_units

MAX_UNITS = 64
"""Units of a query; what follows is ignored, with a notice (whole-text matching still sees all of it)."""

MAX_GROUPS = 16
"""Groups of units that parentheses may stand for; what would make more of them is left out, with a notice."""

_FILTER = re.compile(r"(tag|category|before|after):(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of the query that must be found; a quoted one only as it stands."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: posts that hold all units of one group, none of `excluded`, and pass the filters.

    `text` is the query as typed; `is_plain` says that it holds no operator, so that `text` as a whole may be a phrase.
    `has_lower_or` says that `or` stands between words, which may be meant as OR.
    """

    text: str
    groups: tuple[tuple[Unit, ...], ...]
    excluded: tuple[Unit, ...] = ()
    tags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()
    not_categories: tuple[str, ...] = ()
    before: datetime | None = None
    after: datetime | None = None
    notices: tuple[Notice, ...] = ()
    is_plain: bool = True
    has_lower_or: bool = False

    @property
    def has_filters(self) -> bool:
        """Whether a tag, a category or a date was asked for, or one of the first two excluded."""
        named = self.tags or self.categories or self.not_tags or self.not_categories
        return bool(named or self.before or self.after)


_Factor = list[list[Unit]]
"""Alternatives, one of which must be there; a word is the only alternative of its own."""


@dataclass(slots=True)
class _Draft:
    branches: list[list[_Factor]] = field(default_factory=lambda: [[]])
    excluded: list[Unit] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    not_tags: list[str] = field(default_factory=list)
    not_categories: list[str] = field(default_factory=list)
    before: datetime | None = None
    after: datetime | None = None
    notices: list[Notice] = field(default_factory=list)
    operators: int = 0
    ors: int = 0
    is_unbalanced: bool = False

    def tell(self, notice: Notice) -> None:
        if notice not in self.notices:
            self.notices.append(notice)


def parse(text: str) -> Query:
    """Parse a query. Full-width forms are folded first, so `－公司` and `tag：数据库` are what they look like."""
    draft = _Draft()
    found = list(items(folded(text.replace("\0", " "))))
    _take_all(draft, found)
    groups = [_joined(group) for branch in draft.branches for group in _expanded(branch) if group]
    most = MAX_UNITS * max(map(_size, draft.branches))
    if sum(map(len, groups)) > most:
        draft.tell(too_many_units(MAX_UNITS))
        groups = _first_units(groups, most)
    query = Query(
        text=text,
        groups=tuple(map(tuple, groups)),
        excluded=tuple(draft.excluded[:MAX_UNITS]),
        tags=tuple(draft.tags),
        categories=tuple(draft.categories),
        not_tags=tuple(draft.not_tags),
        not_categories=tuple(draft.not_categories),
        before=draft.before,
        after=draft.after,
        notices=tuple(draft.notices),
        is_plain=not draft.operators,
        has_lower_or=any(one.text in ("or", "Or") and not one.quoted for one in found[1:-1]),
    )
    is_only_or = not (query.is_plain or query.groups or query.excluded or query.has_filters)
    return replace(query, groups=(tuple(units_of(text)),), is_plain=True) if is_only_or else query


def _expanded(branch: Sequence[_Factor]) -> Iterator[list[Unit]]:
    """Every way to take one alternative of each factor."""
    return ([unit for units in chosen for unit in units] for chosen in product(*branch))


def units_of(text: str) -> list[Unit]:
    """The units of a text without operators: whatever it holds is a word."""
    return _joined([Unit(piece) for piece in folded(text).split()])[:MAX_UNITS]


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


def _take_all(draft: _Draft, found: Sequence[Item]) -> None:
    was_or = was_filter = False
    for item in found:
        is_filter = _take(draft, item)
        if (was_or and is_filter) or (was_filter and item.is_or):
            draft.tell(FILTERS_AND_OR)
        was_or, was_filter = item.is_or, is_filter
        draft.is_unbalanced |= item.is_unbalanced
    if draft.ors and draft.is_unbalanced:
        draft.tell(PARENTHESES)


def _take(draft: _Draft, item: Item) -> bool:
    """Put the item where it belongs; tells whether it is a filter."""
    if item.is_or:
        if draft.branches[-1]:
            draft.branches.append([])
        draft.operators += 1
        draft.ors += 1
    elif item.grouped:
        _take_group(draft, item)
    elif _is_filter(draft, item):
        draft.operators += 1
        return True
    elif item.sign:
        draft.excluded.append(Unit(item.prefix + item.text, item.quoted))
        draft.operators += 1
        if item.is_unbalanced:
            draft.tell(PARENTHESES)
    else:
        draft.branches[-1].append([[Unit(item.prefix + item.text, item.quoted)]])
        draft.operators += item.quoted
    return False


def _take_group(draft: _Draft, item: Item) -> None:
    """One of the alternatives, or, behind a minus, none of them."""
    inner = list(items(item.text))
    alternatives = _alternatives(inner)
    draft.operators += 1
    if alternatives and item.sign:
        alone = [units[0] for units in map(_joined, alternatives) if len(units) == 1]
        draft.excluded += alone
        if len(alone) < len(alternatives):
            draft.tell(PARENTHESES)
    elif alternatives and _size(draft.branches[-1]) * len(alternatives) <= MAX_GROUPS:
        draft.branches[-1].append(alternatives)
    else:
        draft.tell(PARENTHESES)
        _take_all(draft, inner)


def _size(branch: Sequence[_Factor]) -> int:
    return prod(map(len, branch))


def _alternatives(inner: Sequence[Item]) -> _Factor:
    """What stands between the ORs of a group; nothing where that holds more than words and phrases."""
    if any(
        item.sign or item.grouped or item.prefix or (not item.quoted and _FILTER.fullmatch(item.text)) for item in inner
    ):
        return []
    found: _Factor = [[]]
    for item in inner:
        if item.is_or:
            found.append([])
        else:
            found[-1].append(Unit(item.text, item.quoted))
    return [units for units in found if units]


def _looks_like_filter(item: Item) -> bool:
    return not item.quoted and _FILTER.fullmatch(item.text) is not None


def _is_filter(draft: _Draft, item: Item) -> bool:
    if item.prefix:
        _name(draft, item.sign, item.prefix, item.text.strip())
        return True
    found = None if item.quoted else _FILTER.fullmatch(item.text)
    if not found:
        return False
    name, value = found[1].lower(), found[2]
    if not value:
        draft.tell(no_name(item.sign + item.text))
        return False
    if name in ("tag", "category"):
        _name(draft, item.sign, name, value)
        return True
    moment = date_of(value)
    if moment is None:
        draft.tell(not_a_date(item.text))
        return False
    if item.sign:  # not before a day is on it or after
        name = "after" if name == "before" else "before"
    setattr(draft, name, moment)
    return True


def _name(draft: _Draft, sign: str, label: str, name: str) -> None:
    """A tag or category that is asked for, or excluded."""
    is_tag = label.lower().startswith("tag")
    if sign:
        (draft.not_tags if is_tag else draft.not_categories).append(name)
    else:
        (draft.tags if is_tag else draft.categories).append(name)


def _first_units(groups: list[list[Unit]], count: int) -> list[list[Unit]]:
    kept: list[list[Unit]] = []
    for group in groups:
        if count > 0:
            kept.append(group[:count])
        count -= len(group)
    return kept
