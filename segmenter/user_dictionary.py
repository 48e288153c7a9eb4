"""A user's own words: a collection one can edit, and files of it.

A file is UTF-8 (with or without a byte order mark), one word a line, any line ends. A line with a tab is
`word<TAB>frequency<TAB>tag`, so a word may hold spaces; any other line is read as jieba reads it, `word [frequency]
[tag]`. Frequency and tag may be missing; the frequency `!` forces a word.

>>> words = UserDictionary()
>>> report = words.read_lines(["长江大桥 30 ns", "iphone 12" + "\\t", "银行客服" + "\\t!"])
>>> [(word.text, word.frequency, word.forced) for word in words]
[('长江大桥', 30, False), ('iphone 12', None, False), ('银行客服', None, True)]
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from segmenter.dictionary import Dictionary
from segmenter.errors import UserWordError
from segmenter.normalise import Normalizer

LONGEST_WORD: Final = 128
"""Characters of a normalised user word."""
FORCE: Final = "!"

_UNFIT = re.compile(r"[\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029\ud800-\udfff]")
_FOREIGN = re.compile(r"[,;{}<>|=`，。；：、！？…]|//|^#")
_FIRST_EAST_ASIAN = "\u2e80"
_LONGEST_TAG = 4
_IF_MEANT = "with a tab character behind the word it is taken as it is"
_JIEBA_LINE = re.compile(r"(?P<word>.+?)(?: +(?P<frequency>\d+|!))?(?: +(?P<tag>[a-zA-Z]+))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class UserWord:
    """A word as the user wrote it.

    frequency: occurrences as in the dictionary; None makes it a common word, never cut into smaller ones, though words
    that cross its borders may still be likelier; forced: the word is cut out wherever it stands.
    """

    text: str
    frequency: int | None = None
    tag: str | None = None
    forced: bool = False


@dataclass(frozen=True, slots=True)
class LineNote:
    """What is to be said of a line: `reason` is malformed, duplicate or lowered, with the particulars."""

    line: int
    text: str
    reason: str

    @property
    def is_bad(self) -> bool:
        """Whether the line was left out."""
        return self.reason.startswith("malformed")


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What came of reading words: how many were taken, and the lines that deserve a look."""

    words: int
    notes: list[LineNote] = field(default_factory=list)


class UserDictionary:
    """User words by their normal form; two spellings with one normal form are one word.

    An analyzer takes the words as they are when it is made: make a new one (`Analyzer.with_user_dictionary`) after a
    change.
    """

    def __init__(self, words: Iterable[UserWord] = ()) -> None:
        """Start with these words. Raises UserWordError for one that cannot be matched."""
        self._normalizer = Normalizer()
        self._words: dict[str, UserWord] = {}
        self.add_all(words)

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[UserWord]:
        return iter(self._words.values())

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self._form(text) in self._words

    def get(self, text: str) -> UserWord | None:
        """The word, whatever the case and width of `text`."""
        return self._words.get(self._form(text))

    def items(self) -> Iterable[tuple[str, UserWord]]:
        """(normal form, word) pairs."""
        return self._words.items()

    def add(
        self, text: str, frequency: int | None = None, tag: str | None = None, *, forced: bool = False
    ) -> UserWord | None:
        """Add or replace a word; returns the one that was replaced. Raises UserWordError if it cannot be matched."""
        word = UserWord(text.strip(), frequency, tag, forced)
        replaced = self._words.get(self._form(text))
        self.add_all([word])
        return replaced

    def add_all(self, words: Iterable[UserWord]) -> None:
        """Add many words, or none: raises UserWordError if one of them cannot be matched."""
        listed = list(words)
        forms = self._forms([word.text for word in listed])
        for form, word in zip(forms, listed, strict=True):
            _check(form, word)
        self._words.update(zip(forms, listed, strict=True))

    def remove(self, text: str) -> bool:
        """Take a word out, whatever its case and width; whether it was there."""
        return self._words.pop(self._form(text), None) is not None

    def read(self, path: Path, dictionary: Dictionary | None = None, *, strict: bool = False) -> LoadReport:
        """Add the words of a file, see `read_lines`. Raises OSError if it cannot be read."""
        return self.read_lines(_decoded(path.read_bytes()), dictionary, strict=strict)

    def read_lines(
        self, lines: Iterable[str], dictionary: Dictionary | None = None, *, strict: bool = False
    ) -> LoadReport:
        """Add a word a line; bad lines are left out and reported.

        With a `dictionary`, lines that give one of its words a lower frequency are reported too: they have no effect.
        `strict` is for files of others: a line without a tab that hardly means a word is bad too (`check_plain`).
        """
        notes: list[LineNote] = []
        parsed: list[tuple[int, str, UserWord]] = []
        for number, line in enumerate(lines, start=1):
            content = line.strip("\ufeff\r\n")
            if not content.strip():
                continue
            try:
                word = parse_line(content)
                if strict and "\t" not in content:
                    check_plain(word)
                parsed.append((number, content, word))
            except UserWordError as error:
                notes.append(LineNote(number, content, f"malformed: {error}"))
        before = len(self)
        notes += self._take(parsed, dictionary)
        return LoadReport(len(self) - before, sorted(notes, key=lambda note: note.line))

    def _take(self, parsed: list[tuple[int, str, UserWord]], dictionary: Dictionary | None) -> Iterator[LineNote]:
        forms = self._forms([word.text for _, _, word in parsed])
        known = dictionary.frequencies(forms).tolist() if dictionary else [0] * len(forms)
        for (number, content, word), form, frequency in zip(parsed, forms, known, strict=True):
            try:
                _check(form, word)
            except UserWordError as error:
                yield LineNote(number, content, f"malformed: {error}")
                continue
            if form in self._words:
                yield LineNote(number, content, "duplicate: the last line counts")
            if word.frequency is not None and word.frequency < frequency:
                yield LineNote(number, content, f"lowered: the dictionary's frequency {frequency} stays")
            self._words[form] = word

    def write(self, path: Path) -> None:
        """Write all words in the tab form, so that reading them gives the same collection."""
        path.write_text("".join(f"{line}\n" for line in self.lines()), encoding="utf-8", newline="\n")

    def lines(self) -> Iterator[str]:
        """The lines of a file with these words."""
        for word in self:
            frequency = FORCE if word.forced else "" if word.frequency is None else str(word.frequency)
            yield f"{word.text}\t{frequency}\t{word.tag or ''}"

    def _form(self, text: str) -> str:
        return self._forms([text])[0]

    def _forms(self, texts: list[str]) -> list[str]:
        """The normal form of each, all in one go; empty where there is none."""
        lines = ["" if _UNFIT.search(text) else text for text in texts]
        return [form.strip(" ") for form in self._normalizer.normalize("\n".join(lines)).text.split("\n")][: len(texts)]


def _check(form: str, word: UserWord) -> None:
    """Raise UserWordError if the word cannot be matched."""
    if not form:
        raise UserWordError("the word is empty, or holds a line break, a tab or half a surrogate pair")
    if len(form) > LONGEST_WORD:
        raise UserWordError(f"{len(form)} characters, {LONGEST_WORD} at most")
    if word.frequency is not None and word.frequency < 0:
        raise UserWordError(f"negative frequency {word.frequency}")


def parse_line(line: str) -> UserWord:
    """The word of a line. Raises UserWordError if the line is of neither form."""
    if "\t" in line:
        text, frequency, tag, *rest = [*(part.strip() for part in line.split("\t")), "", ""]
        if any(rest):
            raise UserWordError("more than three columns")
    else:
        match = _JIEBA_LINE.fullmatch(line.strip())
        text, frequency, tag = (match[1], match[2] or "", match[3] or "") if match else (line, "", "")
    if frequency not in ("", FORCE) and not frequency.isdecimal():
        raise UserWordError(f"{frequency!r} is not a frequency")
    forced = frequency == FORCE
    return UserWord(text, int(frequency) if frequency and not forced else None, tag or None, forced)


def check_plain(word: UserWord, if_meant: str = _IF_MEANT) -> None:
    """Raise UserWordError unless a line without tabs looks like a word: as jieba reads lines, any text is one.

    Spaces stand between Latin words alone, and what stands for a tag is as short as one. Without frequency and tag,
    which a dictionary has and prose has not, there is a letter or digit and no mark of a sentence, table or program.
    `if_meant` ends the message: how to have the word all the same.
    """
    if any(char == " " and not _is_between_latin(word.text, place) for place, char in enumerate(word.text)):
        raise UserWordError(f"a space that is not between Latin words; {if_meant}")
    if word.tag is not None and word.frequency is None and len(word.tag) > _LONGEST_TAG:
        raise UserWordError(f"{word.tag!r} is no tag; {if_meant}")
    if word.frequency is not None or word.tag is not None or word.forced:
        return
    mark = _FOREIGN.search(word.text)
    if mark is not None:
        raise UserWordError(f"{mark[0]!r} in a word; {if_meant}")
    if not any(char.isalnum() or unicodedata.category(char) == "So" for char in word.text):
        raise UserWordError(f"no letter or digit; {if_meant}")


def _is_between_latin(text: str, place: int) -> bool:
    before = text[:place].rstrip("+#.")[-1:]
    return all(side.isalnum() and side < _FIRST_EAST_ASIAN for side in (before, text[place + 1]))


def _decoded(content: bytes) -> Iterator[str]:
    """Lines of UTF-8; what is not UTF-8 becomes a line that is reported."""
    for line in content.removeprefix(b"\xef\xbb\xbf").splitlines():
        yield line.decode("utf-8", "surrogateescape")
