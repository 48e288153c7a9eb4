"""Listeners of a training run: a panel on the console, and a log of metrics."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from encoder.events import CheckpointSaved, Event, RunFinished, RunStarted, StepFinished
from encoder.progress import Progress, loss_text, panel_lines


class ConsolePanel:
    """Redraws the panel in place on a terminal; elsewhere writes one line every `quiet_s` seconds of the run."""

    def __init__(self, stream: TextIO | None = None, *, redraw_s: float = 0.5, quiet_s: float = 30.0) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._in_place = self._stream.isatty()
        self._pause = redraw_s if self._in_place else quiet_s
        self._progress = Progress()
        self._next = 0.0
        self._drawn = 0

    def __call__(self, event: Event) -> None:
        """Draw, unless it was just done and nothing but a step has happened."""
        self._progress(event)
        if isinstance(event, CheckpointSaved):
            return
        if isinstance(event, StepFinished):
            if event.seconds < self._next:
                return
            self._next = event.seconds + self._pause
        lines = panel_lines(self._progress, resident_bytes())
        if isinstance(event, RunStarted):
            self._next, self._drawn = 0.0, 0
        if isinstance(event, RunFinished):
            lines.append(f"finished: {event.reason}, step {event.step}, best {loss_text(event.best_loss)}")
        self._write(lines)

    def _write(self, lines: list[str]) -> None:
        if self._in_place:
            up = f"\x1b[{self._drawn}A" if self._drawn else ""
            self._stream.write(up + "".join(f"\x1b[2K{line}\n" for line in lines))
            self._drawn = len(lines)
        else:
            self._stream.write("  |  ".join(lines) + "\n")
        self._stream.flush()


class MetricsLog:
    """Appends every event to a file, one JSON object a line, `event` first.

    When a run resumes at an earlier step than the log has reached (it was killed between two checkpoints), what will be
    done again is dropped first, so that each step stands once.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._file: TextIO | None = None

    def __call__(self, event: Event) -> None:
        """Write the event and flush it."""
        if isinstance(event, RunStarted):
            self._open(event.first_step)
        if self._file is None:
            raise ValueError("the first event of a run must be RunStarted")
        record = as_record(event)
        self._file.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")
        self._file.flush()
        if isinstance(event, RunFinished):
            self._file.close()
            self._file = None

    def _open(self, first_step: int) -> None:
        if self._file is not None:
            self._file.close()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        kept = [record for record in read_metrics(self._path) if _reached(record) <= first_step] if first_step else []
        unfinished = self._path.with_name(self._path.name + ".part")
        unfinished.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in kept), "utf-8")
        unfinished.replace(self._path)
        self._file = self._path.open("a", encoding="utf-8")


def as_record(event: Event) -> dict[str, Any]:
    """An event as plain values, its class name under `event`."""
    return {"event": type(event).__name__, **asdict(event)}


def read_metrics(path: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """The records of a metrics log; none if there is no file. A last line cut short by a crash is left out."""
    if not Path(path).exists():
        return
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.endswith("\n"):
                yield json.loads(line)


def _reached(record: dict[str, Any]) -> int:
    return int(record["first_step"] if record["event"] == "RunStarted" else record["step"])


def resident_bytes() -> int | None:
    """Memory of this process that is in RAM; None where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
