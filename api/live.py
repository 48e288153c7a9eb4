"""The analyzer of a running service, whose user words can change while requests are answered."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from segmenter.analyzer import Analyzer
    from segmenter.user_dictionary import UserDictionary
    from segmenter.words_file import WordsFile


class Swap(NamedTuple):
    """A change of words: the fingerprints of the analyzer before and after it."""

    before: str
    after: str


class LiveAnalyzer:
    """Hands out the current analyzer. Each is immutable: what began with one ends with it."""

    def __init__(self, analyzer: Analyzer, words_file: WordsFile) -> None:
        self._analyzer = analyzer
        self._lock = Lock()
        self.words_file = words_file

    @property
    def current(self) -> Analyzer:
        """The analyzer to use from now on."""
        return self._analyzer

    def change(self, edit: Callable[[UserDictionary], None]) -> Swap:
        """Change the words, in the file and here. If anything fails, both stay as they are."""
        with self._lock:
            before = self._analyzer.fingerprint()
            with self.words_file.edit() as words:
                edit(words)
                changed = self._analyzer.with_user_dictionary(words)
            self._analyzer = changed
            return Swap(before, changed.fingerprint())
