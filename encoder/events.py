"""What a training run tells its listeners. Plain values only: no tensor, no model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class RunStarted:
    """The run begins, or goes on after a resume (`first_step` > 0)."""

    name: str
    first_step: int
    total_steps: int | None  # None: limited by time alone
    steps_per_round: int | None  # a round is one pass over the training data
    backend: str  # "cpu, 2 threads, float32" or "cuda NVIDIA H200, bfloat16"
    parameters: int
    best_loss: float | None = None  # of the training before this resume
    seconds_limit: float | None = None  # for this process
    config: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class StepFinished:
    """One optimizer step. `seconds` count from the start of this process's part of the run, here and below."""

    step: int  # 1 after the first step
    round: int  # 1 in the first pass over the data
    batch: int  # 1 after the first batch of the round
    loss: float  # mean cross-entropy at the masked places, in nats
    learning_rate: float
    gradient_norm: float  # before clipping
    characters: int  # read by this step, padding apart
    seconds: float
    memory_bytes: int | None = None  # peak: of the process on a CPU, of its tensors on CUDA


@dataclass(frozen=True)
class Sample:
    """One masked place of a validation sentence and what the model put there."""

    text: str  # the sentence with the masked word in place
    start: int  # the word, in code points
    end: int
    guesses: Sequence[tuple[str, float]]  # best first, with probabilities
    loss: float  # mean over the tokens of the word, in nats


@dataclass(frozen=True)
class Validated:
    """A pass over the validation data."""

    step: int
    loss: float
    best_loss: float  # this loss included
    is_best: bool
    seconds: float
    metrics: Mapping[str, float] = field(default_factory=dict)  # "top1", "top5": shares between 0 and 1
    samples: Sequence[Sample] = ()


@dataclass(frozen=True)
class CheckpointSaved:
    """A checkpoint stands whole on disk."""

    step: int
    path: str
    is_best: bool
    seconds: float


@dataclass(frozen=True)
class RunFinished:
    """The last event, also when the run was interrupted."""

    step: int
    best_loss: float | None
    reason: str  # "steps", "minutes", "interrupted"
    seconds: float


Event = RunStarted | StepFinished | Validated | CheckpointSaved | RunFinished
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The listener that listens to nothing: the default."""


def broadcast(listeners: Sequence[Listener]) -> Listener:
    """One listener that passes every event to each of `listeners`, in order."""

    def listen(event: Event) -> None:
        for listener in listeners:
            listener(event)

    return listen
