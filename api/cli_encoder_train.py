"""`wenci encoder pretrain`: from a corpus to a checkpoint."""

from __future__ import annotations

import argparse
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api.cli_encoder_prepare import positive_number, share
from api.cli_options import Subparsers, add_command, add_json, not_negative, positive
from api.console import CommandError, UsageError, emit, emit_json, note

if TYPE_CHECKING:
    from encoder.config import EncoderConfig, TrainingConfig
    from encoder.events import Event, Listener
    from encoder.pretrain import MlmTask


def register(actions: Subparsers) -> None:
    """Add the action."""
    parser = add_command(actions, "pretrain", "train the Encoder to guess hidden words", pretrain)
    parser.add_argument("--data", required=True, metavar="FOLDER", help="a corpus that `prepare` made")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="checkpoints, metrics.jsonl and dashboard.html")
    parser.add_argument("--start", metavar="FILE", help="weights to begin with, as `deep.safetensors` (same shape)")
    parser.add_argument("--resume", action="store_true", help="go on from the latest checkpoint in --out")
    parser.add_argument("--steps", type=positive, metavar="N", help="optimizer steps in all (default: from --rounds)")
    parser.add_argument("--rounds", type=positive, default=2, metavar="N", help="passes over the data (default: 2)")
    parser.add_argument("--minutes", type=positive_number, metavar="X", help="stop after so long; --resume goes on")
    parser.add_argument("--threads", type=positive, metavar="N", help="CPU threads (default: PyTorch's choice)")
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help="batches of a step computed at a time")
    parser.add_argument("--device", default="auto", metavar="NAME", help="auto, cpu or cuda (default: auto)")
    _add_shape(parser.add_argument_group("shape of the Encoder"))
    _add_training(parser.add_argument_group("training"))
    add_json(parser)


def _add_shape(group: Any) -> None:
    group.add_argument("--width", type=positive, default=192, metavar="N")
    group.add_argument("--layers", type=positive, default=3, metavar="N")
    group.add_argument("--heads", type=positive, default=4, metavar="N")
    group.add_argument("--ffn-width", type=positive, metavar="N", help="default: 4 x width")
    group.add_argument("--positions", choices=["none", "sinusoidal", "rotary", "relative"], default="rotary")
    group.add_argument("--norm", choices=["pre", "post"], default="pre")
    group.add_argument("--dropout", type=share, default=0.0, metavar="X")
    group.add_argument("--bigrams", type=not_negative, default=0, metavar="N", help="hash buckets (0: none)")
    group.add_argument("--convolution", type=not_negative, default=0, metavar="N", help="its width (0: none)")


def _add_training(group: Any) -> None:
    group.add_argument("--batch-characters", type=positive, default=4096, metavar="N")
    group.add_argument("--accumulation", type=positive, default=1, metavar="N", help="batches a step")
    group.add_argument("--learning-rate", type=positive_number, default=1e-3, metavar="X")
    group.add_argument("--warmup", type=not_negative, default=200, metavar="N", help="steps")
    group.add_argument("--mask-rate", type=share, default=0.2, metavar="X", help="share of the words to guess")
    group.add_argument("--precision", choices=["auto", "float32", "bfloat16"], default="auto")
    group.add_argument("--seed", type=not_negative, default=1, metavar="N")
    group.add_argument("--validate-every", type=positive, default=500, metavar="N", help="steps")
    group.add_argument("--checkpoint-every", type=not_negative, default=180, metavar="S", help="seconds")


def pretrain(args: argparse.Namespace) -> int:
    """Train with a panel on stderr; print the best validation loss."""
    torch = require_torch()
    from encoder.dashboard import Dashboard
    from encoder.events import broadcast
    from encoder.listeners import ConsolePanel, MetricsLog
    from encoder.train import pick_device, train

    if args.threads:
        torch.set_num_threads(args.threads)
    device = pick_device(args.device)
    task, training = _task(args, device.type)
    if args.start:
        _start(task, Path(args.start))
    out = Path(args.out)
    metrics = out / "metrics.jsonl"
    _keep_tokenizer(task, out)
    listeners: list[Listener] = [
        ConsolePanel(),
        MetricsLog(metrics),
        Dashboard(out / "dashboard.html", metrics=metrics),
    ]
    seconds = args.minutes * 60 if args.minutes else None
    listener = _with_limit(broadcast(listeners), seconds)
    with _Stop(seconds) as stop:
        best = train(
            task,
            training,
            out,
            resume=args.resume,
            device=device,
            listener=listener,
            should_stop=stop,
            workers=args.workers,
        )
    if args.json:
        emit_json({"best_loss": best, "run": str(out)})
    else:
        emit(f"{out}: best validation loss {'none yet' if best is None else f'{best:.4f}'}")
    return 0


def _task(args: argparse.Namespace, device: str) -> tuple[MlmTask, TrainingConfig]:
    from encoder.config import TrainingConfig
    from encoder.data import Corpus, epoch_batches
    from encoder.prepare import TOKENIZER_FILE
    from encoder.pretrain import MlmConfig, MlmTask
    from encoder.tokenizers import load_tokenizer

    data = Path(args.data)
    tokenizer = load_tokenizer(data / TOKENIZER_FILE)
    train, valid = Corpus.load(data / "train"), Corpus.load(data / "valid")
    batches = len(epoch_batches(train.lengths, args.batch_characters, args.seed, 0))
    steps = args.steps or max(1, args.rounds * batches // args.accumulation)
    encoder = _encoder_config(args, tokenizer.vocabulary_size)
    training = TrainingConfig(
        steps=steps,
        batch_characters=args.batch_characters,
        accumulation=args.accumulation,
        learning_rate=args.learning_rate,
        warmup_steps=args.warmup,
        seed=args.seed,
        precision=_precision(args.precision, device),
        validate_every=args.validate_every,
        checkpoint_every_s=args.checkpoint_every,
    )
    return MlmTask(encoder, training, tokenizer, train, valid, MlmConfig(mask_rate=args.mask_rate)), training


def _start(task: MlmTask, path: Path) -> None:
    from encoder.weights import load_weights, start_from

    if not path.is_file():
        raise CommandError(f"no such file: {path}")
    start_from(task.module.encoder, load_weights(path))


def _encoder_config(args: argparse.Namespace, vocabulary_size: int) -> EncoderConfig:
    from encoder.config import EncoderConfig

    return EncoderConfig(
        vocabulary_size=vocabulary_size,
        width=args.width,
        layers=args.layers,
        heads=args.heads,
        ffn_width=args.ffn_width or 4 * args.width,
        positions=args.positions,
        norm=args.norm,
        dropout=args.dropout,
        bigram_buckets=args.bigrams,
        convolution=args.convolution,
    )


def _precision(wanted: str, device: str) -> Any:
    if wanted != "auto":
        return wanted
    return "bfloat16" if device == "cuda" else "float32"


def _keep_tokenizer(task: MlmTask, out: Path) -> None:
    from encoder.prepare import TOKENIZER_FILE
    from encoder.tokenizers import load_tokenizer

    path = out / TOKENIZER_FILE
    if path.exists() and load_tokenizer(path).fingerprint() != task.tokenizer.fingerprint():
        raise CommandError(f"{out} belongs to another tokenizer than {task.tokenizer.fingerprint()}")
    task.tokenizer.save(path)


def _with_limit(listener: Listener, seconds: float | None) -> Listener:
    from encoder.events import RunStarted

    def listen(event: Event) -> None:
        listener(replace(event, seconds_limit=seconds) if isinstance(event, RunStarted) else event)

    return listen


class _Stop:
    """Says when to stop: after `seconds`, or at the first Ctrl-C or SIGTERM, so that the run is saved."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self._signalled = False
        self._before: dict[int, Any] = {}

    def __call__(self) -> str | None:
        if self._signalled:
            return "interrupted"
        return "minutes" if self._end is not None and time.monotonic() >= self._end else None

    def __enter__(self) -> _Stop:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _take(self, number: int, _frame: object) -> None:
        if self._signalled:
            raise KeyboardInterrupt
        self._signalled = True
        note("stopping after this step; once more to stop at once")


def require_torch() -> Any:
    """PyTorch, or a UsageError that says how to get it."""
    try:
        import torch
    except ModuleNotFoundError:
        raise UsageError("this needs PyTorch: pip install 'wenci[train]'") from None
    return torch
