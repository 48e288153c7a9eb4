"""The analyzer of a running service, whose user words can change while requests are answered."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from segmenter.analyzer import Analyzer
    from segmenter.user_dictionary import UserDictionary
    from segmenter.words_file import FileState, WordsFile

logger = logging.getLogger("wenci.words")


class Swap(NamedTuple):
    """A change of words: the fingerprints of the analyzer before and after it."""

    before: str
    after: str


class LiveAnalyzer:
    """Hands out the current analyzer. Each is immutable: what began with one ends with it.

    The file is looked at each time: words that another program writes, such as `wenci words add`, count from the next
    request on.
    """

    def __init__(self, analyzer: Analyzer, words_file: WordsFile) -> None:
        """Whether the analyzer has the words of the file as it is now is not known: an existing file is read again."""
        self._analyzer = analyzer
        self._lock = Lock()
        self._state: FileState | None = None
        self.words_file = words_file

    @property
    def current(self) -> Analyzer:
        """The analyzer to use from now on. While one thread takes words up, the others go on with those from before."""
        if self.words_file.state() != self._state and self._lock.acquire(blocking=False):
            try:
                self._take_up()
            finally:
                self._lock.release()
        return self._analyzer

    def change(self, edit: Callable[[UserDictionary], None]) -> Swap:
        """Change the words, in the file and here. If anything fails, both stay as they are."""
        with self._lock:
            before = self._analyzer.fingerprint()
            with self.words_file.edit() as words:
                edit(words)
                changed = self._analyzer.with_user_dictionary(words)
            self._analyzer, self._state = changed, self.words_file.written
            return Swap(before, changed.fingerprint())

    def _take_up(self) -> None:
        """Read the words as another program left them. A file that cannot be read changes nothing until it can."""
        state = self.words_file.state()
        try:
            words = self.words_file.read()
        except OSError as error:
            logger.warning("%s cannot be read, the words stay as they were: %s", self.words_file.path, error)
        else:
            self._analyzer = self._analyzer.with_user_dictionary(words)
        self._state = state
