"""Weights as they are shipped: one safetensors file, small enough for a repository.

Matrices and vectors are in half precision; tables with more than `TABLE_ROWS` rows are int8 with a scale a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from encoder.model import Encoder

TABLE_ROWS = 1024
_EXTRA = "embeddings.extra."


def save_weights(module: nn.Module, path: Path, meta: dict[str, str]) -> None:
    """Write the parameters under their names, with `meta` in the file's head.

    Matrices and vectors are in half precision; tables with more than `TABLE_ROWS` rows are int8 with a scale a row,
    under NAME and NAME.scale: value = int8 * scale.
    """
    stored: dict[str, Tensor] = {}
    for name, value in module.state_dict().items():
        if value.ndim == 2 and len(value) > TABLE_ROWS:
            scale = value.abs().amax(dim=1, keepdim=True).clamp(min=1e-8) / 127
            stored[name] = (value / scale).round().to(torch.int8).contiguous()
            stored[f"{name}.scale"] = scale.half().contiguous()
        else:
            stored[name] = value.half().contiguous()
    save_file(stored, path, metadata=meta)


def load_weights(path: Path) -> dict[str, Tensor]:
    """Read `save_weights` back as float32 parameters."""
    stored = load_file(path)
    return {
        name: value.float() * stored[f"{name}.scale"].float() if f"{name}.scale" in stored else value.float()
        for name, value in stored.items()
        if not name.endswith(".scale")
    }


def start_from(encoder: Encoder, weights: Mapping[str, Tensor], prefix: str = "encoder.") -> None:
    """Give an Encoder the weights of another one with the same shape; its inputs beyond the text stay as they are.

    `weights` may hold other parts too: only names that begin with `prefix` are read. Raises ValueError that names a
    parameter that is missing or of another shape; the Encoder is then unchanged.
    """
    found = {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}
    wanted = {name: value for name, value in encoder.state_dict().items() if not name.startswith(_EXTRA)}
    for name, value in wanted.items():
        if name not in found:
            raise ValueError(f"the weights to start from lack {name}")
        if found[name].shape != value.shape:
            raise ValueError(
                f"{name} is {tuple(found[name].shape)} in the weights to start from, {tuple(value.shape)} here"
            )
    encoder.load_state_dict({name: found[name] for name in wanted}, strict=False)
