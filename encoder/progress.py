"""What is known of a running training, and how a person reads it."""

from __future__ import annotations

from collections import deque

from encoder.events import Event, RunFinished, RunStarted, StepFinished, Validated

_SMOOTHING = 0.98
_SPEED_WINDOW = 100
_BAR = 24


class Progress:
    """What is known of a run after the events so far."""

    def __init__(self) -> None:
        self.run: RunStarted | None = None
        self.step: StepFinished | None = None
        self.validated: Validated | None = None
        self.finished: RunFinished | None = None
        self.best_step: int | None = None
        self.train_loss: float | None = None  # mean of the first steps, then exponentially weighted
        self._steps = 0
        self._recent: deque[tuple[float, int]] = deque(maxlen=_SPEED_WINDOW)

    def __call__(self, event: Event) -> None:
        """Take one event in."""
        match event:
            case RunStarted():
                self.__init__()  # type: ignore[misc]
                self.run = event
                self._recent.append((0.0, 0))
            case StepFinished():
                self.step = event
                self._recent.append((event.seconds, event.characters))
                self._steps += 1
                weight = max(1 - _SMOOTHING, 1 / self._steps)
                self.train_loss = (1 - weight) * (self.train_loss or 0.0) + weight * event.loss
            case Validated():
                self.validated = event
                self.best_step = event.step if event.is_best else self.best_step
            case RunFinished():
                self.finished = event

    @property
    def best_loss(self) -> float | None:
        """The lowest validation loss so far, of the part before a resume too."""
        if self.validated is not None:
            return self.validated.best_loss
        return None if self.run is None else self.run.best_loss

    @property
    def characters_per_second(self) -> float | None:
        """Over the last steps, validation and saving included."""
        if len(self._recent) < 2:
            return None
        seconds = self._recent[-1][0] - self._recent[0][0]
        characters = sum(count for _, count in self._recent) - self._recent[0][1]
        return characters / seconds if seconds > 0 else None

    @property
    def share(self) -> float | None:
        """How much of the run is done, 0 to 1: by steps or by time, whichever ends first."""
        if self.run is None or self.step is None:
            return None
        shares = []
        if self.run.total_steps:
            shares.append(self.step.step / self.run.total_steps)
        if self.run.seconds_limit:
            shares.append(self.step.seconds / self.run.seconds_limit)
        return min(1.0, max(shares)) if shares else None

    @property
    def seconds_left(self) -> float | None:
        """Until the last step or the time limit, whichever comes first, at the mean speed of this process."""
        if self.run is None or self.step is None:
            return None
        ends = []
        done = self.step.step - self.run.first_step
        if self.run.total_steps and done > 0:
            ends.append((self.run.total_steps - self.step.step) * self.step.seconds / done)
        if self.run.seconds_limit:
            ends.append(self.run.seconds_limit - self.step.seconds)
        return max(0.0, min(ends)) if ends else None


def panel_lines(progress: Progress, memory_bytes: int | None = None) -> list[str]:
    """The panel's four lines: place, losses, time and speed, machine."""
    run, step, validated = progress.run, progress.step, progress.validated
    if run is None:
        return []
    at, batch = (step.step, step.batch) if step else (run.first_step, 0)
    place = (
        f"round {step.round if step else 1}  batch {batch}{_of(run.steps_per_round)}  step {at}{_of(run.total_steps)}"
    )
    if (share := progress.share) is not None:
        place += f"  {_bar(share)} {share:.1%}"
    best = f"best {loss_text(progress.best_loss)}" + (f" (step {progress.best_step})" if progress.best_step else "")
    held_out = loss_text(validated.loss if validated else None)
    losses = f"train loss {loss_text(progress.train_loss)}  validation {held_out}  {best}"
    if validated and validated.metrics:
        losses += "  " + "  ".join(f"{name} {value:.3f}" for name, value in validated.metrics.items())
    speed = progress.characters_per_second
    time = f"elapsed {clock(step.seconds if step else 0)}  ETA {clock(progress.seconds_left)}"
    time += f"  {speed:,.0f} characters/s" if speed else ""
    machine = f"{run.backend}  memory {size(memory_bytes)}"
    if step:
        machine += f" (peak {size(step.memory_bytes)})" if step.memory_bytes else ""
        machine += f"  learning rate {step.learning_rate:.2e}"
    return [place, losses, time, machine]


def clock(seconds: float | None) -> str:
    """Seconds as `m:ss`, `h:mm:ss`, or with days before it.

    >>> clock(75), clock(3661), clock(90000), clock(None)
    ('1:15', '1:01:01', '1 d 1:00:00', '-')
    """
    if seconds is None:
        return "-"
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if not hours:
        return f"{minute}:{second:02}"
    return (f"{days} d " if days else "") + f"{hour}:{minute:02}:{second:02}"


def size(count: int | None) -> str:
    """Bytes in MB, or GB from a thousand of those.

    >>> size(85_000_000), size(3_210_000_000), size(None)
    ('85 MB', '3.2 GB', '-')
    """
    if count is None:
        return "-"
    return f"{count / 1e6:.0f} MB" if count < 1e9 else f"{count / 1e9:.1f} GB"


def _of(total: int | None) -> str:
    return "" if total is None else f"/{total}"


def loss_text(value: float | None) -> str:
    """Four decimals, a dash for none."""
    return "-" if value is None else f"{value:.4f}"


def _bar(share: float) -> str:
    full = int(share * _BAR)
    return "[" + "#" * full + "." * (_BAR - full) + "]"
