"""The training loop: it learns, it tells, and it goes on after a kill as if nothing had happened."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from encoder import checkpoint
from encoder.config import TrainingConfig
from encoder.events import CheckpointSaved, Event, RunFinished, RunStarted, StepFinished, Validated
from encoder.mlm import guess_word
from encoder.train import optimizer_for, pick_device, train
from tests.encoder import tiny

ROOT = Path(__file__).parents[2]


def losses(events: list[Event]) -> list[float]:
    return [event.loss for event in events if isinstance(event, StepFinished)]


def test_a_tiny_model_overfits_end_to_end(tmp_path):
    config = tiny.training(steps=200, batch_characters=200, validate_every=200)
    task = tiny.task(config, rate=0.3, width=32, layers=2, convolution=3)
    events: list[Event] = []
    best = train(task, config, tmp_path, listener=events.append)
    assert losses(events)[0] > 4
    assert best < 0.5
    sample = guess_word(task.module, task.tokenizer, tiny.SENTENCES[1], 1, 2)
    assert sample.guesses[0][0] == "猫"
    assert sample.guesses[0][1] > 0.5


def test_what_the_listener_hears(tmp_path):
    config = tiny.training(steps=7)
    events: list[Event] = []
    task = tiny.task(config)
    best = train(task, config, tmp_path, listener=events.append)
    start, *rest = events
    assert isinstance(start, RunStarted)
    assert (start.first_step, start.total_steps, start.steps_per_round) == (0, 7, task.batches(0))
    steps = [event for event in rest if isinstance(event, StepFinished)]
    assert [event.step for event in steps] == list(range(1, 8))
    assert [(e.round, e.batch) for e in steps][task.batches(0)] == (2, 1)
    assert sum(e.characters for e in steps[: task.batches(0)]) == sum(map(len, tiny.SENTENCES))
    assert steps[0].learning_rate == pytest.approx(config.learning_rate / 3)
    assert [e.step for e in rest if isinstance(e, Validated)] == [5, 7]
    assert [e.step for e in rest if isinstance(e, CheckpointSaved)] == [5, 7]
    assert rest[-1] == RunFinished(7, best, "steps", rest[-1].seconds)


def test_killed_and_resumed_gives_the_same_curve_to_the_last_bit(tmp_path):
    def run(what: str) -> int:
        command = [sys.executable, "-m", "tests.encoder.tiny", str(tmp_path), what]
        return subprocess.run(command, cwd=ROOT, timeout=300, check=False).returncode

    assert run("killed") == -signal.SIGKILL
    assert run("resumed") == 0
    whole = [json.loads(line) for line in (tmp_path / "whole.jsonl").read_text().splitlines()]
    lines = [json.loads(line) for line in (tmp_path / "killed.jsonl").read_text().splitlines()]
    assert [line[1] for line in lines if line[0] == "step"] == [*range(1, 14), *range(11, 21)]
    repeated = {tuple(line[:2]): line[2:] for line in lines}
    assert repeated == {tuple(line[:2]): line[2:] for line in whole}
    for first in lines[:13]:
        assert first[2:] == repeated[tuple(first[:2])]
    ends = [checkpoint.load_weights(checkpoint.find(tmp_path / name)) for name in ("whole", "killed")]
    assert all(torch.equal(value, ends[1][name]) for name, value in ends[0].items())


def test_every_parameter_is_updated_saved_and_loaded(tmp_path):
    config = tiny.training(steps=6, weight_decay=0.0)
    task = tiny.task(config, convolution=3)
    before = {name: value.clone() for name, value in task.module.state_dict().items()}
    train(task, config, tmp_path)
    after = task.module.state_dict()
    assert [name for name in before if torch.equal(before[name], after[name])] == []
    saved = checkpoint.load(checkpoint.find(tmp_path))
    assert saved.weights.keys() == after.keys()
    assert all(torch.equal(saved.weights[name], after[name]) for name in after)
    assert len(saved.state["optimizer"]["state"]) == len(list(task.module.parameters()))


def test_accumulated_batches_give_the_gradient_of_their_mean(tmp_path):
    config = tiny.training(steps=1, accumulation=3)
    task = tiny.task(config)
    mean = sum(task.loss(0, batch)[0] for batch in range(3)) / 3
    norm = torch.nn.utils.get_total_norm(torch.autograd.grad(mean, list(task.module.parameters())))
    events: list[Event] = []
    train(task, config, tmp_path, listener=events.append)
    step = next(event for event in events if isinstance(event, StepFinished))
    assert step.gradient_norm == pytest.approx(norm.item(), rel=1e-4)
    assert step.loss == pytest.approx(mean.item(), rel=1e-5)


def test_workers_change_no_bit(tmp_path):
    config = tiny.training(steps=8, accumulation=3)
    curves = []
    for workers in (1, 2):
        events: list[Event] = []
        train(tiny.task(config), config, tmp_path / str(workers), listener=events.append, workers=workers)
        curves.append(losses(events))
    assert curves[0] == curves[1]


def test_a_run_is_not_overwritten_by_mistake(tmp_path):
    config = tiny.training(steps=1)
    train(tiny.task(config), config, tmp_path)
    with pytest.raises(FileExistsError, match="already holds a run"):
        train(tiny.task(config), config, tmp_path)


@pytest.mark.parametrize(
    ("shape", "changes", "field"),
    [
        ({"width": 8}, {}, "encoder.width is 16 there and 8 here"),
        ({"sentences": tiny.SENTENCES[:5]}, {}, "data.train is"),
        ({"rate": 0.3}, {}, "mask_rate is 0.2 there and 0.3 here"),
        ({}, {"seed": 2}, "order.seed is 1 there and 2 here"),
    ],
)
def test_another_shape_or_data_never_resumes(tmp_path, shape, changes, field):
    first = tiny.training(steps=5)
    train(tiny.task(first), first, tmp_path)
    config = tiny.training(steps=9, **changes)
    with pytest.raises(checkpoint.CheckpointMismatchError, match=field):
        train(tiny.task(config, **shape), config, tmp_path, resume=True)


def test_a_run_can_be_stopped_and_made_longer(tmp_path):
    config = tiny.training(steps=50)
    events: list[Event] = []

    def stop() -> str | None:
        return "interrupted" if len(losses(events)) >= 3 else None

    train(tiny.task(config), config, tmp_path, listener=events.append, should_stop=stop)
    assert events[-1].reason == "interrupted"
    assert checkpoint.read_meta(checkpoint.find(tmp_path)).step == 3
    longer, more = tiny.training(steps=6), []
    train(tiny.task(longer), longer, tmp_path, resume=True, listener=more.append)
    assert [event.step for event in more if isinstance(event, StepFinished)] == [4, 5, 6]


def test_best_loss_goes_on_after_a_resume(tmp_path):
    config = tiny.training(steps=5)
    best = train(tiny.task(config), config, tmp_path)
    events: list[Event] = []
    train(tiny.task(config), config, tmp_path, resume=True, listener=events.append)
    assert events[0].best_loss == best
    assert isinstance(events[-1], RunFinished)


def test_bfloat16_trains_too(tmp_path):
    config = tiny.training(steps=40, precision="bfloat16", batch_characters=200)
    task, events = tiny.task(config), []
    train(task, config, tmp_path, listener=events.append)
    assert losses(events)[-1] < losses(events)[0] - 0.5
    assert {p.dtype for p in task.module.parameters()} == {torch.float32}


def test_a_gradient_that_is_no_number_stops_the_run(tmp_path):
    config = tiny.training(steps=3)
    task = tiny.task(config)
    with torch.no_grad():
        task.module.head.bias[40] = float("nan")
    with pytest.raises(FloatingPointError, match="gradient norm nan at step 1"):
        train(task, config, tmp_path)
    assert checkpoint.find(tmp_path) is None


def test_learning_rate_rises_stays_and_falls():
    config = TrainingConfig(steps=100, learning_rate=2.0, warmup_steps=10, decay_share=0.5)
    rates = [config.learning_rate_at(step) for step in range(100)]
    assert rates[0] == pytest.approx(0.2)
    assert rates[9:51] == [2.0] * 42
    assert rates[75] == pytest.approx(1.0)
    assert rates[99] == pytest.approx(0.04)
    assert TrainingConfig(steps=5, warmup_steps=0, decay_share=0.0).learning_rate_at(4) == 1e-3


def test_weight_decay_falls_on_matrices_alone():
    task = tiny.task(tiny.training())
    decayed, free = optimizer_for(task.module, tiny.training()).param_groups
    assert {p.ndim for p in decayed["params"]} == {2}
    assert {p.ndim for p in free["params"]} == {1}
    assert (decayed["weight_decay"], free["weight_decay"]) == (0.01, 0.0)


def test_device_is_picked_by_name():
    assert pick_device("cpu").type == "cpu"
    assert pick_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")


def test_a_corpus_of_another_tokenizer_is_refused():
    from encoder.pretrain import MlmTask
    from encoder.tokenizers import CharTokenizer

    known = tiny.task(tiny.training())
    other = CharTokenizer.train(["别的字"])
    with pytest.raises(ValueError, match="a corpus was made with tokenizer"):
        MlmTask(known.config, tiny.training(), other, known.train, known.valid)
