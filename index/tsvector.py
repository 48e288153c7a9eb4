"""Text form of `tsvector` and `tsquery` values, written by hand from positions.

PostgreSQL never parses text of ours: lexemes and positions are decided here, quoted, bound as text and cast. Its limits
(https://www.postgresql.org/docs/current/textsearch-limitations.html) are kept by construction: a lexeme is at most
`MAX_LEXEME` characters, so at most 1,024 bytes of the 2,046 allowed; positions are bounded by `index.passages`.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.types import Analysis

MAX_LEXEME = 256
"""Characters of a lexeme; a longer word is stored as consecutive chunks of this length."""

MAX_POSITION = 16383
"""PostgreSQL clamps larger positions silently."""

PIECE_SPAN = 64
"""A phrase is asked for in pieces whose lexemes start within this many characters of each other."""

Ints = NDArray[np.int32]


class Atom(NamedTuple):
    """One lexeme of a query: where it starts in the query's stream, and whether it stands for every word it begins."""

    lexeme: str
    start: int
    prefix: bool = False

    def quoted(self, weights: str = "") -> str:
        """As an operand of a `tsquery`; `weights` limit the positions that count."""
        flags = weights + "*" * self.prefix
        return quote(self.lexeme) + (f":{flags}" if flags else "")


def split_long(starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """Cut spans longer than `MAX_LEXEME` into chunks counted from their own start, so that a prefix stays a prefix."""
    if not len(lengths) or int(lengths.max()) <= MAX_LEXEME:
        return starts, lengths
    chunks = -(-lengths // MAX_LEXEME)
    owner = np.repeat(np.arange(len(starts)), chunks)
    offset = (np.arange(len(owner)) - np.repeat(np.cumsum(chunks) - chunks, chunks)) * MAX_LEXEME
    all_starts = (starts[owner] + offset).astype(np.int32)
    all_lengths = np.minimum(lengths[owner] - offset, MAX_LEXEME).astype(np.int32)
    return _sorted_unique(all_starts, all_lengths)


class Words(NamedTuple):
    """Starts and lengths of the words of every granularity, sorted by `(start, -length)`, in two parts.

    `inside` are the coarse words and those inside a coarse word; `across` lie across a border: 和服 in 产品|和|服务.
    """

    inside: tuple[Ints, Ints]
    across: tuple[Ints, Ints]


def word_columns(analysis: Analysis) -> Words:
    """All words of a text; those `inside` are what `posting` counts for ranking."""
    across = _is_across(analysis)
    starts, lengths = analysis.word_start, analysis.word_length
    return Words(split_long(starts[~across], lengths[~across]), split_long(starts[across], lengths[across]))


def _is_across(analysis: Analysis) -> NDArray[np.bool_]:
    coarse = analysis.word_level == 0
    start, length = analysis.word_start[coarse], analysis.word_length[coarse]
    owner = np.cumsum(np.bincount(np.concatenate([start, start + length]), minlength=len(analysis.stream) + 1))
    last = analysis.word_start + analysis.word_length - 1
    return np.asarray(owner[analysis.word_start] != owner[last])


def gram_columns(analysis: Analysis) -> tuple[Ints, Ints]:
    """Starts and lengths of the lexemes that need no model: bigrams of dense characters, and atoms; sorted by start.

    The last character of a run of dense characters stands alone. Each position starts at most one lexeme.
    """
    dense = analysis.is_dense
    dense_start = np.flatnonzero(dense).astype(np.int32)
    followed = np.append(dense[1:], False)[dense_start]
    dense_length = np.where(followed, 2, 1).astype(np.int32)
    atom_start, atom_length = split_long(analysis.atom_start, analysis.atom_length)
    if not len(atom_start):
        return dense_start, dense_length
    return _sorted_unique(np.concatenate([dense_start, atom_start]), np.concatenate([dense_length, atom_length]))


def posting_gram_columns(analysis: Analysis) -> tuple[Ints, Ints]:
    """The columns of `gram_columns` and every single dense character: what is counted for ranking without words."""
    starts, lengths = gram_columns(analysis)
    dense = np.flatnonzero(analysis.is_dense).astype(np.int32)
    return _sorted_unique(np.concatenate([starts, dense]), np.concatenate([lengths, np.ones_like(dense)]))


def _sorted_unique(starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    key = np.sort((starts.astype(np.int64) << 32) | (0x7FFFFFFF - lengths.astype(np.int64)), kind="stable")
    key = key[np.diff(key, prepend=-1) != 0]
    return (key >> 32).astype(np.int32), (0x7FFFFFFF - (key & 0xFFFFFFFF)).astype(np.int32)


def quote(lexeme: str) -> str:
    """The lexeme between apostrophes, for a `tsvector` or `tsquery` literal."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


def vector_literal(lexemes: Sequence[str], positions: Sequence[int], weight: str = "") -> str:
    """`'lexeme':pos,posW …` for a cast to `tsvector`; positions count from 1, weight is A, B, C or nothing (D).

    Raises ValueError when a position lies outside 1 … `MAX_POSITION` (PostgreSQL would change it silently).
    """
    if len(positions) and not (min(positions) >= 1 and max(positions) <= MAX_POSITION):
        raise ValueError(f"positions must lie between 1 and {MAX_POSITION}")
    place = _places(weight)
    places: dict[str, str] = {}
    for lexeme, position in zip(lexemes, positions, strict=True):
        before = places.get(lexeme)
        places[lexeme] = place[position] if before is None else f"{before},{place[position]}"
    text = "".join(places)
    if "'" in text or "\\" in text:
        return " ".join([f"{quote(lexeme)}:{at}" for lexeme, at in places.items()])
    return " ".join([f"'{lexeme}':{at}" for lexeme, at in places.items()])


@cache
def _places(weight: str) -> list[str]:
    return [f"{position}{weight}" for position in range(MAX_POSITION + 1)]


def query_atoms(analysis: Analysis) -> list[Atom]:
    """The gram lexemes that every text containing this query's stream holds, at these distances.

    What touches the end of the query may go on in the text: a last Latin word becomes a prefix, as does a lone dense
    character. The last character of a dense run that ends the query is left out: it is the second half of a bigram, and
    closing marks must not bind it. Inside the query the end of a dense run is kept: the text must break there too.
    """
    starts, lengths = gram_columns(analysis)
    stream, dense, size = analysis.stream, analysis.is_dense, len(analysis.stream)
    last = len(starts) - 1
    atoms = []
    for index, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        lone = length == 1 and bool(dense[start])
        if lone and index == last and start and dense[start - 1]:
            continue
        open_end = start + length == size and (lone or not dense[start])
        atoms.append(Atom(stream[start : start + length], start, open_end))
    return atoms


def phrase(atoms: Sequence[Atom]) -> str:
    """`'a' <n> 'b':*`: the atoms at exactly their distances, for a cast to `tsquery`."""
    parts = []
    for index, atom in enumerate(atoms):
        if index:
            parts.append(f"<{atom.start - atoms[index - 1].start}>")
        parts.append(atom.quoted())
    return " ".join(parts)


def pieces(atoms: Sequence[Atom], span: int = PIECE_SPAN) -> list[list[Atom]]:
    """The atoms in order, cut so that within a piece starts differ by less than `span` characters.

    Each piece of a phrase lies inside one passage (`index.passages` overlaps that much), so a text that holds the whole
    phrase holds every piece.
    """
    result: list[list[Atom]] = []
    for atom in atoms:
        if result and atom.start - result[-1][0].start < span:
            result[-1].append(atom)
        else:
            result.append([atom])
    return result
