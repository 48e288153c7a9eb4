"""What a page of hits shows: rows, marked titles and snippets."""

from collections.abc import Sequence
from dataclasses import dataclass

from index.passages import BODY
from index.reader import PASSAGES_READ, Reader, Row, StoredPassage
from index.snippet import Cut, Needle, cut_body, render, title_marks
from index.terms import Part

MAX_NEEDLES = 48


@dataclass(frozen=True, slots=True)
class Shown:
    """A row with its snippet; marks are code-point pairs into `row.title` and `snippet`."""

    row: Row
    title_marks: tuple[tuple[int, int], ...]
    snippet: str
    snippet_marks: tuple[tuple[int, int], ...]


def needles_of(parts: Sequence[Part], whole: str) -> list[Needle]:
    """What to mark for a query: the whole text, the units, their words."""
    texts = {whole: None} if whole else {}
    for part in parts:
        texts |= dict.fromkeys([part.stream.strip(_MARKS), *(word for _, word in part.coarse if len(word) > 1)])
        texts |= dict.fromkeys(term.text for term in part.terms)
    return [Needle(text, at_word=text[0].isascii()) for text in texts if text][:MAX_NEEDLES]


_MARKS = "，。！？；：、,.!?;:\"'()[]"


def show(reader: Reader, ords: Sequence[int], needles: Sequence[Needle]) -> dict[int, Shown]:
    """What to show of each post that is still there."""
    rows = reader.posts(ords)
    passages = _with_later(reader, reader.passages(rows), needles)
    cuts = {ord: cut_body(passages[ord], needles) for ord in rows}
    slices = reader.body_slices([(ord, cut.start, cut.length) for ord, cut in cuts.items()])
    return {ord: _shown(rows[ord], passages[ord], needles, cuts[ord], *slices[ord]) for ord in rows}


def _with_later(
    reader: Reader, passages: dict[int, list[StoredPassage]], needles: Sequence[Needle]
) -> dict[int, list[StoredPassage]]:
    """Adds, for long posts, the later passages that hold something to mark."""
    long = [ord for ord, found in passages.items() if sum(p.field == BODY for p in found) == PASSAGES_READ]
    if not long or not needles:
        return passages
    later = reader.later_passages(long, [needle.text for needle in needles])
    return {ord: found + later.get(ord, []) for ord, found in passages.items()}


def _shown(
    row: Row, passages: Sequence[StoredPassage], needles: Sequence[Needle], cut: Cut, text: str, is_end: bool
) -> Shown:
    snippet, marks = render(cut, text, is_end)
    return Shown(row, title_marks(passages, needles), snippet, marks)
