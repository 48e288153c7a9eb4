"""How well texts are cut, against gold: official word-span scoring, and what kind of errors there are.

A predicted word counts when the gold standard has a word with the same first and last character (the scoring of the
SIGHAN bakeoffs). Out-of-vocabulary recall is the share found of those gold words that the training text does not hold.

>>> report = evaluate(lambda text: [(0, 2), (2, 3), (3, 4)], [["研究", "生命"]], vocabulary={"研究"})
>>> report.correct, report.precision, report.recall, report.oov_recall
(1, 0.3333333333333333, 0.5, 0.0)
"""

import logging
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

from segmenter.characters import Shape, character_table

SpanPair = tuple[int, int]
Cutter = Callable[[str], Sequence[SpanPair]]
"""Cuts a text into words, given as offsets into it."""

_CLASS_OF_SHAPE = {
    Shape.HAN: "han",
    Shape.LETTER: "latin",
    Shape.UPPER: "latin",
    Shape.MARK: "latin",
    Shape.DIGIT: "digit",
}
_LONGEST_CLASS = 5


@dataclass(slots=True)
class Mistake:
    """A sentence with the number of its words that are wrong on either side, and both cuts."""

    errors: int
    gold: list[str]
    predicted: list[str]


@dataclass(slots=True)
class Report:
    """Counts of one evaluation; everything else is computed from them.

    boundaries: for each pair of character classes around a gap, how often a border was right, missed or false
    classes: for each class of gold word (by script and length) how many there are and how many were found
    """

    sentences: int = 0
    gold: int = 0
    predicted: int = 0
    correct: int = 0
    unknown: int = 0
    unknown_found: int = 0
    seconds: float = 0.0
    slowest: tuple[float, str] = (0.0, "")
    boundaries: Counter[tuple[str, str]] = field(default_factory=Counter)
    classes: Counter[tuple[str, str]] = field(default_factory=Counter)
    mistakes: list[Mistake] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Share of the predicted words that are gold words."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold words that were predicted."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.correct / (self.gold + self.predicted) if self.gold + self.predicted else 0.0

    @property
    def oov_recall(self) -> float | None:
        """Share of the gold words outside the training vocabulary that were predicted; None where it is not known."""
        return self.unknown_found / self.unknown if self.unknown else None

    def worst(self, count: int) -> list[Mistake]:
        """The sentences with the most wrong words, ties in the order of the file."""
        return sorted(self.mistakes, key=lambda mistake: -mistake.errors)[:count]

    def as_dict(self, worst: int = 0) -> dict[str, Any]:
        """The report for machines: JSON values only."""
        seconds, text = self.slowest
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "oov_recall": self.oov_recall,
            "sentences": self.sentences,
            "gold_words": self.gold,
            "predicted_words": self.predicted,
            "correct_words": self.correct,
            "oov_words": self.unknown,
            "seconds": self.seconds,
            "slowest_sentence": {"seconds": seconds, "text": text},
            "boundaries": _table(self.boundaries),
            "classes": _table(self.classes),
            "worst": [
                {"errors": m.errors, "gold": " ".join(m.gold), "predicted": " ".join(m.predicted)}
                for m in self.worst(worst)
            ],
        }


def read_gold(path: Path) -> list[list[str]]:
    """Sentences of a gold file, one a line, words separated by white space; empty lines are left out."""
    with path.open(encoding="utf-8") as lines:
        return [words for line in lines if (words := line.split())]


def evaluate(cut: Cutter, gold: Iterable[Sequence[str]], vocabulary: Container[str] | None = None) -> Report:
    """Cut each gold sentence, joined, and compare. Raises ValueError when the cuts overlap or leave the text."""
    report = Report()
    for words in gold:
        text = "".join(words)
        began = perf_counter()
        predicted = list(cut(text))
        took = perf_counter() - began
        report.seconds += took
        report.slowest = max(report.slowest, (took, text))
        _check(predicted, text)
        _count(report, words, text, predicted, vocabulary)
    return report


def spans_of(words: Iterable[str]) -> list[SpanPair]:
    """Offsets of words that follow each other without gaps."""
    spans, start = [], 0
    for word in words:
        spans.append((start, start + len(word)))
        start += len(word)
    return spans


def _check(spans: Sequence[SpanPair], text: str) -> None:
    ordered = all(before[1] <= after[0] for before, after in pairwise(spans))
    if not ordered or any(not 0 <= start < end <= len(text) for start, end in spans):
        raise ValueError(f"the cut of {text[:20]!r} overlaps or leaves the text")


def _count(
    report: Report, words: Sequence[str], text: str, predicted: list[SpanPair], vocabulary: Container[str] | None
) -> None:
    found, spans = set(predicted), spans_of(words)
    report.sentences += 1
    report.gold += len(words)
    report.predicted += len(predicted)
    correct = 0
    for word, span in zip(words, spans, strict=True):
        hit = span in found
        correct += hit
        unknown = vocabulary is not None and word not in vocabulary
        report.unknown += unknown
        report.unknown_found += unknown and hit
        name = word_class(word)
        report.classes[name, "gold"] += 1
        report.classes[name, "found"] += hit
    report.correct += correct
    _count_boundaries(report.boundaries, text, spans, predicted)
    errors = len(spans) + len(predicted) - 2 * correct
    if errors:
        report.mistakes.append(Mistake(errors, list(words), [text[start:end] for start, end in predicted]))


def _count_boundaries(
    counts: Counter[tuple[str, str]], text: str, gold: Sequence[SpanPair], predicted: Sequence[SpanPair]
) -> None:
    wanted = {end for _, end in gold} - {len(text)}
    given = ({end for _, end in predicted} | {start for start, _ in predicted}) - {0, len(text)}
    for kind, places in (("right", wanted & given), ("missed", wanted - given), ("false", given - wanted)):
        for place in places:
            counts[f"{character_class(text[place - 1])}|{character_class(text[place])}", kind] += 1


def character_class(character: str) -> str:
    """`han`, `latin`, `digit` or `other` (punctuation, symbols, other scripts)."""
    return _CLASS_OF_SHAPE.get(int(character_table().shape[ord(character)]), "other")


def word_class(word: str) -> str:
    """`han-1` .. `han-5+` by length, `latin`, `digit`, `other`, or `mixed` where scripts meet."""
    classes = {character_class(character) for character in word}
    if classes == {"han"}:
        return f"han-{len(word)}" if len(word) < _LONGEST_CLASS else f"han-{_LONGEST_CLASS}+"
    return classes.pop() if len(classes) == 1 else "mixed"


def _table(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for (row, column), count in sorted(counts.items()):
        table.setdefault(row, {})[column] = count
    return table


def jieba_cutter() -> Cutter:
    """jieba's default mode, with a dictionary object of its own. Raises ValueError when jieba is not installed."""
    try:
        import jieba
    except ImportError as error:
        raise ValueError("jieba is not installed") from error
    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    tokenizer.initialize()
    return lambda text: spans_of(tokenizer.lcut(text))


PEERS: dict[str, Callable[[], Cutter]] = {"jieba": jieba_cutter}
"""Other segmenters that can be evaluated in the same run."""
