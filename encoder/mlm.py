"""Masked language modelling: whole words are hidden, and the Encoder guesses their characters.

Devlin et al. 2019, "BERT", section 3.1, with whole-word masking over word borders given from outside
(Cui et al. 2021). Shapes: B batch, L length, D width, V vocabulary, M masked places.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from encoder.config import EncoderConfig
from encoder.events import Sample
from encoder.mlm_scores import Scores, likeliest, scores_of
from encoder.model import Encoder, LayerNorm, initialise, present_in
from encoder.tokenizers.base import FIRST_TEXT_ID, MASK, PAD, UNK, Tokenizer

MASKED_SHARE = 0.8
RANDOM_SHARE = 0.1


class Masked(NamedTuple):
    """A batch with words hidden: inputs (B, L), the flat places (M,) to guess, their ids (M,) and word numbers (M,)."""

    inputs: NDArray[np.int64]
    places: NDArray[np.int64]
    targets: NDArray[np.int64]
    words: NDArray[np.int64]


def mask_words(
    ids: NDArray[np.int64],
    word_starts: NDArray[np.bool_],
    generator: np.random.Generator,
    vocabulary_size: int,
    rate: float = 0.15,
) -> Masked:
    """Choose each word with probability `rate` (one at least); hide 80 % of them, swap 10 %, leave 10 % as they are.

    ids: (B, L) with PAD; word_starts: (B, L). All characters of a chosen word share its fate; PAD and UNK are never
    chosen. A swapped word's characters are drawn from all text tokens.
    """
    words: NDArray[np.int64] = np.cumsum(
        word_starts.ravel(), dtype=np.int64
    )  # (B * L,): the number of the word that each character belongs to
    count = int(words[-1]) + 1
    fate = generator.random(count)
    chosen = (generator.random(count) < rate)[words]
    text = (ids.ravel() != PAD) & (ids.ravel() != UNK)
    if not (chosen & text).any():
        chosen = words == generator.choice(words[text])
    places = np.flatnonzero(chosen & text)
    inputs = ids.copy()
    flat, fate_there = inputs.reshape(-1), fate[words[places]]
    swapped = (fate_there >= MASKED_SHARE) & (fate_there < MASKED_SHARE + RANDOM_SHARE)
    flat[places[fate_there < MASKED_SHARE]] = MASK
    flat[places[swapped]] = generator.integers(FIRST_TEXT_ID, vocabulary_size, int(swapped.sum()))
    return Masked(inputs, places, ids.reshape(-1)[places], words[places])


class MlmHead(nn.Module):
    """LayerNorm(GELU(h W + b)) E^T + c, with E the token embedding itself: the output is tied to the input."""

    def __init__(self, width: int, vocabulary_size: int) -> None:
        super().__init__()
        self.W = nn.Linear(width, width)
        self.norm = LayerNorm(width)
        self.bias = nn.Parameter(torch.zeros(vocabulary_size))
        initialise(self)

    def forward(self, hidden: Tensor, embedding: Tensor) -> Tensor:
        """hidden: (M, D); embedding: (V, D). Returns logits (M, V)."""
        x = self.norm(functional.gelu(self.W(hidden), approximate="tanh"))
        return functional.linear(x, embedding, self.bias)


class MaskedLanguageModel(nn.Module):
    """The Encoder with the MLM head on it."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        self.head = MlmHead(config.width, config.vocabulary_size)

    def forward(self, inputs: Tensor, places: Tensor) -> Tensor:
        """inputs: (B, L); places: (M,) offsets into the flattened batch. Returns logits (M, V).

        Only the masked places pass through the head: it costs as much as the blocks.
        """
        hidden = self.encoder(inputs, present=present_in(inputs)).flatten(0, 1)  # (B * L, D)
        logits: Tensor = self.head(hidden[places], self.encoder.embeddings.tokens.weight)
        return logits

    def loss(self, masked: Masked) -> Tensor:
        """Mean cross-entropy at the masked places, in nats."""
        inputs, places, targets = self._tensors(masked)
        return functional.cross_entropy(self(inputs, places).float(), targets)

    @torch.no_grad()
    def score(self, masked: Masked) -> Scores:
        """How well the hidden words of a batch were guessed."""
        inputs, places, _ = self._tensors(masked)
        return scores_of(self(inputs, places).float().log_softmax(dim=-1).cpu(), masked)

    def _tensors(self, masked: Masked) -> tuple[Tensor, Tensor, Tensor]:
        device = self.head.bias.device
        inputs, places, targets = (torch.from_numpy(array).to(device) for array in masked[:3])
        return inputs, places, targets


@torch.no_grad()
def guess_word(
    model: MaskedLanguageModel, tokenizer: Tokenizer, text: str, start: int, end: int, count: int = 5
) -> Sample:
    """Hide `text[start:end]` and guess it: the `count` likeliest strings, each token on its own.

    Tokens that reach into the word are hidden whole: the sample says from where to where. The model is left as it was,
    training mode apart. ValueError if there is no such word.
    """
    if not 0 <= start < end <= len(text):
        raise ValueError(f"no word from {start} to {end} in a text of {len(text)} characters")
    model.eval()
    found = list(tokenizer.pieces(text))
    hidden = [place for place, (_, first, last) in enumerate(found) if first < end and last > start]
    ids = torch.tensor([[id_ for id_, _, _ in found]], device=model.head.bias.device)
    places = torch.tensor(hidden, device=ids.device)
    targets = ids[0, places].clone()
    ids[0, places] = MASK
    logs = model(ids, places).float().log_softmax(dim=-1)  # (word, V)
    loss = functional.nll_loss(logs, targets).item()
    values, options = logs.topk(count)
    best = likeliest(values.tolist(), options.tolist(), count)
    guesses = [(tokenizer.decode(word), math.exp(value)) for value, word in best]
    return Sample(text, found[hidden[0]][1], found[hidden[-1]][2], guesses, loss)
