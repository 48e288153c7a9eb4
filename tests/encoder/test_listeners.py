"""What a run shows on the console and leaves in its log."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from encoder.events import (
    CheckpointSaved,
    Event,
    RunFinished,
    RunStarted,
    Sample,
    StepFinished,
    Validated,
    broadcast,
    ignore,
)
from encoder.listeners import ConsolePanel, MetricsLog, as_record, read_metrics, resident_bytes
from encoder.progress import Progress, panel_lines


def started(first_step: int = 0, total: int | None = 100, limit: float | None = None) -> RunStarted:
    return RunStarted("mlm", first_step, total, 50, "cpu, 1 threads, float32", 1234, seconds_limit=limit)


def step(number: int, *, loss: float = 2.0, seconds: float | None = None) -> StepFinished:
    return StepFinished(
        step=number,
        round=1 + (number - 1) // 50,
        batch=1 + (number - 1) % 50,
        loss=loss,
        learning_rate=1e-3,
        gradient_norm=0.5,
        characters=1000,
        seconds=number / 2 if seconds is None else seconds,
        memory_bytes=300_000_000,
    )


def validated(number: int, loss: float, best: float) -> Validated:
    sample = Sample("她在<b>学习", 5, 7, [("学习", 0.5)], 0.7)
    return Validated(number, loss, best, loss <= best, number / 2, {"top1": 0.25}, [sample])


def after(*events: Event) -> Progress:
    progress = Progress()
    for event in events:
        progress(event)
    return progress


def test_the_panel_shows_place_losses_time_and_machine() -> None:
    progress = after(started(), *map(step, range(1, 61)), validated(60, 1.75, 1.5))
    place, losses, time, machine = panel_lines(progress, 85_000_000)
    assert place.startswith("round 2  batch 10/50  step 60/100")
    assert place.endswith("60.0%")
    assert losses == "train loss 2.0000  validation 1.7500  best 1.5000  top1 0.250"
    assert time == "elapsed 0:30  ETA 0:20  2,000 characters/s"
    assert machine == "cpu, 1 threads, float32  memory 85 MB (peak 300 MB)  learning rate 1.00e-03"


def test_the_panel_has_something_to_say_before_the_first_step() -> None:
    assert panel_lines(Progress()) == []
    assert panel_lines(after(started()))[2] == "elapsed 0:00  ETA -"


def test_a_resumed_run_is_timed_by_its_own_steps() -> None:
    progress = after(started(first_step=80), *(step(80 + done, seconds=done) for done in (1, 2, 3, 4)))
    assert progress.seconds_left == pytest.approx(16.0)
    assert progress.share == pytest.approx(0.84)


def test_a_time_limit_ends_the_run_if_it_comes_first() -> None:
    progress = after(started(limit=10.0), *map(step, range(1, 11)))
    assert progress.seconds_left == pytest.approx(5.0)
    assert progress.share == pytest.approx(0.5)
    assert after(started(total=None), step(1)).seconds_left is None


def test_the_training_loss_is_a_mean_that_forgets() -> None:
    first = after(started(), step(1, loss=8.0), step(2, loss=4.0))
    assert first.train_loss == pytest.approx(6.0)
    later = after(started(), *(step(number, loss=8.0 if number < 10 else 1.0) for number in range(1, 500)))
    assert later.train_loss == pytest.approx(1.0, abs=0.01)


def test_best_loss_is_that_of_before_the_resume_until_one_is_measured() -> None:
    resumed = RunStarted("mlm", 10, 100, 50, "cpu", 1, best_loss=1.25)
    assert after(resumed).best_loss == 1.25
    assert after(resumed, validated(20, 1.5, 1.25)).best_loss == 1.25


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_the_panel_is_redrawn_in_place() -> None:
    terminal = Terminal()
    panel = ConsolePanel(terminal)
    for event in (started(), step(1), step(2)):
        panel(event)
    assert terminal.getvalue().count("\x1b[4A") == 2
    assert terminal.getvalue().count("\x1b[2K") == 12


def test_elsewhere_it_is_a_line_now_and_then() -> None:
    stream = io.StringIO()
    panel = ConsolePanel(stream, quiet_s=30)
    events = [started(), *map(step, range(1, 101)), CheckpointSaved(100, "run/step-100", True, 50)]
    for event in [*events, RunFinished(100, 1.5, "steps", 50)]:
        panel(event)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 4, "start, first step, half a minute later, finish"
    assert "\x1b" not in stream.getvalue()
    assert lines[-1].endswith("finished: steps, step 100, best 1.5000")


def test_the_log_holds_every_event_as_it_was(tmp_path: Path) -> None:
    events = [started(), step(1), validated(1, 1.5, 1.5), CheckpointSaved(1, "x", True, 1.0)]
    log = MetricsLog(tmp_path / "run" / "metrics.jsonl")
    for event in events:
        log(event)
    assert len(list(read_metrics(tmp_path / "run" / "metrics.jsonl"))) == 4, "each event is on disk at once"
    log(RunFinished(1, 1.5, "steps", 1.0))
    records = list(read_metrics(tmp_path / "run" / "metrics.jsonl"))
    assert [record["event"] for record in records] == [
        "RunStarted", "StepFinished", "Validated", "CheckpointSaved", "RunFinished",
    ]  # fmt: skip
    assert records[1]["loss"] == 2.0
    assert records[2]["samples"][0]["text"] == "她在<b>学习"


def test_after_a_kill_no_step_stands_twice_in_the_log(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    first = MetricsLog(path)
    for event in [started(), *map(step, range(1, 8))]:
        first(event)
    with path.open("a") as torn:
        torn.write('{"event": "StepFini')
    second = MetricsLog(path)
    for event in [started(first_step=5), *map(step, range(6, 10))]:
        second(event)
    steps = [record["step"] for record in read_metrics(path) if record["event"] == "StepFinished"]
    assert steps == list(range(1, 10))


def test_a_new_run_begins_a_new_log(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    for _ in range(2):
        log = MetricsLog(path)
        for event in [started(), step(1), RunFinished(1, None, "steps", 1.0)]:
            log(event)
    assert len(list(read_metrics(path))) == 3
    assert list(read_metrics(tmp_path / "none.jsonl")) == []


def test_the_log_wants_the_start_first(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="RunStarted"):
        MetricsLog(tmp_path / "metrics.jsonl")(step(1))


def test_broadcast_keeps_the_order() -> None:
    heard: list[str] = []
    listener = broadcast([lambda _: heard.append("first"), ignore, lambda _: heard.append("second")])
    listener(step(1))
    assert heard == ["first", "second"]


def test_records_and_memory_are_plain_values() -> None:
    assert as_record(step(3))["event"] == "StepFinished"
    used = resident_bytes()
    assert used is None or used > 1_000_000
