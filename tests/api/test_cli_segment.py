"""`wenci segment` on a stream: lines come out as soon as they are in, and memory does not grow with their number."""

import io
import os
import sys
import threading
import tracemalloc

import pytest

from api.cli_segment import _Writer, read_lines
from segmenter.analyzer import Analyzer
from segmenter.types import Granularity

LINE = "产品和服务，研究生命的起源。".encode()


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default(mode="dictionary")


class _Discarded(io.TextIOBase):
    def __init__(self) -> None:
        self.lines = 0

    def write(self, text: str) -> int:
        self.lines += text.count("\n")
        return len(text)


def peak(analyzer: Analyzer, lines: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Most bytes allocated while so many lines go through a pipe."""
    read_end, write_end = os.pipe()
    found = _Discarded()
    monkeypatch.setattr(sys, "stdout", found)

    def feed() -> None:
        with os.fdopen(write_end, "wb") as pipe:
            for _ in range(lines):
                pipe.write(LINE + b"\n")

    feeder = threading.Thread(target=feed)
    tracemalloc.start()
    feeder.start()
    writer = _Writer(analyzer, Granularity.COARSE, None, as_json=True)
    for batch in read_lines(read_end):
        writer.write(batch)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    feeder.join()
    os.close(read_end)
    monkeypatch.undo()
    assert found.lines == lines
    return most


def test_memory_does_not_grow_with_the_lines(analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch) -> None:
    peak(analyzer, 10, monkeypatch)
    assert peak(analyzer, 6_000, monkeypatch) < 1.5 * peak(analyzer, 2_000, monkeypatch)


def test_a_line_comes_out_before_the_next_is_there(analyzer: Analyzer, capsys: pytest.CaptureFixture[str]) -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, LINE + b"\n" + LINE[:7])
    lines = read_lines(read_end)
    writer = _Writer(analyzer, Granularity.COARSE, None, as_json=False)
    writer.write(next(lines))
    assert capsys.readouterr().out == "产品 和 服务 ， 研究 生命 的 起源 。\n"
    os.write(write_end, b"\n\xff\n")
    writer.write(next(lines))
    os.close(write_end)
    assert list(lines) == []
    os.close(read_end)
    found = capsys.readouterr()
    assert found.out == "\n\n"
    assert "line 2: not UTF-8" in found.err
    assert "line 3: not UTF-8" in found.err
    assert writer.failed == 2
