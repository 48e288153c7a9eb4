"""Charts and images, read back."""

from __future__ import annotations

import struct
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.charts import Series, heat_map, line_chart, png, shades, thinned, ticks

numbers = st.floats(-1e6, 1e6)


@given(numbers, numbers)
def test_ticks_enclose_the_range_evenly(one: float, other: float) -> None:
    low, high = sorted((one, other))
    if high - low < 1e-6:
        high = low
    marks = ticks(low, high)
    slack = 1e-6 * max(1.0, abs(low), abs(high))
    assert marks[0] <= low + slack
    assert marks[-1] >= high - slack
    assert 2 <= len(marks) <= 8
    assert np.allclose(np.diff(marks), marks[1] - marks[0], rtol=1e-3, atol=slack)


def test_thinning_keeps_the_mean_and_drops_what_is_not_a_number() -> None:
    points = [(float(x), float(x)) for x in range(1000)]
    kept = thinned([*points, (1000.0, float("nan"))], limit=100)
    assert len(kept) == 100
    assert sum(y for _, y in kept) / 100 == pytest.approx(499.5)
    assert thinned(points[:5]) == points[:5]


def test_a_chart_draws_one_line_for_each_series_inside_the_frame() -> None:
    html = line_chart("loss & <more>", [Series("train", [(0, 5), (10, 1)]), Series("valid", [(5, 2)]), Series("-", [])])
    figure = ElementTree.fromstring(html)
    lines = figure.findall(".//polyline")
    assert [line.get("class") for line in lines] == ["series-1", "series-2"]
    xs, ys = zip(*(map(float, pair.split(",")) for pair in str(lines[0].get("points")).split()), strict=True)
    assert xs[0] < xs[1]
    assert ys[0] < ys[1], "y grows downwards: a falling loss falls"
    assert figure.findtext("figcaption") == "loss & <more>"


def test_an_empty_chart_says_so() -> None:
    assert "nothing yet" in line_chart("loss", [Series("train", []), Series("valid", [])])


def read_png(data: bytes) -> np.ndarray:
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = {}, 8
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        (checksum,) = struct.unpack(">I", data[place + 8 + length : place + 12 + length])
        assert checksum == zlib.crc32(kind + body)
        chunks[kind] = body
        place += 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    return rows[:, 1:].reshape(height, width, 3)


def test_png_is_read_back_pixel_by_pixel() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    assert np.array_equal(read_png(png(pixels)), pixels)


def test_more_weight_is_darker() -> None:
    colours = shades(np.array([[0.0, 0.01, 0.1, 0.5, 1.0]]))[0].astype(int)
    assert colours[0].tolist() == [255, 255, 255]
    assert (np.diff(colours.sum(axis=1)) < 0).all()


def test_a_heat_map_has_its_labels_on_both_axes() -> None:
    figure = ElementTree.fromstring(heat_map(np.eye(3), ["春", "<", "&"], ["春", "<", "&"]))
    assert [text.text for text in figure.findall("text")] == ["春", "<", "&"] * 2
    assert str(figure.find("image").get("href")).startswith("data:image/png;base64,")
