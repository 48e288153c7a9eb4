"""Other readings of a query: a group of units with words replaced, searched like the group itself."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from psycopg import Connection

from index import synonyms
from index.asked import parts_of
from index.query import units_of
from index.rows import DocumentAnalyzer
from index.synonyms import Synonyms
from index.terms import Part

Route = Literal["spacing", "synonym", "fuzzy"]


class Swap(NamedTuple):
    """A word as typed, what it was taken for, and why: a rule of synonyms, the letters that differ, or `spacing`."""

    typed: str
    meant: str
    by: str | int


@dataclass(frozen=True, slots=True)
class Variant:
    """One other reading of a group. What it finds comes below everything that the query itself finds."""

    route: Route
    parts: tuple[Part, ...]
    swaps: tuple[Swap, ...]

    @property
    def text(self) -> str:
        """The reading as a query."""
        return " ".join(part.unit.text for part in self.parts)


def variant(
    analyzer: DocumentAnalyzer, route: Route, text: str, group: Sequence[Part], swaps: Iterable[Swap]
) -> Variant:
    """A group whose unquoted units read `text` now; quoted ones stay as they are."""
    kept = [part.unit for part in group if part.unit.quoted]
    return Variant(route, parts_of(analyzer, [*units_of(text), *kept]), tuple(swaps))


def open_text(group: Sequence[Part]) -> str:
    """What of a group may be read otherwise: its unquoted units."""
    return " ".join(part.unit.text for part in group if not part.unit.quoted)


def by_synonyms(conn: Connection, analyzer: DocumentAnalyzer, groups: Iterable[Sequence[Part]]) -> tuple[Variant, ...]:
    """The readings that the stored rules give; without rules that is one look at their number."""
    rules = synonyms.current(conn, analyzer)
    if not rules:
        return ()
    return tuple(one for group in groups for one in _of_group(analyzer, rules, group))


def _of_group(analyzer: DocumentAnalyzer, rules: Synonyms, group: Sequence[Part]) -> list[Variant]:
    text = open_text(group)
    analysis = analyzer.analyze_batch([text])[0] if len(group) > 1 or group[0].unit.quoted else group[0].analysis
    return [
        variant(analyzer, "synonym", other.text, group, (Swap(*change) for change in other.changes))
        for other in rules.expand(analysis, text)
    ]
