"""One HTML page with a heat map for every layer and head of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import resources
from string import Template

import numpy as np
import numpy.typing as npt

from encoder.charts import heat_map

Map = npt.NDArray[np.float64]


def attention_page(sentence: str, tokens: Sequence[str], maps: Sequence[Map]) -> str:
    """The page. `maps`: for each layer (H, L, L), row i saying where token i looks; `tokens`: the L labels."""
    labels = [visible(token) for token in tokens]
    layers = "".join(
        f"<h2>Layer {layer}</h2><section>"
        + "".join(_figure(head, weights, labels) for head, weights in enumerate(heads, 1))
        + "</section>"
        for layer, heads in enumerate(maps, 1)
    )
    template = Template(resources.files("encoder").joinpath("attention.html").read_text("utf-8"))
    return template.substitute(sentence=escape(sentence), layers=layers)


def mean_distance(weights: Map) -> float:
    """How many tokens away a head looks on average: the mean over rows of sum_j w_ij |i - j|. weights: (L, L)."""
    place = np.arange(len(weights))
    return float((weights * np.abs(place[:, None] - place[None, :])).sum(axis=1).mean())


def entropy(weights: Map) -> float:
    """Mean entropy of the rows in nats: 0 where each token looks at one place, ln L where it looks everywhere."""
    return float(-(weights * np.log(np.maximum(weights, 1e-12))).sum(axis=1).mean())


def visible(token: str) -> str:
    """A token as an axis label: white space gets a sign, and a control character its escape."""
    if token.isspace():
        return "␣"
    return token if token.isprintable() else ascii(token)[1:-1]


def _figure(head: int, weights: Map, labels: Sequence[str]) -> str:
    caption = f"head {head}: mean distance {mean_distance(weights):.1f}, entropy {entropy(weights):.2f}"
    return f"<figure>{heat_map(weights, labels, labels)}<figcaption>{caption}</figcaption></figure>"
