"""The read path's SQL: every statement that a search runs on one generation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from psycopg import Connection

from index.collection import Mask, Stock
from index.kept import Kept
from index.moments import restored
from index.postings import Postings, unpack, unpack_all
from index.queries import queries
from index.rank import GRAM_KINDS, WORD_KINDS, Lists, Ords
from index.tables import SEGMENT

PASSAGES_READ = 8
"""Passages of a field that are read of a post in any case; of later ones those that hold what was searched for."""

FEW = 2000
"""Documents that are put in order of their dates by sorting them."""


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A row of `passage` without its vectors."""

    field: int
    seq: int
    first: int
    stream: str
    offsets: bytes


class Row(NamedTuple):
    """What a hit shows of a post."""

    ord: int
    id: str
    title: str
    url: str | None
    published_at: datetime | None
    tags: tuple[str, ...]


class SourcePost(NamedTuple):
    """A stored post as `related` needs it."""

    ord: int
    title: str
    body: str
    tags: tuple[str, ...]


class Holding(NamedTuple):
    """The postings of a lexeme by kind, of all documents before `upto`."""

    upto: int
    by_kind: dict[int, Postings]


KINDS = (*WORD_KINDS, *GRAM_KINDS)

_POSTINGS: Kept[tuple[int, str], Holding] = Kept(64 << 20)
_PASSAGES: Kept[tuple[int, int], list[StoredPassage]] = Kept(64 << 20)
_ROWS: Kept[tuple[int, int], Row] = Kept(8 << 20)
_OVERHEAD = 200
"""Bytes that an object costs besides its text, about."""


class Reader:
    """Named queries on the rows of one generation, inside one transaction."""

    def __init__(self, conn: Connection, generation: int, stock: Stock | None = None) -> None:
        """With `stock`, that of the generation's collection, what is read is kept for other readers too."""
        self._conn = conn
        self._generation = generation
        self._stock = stock
        self._posts: dict[int, Row] = {}
        self._passages: dict[int, list[StoredPassage]] = {}

    def _rows(self, name: str, **values: Any) -> list[tuple[Any, ...]]:
        values["generation"] = self._generation
        return self._conn.execute(queries("read.sql")[name], values, binary=True).fetchall()

    def _ords(self, name: str, **values: Any) -> Ords:
        data = self._rows(name, **values)[0][0]
        return np.unique(np.frombuffer(data or b"", dtype=">i4").astype(np.int64))

    def postings(self, kinds: Sequence[int], lexemes: Iterable[str]) -> Lists:
        """The documents of each lexeme in each kind; pairs without documents are missing.

        What was kept may name documents that the caller's collection does not know yet.
        """
        wanted = sorted(set(lexemes))
        if not wanted:
            return {}
        if self._stock is None or set(kinds) != set(KINDS):
            rows = self._rows("postings", kinds=list(kinds), lexemes=wanted)
            by_lexeme = _by_lexeme(rows)
        else:
            by_lexeme = {lexeme: held.by_kind for lexeme, held in self._holdings(self._stock, wanted).items()}
        return {(kind, lexeme): found for lexeme, by_kind in by_lexeme.items() for kind, found in by_kind.items()}

    def _holdings(self, stock: Stock, wanted: Sequence[str]) -> dict[str, Holding]:
        """The postings in all kinds, read as far as they were not kept."""
        kept = _POSTINGS.get((stock.token, lexeme) for lexeme in wanted)
        holdings = {lexeme: held for (_, lexeme), held in kept.items()}
        behind = {lexeme: held for lexeme, held in holdings.items() if held.upto < stock.size}
        missing = [lexeme for lexeme in wanted if lexeme not in holdings]
        fresh: dict[str, Holding] = {}
        if missing:
            found = _by_lexeme(self._rows("postings", kinds=list(KINDS), lexemes=missing))
            fresh = {lexeme: Holding(stock.size, _before(stock.size, found.get(lexeme, {}))) for lexeme in missing}
        if behind:
            least = min(held.upto for held in behind.values())
            values = {"kinds": list(KINDS), "lexemes": list(behind), "segment": least - least % SEGMENT}
            later = _by_lexeme(self._rows("later_postings", **values))
            fresh |= {lexeme: _continued(held, later.get(lexeme, {}), stock.size) for lexeme, held in behind.items()}
        _POSTINGS.put(((stock.token, lexeme), held, _size(held)) for lexeme, held in fresh.items())
        return holdings | fresh

    def phrase_ords(self, phrase: str) -> Ords:
        """Documents with a passage whose grams match a `tsquery`, through the index."""
        return self._ords("phrase_ords", phrase=phrase)

    def phrase_among(self, phrase: str, ords: Ords) -> Ords:
        """Those of the documents that have such a passage."""
        return self._ords("phrase_among", phrase=phrase, ords=ords.tolist())

    def standing_among(self, phrase: str, ords: Ords) -> Ords:
        """Those of the documents with a passage whose words match a `tsquery`."""
        return self._ords("standing_among", phrase=phrase, ords=ords.tolist())

    def literal_among(self, literal: str, ords: Ords) -> Ords:
        """Those of the documents with a passage whose stream holds the text; kept passages are not read again."""
        known = self._known(ords.tolist())
        found = {ord for ord, passages in known.items() if any(literal in passage.stream for passage in passages)}
        unknown = [ord for ord in set(ords.tolist()).difference(found) if _may_have_more(known.get(ord))]
        here = np.array(sorted(found), np.int64)
        return np.union1d(here, self._ords("literal_among", literal=literal, ords=unknown)) if unknown else here

    def tag_among(self, tag: str, ords: Ords) -> Ords:
        """Those of the documents with this tag or category, given as a stream."""
        return self._ords("tag_among", tag=tag, ords=ords.tolist())

    def dated_ords(self, after: datetime | None, before: datetime | None) -> Ords:
        """Documents published in `after <= t < before`, either of them None for no bound.

        A bound with a zone is a moment; one without is compared with the date of each post, as that post shows it.
        """
        bounds = {"after": after, "before": before}
        moments = {name: bound if bound is not None and bound.tzinfo else None for name, bound in bounds.items()}
        dates = {name: bound if moments[name] is None else None for name, bound in bounds.items()}
        if not any(moments.values()):
            return self._ords("dated_ords", **dates)
        found = self._ords("ords_of_moments", **moments)
        return np.intersect1d(found, self._ords("dated_ords", **dates)) if any(dates.values()) else found

    def newest(self, ords: Ords, limit: int, offset: int) -> list[int]:
        """A page of the documents, newest first, those without a date last.

        Few are sorted; for many the posts are gone through in that order, as far as the page.
        """
        values = {"limit": limit, "offset": offset}
        if not len(ords) or len(ords) <= FEW:
            return [ord for (ord,) in self._rows("newest", ords=ords.tolist(), **values)]
        top = int(ords.max())
        wanted = np.zeros(top + 1, np.bool_)
        wanted[ords] = True
        mask = np.packbits(wanted, bitorder="little").tobytes()
        return [ord for (ord,) in self._rows("newest_of_many", mask=mask, top=top, **values)]

    def ids(self, ords: Ords) -> set[str]:
        """The posts' ids."""
        return {str(id) for (id,) in self._rows("ids", ords=ords.tolist())}

    def posts(self, ords: Iterable[int]) -> dict[int, Row]:
        """What hits show; posts that are gone are missing. Read once."""
        wanted = list(ords)
        stock = self._stock
        if stock is not None:
            self._posts |= {ord: row for (_, ord), row in _ROWS.get((stock.token, ord) for ord in wanted).items()}
        missing = [ord for ord in wanted if ord not in self._posts]
        if missing:
            fresh = {row[0]: _row(*row) for row in self._rows("posts", ords=missing)}
            self._posts |= fresh
            if stock is not None:
                _ROWS.put(((stock.token, ord), row, _OVERHEAD + 4 * len(row.title)) for ord, row in fresh.items())
        return {ord: self._posts[ord] for ord in wanted if ord in self._posts}

    def passages(self, ords: Iterable[int]) -> dict[int, list[StoredPassage]]:
        """The first `PASSAGES_READ` passages of each field, in order. Read once."""
        wanted = list(ords)
        known = self._known(wanted)
        missing = [ord for ord in wanted if ord not in known]
        if missing:
            fresh = self._grouped(missing, self._rows("passages", ords=missing, passages=PASSAGES_READ))
            self._passages |= fresh
            if self._stock is not None:
                token = self._stock.token
                _PASSAGES.put(((token, ord), found, _bytes(found)) for ord, found in fresh.items() if found)
        return {ord: self._passages[ord] for ord in wanted}

    def _known(self, ords: Sequence[int]) -> dict[int, list[StoredPassage]]:
        """The first passages of those of the documents of which they were read before."""
        if self._stock is not None:
            token = self._stock.token
            wanted = ((token, ord) for ord in ords if ord not in self._passages)
            self._passages |= {ord: found for (_, ord), found in _PASSAGES.get(wanted).items()}
        return {ord: self._passages[ord] for ord in ords if ord in self._passages}

    def later_passages(self, ords: Sequence[int], literals: Sequence[str]) -> dict[int, list[StoredPassage]]:
        """Of the other passages those that hold one of `literals`."""
        values = {"ords": list(ords), "literals": list(literals), "passages": PASSAGES_READ}
        return self._grouped(ords, self._rows("later_passages", **values))

    def _grouped(self, ords: Iterable[int], rows: list[tuple[Any, ...]]) -> dict[int, list[StoredPassage]]:
        found: dict[int, list[StoredPassage]] = {ord: [] for ord in ords}
        for ord, *columns in sorted(rows, key=lambda row: row[:3]):
            found[ord].append(StoredPassage(*columns))
        return found

    def body_slices(self, wanted: Sequence[tuple[int, int, int]]) -> dict[int, tuple[str, bool]]:
        """Of each `(ord, start, length)` that stretch of the original body, and whether the body ends there."""
        if not wanted:
            return {}
        ords, starts, lengths = (list(column) for column in zip(*wanted, strict=True))
        rows = self._rows("body_slices", ords=ords, starts=starts, lengths=lengths)
        return {ord: (text, is_end) for ord, text, is_end in rows}

    def source_post(self, id: str) -> SourcePost | None:
        """Number and texts of a post."""
        rows = self._rows("source_post", id=id)
        if not rows:
            return None
        ord, title, body, tags = rows[0]
        return SourcePost(ord, title, body, tuple(tags))

    def tag_holders(self, tags: Sequence[str]) -> dict[str, Ords]:
        """The documents that carry each of these tags, as spelt."""
        rows = self._rows("tag_holders", tags=list(tags)) if tags else []
        return {tag: np.frombuffer(ords, dtype=">i4").astype(np.int64) for tag, ords in rows}


def _row(
    ord: int, id: str, title: str, url: str | None, at: datetime | None, tags: Sequence[str], shown: datetime | None
) -> Row:
    return Row(ord, id, title, url, restored(at, shown), tuple(tags))


def _by_lexeme(rows: Iterable[tuple[int, str, bytes, bytes]]) -> dict[str, dict[int, Postings]]:
    """Rows of `posting` by lexeme and kind, segments put together."""
    parts: dict[tuple[int, str], list[tuple[bytes, bytes]]] = {}
    for kind, lexeme, ords, tfs in rows:
        parts.setdefault((kind, lexeme), []).append((ords, tfs))
    grouped: dict[str, dict[int, Postings]] = {}
    for (kind, lexeme), pairs in parts.items():
        grouped.setdefault(lexeme, {})[kind] = unpack(*pairs[0]) if len(pairs) == 1 else unpack_all(pairs)
    return grouped


def _before(size: int, by_kind: dict[int, Postings]) -> dict[int, Postings]:
    """Without documents from `size` on, which a statement may see that runs later than the first one."""
    return {kind: _chosen(found, found.ords < size) for kind, found in by_kind.items()}


def _continued(held: Holding, later: dict[int, Postings], size: int) -> Holding:
    """With the documents that have come since."""
    by_kind = dict(held.by_kind)
    for kind, found in later.items():
        added = _chosen(found, (found.ords >= held.upto) & (found.ords < size))
        before = by_kind.get(kind)
        if before is None:
            by_kind[kind] = added
        elif len(added.ords):
            ords, tfs = np.concatenate([before.ords, added.ords]), np.concatenate([before.tfs, added.tfs])
            by_kind[kind] = Postings(ords, tfs)
    return Holding(size, by_kind)


def _chosen(postings: Postings, chosen: Mask) -> Postings:
    return postings if chosen.all() else Postings(postings.ords[chosen], postings.tfs[chosen])


def _size(held: Holding) -> int:
    return _OVERHEAD + sum(_OVERHEAD + 5 * len(found.ords) for found in held.by_kind.values())


def _bytes(passages: Sequence[StoredPassage]) -> int:
    return sum(_OVERHEAD + 2 * len(passage.stream) + len(passage.offsets) for passage in passages)


def _may_have_more(passages: Sequence[StoredPassage] | None) -> bool:
    """Whether a field may have passages after the first ones that were read, if any were."""
    return passages is None or any(passage.seq == PASSAGES_READ - 1 for passage in passages)
