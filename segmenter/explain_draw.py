"""An explanation drawn: the lattice as SVG, with the chosen path filled in, and as a graph for Graphviz."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from segmenter.explain import Explanation, OfferedWord
from segmenter.explain_text import printable

CELL: Final = 44
"""Width of a character, in pixels; the rest follows from it."""
_BAR, _ROW, _MARGIN, _CHARACTERS, _ODDS = 26, 32, 16, 34, 54
_COLOURS: Final = {"dictionary": "#2b6cb0", "user": "#b7791f", "model": "#2f855a"}
_STYLE = (
    "text{font:14px system-ui,sans-serif;text-anchor:middle;dominant-baseline:central}"
    ".note{font-size:10px;fill:#555}.text{font-size:20px}"
)


def as_svg(found: Explanation) -> str:
    """The characters in a row, the model's probability of a border in each gap, and every offered word as a bar below.

    Filled bars are the words taken. The picture is `CELL` pixels wide for each character.
    """
    rows = _rows([word for word in found.offered if word.end - word.start >= 2 or word.taken])
    width = CELL * max(len(found.text), 4) + 2 * _MARGIN
    top = _MARGIN + _CHARACTERS + _ODDS
    height = top + _ROW * max(len(rows), 1) + _MARGIN + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f' role="img"><title>{_xml(" | ".join(found.words))}</title><style>{_STYLE}</style>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        *_characters(found),
        *_gaps(found),
        *(_bar(word, top + _ROW * number) for number, row in enumerate(rows) for word in row),
        *_legend(height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _rows(words: Sequence[OfferedWord]) -> list[list[OfferedWord]]:
    """Words in rows without overlap, those taken in the first."""
    rows: list[list[OfferedWord]] = []
    ends: list[int] = []
    for word in sorted(words, key=lambda word: (not word.taken, word.start, -word.end)):
        fits = (number for number, end in enumerate(ends) if end <= word.start and (number > 0 or word.taken))
        free = next(fits, None)
        if free is None:
            rows.append([word])
            ends.append(word.end)
        else:
            rows[free].append(word)
            ends[free] = word.end
    return rows


def _left(offset: int) -> int:
    return _MARGIN + CELL * offset


def _characters(found: Explanation) -> Iterator[str]:
    middle = _MARGIN + _CHARACTERS // 2
    for place, one in enumerate(found.text):
        yield f'<text class="text" x="{_left(place) + CELL // 2}" y="{middle}">{_xml(one)}</text>'


def _gaps(found: Explanation) -> Iterator[str]:
    """A line for each gap, as high as a border is likely, with the figure and the reason; borders are dark."""
    base = _MARGIN + _CHARACTERS + _ODDS - 10
    for gap in found.gaps:
        x = _left(gap.at)
        colour = "#1a202c" if gap.border else "#cbd5e0"
        high = 20 if gap.probability is None else round(28 * gap.probability) + 2
        title = "; ".join([gap.reason.value, *(f"{word.text} ({word.source})" for word in gap.crossed_by)])
        yield (
            f"<g><title>{_xml(title)}</title>"
            f'<rect x="{x - 2}" y="{base - high}" width="4" height="{high}" fill="{colour}"/>'
        )
        shown = "" if gap.probability is None else f"{gap.probability:.2f}"
        yield f'<text class="note" x="{x}" y="{base - 36}">{shown}</text></g>'


def _bar(word: OfferedWord, y: int) -> str:
    colour = _COLOURS[word.source]
    x, width = _left(word.start) + 2, CELL * (word.end - word.start) - 4
    paint = (colour, "#fff") if word.taken else ("none", colour)
    return (
        f"<g><title>{_xml(f'{word.text}: {word.source}, {word.score:.2f}')}</title>"
        f'<rect x="{x}" y="{y}" width="{width}" height="{_BAR}" rx="5" fill="{paint[0]}" stroke="{colour}"/>'
        f'<text x="{x + width // 2}" y="{y + _BAR // 2}" fill="{paint[1]}">{_xml(word.text)}</text></g>'
    )


def _legend(height: int) -> Iterator[str]:
    for number, (source, colour) in enumerate(_COLOURS.items()):
        x, y = _MARGIN + 4 + number * 60, height - _MARGIN
        yield f'<rect x="{x - 4}" y="{y - 4}" width="8" height="8" fill="{colour}"/>'
        yield f'<text class="note" x="{x + 28}" y="{y}">{source}</text>'


def _xml(text: str) -> str:
    """The text as XML can hold it: control characters as escapes."""
    return escape(printable(text))


def as_dot(found: Explanation) -> str:
    """The lattice as a directed graph from left to right; the path taken is bold."""
    places = sorted({0, len(found.text), *(place for word in found.offered for place in (word.start, word.end))})
    lines = ["digraph lattice {", "  rankdir=LR;", "  node [shape=circle, fontsize=10];"]
    lines += [f"  n{place} [label={place}];" for place in places]
    joined = {(word.start, word.end) for word in found.offered}
    for word in found.offered:
        style = "penwidth=3" if word.taken else "style=dashed"
        label = _quoted(f"{printable(word.text)}\n{word.source} {word.score:.2f}")
        lines.append(f'  n{word.start} -> n{word.end} [label={label}, color="{_COLOURS[word.source]}", {style}];')
    start = 0
    for text in found.words:
        start = found.text.index(text, start)
        if (start, start + len(text)) not in joined:
            label = _quoted(printable(text))
            lines.append(f"  n{start} -> n{start + len(text)} [label={label}, penwidth=3];")
        start += len(text)
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
