"""The file that keeps a user's words: changed under a lock, written whole or not at all; and jieba's form of it."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import NamedTuple

from segmenter.errors import SegmenterError, UserWordError
from segmenter.user_dictionary import LineNote, UserDictionary, UserWord, parse_line


class WordsFileError(SegmenterError):
    """The file with user words holds a line that is no word; writing it anew would lose that line."""

    def __init__(self, path: Path, note: LineNote) -> None:
        super().__init__(f"{path}:{note.line}: {note.reason}; mend the line first, nothing was changed")


class UnusableWordsFileError(SegmenterError, OSError):
    """The file with user words cannot be read or written."""


class FileState(NamedTuple):
    """Time of the last change in nanoseconds, bytes, and the file's own number."""

    changed: int
    size: int
    number: int


class WordsFile:
    """One file of user words; a missing one holds none. Usable from several threads and processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written: FileState | None = None
        """The state in which the last edit of this object left the file."""
        self._lock = RLock()

    def state(self) -> FileState | None:
        """What another write of the file changes, without reading it; None where there is no file."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return FileState(found.st_mtime_ns, found.st_size, found.st_ino)

    def read(self) -> UserDictionary:
        """The words as they are now. Raises UnusableWordsFileError; lines that are no words are left out."""
        words = UserDictionary()
        with _named(self.path):
            if _is_there(self.path):
                words.read(self.path)
        return words

    @contextmanager
    def edit(self) -> Iterator[UserDictionary]:
        """The words, to be changed in place; written when the context ends well and something changed.

        Others who edit wait. Raises WordsFileError if the file holds a line that would be lost, and
        UnusableWordsFileError.
        """
        with self._lock, _named(self.path), _locked(self.path):
            words = UserDictionary()
            if _is_there(self.path):
                for note in words.read(self.path).notes:
                    if note.is_bad:
                        raise WordsFileError(self.path, note)
            before = list(words.lines())
            yield words
            if list(words.lines()) != before:
                write_atomically(self.path, "".join(f"{line}\n" for line in words.lines()))
            self.written = self.state()


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """What the system refuses is told with the name of the file."""
    try:
        yield
    except OSError as error:
        raise UnusableWordsFileError(f"{path} cannot be read or written: {error.strerror or error}") from error


def _is_there(path: Path) -> bool:
    """Whether there is a file of words. Raises OSError for a folder, or a pipe, which may be read for ever."""
    if path.exists() and not path.is_file():
        raise OSError("it is not a regular file")
    return path.exists()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file of words against other processes, where the platform can."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:
        yield
        return
    with path.with_name(f".{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write_atomically(path: Path, content: str) -> None:
    """Replace a file in one step: a reader, or a crash, finds the old or the new content, never a part.

    Of a link, the file that it leads to.
    """
    path = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            shutil.copymode(path, name)
        else:
            Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def jieba_lines(words: Iterable[UserWord]) -> tuple[list[str], list[UserWord]]:
    """(lines of a dictionary as jieba reads it, the words that this form cannot hold).

    A line is `word frequency tag`, the last two where they are known. jieba has no forced words: they are written
    without a frequency, which makes jieba choose one. A word that would be read back as another one is left out.
    """
    lines, unfit = [], []
    for word in words:
        line = " ".join(part for part in (word.text, _frequency(word), word.tag or "") if part)
        try:
            back = parse_line(line)
        except UserWordError:
            back = None
        if back == UserWord(word.text, word.frequency, word.tag):
            lines.append(line)
        else:
            unfit.append(word)
    return lines, unfit


def _frequency(word: UserWord) -> str:
    return "" if word.frequency is None else str(word.frequency)
