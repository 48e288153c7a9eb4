"""One token for each character."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from encoder.tokenizers.base import UNK, Tokenizer, frequent


class CharTokenizer(Tokenizer):
    """Each code point is a token; token `i` is character `i`, so a span of text is a span of tokens.

    >>> tokenizer = CharTokenizer.train(["春天来了", "春风来了"], minimum=2)
    >>> tokenizer.decode(tokenizer.encode("春雨来了"))
    '春<unk>来了'
    """

    kind = "char"

    @classmethod
    def train(cls, texts: Iterable[str], *, minimum: int = 1, limit: int | None = None) -> CharTokenizer:
        """Every character seen at least `minimum` times, the most frequent first, at most `limit` of them."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(text)
        return cls(frequent(counts.items(), minimum, limit))

    def pieces(self, text: str) -> Iterator[tuple[int, int, int]]:
        for place, id_ in enumerate(self.encode(text)):
            yield id_, place, place + 1

    def encode(self, text: str) -> list[int]:
        lookup = self._text_ids.get
        return [lookup(character, UNK) for character in text]

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [(place, place + 1) for place in range(len(text))]
