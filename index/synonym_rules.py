"""Rules of synonyms as lines of text.

`Hulk = 浩克` and `k8s = Kubernetes = 库伯内蒂斯` go both ways; `番茄, 洋柿子 => 西红柿` makes a query for 番茄 find
西红柿 too, not the other way round. A word may be several, `机器学习 = machine learning`. Empty lines and those that
begin with `#` are ignored. Rules do not chain: `a = b` and `b = c` do not make `a` find `c`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from index.content import is_storable

MAX_WORDS = 20
MAX_LENGTH = 100

Origin = Literal["api", "file"]

_COMMA = re.compile(r"[,，、]")


@dataclass(frozen=True, slots=True)
class Rule:
    """Each of `words` also means each of `meanings`; of a two-way rule both are the same. `id` is None until stored."""

    words: tuple[str, ...]
    meanings: tuple[str, ...]
    two_way: bool
    id: int | None = None
    origin: Origin = "api"

    @property
    def line(self) -> str:
        """The rule as a line that `parse_rule` reads."""
        if self.two_way:
            return " = ".join(self.words)
        return f"{', '.join(self.words)} => {', '.join(self.meanings)}"


class Remark(NamedTuple):
    """A line that is no rule, and why."""

    line: int
    reason: str


def parse_rule(line: str) -> Rule:
    """The rule of one line. Raises `ValueError` with a short reason.

    >>> parse_rule("番茄 => 西红柿")
    Rule(words=('番茄',), meanings=('西红柿',), two_way=False, id=None, origin='api')
    """
    left, arrow, right = line.partition("=>")
    if arrow:
        if "=" in left or "=" in right:
            raise ValueError("= and => do not go together; separate words with commas, as in: a, b => c")
        rule = Rule(_words(_COMMA.split(left)), _words(_COMMA.split(right)), two_way=False)
        if not rule.words or not rule.meanings:
            raise ValueError("expected a word on both sides of =>")
        if set(rule.words) & set(rule.meanings):
            raise ValueError("a word stands on both sides of =>")
        return rule
    words = _words(line.split("="))
    if len(words) < 2:
        raise ValueError("expected at least two different words, as in: k8s = Kubernetes")
    return Rule(words, words, two_way=True)


def read_rules(text: str) -> tuple[list[Rule], list[Remark]]:
    """All rules of a file, and the lines that are none."""
    rules, remarks = [], []
    for number, line in _lines(text):
        try:
            rules.append(parse_rule(line))
        except ValueError as error:
            remarks.append(Remark(number, str(error)))
    return rules, remarks


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line


def _words(parts: list[str]) -> tuple[str, ...]:
    words = tuple(dict.fromkeys(" ".join(part.split()) for part in parts if part.strip()))
    if len(words) > MAX_WORDS:
        raise ValueError(f"more than {MAX_WORDS} words")
    for word in words:
        if len(word) > MAX_LENGTH:
            raise ValueError(f"a word is longer than {MAX_LENGTH} characters")
        if not is_storable(word) or not any(char.isalnum() for char in word):
            raise ValueError(f"not a word: {word!r}")
    return words
