"""Checkpoints that are whole or not there, explain themselves, and refuse to be continued as something else.

A run's folder holds `step-N/` folders (weights.safetensors, state.pt, meta.json) and two small files, `latest` and
`best`, that name one each. A folder is written under another name, synced and renamed; then the pointer is replaced.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

FORMAT_VERSION = 1


class CheckpointMismatchError(ValueError):
    """The checkpoint belongs to another tokenizer, shape, data or order of data than the run that goes on from it."""


@dataclass(frozen=True)
class Meta:
    """What a checkpoint says about itself.

    Attributes:
        step: optimizer steps done.
        epoch, batch: the next batch to read.
        characters: characters read so far, padding apart.
        best_loss: lowest validation loss of this run, None before the first validation.
        identity: what must be the same to go on: encoder config, tokenizer and data fingerprints, seed, batch size.
        training: the training config, for the record.
        metrics: of the last validation.
        git: commit of the code, "unknown" outside a repository.
    """

    step: int
    epoch: int
    batch: int
    characters: int
    best_loss: float | None
    identity: Mapping[str, Any]
    training: Mapping[str, Any]
    metrics: Mapping[str, float] = field(default_factory=dict)
    git: str = "unknown"
    format: int = FORMAT_VERSION


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint as read: `weights` by parameter name, `state` of optimizer and generators, `meta`."""

    path: Path
    meta: Meta
    weights: dict[str, Tensor]
    state: dict[str, Any]


def git_commit(folder: Path | None = None) -> str:
    """The commit that the code was run from, with "+" if files were changed since; "unknown" without git."""
    command = ["git", "describe", "--always", "--dirty=+", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=folder or Path(__file__).parent, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def save(run: Path, weights: Mapping[str, Tensor], state: Mapping[str, Any], meta: Meta, *, is_best: bool) -> Path:
    """Write a checkpoint into the folder `run` and point `latest` (and `best`) at it. Returns its folder.

    Folders that neither pointer names any more are deleted.
    """
    run.mkdir(parents=True, exist_ok=True)
    folder = run / f"step-{meta.step:08d}"
    unfinished = run / f".{folder.name}.part"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    save_file(
        {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()},
        unfinished / "weights.safetensors",
    )
    torch.save(dict(state), unfinished / "state.pt")
    (unfinished / "meta.json").write_text(json.dumps(asdict(meta), indent=1, ensure_ascii=False) + "\n")
    for path in unfinished.iterdir():
        _sync(path)
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)
    _sync(run)
    for pointer in ("latest", "best") if is_best else ("latest",):
        _replace(run / pointer, folder.name)
    _drop_unnamed(run)
    return folder


def mark_best(run: Path, folder: Path) -> None:
    """Point `best` at an existing checkpoint folder of the run."""
    _replace(run / "best", folder.name)
    _drop_unnamed(run)


def find(run: Path, which: str = "latest") -> Path | None:
    """The folder that `latest` or `best` names, None if the run has no checkpoint."""
    pointer = run / which
    return run / pointer.read_text().strip() if pointer.exists() else None


def read_meta(folder: Path) -> Meta:
    """The meta file alone. Raises ValueError for a format this version does not read."""
    values = json.loads((folder / "meta.json").read_text())
    if values.get("format") != FORMAT_VERSION:
        raise ValueError(f"{folder} has checkpoint format {values.get('format')}, this version reads {FORMAT_VERSION}")
    return Meta(**values)


def load(folder: Path, identity: Mapping[str, Any] | None = None) -> Checkpoint:
    """Read a checkpoint. With `identity`, raises CheckpointMismatchError naming every field that differs."""
    meta = read_meta(folder)
    if identity is not None:
        check_identity(meta.identity, identity, folder)
    weights = load_file(folder / "weights.safetensors")
    state = torch.load(folder / "state.pt", map_location="cpu", weights_only=True)
    return Checkpoint(folder, meta, weights, state)


def load_weights(folder: Path) -> dict[str, Tensor]:
    """The weights alone, by parameter name."""
    return load_file(folder / "weights.safetensors")


def check_identity(saved: Mapping[str, Any], wanted: Mapping[str, Any], folder: Path) -> None:
    """Raise CheckpointMismatchError if the two differ, naming fields and both values."""
    old, new = _flat(saved), _flat(wanted)
    differing = [
        f"{name} is {old.get(name, 'absent')} there and {new.get(name, 'absent')} here"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
    if differing:
        raise CheckpointMismatchError(f"cannot go on from {folder}: {'; '.join(differing)}")


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = json.dumps(value)
    return flat


def _replace(path: Path, text: str) -> None:
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text(text + "\n")
    _sync(unfinished)
    unfinished.replace(path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _drop_unnamed(run: Path) -> None:
    named = {folder.name for which in ("latest", "best") if (folder := find(run, which))}
    for folder in [*run.glob("step-*"), *run.glob(".step-*.part")]:
        if folder.name not in named:
            shutil.rmtree(folder)
