"""A query as it was typed, cut into items: words, quoted phrases, signs, names of filters, groups in parentheses."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

QUOTES = {'"': '"', "“": "”", "„": "”", "«": "»", "「": "」", "『": "』"}

_LABELLED = re.compile("(?:tag|category):", re.IGNORECASE)
_GROUP = re.compile(r"\(([^()]*)\)")
_OR = re.compile(r"(?<!\S)OR(?!\S)")


def folded(text: str) -> str:
    """Compatibility forms as what they stand for; those that stand for a space and a mark stay, as in the index.

    >>> folded("ｔａｇ：数据"), folded("it´s ¨")
    ('tag:数据', 'it´s ¨')
    """
    kept = "".join(char for char in set(text) if not char.isspace() and " " in unicodedata.normalize("NFKC", char))
    pieces = re.split(f"([{re.escape(kept)}])", text) if kept else [text]
    return "".join(piece if piece in kept else unicodedata.normalize("NFKC", piece) for piece in pieces)


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of a query: `text` with the sign and the `tag:` before it, quoted, or what stands in parentheses."""

    sign: str
    prefix: str
    text: str
    quoted: bool = False
    grouped: bool = False

    @property
    def is_or(self) -> bool:
        """Whether it is the operator."""
        return self.text == "OR" and not (self.quoted or self.grouped or self.sign or self.prefix)

    @property
    def is_unbalanced(self) -> bool:
        """Whether it has a parenthesis whose partner stands elsewhere."""
        return not self.quoted and self.text.count("(") != self.text.count(")")


def items(text: str) -> Iterator[Item]:
    """Pieces between white space, quotes and groups; a sign or a `tag:` before a quote belongs to it."""
    place, size = 0, len(text)
    while place < size:
        if text[place].isspace():
            place += 1
            continue
        at_start = place == 0 or text[place - 1].isspace()
        sign = "-" if at_start and text[place] == "-" and place + 1 < size and not text[place + 1].isspace() else ""
        place += len(sign)
        end = _group_end(text, place, at_start)
        if end is not None:
            yield Item(sign, "", text[place + 1 : end], grouped=True)
            place = end + 1
            continue
        prefix = _quoted_prefix(text, place)
        place += len(prefix)
        end = _closing(text, place)
        if end is not None:
            yield Item(sign, prefix, text[place + 1 : end], quoted=True)
            place = end + 1
            continue
        end = place + 1
        while end < size and not text[end].isspace() and not _opens(text, end):
            end += 1
        yield Item(sign, prefix, text[place:end])
        place = end


def _opens(text: str, place: int) -> bool:
    return _closing(text, place) is not None or _group_end(text, place, False) is not None


def _group_end(text: str, place: int, at_start: bool) -> int | None:
    """Where the group that opens here closes: one that holds OR, behind white space, a quote or a Chinese character.

    Parentheses behind a Latin one (`printf(x)`), around anything else, or around others, are text.
    """
    if place >= len(text) or text[place] != "(":
        return None
    if not at_start and place and text[place - 1].isascii() and text[place - 1] not in '")':
        return None
    found = _GROUP.match(text, place)
    return found.end() - 1 if found and _OR.search(found[1]) else None


def _quoted_prefix(text: str, place: int) -> str:
    found = _LABELLED.match(text, place)
    return found.group() if found and _closing(text, found.end()) is not None else ""


def _closing(text: str, place: int) -> int | None:
    """Where the phrase that opens here closes; None when none opens, or it is empty."""
    closing = QUOTES.get(text[place]) if place < len(text) else None
    end = text.find(closing, place + 1) if closing else -1
    return end if end > place and text[place + 1 : end].strip() else None
