"""One token for each word of a learned list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from encoder.tokenizers.base import UNK, Tokenizer, frequent
from encoder.tokenizers.runs import is_han, runs

Cut = Callable[[str], Iterable[str]]


class WordTokenizer(Tokenizer):
    """Words seen often in training. A Han run is cut by the longest word that fits, left to right.

    The words of training come from a callable, but encoding needs the saved file alone. Han characters of training
    are in the list too, so a new Han word falls apart into characters; any other new run is one `<unk>`.

    >>> tokenizer = WordTokenizer.train(["春天 来 了", "春天 好"], cut=str.split)
    >>> [tokenizer.id_to_token(id_) for id_ in tokenizer.encode("春天天来了")]
    ['春天', '天', '来', '了']
    """

    kind = "word"

    def __init__(self, tokens: Sequence[str]) -> None:
        super().__init__(tokens)
        self._longest = max(map(len, tokens), default=1)

    @classmethod
    def train(
        cls, texts: Iterable[str], *, cut: Cut | None = None, minimum: int = 1, limit: int | None = None
    ) -> WordTokenizer:
        """Words seen at least `minimum` times, the most frequent first, at most `limit`.

        `cut` gives the words of a text; without it every Han character is a word by itself. A word that crosses runs
        (letters beside digits, say) counts as its runs.
        """
        counts: Counter[str] = Counter()
        for text in texts:
            for word in [text] if cut is None else cut(text):
                for run in runs(word):
                    counts.update(_tokens_of(run, split=cut is None))
        return cls(frequent(counts.items(), minimum, limit))

    def pieces(self, text: str) -> Iterator[tuple[int, int, int]]:
        start = 0
        for run in runs(text):
            end = start + len(run)
            if is_han(run):
                yield from self._longest_matches(text, start, end)
            else:
                yield self._text_ids.get(run, UNK), start, end
            start = end

    def _longest_matches(self, text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        while start < end:
            for stop in range(min(end, start + self._longest), start, -1):
                id_ = self._text_ids.get(text[start:stop])
                if id_ is not None:
                    break
            yield (UNK if id_ is None else id_), start, stop
            start = stop


def _tokens_of(run: str, *, split: bool) -> list[str]:
    if not is_han(run):
        return [run]
    characters = list(run)
    return characters if split or len(run) == 1 else [run, *characters]
