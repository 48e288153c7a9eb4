"""Looking into a trained Encoder: nearest neighbours, and what a linear classifier can read off each layer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from encoder.model import Encoder, present_in
from encoder.tokenizers import PAD, Tokenizer

Spans = Callable[[str], Sequence[tuple[int, int]]]
Floats = npt.NDArray[np.float32]
Maps = npt.NDArray[np.float64]
Labels = npt.NDArray[np.bool_]

_BATCH = 32
_CHUNK = 8 * _BATCH  # texts sorted by length before they are put into batches


def token_rows(tokenizer: Tokenizer, texts: Sequence[str]) -> Tensor:
    """The ids of `texts`, padded: (B, L) int64."""
    rows = [tokenizer.encode(text) for text in texts]
    ids = torch.full((len(rows), max(1, *map(len, rows))), PAD, dtype=torch.int64)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = torch.tensor(row)
    return ids


def hidden_states(encoder: Encoder, tokenizer: Tokenizer, texts: Sequence[str]) -> Iterator[list[Floats]]:
    """For each text what every layer holds: `layers + 1` arrays of (tokens, D), the embeddings first."""
    encoder.eval()
    for first in range(0, len(texts), _CHUNK):
        chunk = texts[first : first + _CHUNK]
        order = sorted(range(len(chunk)), key=lambda place: len(chunk[place]))
        found: dict[int, list[Floats]] = {}
        for start in range(0, len(chunk), _BATCH):
            places = order[start : start + _BATCH]
            rows = _layers_of(encoder, tokenizer, [chunk[place] for place in places])
            found |= zip(places, rows, strict=True)
        yield from (found[place] for place in range(len(chunk)))


def _layers_of(encoder: Encoder, tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[Floats]]:
    ids = token_rows(tokenizer, texts).to(next(encoder.parameters()).device)
    layers = [layer.float().cpu().numpy() for layer in encoder.trace(ids, present=present_in(ids)).hidden]
    lengths = (ids != PAD).sum(dim=1).tolist()
    return [[layer[row, :length].copy() for layer in layers] for row, length in enumerate(lengths)]


def attention_maps(encoder: Encoder, tokenizer: Tokenizer, text: str) -> tuple[list[str], list[Maps]]:
    """The tokens of `text`, and for each layer (H, L, L): row i is where token i looks."""
    ids = token_rows(tokenizer, [text]).to(next(encoder.parameters()).device)
    encoder.eval()
    tokens = [text[start:end] for start, end in tokenizer.spans(text)]
    return tokens, [layer[0].double().cpu().numpy() for layer in encoder.trace(ids).attention]


@dataclass(frozen=True)
class Vectors:
    """Names and their vectors, (N, D), of length one around a common mean of zero."""

    names: Sequence[str]
    matrix: Floats

    @classmethod
    def of(cls, names: Sequence[str], matrix: Floats) -> Vectors:
        """Centre and normalise: without centring all hidden states point the same way (Ethayarajh 2019)."""
        centred = matrix - matrix.mean(axis=0)
        return cls(names, centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12))

    def nearest(self, name: str, count: int = 10) -> list[tuple[str, float]]:
        """The names with the highest cosine, best first, without `name`. ValueError if it has no vector."""
        if name not in self.names:
            raise ValueError(f"there is no vector of {name!r}")
        own = self.names.index(name)
        cosine = self.matrix @ self.matrix[own]
        order = np.argsort(-cosine, kind="stable")
        return [(self.names[place], float(cosine[place])) for place in order if place != own][:count]


def token_vectors(encoder: Encoder, tokenizer: Tokenizer, ids: Sequence[int]) -> Vectors:
    """The embeddings of the tokens `ids`: for a character tokenizer, of characters."""
    rows = encoder.embeddings.tokens.weight.detach().float().cpu().numpy()[list(ids)]
    return Vectors.of([tokenizer.id_to_token(id_) for id_ in ids], rows)


def word_vectors(
    encoder: Encoder, tokenizer: Tokenizer, texts: Sequence[str], spans: Spans, *, minimum: int = 3
) -> Vectors:
    """Last hidden states, averaged over each word's tokens and over its occurrences (`minimum` of them at least)."""
    sums: dict[str, Floats] = {}
    counts: dict[str, int] = defaultdict(int)
    for text, layers in zip(texts, hidden_states(encoder, tokenizer, texts), strict=True):
        pieces = tokenizer.spans(text)
        for start, end in spans(text):
            inside = [place for place, (first, last) in enumerate(pieces) if first >= start and last <= end]
            if inside:
                word = text[start:end]
                sums[word] = sums.get(word, np.float32(0)) + layers[-1][inside].mean(axis=0)
                counts[word] += 1
    words = sorted(word for word, count in counts.items() if count >= minimum)
    if not words:
        raise ValueError(f"no word stands {minimum} times in the texts")
    return Vectors.of(words, np.stack([sums[word] / counts[word] for word in words]))


@dataclass(frozen=True)
class LayerProbe:
    """How well a linear classifier finds word borders in one layer, and how much of that is mere memory.

    The control task (Hewitt & Liang 2019) gives every character pair a fixed random label, as often positive as borders
    are. What a probe gains on it, it learned by heart; `selectivity` is what is left.
    """

    layer: int  # 0: the embeddings
    accuracy: float
    control_accuracy: float
    majority: float  # always answering what is more frequent

    @property
    def selectivity(self) -> float:
        """Accuracy on the task less accuracy on the control task."""
        return self.accuracy - self.control_accuracy


def probe_boundaries(
    encoder: Encoder,
    tokenizer: Tokenizer,
    train: Sequence[str],
    test: Sequence[str],
    spans: Spans,
    *,
    seed: int = 1,
) -> list[LayerProbe]:
    """A probe for each layer, fitted on `train`, measured on `test`; the model itself is not touched.

    The classifier reads the two hidden states beside a gap between tokens, and says whether a word ends there.
    """
    fitted_on, borders, pairs = _gaps(encoder, tokenizer, train, spans)
    measured_on, test_borders, test_pairs = _gaps(encoder, tokenizer, test, spans)
    label = control_labels({*pairs, *test_pairs}, share=float(borders.mean()), seed=seed)
    control, test_control = (np.array([label[pair] for pair in some]) for some in (pairs, test_pairs))
    share = float(test_borders.mean())
    return [
        LayerProbe(
            layer,
            accuracy=linear_accuracy(x, borders, test_x, test_borders),
            control_accuracy=linear_accuracy(x, control, test_x, test_control),
            majority=max(share, 1 - share),
        )
        for layer, (x, test_x) in enumerate(zip(fitted_on, measured_on, strict=True))
    ]


def control_labels(types: Iterable[str], *, share: float, seed: int) -> dict[str, bool]:
    """A random label for each type, true for about `share` of them, the same at every call."""
    ordered = sorted(types)
    draws = np.random.default_rng(seed).random(len(ordered)) < share
    return dict(zip(ordered, draws.tolist(), strict=True))


def linear_accuracy(x: Floats, y: Labels, test_x: Floats, test_y: Labels) -> float:
    """Accuracy on the test pair of a logistic regression fitted to (N, F) features and (N,) labels."""
    mean, deviation = x.mean(axis=0), x.std(axis=0) + 1e-6
    features, target = torch.from_numpy((x - mean) / deviation), torch.from_numpy(y).float()
    weights = torch.zeros(x.shape[1], requires_grad=True)
    bias = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights, bias], max_iter=60, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        value = functional.binary_cross_entropy_with_logits(features @ weights + bias, target)
        value = value + 1e-4 * weights.square().sum()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    scores = torch.from_numpy((test_x - mean) / deviation) @ weights.detach() + bias.detach()
    return float(np.mean((scores.numpy() > 0) == test_y))


def _gaps(
    encoder: Encoder, tokenizer: Tokenizer, texts: Sequence[str], spans: Spans
) -> tuple[list[Floats], Labels, list[str]]:
    """Per layer (gaps, 2 D); whether a word ends at each gap; and the two tokens beside it."""
    sides: list[list[Floats]] = [[] for _ in range(encoder.config.layers + 1)]
    borders: list[bool] = []
    pairs: list[str] = []
    for text, layers in zip(texts, hidden_states(encoder, tokenizer, texts), strict=True):
        ends = {end for _, end in spans(text)}
        pieces = tokenizer.spans(text)
        borders += [end in ends for _, end in pieces[:-1]]
        pairs += [text[left[0] : right[1]] for left, right in pairwise(pieces)]
        for kept, layer in zip(sides, layers, strict=True):
            kept.append(np.concatenate([layer[:-1], layer[1:]], axis=1))
    if not borders:
        raise ValueError("there is no gap between tokens in the texts")
    return [np.concatenate(kept) for kept in sides], np.array(borders), pairs
