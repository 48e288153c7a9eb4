"""What the training loop needs to know of an objective."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from torch import Tensor, nn

from encoder.events import Sample


@dataclass(frozen=True)
class Validation:
    """What a task found on its validation data: mean loss in nats, named shares, examples."""

    loss: float
    metrics: Mapping[str, float] = field(default_factory=dict)
    samples: Sequence[Sample] = ()


class Task(Protocol):
    """An objective: a module, its data, its loss."""

    @property
    def name(self) -> str:
        """Shown to listeners and part of the identity."""

    @property
    def module(self) -> nn.Module:
        """What is trained and saved."""

    def identity(self) -> Mapping[str, Any]:
        """Config and fingerprints that a checkpoint must share to be continued."""

    def batches(self, epoch: int) -> int:
        """How many batches the epoch has, from 0."""

    def loss(self, epoch: int, batch: int) -> tuple[Tensor, int]:
        """The mean loss of one batch, and its characters without padding."""

    def validate(self) -> Validation:
        """Loss and metrics on held-out data, the same places every time."""
