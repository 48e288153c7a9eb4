"""The one analyzer for documents and queries: normalise, cut, shape; and its fingerprint.

>>> analyzer = Analyzer.default()
>>> [token.text for token in analyzer.segment("我在清华大学学习C++。")]
['我', '在', '清华大学', '学习', 'C++', '。']
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from segmenter.blocks import BLOCK, Blocks, Piece
from segmenter.columns import analysis_of, fine_words, inner_words, joined, part_of, stream_of
from segmenter.dictionary import Dictionary
from segmenter.errors import LoneSurrogateError, SegmenterError
from segmenter.explain import Explanation, explain
from segmenter.lattice import Int64Array
from segmenter.models import MODES, shipped_tagger
from segmenter.normalise import Normalized, Normalizer
from segmenter.runs import CODE_OF, KINDS
from segmenter.segment import SOURCES, Cut, Segmenter
from segmenter.stream import mapped
from segmenter.types import Analysis, Granularity, Int16Array, Int32Array, Kind, Token, UInt8Array
from segmenter.user_dictionary import UserDictionary

DEFAULT_MODE = "auto"
RULES_VERSION = 7
"""Raised when the rules of `runs`, `granularity` or `segment` change what comes out."""
STREAM_VERSION = 1
"""Raised when `columns` changes what stands in a stream or which atoms it has."""


class Analyzer:
    """Text to tokens, and to columns for an index. Immutable, usable from several threads.

    It has slots, so that a setting which it does not know is an error and not an attribute that does nothing.
    """

    __slots__ = ("__weakref__", "_block", "_blocks", "_fingerprint", "_normalizer", "_segmenter", "_stream_fingerprint")

    def __init__(self, segmenter: Segmenter, normalizer: Normalizer, *, block: int = BLOCK) -> None:
        """Put the parts together; `block` is about how many characters are worked on at once."""
        self._segmenter = segmenter
        self._normalizer = normalizer
        self._block = block
        self._fingerprint: str | None = None
        self._stream_fingerprint: str | None = None
        whole_sentences = bool(segmenter.criteria)
        self._blocks = Blocks(block, segmenter.crossing, self._border_in, whole_sentences=whole_sentences)

    @classmethod
    def default(
        cls, user_dictionary: UserDictionary | None = None, mode: str | None = None, *, threads: int = 1
    ) -> "Analyzer":
        """The analyzer with the dictionary and the models that are shipped, and a user's own words.

        mode: "dictionary", "wide" (and the linear model), "hybrid" (and the Encoder where that one is unsure), or
        "auto", the default: wide, and hybrid where a criterion is given
        threads: how many threads the Encoder may use; the result does not depend on it
        """
        mode = mode or DEFAULT_MODE
        if mode not in MODES:
            raise SegmenterError(f"unknown mode {mode!r}: there are {', '.join(MODES)}")
        dictionary = Dictionary.load()
        tagger = shipped_tagger(mode, dictionary, threads) if mode != "dictionary" else None
        analyzer = cls(Segmenter(dictionary, tagger=tagger), Normalizer())
        return analyzer.with_user_dictionary(user_dictionary) if user_dictionary else analyzer

    def with_user_dictionary(self, words: UserDictionary) -> "Analyzer":
        """The same analyzer with these user words, as they are now; the two share everything else."""
        return Analyzer(self._segmenter.with_user_words(words), self._normalizer, block=self._block)

    def segment(
        self, text: str, granularity: Granularity = Granularity.COARSE, *, criterion: str | None = None
    ) -> list[Token]:
        """The tokens of `text`, white space left out, sorted by (start, -end).

        `coarse` and `fine` tokens do not overlap, and join to the text with the gaps between them; `search` tokens
        overlap. Raises LoneSurrogateError for a string that is not Unicode text, UnknownCriterionError for a standard
        that the models do not know.
        """
        return self.segment_batch([text], granularity, criterion=criterion)[0]

    def segment_batch(
        self,
        texts: Sequence[str],
        granularity: Granularity = Granularity.COARSE,
        *,
        criterion: str | None = None,
    ) -> list[list[Token]]:
        """`segment` for each of the texts, in one go."""
        found: list[list[Token]] = [[] for _ in texts]
        for group, normalized, cut in self._cuts(texts, criterion):
            start, end, word = _tokens(cut, Granularity(granularity))
            first, last = normalized.starts[start], normalized.ends[end - 1]
            _share_out(group, first, last, cut.kind[word], cut.source[word], Granularity(granularity), found)
        return found

    def segment_iter(
        self,
        texts: Iterable[str],
        granularity: Granularity = Granularity.COARSE,
        *,
        criterion: str | None = None,
        threads: int = 1,
    ) -> Iterator[list[Token]]:
        """`segment` for a stream of texts of any length, in order, in memory that does not grow with the stream.

        Texts are read some windows ahead (see `stream`), and cut in groups of like size on `threads` threads. Raises
        what `segment` raises when the text is due; a position in such an error is one in its text.
        """
        return mapped(lambda some: self.segment_batch(some, granularity, criterion=criterion), texts, threads=threads)

    def explain(self, text: str, *, criterion: str | None = None) -> Explanation:
        """Why `text` is cut the way `segment` cuts it.

        Raises ExplainTooLongError beyond `explain.LONGEST_TEXT` characters, and what `segment` raises.
        """
        return explain(self._segmenter, self._normalizer.normalize(text), text, criterion, self.fingerprint())

    def border_odds(self, texts: Sequence[str]) -> list[Int16Array] | None:
        """What the quick model believes of each gap of texts that are normalised: int16[len(text) - 1] each.

        Log-odds of a border in units of 1/64; None in the mode without models. They do not depend on user words.
        """
        return self._segmenter.quick_odds(texts)

    def analyze(self, text: str) -> Analysis:
        """The columns of one text. Raises LoneSurrogateError for a string that is not Unicode text."""
        return self.analyze_batch([text])[0]

    def analyze_batch(self, texts: Sequence[str]) -> list[Analysis]:
        """`analyze` for each of the texts, in one go."""
        found: list[list[Analysis]] = [[] for _ in texts]
        for group, normalized, cut in self._cuts(texts):
            whole = analysis_of(normalized, cut)
            for piece in group:
                end = piece.place + len(piece.piece)
                found[piece.text].append(part_of(whole, piece.place, end, piece.offset))
        return [parts[0] if len(parts) == 1 else joined(parts) for parts in found]

    def stream(self, text: str) -> str:
        """`analyze(text).stream` alone, which costs little. Raises LoneSurrogateError like `analyze`."""
        return stream_of(self._normalizer.normalize(text))

    @property
    def criteria(self) -> tuple[str, ...]:
        """The segmentation standards it can follow, the first by default; none in dictionary mode."""
        return self._segmenter.criteria

    def _cuts(
        self, texts: Sequence[str], criterion: str | None = None
    ) -> Iterator[tuple[list[Piece], Normalized, Cut]]:
        for group in self._blocks.of(texts):
            try:
                normalized = self._normalizer.normalize("\n".join(piece.piece for piece in group))
            except LoneSurrogateError as error:
                piece = next(piece for piece in reversed(group) if piece.place <= error.position)
                raise LoneSurrogateError(error.position - piece.place + piece.offset, error.code_point) from None
            yield group, normalized, self._segmenter.cut(normalized, criterion)

    def _border_in(self, window: str, limit: int) -> int | None:
        """The last place in `window`, up to `limit`, between two Han characters and crossed by no word."""
        normalized = self._normalizer.normalize(window)
        borders = self._segmenter.borders_in_han(normalized)
        places = normalized.starts[borders]
        last = int(np.searchsorted(places, limit, side="right"))
        return int(places[last - 1]) if last else None

    def fingerprint(self) -> str:
        """Changes whenever any text could be cut differently: normaliser, dictionary, user words, model, rules."""
        if self._fingerprint is None:
            self._fingerprint = _digest(self.stream_fingerprint(), self._segmenter.fingerprint(), str(RULES_VERSION))
        return self._fingerprint

    def stream_fingerprint(self) -> str:
        """Changes whenever streams, atoms or bigrams could: normaliser and their rules alone."""
        if self._stream_fingerprint is None:
            self._stream_fingerprint = _digest(self._normalizer.fingerprint(), str(STREAM_VERSION))
        return self._stream_fingerprint


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _tokens(cut: Cut, granularity: Granularity) -> tuple[Int64Array, Int64Array, Int64Array]:
    """(start, end, coarse word) of the tokens, sorted by (start, -end), white space left out."""
    start, end, word = cut.start, cut.end, np.arange(len(cut.start))
    if granularity is not Granularity.COARSE:
        start, end, word = fine_words(cut)
    if granularity is Granularity.SEARCH:
        groups = ((cut.start, cut.end, np.arange(len(cut.start))), (start, end, word), inner_words(cut))
        start, end, word = (np.concatenate(column) for column in zip(*groups, strict=True))
        order = np.lexsort((-end, start))
        start, end, word = start[order], end[order], word[order]
        first = (np.diff(start, prepend=-1) != 0) | (np.diff(end, prepend=-1) != 0)
        start, end, word = start[first], end[first], word[first]
    visible = cut.kind[word] != CODE_OF[Kind.SPACE]
    return start[visible], end[visible], word[visible]


def _share_out(
    group: list[Piece],
    first: Int32Array,
    last: Int32Array,
    kind: UInt8Array,
    source: UInt8Array,
    granularity: Granularity,
    found: list[list[Token]],
) -> None:
    """Make tokens of the columns of a block and give each to the text it is of."""
    bounds = np.searchsorted(first, [piece.place for piece in group] + [np.iinfo(np.int32).max]).tolist()
    for piece, low, high in zip(group, bounds[:-1], bounds[1:], strict=True):
        columns = (first[low:high] - piece.place, last[low:high] - piece.place, kind[low:high], source[low:high])
        found[piece.text] += [
            Token(piece.piece[a:b], a + piece.offset, b + piece.offset, KINDS[k], granularity, SOURCES[s])
            for a, b, k, s in zip(*(column.tolist() for column in columns), strict=True)
        ]
