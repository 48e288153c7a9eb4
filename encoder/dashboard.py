"""One HTML file that shows a run: curves, sample predictions, configuration. It needs no network and no script."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from encoder.charts import Point, Series, line_chart
from encoder.events import Event, RunFinished, RunStarted, StepFinished, Validated
from encoder.listeners import as_record, read_metrics
from encoder.progress import clock, loss_text, size

Record = Mapping[str, Any]

_REFRESH_S = 15


class Dashboard:
    """Rewrites the page every `every_s` seconds of the run, after each validation and at the end.

    `metrics`: the log of the run, from which the curves before a resume are taken; list this listener after the log.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, metrics: str | os.PathLike[str] | None = None, every_s: float = 15.0
    ) -> None:
        self._path = Path(path)
        self._metrics = metrics
        self._every_s = every_s
        self._next = 0.0
        self._records: list[Record] = []

    def __call__(self, event: Event) -> None:
        """Take the event in; redraw if it is time."""
        if isinstance(event, RunStarted):
            self._next = 0.0
            self._records = [] if self._metrics is None else list(read_metrics(self._metrics))
            if self._records and self._records[-1]["event"] == "RunStarted":
                self._records.pop()
        self._records.append(as_record(event))
        if isinstance(event, StepFinished):
            if event.seconds < self._next:
                return
            self._next = event.seconds + self._every_s
        if isinstance(event, RunStarted | StepFinished | Validated | RunFinished):
            write_dashboard(self._path, self._records)


def write_dashboard(path: str | os.PathLike[str], records: Sequence[Record]) -> None:
    """Write the page; whoever has it open sees the old one or the new one whole."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(target.name + ".part")
    unfinished.write_text(render(records), "utf-8")
    unfinished.replace(target)


def render(records: Sequence[Record]) -> str:
    """The page for the records of a metrics log."""
    starts = [record for record in records if record["event"] == "RunStarted"]
    steps = [record for record in records if record["event"] == "StepFinished"]
    validations = [record for record in records if record["event"] == "Validated"]
    running = not records or records[-1]["event"] != "RunFinished"
    start: Record = starts[-1] if starts else {}
    return _page().substitute(
        title=escape(str(start.get("name", "run"))),
        refresh=f'<meta http-equiv="refresh" content="{_REFRESH_S}">' if running else "",
        facts=_facts(start, steps, validations, running),
        charts="".join(_charts(steps, validations)),
        samples=_samples(validations),
        validations=_validation_table(validations),
        config=escape(json.dumps(start.get("config", {}), ensure_ascii=False, indent=2, default=str)),
    )


def _page() -> Template:
    return Template(resources.files("encoder").joinpath("dashboard.html").read_text("utf-8"))


def _charts(steps: Sequence[Record], validations: Sequence[Record]) -> list[str]:
    metrics = sorted({name for record in validations for name in record["metrics"]})
    return [
        line_chart(
            "Loss (nats a masked token)",
            [Series("training", _points(steps, "loss")), Series("validation", _points(validations, "loss"))],
        ),
        line_chart("Share of masked places guessed", [Series(name, _metric(validations, name)) for name in metrics]),
        line_chart("Learning rate", [Series("learning rate", _points(steps, "learning_rate"))]),
        line_chart("Gradient norm before clipping", [Series("norm", _points(steps, "gradient_norm"))]),
        line_chart("Characters a second", [Series("speed", _speed(steps))]),
    ]


def _points(records: Iterable[Record], field: str) -> list[Point]:
    return [(record["step"], record[field]) for record in records]


def _metric(validations: Iterable[Record], name: str) -> list[Point]:
    return [(record["step"], record["metrics"][name]) for record in validations if name in record["metrics"]]


def _speed(steps: Sequence[Record]) -> list[Point]:
    """Over stretches of steps; a stretch in which the clock began anew (a resume) is left out."""
    stretch = max(1, len(steps) // 100)
    points = []
    for first in range(0, len(steps) - stretch, stretch):
        part = steps[first : first + stretch + 1]
        seconds = part[-1]["seconds"] - part[0]["seconds"]
        if seconds > 0:
            points.append((part[-1]["step"], sum(record["characters"] for record in part[1:]) / seconds))
    return points


def _facts(start: Record, steps: Sequence[Record], validations: Sequence[Record], running: bool) -> str:
    last: Record = steps[-1] if steps else {}
    latest: Record = validations[-1] if validations else {}
    total = start.get("total_steps")
    facts = {
        "state": "running" if running else "finished",
        "step": f"{last.get('step', 0)}{f' of {total}' if total else ''}",
        "round": last.get("round", 1),
        "training loss": loss_text(last.get("loss")),
        "validation loss": loss_text(latest.get("loss")),
        "best": loss_text(latest.get("best_loss", start.get("best_loss"))),
        "elapsed": clock(last.get("seconds", 0.0)),
        "parameters": f"{start.get('parameters', 0):,}",
        "backend": start.get("backend", "-"),
        "peak memory": size(last.get("memory_bytes")),
    }
    return "".join(f"<div><dt>{name}</dt><dd>{escape(str(value))}</dd></div>" for name, value in facts.items())


def _samples(validations: Sequence[Record]) -> str:
    samples: Sequence[Record] = next((record["samples"] for record in reversed(validations) if record["samples"]), [])
    rows = "".join(_sample(sample) for sample in samples)
    return (
        f"<table><tr><th>sentence</th><th>guesses</th><th>loss</th></tr>{rows}</table>" if rows else "<p>none yet</p>"
    )


def _sample(sample: Record) -> str:
    text, start, end = sample["text"], sample["start"], sample["end"]
    guesses = "".join(
        f"<li{' class=right' if guess == text[start:end] else ''}>{escape(guess)} "
        f'<meter value="{probability:.4f}"></meter> {probability:.1%}</li>'
        for guess, probability in sample["guesses"]
    )
    marked = f"{escape(text[:start])}<mark>{escape(text[start:end])}</mark>{escape(text[end:])}"
    return f"<tr><td>{marked}</td><td><ol>{guesses}</ol></td><td>{sample['loss']:.3f}</td></tr>"


def _validation_table(validations: Sequence[Record]) -> str:
    names = sorted({name for record in validations for name in record["metrics"]})
    head = "".join(f"<th>{escape(name)}</th>" for name in ["step", "loss", "best", *names])
    rows = "".join(
        f"<tr><td>{record['step']}</td><td>{record['loss']:.4f}</td><td>{'*' if record['is_best'] else ''}</td>"
        + "".join(f"<td>{record['metrics'].get(name, float('nan')):.4f}</td>" for name in names)
        + "</tr>"
        for record in validations
    )
    return f"<table><tr>{head}</tr>{rows}</table>"
