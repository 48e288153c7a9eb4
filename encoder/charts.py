"""Line charts and heat maps as inline SVG, and PNG images, without a drawing library."""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt

WIDTH, HEIGHT = 560, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 22, 14, 34
MAX_POINTS = 400

Point = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """A named line; `points` are (x, y) with x rising. CSS class `series-N` colours it, N from 1 in order."""

    name: str
    points: Sequence[Point]


def line_chart(title: str, series: Sequence[Series], *, x_label: str = "step") -> str:
    """An SVG chart with axes, a legend and the last value of each line; a note where there is nothing to draw."""
    shown = [Series(one.name, thinned(one.points)) for one in series if one.points]
    if not shown:
        return f'<figure><figcaption>{escape(title)}</figcaption><p class="empty">nothing yet</p></figure>'
    xs = [x for one in shown for x, _ in one.points]
    ys = [y for one in shown for _, y in one.points]
    x_ticks, y_ticks = ticks(min(xs), max(xs)), ticks(min(ys), max(ys))
    place = _Frame(x_ticks[0], x_ticks[-1], y_ticks[0], y_ticks[-1])
    parts = [
        *(_horizontal(place, value) for value in y_ticks),
        *(_vertical(place, value) for value in x_ticks),
        *(_line(place, one, number) for number, one in enumerate(shown, 1)),
        f'<text class="label" x="{WIDTH - RIGHT}" y="{HEIGHT - 4}" text-anchor="end">{escape(x_label)}</text>',
    ]
    legend = "".join(
        f'<li class="series-{number}">{escape(one.name)} <b>{one.points[-1][1]:.4g}</b></li>'
        for number, one in enumerate(shown, 1)
    )
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">{"".join(parts)}</svg>'
        f'<ul class="legend">{legend}</ul></figure>'
    )


def thinned(points: Sequence[Point], limit: int = MAX_POINTS) -> list[Point]:
    """At most `limit` points: where there are more, the means of equal stretches."""
    finite = [point for point in points if math.isfinite(point[1])]
    if len(finite) <= limit:
        return finite
    stretch = math.ceil(len(finite) / limit)
    groups = [finite[start : start + stretch] for start in range(0, len(finite), stretch)]
    return [(sum(x for x, _ in group) / len(group), sum(y for _, y in group) / len(group)) for group in groups]


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers, evenly spaced, from one at or below `low` to one at or above `high`.

    >>> ticks(0.3, 4.1)
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    """
    if high <= low:
        high = low + (abs(low) * 0.1 or 1.0)
    rough = (high - low) / about
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * magnitude for factor in (1, 2, 5, 10) if factor * magnitude >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]


@dataclass(frozen=True)
class _Frame:
    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, value: float) -> float:
        return LEFT + (value - self.x_low) / (self.x_high - self.x_low) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - (value - self.y_low) / (self.y_high - self.y_low) * (HEIGHT - TOP - BOTTOM)


def _horizontal(place: _Frame, value: float) -> str:
    y = place.y(value)
    return (
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text class="tick" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
    )


def _vertical(place: _Frame, value: float) -> str:
    x = place.x(value)
    return f'<text class="tick" x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{value:g}</text>'


def _line(place: _Frame, series: Series, number: int) -> str:
    points = " ".join(f"{place.x(x):.1f},{place.y(y):.1f}" for x, y in series.points)
    x, y = series.points[-1]
    return (
        f'<polyline class="series-{number}" points="{points}"><title>{escape(series.name)}</title></polyline>'
        f'<circle class="series-{number}" cx="{place.x(x):.1f}" cy="{place.y(y):.1f}" r="2.5"/>'
    )


def heat_map(matrix: npt.NDArray[np.float64], rows: Sequence[str], columns: Sequence[str], *, cell: int = 16) -> str:
    """An SVG heat map of (R, C) values from 0 to 1, darker for more, `rows` and `columns` written along the axes."""
    height, width = matrix.shape
    edge = cell * 2
    across, down = edge + width * cell, edge + height * cell
    texts = [
        *(_axis_label(label, edge - 4, edge + (place + 0.75) * cell, "end") for place, label in enumerate(rows)),
        *(_axis_label(label, edge + (place + 0.5) * cell, edge - 5, "middle") for place, label in enumerate(columns)),
    ]
    image = (
        f'<image x="{edge}" y="{edge}" width="{width * cell}" height="{height * cell}" preserveAspectRatio="none" '
        f'style="image-rendering:pixelated" href="{data_uri(png(shades(matrix)))}"/>'
    )
    return f'<svg viewBox="0 0 {across} {down}" width="{across}" height="{down}">{image}{"".join(texts)}</svg>'


def shades(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    """(R, C) values from 0 to 1 -> (R, C, 3) colours from white over orange to dark red; the square root lifts small
    values into sight.
    """
    level = np.sqrt(np.clip(matrix, 0.0, 1.0))
    stops = np.array([[255, 255, 255], [253, 174, 97], [165, 0, 38]], np.float64)
    channels = [np.interp(level, [0.0, 0.5, 1.0], stops[:, channel]) for channel in range(3)]
    return np.rint(np.stack(channels, axis=-1)).astype(np.uint8)


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """A PNG file (RFC 2083) of (R, C, 3) colours: one IHDR, one IDAT with unfiltered rows, IEND."""
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, width * 3)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def data_uri(image: bytes) -> str:
    """A PNG as an address that needs no second file."""
    return "data:image/png;base64," + base64.b64encode(image).decode("ascii")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _axis_label(label: str, x: float, y: float, anchor: str) -> str:
    return f'<text class="axis" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(label)}</text>'
