"""One training loop for every objective. It computes and tells; consoles, dashboards and logs listen.

The order of the data is a function of (seed, epoch, batch), so weights, optimizer, torch's generators and the position
are all that a run needs to go on to the same bit after it was killed.
"""

from __future__ import annotations

import math
import resource
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn

from encoder import checkpoint
from encoder.config import TrainingConfig
from encoder.events import (
    CheckpointSaved,
    Listener,
    RunFinished,
    RunStarted,
    StepFinished,
    Validated,
    ignore,
)
from encoder.task import Task


@dataclass
class _State:
    step: int = 0
    epoch: int = 0
    batch: int = 0
    characters: int = 0
    best_loss: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)


def optimizer_for(module: nn.Module, config: TrainingConfig) -> torch.optim.AdamW:
    """AdamW (Loshchilov & Hutter 2019), betas 0.9 and 0.98; weight decay on matrices, none on gains and biases."""
    parameters = [p for p in module.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=config.learning_rate, betas=(0.9, 0.98), eps=1e-6, fused=True)


def pick_device(wanted: str = "auto") -> torch.device:
    """ "auto" is CUDA where there is one and the CPU otherwise."""
    if wanted == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return torch.device(wanted)


def train(
    task: Task,
    config: TrainingConfig,
    run: Path,
    *,
    resume: bool = False,
    device: torch.device | str = "cpu",
    listener: Listener = ignore,
    should_stop: Callable[[], str | None] = lambda: None,
    workers: int = 1,
) -> float | None:
    """Train until `config.steps`, or until `should_stop` gives a reason. Returns the best validation loss.

    `run` receives the checkpoints, every `checkpoint_every_s`, after every validation and at the end. With `resume`,
    goes on from the latest one in it (from the start if there is none); raises CheckpointMismatchError if that was
    another model, tokenizer or data. Without it, raises FileExistsError if there is one.

    `workers` batches of a step are computed at once, each by its own thread. On a CPU that others use too, two of them
    with one OpenMP thread each wait for each other once a step instead of once an operation. Gradients are added in the
    order of the batches, so without dropout the result does not depend on `workers`.
    """
    with ThreadPoolExecutor(workers) as pool:
        compute = pool.map if workers > 1 else map
        return _Run(task, config, run, torch.device(device), listener, compute).go(resume, should_stop)


class _Gradients(NamedTuple):
    loss: float
    characters: int
    tensors: tuple[Tensor | None, ...]


class _Run:
    def __init__(
        self,
        task: Task,
        config: TrainingConfig,
        run: Path,
        device: torch.device,
        listener: Listener,
        compute: Callable[..., Iterable[_Gradients]],
    ) -> None:
        self.compute = compute
        self.task, self.config, self.run, self.device, self.listener = task, config, run, device, listener
        order = {"seed": config.seed, "batch_characters": config.batch_characters, "accumulation": config.accumulation}
        self.identity = {"task": task.name, **task.identity(), "order": order}
        self.state = _State()
        self.started = self.saved_at = time.perf_counter()
        self.saved_step = -1
        self.git = checkpoint.git_commit()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def go(self, resume: bool, should_stop: Callable[[], str | None]) -> float | None:
        torch.manual_seed(self.config.seed)
        self.module = self.task.module.to(self.device).train()
        self.parameters = [p for p in self.module.parameters() if p.requires_grad]
        self.optimizer = optimizer_for(self.module, self.config)
        self._restore(resume)
        self._announce()
        reason = None
        while self.state.step < self.config.steps and not (reason := should_stop()):
            self._step()
            self._keep()
        if self.saved_step != self.state.step:
            self._save(is_best=False)
        self.listener(RunFinished(self.state.step, self.state.best_loss, reason or "steps", self.seconds))
        return self.state.best_loss

    def _restore(self, resume: bool) -> None:
        folder = checkpoint.find(self.run)
        if folder is None:
            return
        if not resume:
            raise FileExistsError(f"{self.run} already holds a run: resume it, or choose another folder")
        saved = checkpoint.load(folder, self.identity)
        self.module.load_state_dict(saved.weights)
        self.optimizer.load_state_dict(saved.state["optimizer"])
        torch.set_rng_state(saved.state["generator"])
        if self.device.type == "cuda" and "cuda_generator" in saved.state:
            torch.cuda.set_rng_state(saved.state["cuda_generator"], self.device)
        meta = saved.meta
        self.state = _State(meta.step, meta.epoch, meta.batch, meta.characters, meta.best_loss, meta.metrics)
        self.saved_step = meta.step

    def _announce(self) -> None:
        parameters = sum(p.numel() for p in self.module.parameters())
        batches = self.task.batches(self.state.epoch)
        self.listener(
            RunStarted(
                name=self.task.name,
                first_step=self.state.step,
                total_steps=self.config.steps,
                steps_per_round=math.ceil(batches / self.config.accumulation),
                backend=_backend(self.device, self.config.precision),
                parameters=parameters,
                best_loss=self.state.best_loss,
                config={"training": self.config.to_dict(), **self.identity},
            )
        )

    def _step(self) -> None:
        state, config = self.state, self.config
        rate = config.learning_rate_at(state.step)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        total, characters = self._backward()
        norm = nn.utils.clip_grad_norm_(self.parameters, config.clip_norm).item()
        if not math.isfinite(norm):
            raise FloatingPointError(f"gradient norm {norm} at step {state.step + 1}: lower the learning rate")
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        state.step += 1
        state.characters += characters
        self.listener(
            StepFinished(
                step=state.step,
                round=state.epoch + 1,
                batch=state.batch,
                loss=total / config.accumulation,
                learning_rate=rate,
                gradient_norm=norm,
                characters=characters,
                seconds=self.seconds,
                memory_bytes=_peak_memory(self.device),
            )
        )

    def _backward(self) -> tuple[float, int]:
        places = [self._next_place() for _ in range(self.config.accumulation)]
        total, characters = 0.0, 0
        for found in self.compute(self._gradients, places):
            total, characters = total + found.loss, characters + found.characters
            for parameter, gradient in zip(self.parameters, found.tensors, strict=True):
                if gradient is not None:
                    parameter.grad = gradient if parameter.grad is None else parameter.grad.add_(gradient)
        return total, characters

    def _next_place(self) -> tuple[int, int]:
        state = self.state
        if state.batch >= self.task.batches(state.epoch):
            state.epoch, state.batch = state.epoch + 1, 0
        state.batch += 1
        return state.epoch, state.batch - 1

    def _gradients(self, place: tuple[int, int]) -> _Gradients:
        half = self.config.precision == "bfloat16"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=half):
            loss, characters = self.task.loss(*place)
        shared = loss / self.config.accumulation
        return _Gradients(loss.item(), characters, torch.autograd.grad(shared, self.parameters, allow_unused=True))

    def _keep(self) -> None:
        step = self.state.step
        if step % self.config.validate_every == 0 or step == self.config.steps:
            self._save(is_best=self._validate())
        elif time.perf_counter() - self.saved_at >= self.config.checkpoint_every_s:
            self._save(is_best=False)

    def _validate(self) -> bool:
        self.module.eval()
        found = self.task.validate()
        self.module.train()
        best = self.state.best_loss
        is_best = best is None or found.loss < best
        self.state.best_loss = found.loss if best is None else min(best, found.loss)
        self.state.metrics = {"loss": found.loss, **found.metrics}
        self.listener(
            Validated(
                self.state.step, found.loss, self.state.best_loss, is_best, self.seconds, found.metrics, found.samples
            )
        )
        return is_best

    def _save(self, *, is_best: bool) -> None:
        state = self.state
        generators = {"generator": torch.get_rng_state()}
        if self.device.type == "cuda":
            generators["cuda_generator"] = torch.cuda.get_rng_state(self.device)
        meta = checkpoint.Meta(
            state.step,
            state.epoch,
            state.batch,
            state.characters,
            state.best_loss,
            self.identity,
            self.config.to_dict(),
            state.metrics,
            self.git,
        )
        optimizer = {"optimizer": self.optimizer.state_dict(), **generators}
        folder = checkpoint.save(self.run, self.module.state_dict(), optimizer, meta, is_best=is_best)
        self.saved_at, self.saved_step = time.perf_counter(), state.step
        self.listener(CheckpointSaved(state.step, str(folder), is_best, self.seconds))


def _backend(device: torch.device, precision: str) -> str:
    if device.type == "cuda":
        return f"cuda {torch.cuda.get_device_name(device)}, {precision}"
    return f"{device.type}, {torch.get_num_threads()} threads, {precision}"


def _peak_memory(device: torch.device) -> int:
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
