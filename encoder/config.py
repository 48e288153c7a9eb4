"""What an Encoder is and how it is trained, as frozen records that are saved with every checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self, get_args

Positions = Literal["none", "sinusoidal", "rotary", "relative"]
Norm = Literal["pre", "post"]
Precision = Literal["float32", "bfloat16"]


class _Record:
    """Conversion to and from the JSON of a checkpoint's meta file."""

    def to_dict(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read `to_dict` back. Raises ValueError for a field this version does not know."""
        known = {field.name for field in fields(cls)}  # type: ignore[arg-type]
        unknown = sorted(set(values) - known)
        if unknown:
            raise ValueError(f"unknown {cls.__name__} field: {', '.join(unknown)}")
        return cls(**{name: _tuples(value) for name, value in values.items()})


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


@dataclass(frozen=True)
class EncoderConfig(_Record):
    """The shape of an Encoder.

    Attributes:
        vocabulary_size: rows of the token embedding.
        width: d_model, the size of every hidden state.
        layers: how many attention + FFN blocks.
        heads: attention heads; `width` must be a multiple.
        ffn_width: inner size of the FFN.
        max_length: rows of the sinusoidal table; rotary and relative positions know no limit.
        positions: how order enters: not at all, added waves, rotated Q and K, or a learned bias per distance.
        norm: layer normalisation before ("pre") or after ("post", as in the paper) each sublayer.
        dropout: probability of dropping an activation while training.
        bigram_buckets: rows of the hashed character-bigram table; 0 leaves it out.
        bigram_width: columns of that table, projected up to `width`.
        convolution: width of the convolution over the embeddings (odd); 0 leaves it out.
        categories: extra inputs that are one id per position, as (name, number of ids); id 0 is absence: it adds zero.
        measures: extra inputs that are a vector per position, as (name, size); a zero vector adds zero.
    """

    vocabulary_size: int
    width: int = 192
    layers: int = 3
    heads: int = 4
    ffn_width: int = 768
    max_length: int = 512
    positions: Positions = "rotary"
    norm: Norm = "pre"
    dropout: float = 0.0
    bigram_buckets: int = 0
    bigram_width: int = 64
    convolution: int = 0
    categories: tuple[tuple[str, int], ...] = ()
    measures: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        _at_least(self, 1, "vocabulary_size", "width", "heads", "ffn_width", "max_length", "bigram_width")
        _at_least(self, 0, "layers", "bigram_buckets", "convolution")
        if self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of heads {self.heads}")
        if self.positions not in get_args(Positions):
            raise ValueError(f"positions must be one of {get_args(Positions)}")
        if self.positions == "rotary" and self.head_width % 2:
            raise ValueError(f"rotary positions need an even head width, not {self.head_width}")
        if self.norm not in get_args(Norm):
            raise ValueError(f"norm must be one of {get_args(Norm)}")
        if not 0 <= self.dropout < 1:
            raise ValueError("dropout must be in [0, 1)")
        if self.convolution and self.convolution % 2 == 0:
            raise ValueError("convolution must be odd, or 0")

    @property
    def head_width(self) -> int:
        """d_k, the size of one head's queries, keys and values."""
        return self.width // self.heads


@dataclass(frozen=True)
class TrainingConfig(_Record):
    """How long and how hard to train.

    Attributes:
        steps: optimizer steps in all, the whole run's, also after a resume.
        batch_characters: characters, padding included, of one batch.
        accumulation: batches whose gradients are summed into one step.
        learning_rate: the rate after warm-up.
        warmup_steps: steps of linear rise from zero.
        decay_share: last share of the steps, over which the rate falls linearly to zero.
        weight_decay: AdamW's, on matrices only.
        clip_norm: largest L2 norm of all gradients together.
        seed: of initialisation, order, masks and dropout.
        precision: of the forward pass; parameters and optimizer stay float32.
        validate_every: steps between validations.
        checkpoint_every_s: seconds between checkpoints.
    """

    steps: int
    batch_characters: int = 4096
    accumulation: int = 1
    learning_rate: float = 1e-3
    warmup_steps: int = 200
    decay_share: float = 0.3
    weight_decay: float = 0.01
    clip_norm: float = 1.0
    seed: int = 1
    precision: Precision = "float32"
    validate_every: int = 500
    checkpoint_every_s: float = 180.0

    def __post_init__(self) -> None:
        _at_least(self, 1, "steps", "batch_characters", "accumulation", "validate_every")
        _at_least(self, 0, "warmup_steps", "weight_decay", "seed", "checkpoint_every_s")
        if self.learning_rate <= 0 or self.clip_norm <= 0:
            raise ValueError("learning_rate and clip_norm must be above 0")
        if not 0 <= self.decay_share <= 1:
            raise ValueError("decay_share must be in [0, 1]")
        if self.precision not in get_args(Precision):
            raise ValueError(f"precision must be one of {get_args(Precision)}")

    def learning_rate_at(self, step: int) -> float:
        """The rate of optimizer step `step`, counted from 0: rise, plateau, fall."""
        rise = min(1.0, (step + 1) / self.warmup_steps) if self.warmup_steps else 1.0
        decay_steps = round(self.steps * self.decay_share)
        fall = min(1.0, (self.steps - step) / decay_steps) if decay_steps else 1.0
        return self.learning_rate * max(0.0, min(rise, fall))


def _at_least(record: object, least: int, *names: str) -> None:
    for name in names:
        if getattr(record, name) < least:
            raise ValueError(f"{name} must be at least {least}")
