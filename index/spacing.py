"""Latin words and numbers written together or apart: `utf8` and `utf-8`, `16GB` and `16 GB`, `1.28` and `v1.28`.

The index keeps what a writer wrote: letters and digits that touch are one atom. So a query is read in the other ways,
too; each reading replaces one stretch by a phrase that must stand as it is.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import Final

from index.items import folded
from index.query import Unit, units_of
from index.rows import DocumentAnalyzer
from index.terms import Part
from index.variants import Swap, Variant, open_text

MOST: Final = 6
MOST_IN_ALL: Final = 12
"""Readings of one group, and of a query, at most."""

LONGEST_QUERY: Final = 40
"""Characters of a group that is read otherwise; in a sentence one word more or less decides nothing."""

LONGEST: Final = 24
"""Characters of a stretch that is read otherwise."""

MOST_CHANGES: Final = 3
"""Places between letters and digits in a stretch; one with more is an identifier, not a word and a number."""

_STRETCH = re.compile(r"[0-9A-Za-z]+(?:[.\-_][0-9A-Za-z]+)*")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+(?:[-_.][0-9A-Za-z]+)*)", re.IGNORECASE)
_NUMERONYM = re.compile(r"[A-Za-z]\d+[A-Za-z]")
_CHANGE = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_HYPHEN = re.compile(r"(?<=[A-Za-z])[-_](?=[0-9A-Za-z])|(?<=\d)[-_](?=[A-Za-z])")


def by_spacing(analyzer: DocumentAnalyzer, groups: Sequence[Sequence[Part]]) -> tuple[Variant, ...]:
    """The other ways to write what a query has in Latin letters and digits."""
    readings = list(islice(chain.from_iterable(map(_of_group, groups)), MOST_IN_ALL))
    texts = list(dict.fromkeys(unit.text for _, units in readings for unit in units))
    analyses = dict(zip(texts, analyzer.analyze_batch(texts), strict=True)) if texts else {}
    return tuple(
        Variant("spacing", tuple(part for part in parts if part.atoms), (swap,))
        for swap, units in readings
        for parts in [[Part(unit, analyses[unit.text]) for unit in units]]
    )


def _of_group(group: Sequence[Part]) -> Iterator[tuple[Swap, list[Unit]]]:
    text = folded(open_text(group))
    if len(text) > LONGEST_QUERY:
        return
    kept = [part.unit for part in group if part.unit.quoted]
    for start, end, other in islice(_others(text), MOST):
        units = [*units_of(text[:start]), Unit(other, quoted=True), *units_of(text[end:]), *kept]
        yield Swap(text[start:end], other, "spacing"), units


def _others(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, how it may be written) of the stretches that may be written otherwise."""
    stretches = [match.span() for match in _STRETCH.finditer(text)]
    for start, end in stretches:
        yield from ((start, end, other) for other in written_otherwise(text[start:end]))
    joined = [_joined(text, pair) for pair in pairwise(stretches)]
    threes = [_joined(text, three) for three in zip(stretches, stretches[1:], stretches[2:], strict=False)]
    yield from (one for one in [*joined, *threes] if one is not None)


def _joined(text: str, stretches: Sequence[tuple[int, int]]) -> tuple[int, int, str] | None:
    """Neighbours written as one, if white space alone parts them, never two numbers."""
    for (_, end), (start, _) in pairwise(stretches):
        if not text[end:start].isspace() or not (text[end - 1].isalpha() or text[start].isalpha()):
            return None
    other = "".join(text[start:end] for start, end in stretches)
    return (stretches[0][0], stretches[-1][1], other) if len(other) <= LONGEST else None


def written_otherwise(stretch: str) -> list[str]:
    """Other ways to write one stretch.

    >>> written_otherwise("utf8"), written_otherwise("utf-8"), written_otherwise("7x24")[0]
    (['utf 8', 'utf-8'], ['utf8', 'utf 8'], '7 x 24')
    >>> written_otherwise("k8s"), written_otherwise("3f2a9c")
    ([], [])
    >>> written_otherwise("1.28"), written_otherwise("v1.28")[0]
    (['v1.28'], '1.28')
    """
    if len(stretch) > LONGEST:
        return []
    return [*_versions(stretch), *_parted(stretch)]


def _versions(stretch: str) -> list[str]:
    """The number of a version without its `v`, or with one."""
    found = _VERSION.fullmatch(stretch)
    return [] if found is None else [found[1] if found[1] != stretch else f"v{stretch}"]


def _parted(stretch: str) -> list[str]:
    hyphens = [match.span() for match in _HYPHEN.finditer(stretch)]
    parted = [stretch[:start] + mark + stretch[end:] for start, end in hyphens for mark in ("", " ")]
    changes = [match.start() for match in _CHANGE.finditer(stretch)]
    if len(changes) > MOST_CHANGES or _NUMERONYM.fullmatch(stretch):
        return parted
    places = [changes] if len(changes) > 1 else []
    places += [[change] for change in changes]
    apart = [_with(stretch, mark, chosen) for chosen in places for mark in (" ", "-")]
    return parted + apart


def _with(stretch: str, mark: str, places: Sequence[int]) -> str:
    return mark.join(stretch[first:last] for first, last in pairwise([0, *places, len(stretch)]))
