"""User words made ready for matching: scored against the dictionary, in a table of their own."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmenter.dictionary import GRID, Dictionary
from segmenter.hashing import CodePoints
from segmenter.lattice import Edges, Int64Array, best_path, no_edges
from segmenter.normalise import Normalizer
from segmenter.runs import CODE_OF, Units, find_units
from segmenter.types import BoolArray, Kind
from segmenter.user_dictionary import UserDictionary, UserWord

UNKNOWN_SCORE = -18 * GRID
"""Score of a unit that is no word: less than the rarest word of 60 million."""
FORCED_SCORE = 1 << 24
"""Score of a forced word in the lattice: more than any path without it can make up."""
_FORCED = np.int16(1)
_LEAST = -(2**15)
_RARITY_OF_A_COMMON_WORD = 60_000


class UserMatches(NamedTuple):
    """User words in a text, sorted by start, then length: edges and, bool[m], whether the word is forced."""

    edges: Edges
    forced: BoolArray


class UserWords:
    """An immutable table of user words.

    A word scores as its frequency, but never less than as a word of the dictionary; one without a frequency scores as a
    common word (one in 60,000), but always more than its best cut into other words.
    """

    def __init__(self, words: UserDictionary, dictionary: Dictionary) -> None:
        """Take the words as they are now; a million of them take some seconds and 20 bytes a character or so."""
        forms = list(words.items())
        numbered = Dictionary.build((form, number) for number, (form, _) in enumerate(forms, start=1))
        self._table = numbered.rescored(_scores(forms, dictionary, numbered)) if forms else numbered
        self.words = len(forms)
        self.characters = frozenset(character for form, _ in forms for character in form)

    def fingerprint(self) -> str:
        """Changes when any word or score does."""
        return self._table.fingerprint() if self.words else ""

    def match(self, points: CodePoints) -> UserMatches:
        """The user words in a text, wherever their characters stand."""
        found = self._table.match(points)
        start = found.start.astype(np.int64)
        forced: BoolArray = found.log_probability > 0
        return UserMatches(Edges(start, start + found.length, found.log_probability.astype(np.int64)), forced)


def _scores(forms: list[tuple[str, UserWord]], dictionary: Dictionary, numbered: Dictionary) -> NDArray[np.int16]:
    """The score of each word, int16[w], `_FORCED` for forced ones."""
    scores = _frequency_scores(forms, dictionary)
    open_words = [i for i, (_, word) in enumerate(forms) if word.frequency is None and not word.forced]
    for group in _by_length(open_words, forms):
        texts = [forms[i][0] for i in group]
        current = numbered.rescored(np.clip(scores, _LEAST, -1).astype(np.int16))
        cut_score = _best_cut_scores(texts, dictionary, current)
        scores[group] = np.maximum(scores[group], cut_score + 1)
    scores = np.clip(scores, _LEAST, -1)
    scores[[i for i, (_, word) in enumerate(forms) if word.forced]] = _FORCED
    return scores.astype(np.int16)


def _frequency_scores(forms: list[tuple[str, UserWord]], dictionary: Dictionary) -> Int64Array:
    """log(frequency / total) on the grid, with the higher frequency of the user's and the dictionary's: int64[w]."""
    common = max(dictionary.total // _RARITY_OF_A_COMMON_WORD, 1)
    given = [common if word.frequency is None else min(word.frequency, dictionary.total) for _, word in forms]
    known = dictionary.frequencies([form for form, _ in forms])
    frequency = np.maximum(np.maximum(np.array(given, dtype=np.int64), known), 1)
    score: Int64Array = np.rint(np.log(frequency / dictionary.total) * GRID).astype(np.int64)
    return score


def _by_length(numbers: Iterable[int], forms: list[tuple[str, UserWord]]) -> list[list[int]]:
    """Groups of words of one length, shortest first: a word's cut may use shorter user words."""
    groups: dict[int, list[int]] = {}
    for number in numbers:
        groups.setdefault(len(forms[number][0]), []).append(number)
    return [groups[length] for length in sorted(groups)]


def _best_cut_scores(texts: list[str], *tables: Dictionary) -> Int64Array:
    """The score of the best path through each text (all of one length) that does not take it whole: int64[t]."""
    length = len(texts[0])
    normalized = Normalizer().normalize("\n".join(texts) + "\n")
    size = len(normalized.points)
    assert size == len(texts) * (length + 1), "a normal form is its own normal form"
    units = find_units(normalized)
    first = np.arange(0, size, length + 1)
    edges = _spans(units.border).merged(_spans(units.atom_border))
    for table in tables:
        found = table.match(normalized.points)
        start = found.start.astype(np.int64)
        edges = edges.merged(Edges(start, start + found.length, found.log_probability.astype(np.int64)))
    inside = (edges.end <= first[edges.start // (length + 1)] + length) & (edges.end - edges.start < length)
    inside &= units.atom_border[edges.start] & units.atom_border[edges.end]
    edges = edges.where(inside)
    taken = best_path(first, first + length, edges, size)
    return _path_scores(taken, edges, len(texts), length + 1)


def _spans(border: BoolArray) -> Edges:
    bounds = np.flatnonzero(border)
    return Edges(bounds[:-1], bounds[1:], np.full(len(bounds) - 1, UNKNOWN_SCORE, dtype=np.int64))


def _path_scores(taken: Int64Array, edges: Edges, texts: int, stride: int) -> Int64Array:
    """The sum of the best scores of the edges that each path takes, int64[t]; very low where there is no path."""
    lowest = np.iinfo(np.int32).min
    best = np.full(len(taken), lowest, dtype=np.int64)
    on_path = taken[edges.start] == edges.end - edges.start
    np.maximum.at(best, edges.start[on_path], edges.score[on_path])
    no_path = taken[:-1:stride] == 0
    best[taken == 0] = 0
    total: Int64Array = best[:-1].reshape(texts, stride).sum(axis=1)
    return np.where(no_path, lowest, total)


def usable(matches: UserMatches, units: Units) -> tuple[Edges, Edges]:
    """(all user words that may stand where they were found, the forced ones that win), sorted by start.

    A word may not cut a run of letters and digits, an address, or what comes of one original character. Of forced
    words that overlap, the longest wins, then the leftmost.
    """
    edges = matches.edges
    unit = np.cumsum(units.border[:-1])
    starts = np.flatnonzero(units.border[:-1])
    is_address = np.isin(units.kind, [CODE_OF[Kind.URL], CODE_OF[Kind.EMAIL]])
    cuts_start = is_address[starts[unit[edges.start] - 1]] & ~units.border[edges.start]
    cuts_end = is_address[starts[unit[edges.end - 1] - 1]] & ~units.border[edges.end]
    fits = units.atom_border[edges.start] & units.atom_border[edges.end] & ~cuts_start & ~cuts_end
    return edges.where(fits), _winners(edges.where(fits & matches.forced))


def _winners(forced: Edges) -> Edges:
    """Of overlapping edges the longest, then the leftmost."""
    taken: set[int] = set()
    chosen = np.zeros(len(forced.start), dtype=np.bool_)
    for number in np.lexsort((forced.start, forced.start - forced.end)).tolist():
        start, end = int(forced.start[number]), int(forced.end[number])
        if taken.isdisjoint(range(start, end)):
            taken.update(range(start, end))
            chosen[number] = True
    return Edges(forced.start, forced.end, np.full_like(forced.score, FORCED_SCORE)).where(chosen)


def open_units(units: Units, user: Edges) -> tuple[BoolArray, Edges]:
    """Borders with the units opened that a user word cuts, bool[n + 1], and these units as words."""
    cut_at = np.unique(np.concatenate((user.start, user.end)))
    cut_at = cut_at[~units.border[cut_at]]
    if not len(cut_at):
        return units.border, no_edges()
    unit = np.cumsum(units.border[:-1])
    opened = np.unique(unit[cut_at])
    bounds = np.flatnonzero(units.border)
    whole = Edges(bounds[opened - 1], bounds[opened], np.full(len(opened), UNKNOWN_SCORE, dtype=np.int64))
    border = units.border.copy()
    border[:-1] |= np.isin(unit, opened) & units.atom_border[:-1]
    return border, whole


def uncut_by(forced: Edges, words: Edges) -> Edges:
    """The words that no end of a forced word cuts."""
    if not len(forced.start) or not len(words.start):
        return words
    ends = np.zeros(int(max(words.end.max(), forced.end.max())) + 2, dtype=np.int64)
    ends[forced.start] = 1
    ends[forced.end] = 1
    before = np.cumsum(ends)
    return words.where(before[words.end - 1] == before[words.start])
