"""Byte-pair encoding over characters, with bytes for what the vocabulary lacks."""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from encoder.tokenizers.base import FIRST_TEXT_ID, REPLACEMENT, UNK, Tokenizer
from encoder.tokenizers.bpe_training import Pair, base_symbols, learn_merges
from encoder.tokenizers.runs import runs

BYTE_TOKENS = tuple(f"<0x{byte:02X}>" for byte in range(256))
_CACHED_RUNS = 1 << 16
_CACHED_LENGTH = 64
_MERGED = -1


class BPETokenizer(Tokenizer):
    """Base symbols and merges, applied inside each run in the order in which they were learned.

    A character outside the base symbols becomes its UTF-8 bytes (each spans the whole character), or `<unk>` where
    `byte_fallback` is off.

    >>> tokenizer = BPETokenizer.train(["春天来了", "春天好"], size=400, pair_minimum=2)
    >>> [tokenizer.id_to_token(id_) for id_ in tokenizer.encode("春天")]
    ['春天']
    """

    kind = "bpe"

    def __init__(self, symbols: Sequence[str], merges: Sequence[Pair], *, byte_fallback: bool = True) -> None:
        """`merges`: pairs of ids, of symbols or of earlier merges, in the order of learning."""
        self._symbols = tuple(symbols)
        self._merges = tuple(merges)
        self._byte_fallback = byte_fallback
        super().__init__(_all_tokens(self._symbols, self._merges, byte_fallback))
        self._base_ids = {symbol: self._text_ids[symbol] for symbol in symbols}
        self._rules = {
            pair: (rank, self._text_ids[self._tokens[pair[0]] + self._tokens[pair[1]]])
            for rank, pair in reversed(list(enumerate(merges)))
        }
        self._cache: dict[str, list[tuple[int, int, int]]] = {}

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        *,
        size: int = 8000,
        symbol_minimum: int = 1,
        pair_minimum: int = 2,
        symbol_limit: int | None = None,
        byte_fallback: bool = True,
    ) -> BPETokenizer:
        """Learn a vocabulary of at most `size` ids, special tokens and bytes included.

        Base symbols are the characters seen `symbol_minimum` times, at most `symbol_limit` of them; pairs are merged
        as long as the most frequent one is seen `pair_minimum` times. Pairs never cross runs or rarer characters.
        """
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(runs(text))
        symbols = base_symbols(counts, minimum=symbol_minimum, limit=symbol_limit)
        first_id = FIRST_TEXT_ID + (len(BYTE_TOKENS) if byte_fallback else 0)
        if first_id + len(symbols) > size:
            raise ValueError(f"a vocabulary of {size} has no room for its {first_id + len(symbols)} base tokens")
        merges = learn_merges(counts, symbols, first_id=first_id, size=size, minimum=pair_minimum)
        return cls(symbols, merges, byte_fallback=byte_fallback)

    @property
    def merges(self) -> tuple[Pair, ...]:
        """The pairs of ids that are merged, first learned first."""
        return self._merges

    def pieces(self, text: str) -> Iterator[tuple[int, int, int]]:
        offset = 0
        for run in runs(text):
            for id_, start, end in self._cached(run):
                yield id_, offset + start, offset + end
            offset += len(run)

    def decode(self, ids: Iterable[int]) -> str:
        parts = bytearray()
        for id_ in ids:
            token = self.id_to_token(id_)
            byte = id_ - FIRST_TEXT_ID
            if self._byte_fallback and 0 <= byte < len(BYTE_TOKENS):
                parts.append(byte)
            else:
                parts += token.encode("utf-8")
        try:
            return parts.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return parts.decode("utf-8", "replace")

    def layout(self, ids: Iterable[int]) -> tuple[str, list[tuple[int, int]]]:
        """As in every tokenizer; the bytes of one character all stand where it does."""
        text: list[str] = []
        spans: list[tuple[int, int]] = []
        waiting = bytearray()
        for id_ in ids:
            byte = id_ - FIRST_TEXT_ID
            is_byte = self._byte_fallback and 0 <= byte < len(BYTE_TOKENS)
            if not is_byte and waiting:
                _place(text, spans, REPLACEMENT, len(waiting))
                waiting.clear()
            if not is_byte:
                _place(text, spans, self.id_to_token(id_) if id_ >= FIRST_TEXT_ID else REPLACEMENT, 1)
                continue
            waiting.append(byte)
            if len(waiting) == _utf8_length(waiting[0]):
                _place(text, spans, waiting.decode("utf-8", "replace"), len(waiting))
                waiting.clear()
        if waiting:
            _place(text, spans, REPLACEMENT, len(waiting))
        return "".join(text), spans

    def to_lines(self) -> list[str]:
        head = f"{len(self._symbols)} {'bytes' if self._byte_fallback else 'unk'}"
        symbols = (json.dumps(symbol, ensure_ascii=False) for symbol in self._symbols)
        return [head, *symbols, *(f"{left} {right}" for left, right in self._merges)]

    @classmethod
    def from_lines(cls, lines: Sequence[str]) -> BPETokenizer:
        size, fallback = lines[0].split(" ")
        symbols = [json.loads(line) for line in lines[1 : 1 + int(size)]]
        pairs = [line.split(" ") for line in lines[1 + int(size) :]]
        return cls(symbols, [(int(left), int(right)) for left, right in pairs], byte_fallback=fallback == "bytes")

    def _cached(self, run: str) -> list[tuple[int, int, int]]:
        known = self._cache.get(run)
        if known is None:
            known = list(self._encode_run(run))
            if len(self._cache) >= _CACHED_RUNS:
                self._cache.clear()
            if len(run) <= _CACHED_LENGTH:
                self._cache[run] = known
        return known

    def _encode_run(self, run: str) -> Iterator[tuple[int, int, int]]:
        ids = [self._base_ids.get(character, UNK) for character in run]
        starts = apply_merges(ids, self._rules)
        for start, end in pairwise([*starts, len(run)]):
            if ids[start] == UNK and self._byte_fallback:
                for byte in run[start].encode("utf-8", "surrogatepass"):
                    yield FIRST_TEXT_ID + byte, start, end
            else:
                yield ids[start], start, end


def _place(text: list[str], spans: list[tuple[int, int]], piece: str, tokens: int) -> None:
    """Add a piece of text that `tokens` tokens stand for."""
    start = spans[-1][1] if spans else 0
    text.append(piece)
    spans.extend([(start, start + len(piece))] * tokens)


def _utf8_length(first: int) -> int:
    """How many bytes the character has that begins with this one."""
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def apply_merges(ids: list[int], rules: Mapping[Pair, tuple[int, int]]) -> list[int]:
    """Merge pairs in `ids` until no rule fits, lowest rank first, then leftmost; the places that still count.

    `rules` maps a pair to its rank and the id it becomes, which is written over the left one. O(n log n).
    """
    after = list(range(1, len(ids) + 1))
    before = list(range(-1, len(ids) - 1))
    heap = [(rules[pair][0], place, pair) for place, pair in enumerate(pairwise(ids)) if pair in rules]
    heapq.heapify(heap)
    while heap:
        _, left, pair = heapq.heappop(heap)
        right = after[left]
        if right == len(ids) or (ids[left], ids[right]) != pair:
            continue
        ids[left], ids[right], after[left] = rules[pair][1], _MERGED, after[right]
        if after[left] < len(ids):
            before[after[left]] = left
        for place in (before[left], left):
            if place >= 0 and after[place] < len(ids) and (new := (ids[place], ids[after[place]])) in rules:
                heapq.heappush(heap, (rules[new][0], place, new))
    return [place for place, id_ in enumerate(ids) if id_ != _MERGED]


def _all_tokens(symbols: Sequence[str], merges: Sequence[Pair], byte_fallback: bool) -> list[str]:
    tokens = [*(BYTE_TOKENS if byte_fallback else ()), *symbols]
    seen = set(tokens)
    for left, right in merges:
        token = tokens[left - FIRST_TEXT_ID] + tokens[right - FIRST_TEXT_ID]
        if token not in seen:
            seen.add(token)
            tokens.append(token)
    return tokens
