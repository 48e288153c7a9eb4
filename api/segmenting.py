"""Tokens as JSON objects, the same over HTTP and on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segmenter.analyzer import Analyzer
    from segmenter.types import Granularity, Token


def segment_texts(
    analyzer: Analyzer,
    texts: Sequence[str],
    granularity: Granularity,
    *,
    criterion: str | None = None,
    offsets: bool = True,
) -> list[dict[str, Any]]:
    """`{"text", "tokens": [...]}` for each text, in order. Raises SegmenterError for what is not text."""
    results = analyzer.segment_batch(texts, granularity, criterion=criterion)
    return [
        {"text": text, "tokens": [token_object(token, offsets=offsets) for token in tokens]}
        for text, tokens in zip(texts, results, strict=True)
    ]


def token_object(token: Token, *, offsets: bool = True) -> dict[str, Any]:
    """One token; offsets are code points."""
    place: dict[str, Any] = {"start": token.start, "end": token.end} if offsets else {}
    return {
        "text": token.text,
        **place,
        "kind": token.kind.value,
        "granularity": token.granularity.value,
        "source": token.source.value,
    }
