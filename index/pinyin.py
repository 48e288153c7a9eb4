"""Toneless pinyin of normalised text, for completion and for words that sound alike; the search itself never uses it.

The readings are those of pypinyin: characters of a known phrase have the reading of the phrase, any other character its
usual reading first. `ü` is written `v`, as it is typed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import islice
from typing import cast

Syllables = list[tuple[str, ...]]
"""For each character what it may be read as; a character that is not Han stands for itself, a mark for nothing."""

VARIANTS = 4
"""Spellings of one text, at most: the usual one, and those with one character read otherwise."""

AMBIGUOUS = 12
"""Characters from the start of a text that may be read otherwise."""

LONGEST_PHRASE = 10
LONGEST_SYLLABLE = 6
CUTS = 8
"""Ways to read letters as syllables that are looked at."""

COMMON = 0.1
"""A reading beside the usual one counts where at least this share of the phrases with the character have it."""


def syllables(text: str) -> Syllables:
    """The readings of each character.

    >>> syllables("重庆行k8s")
    [('chong',), ('qing',), ('xing', 'hang'), ('k',), ('8',), ('s',)]
    """
    found: Syllables = []
    place = 0
    while place < len(text):
        phrase = _phrase_at(text, place)
        found += [(_plain(reading[0]),) for reading in phrase] or [_alone(text[place])]
        place = len(found)
    return found


def spellings(readings: Syllables) -> list[str]:
    """Full pinyin without spaces: the usual one first.

    >>> spellings(syllables("银行"))
    ['yinhang']
    """
    return _variants(readings)


def initials(readings: Syllables) -> list[str]:
    """The first letter of each Han syllable; everything else is kept, so that `用Docker` has `ydocker`."""
    return _variants([tuple(dict.fromkeys(reading[:1] for reading in options)) for options in readings])


def sound(text: str) -> str:
    """The usual syllables with a space between them: words that sound alike have the same."""
    return " ".join(options[0] for options in syllables(text))


def cuts(letters: str, most: int) -> Iterator[str]:
    """Ways to read letters as up to `most` syllables, with spaces between them as `sound` has them; `CUTS` at most.

    >>> list(cuts("xian", 5))
    ['xian', 'xi an']
    """
    return islice((" ".join(found) for found in _cuts(letters, most)), CUTS)


def _cuts(letters: str, most: int) -> Iterator[list[str]]:
    if not letters:
        yield []
    for length in range(min(len(letters), LONGEST_SYLLABLE), 0, -1) if most else ():
        if letters[:length] in _syllables():
            yield from ([letters[:length], *rest] for rest in _cuts(letters[length:], most - 1))


@cache
def _syllables() -> frozenset[str]:
    """Every syllable that a character may be read as."""
    from pypinyin.constants import PINYIN_DICT

    return frozenset(_plain(reading) for toned in PINYIN_DICT.values() for reading in toned.split(",") if reading)


def is_han(char: str) -> bool:
    """Whether the character has a reading."""
    return bool(_readings(char))


def typed(text: str) -> str:
    """What a person typed, as a prefix of a spelling: `Xi'an` and `xi an` are `xian`, `lü` is `lv`."""
    kept = text.casefold().replace("ü", "v").replace("u:", "v")
    return "".join(char for char in kept if char.isalnum())


def _variants(readings: Syllables) -> list[str]:
    if not readings:
        return []
    usual = [options[0] for options in readings]
    found = {"".join(usual): None}
    for place, options in enumerate(readings[:AMBIGUOUS]):
        for other in options[1:]:
            if len(found) < VARIANTS:
                found["".join([*usual[:place], other, *usual[place + 1 :]])] = None
    return list(found)


def _alone(char: str) -> tuple[str, ...]:
    return _readings(char) or ((char,) if char.isalnum() else ("",))


@cache
def _phrases() -> tuple[Mapping[str, list[list[str]]], frozenset[str]]:
    """The phrases with their readings, and what the longer ones begin with."""
    from pypinyin.constants import PHRASES_DICT

    phrases = cast(Mapping[str, list[list[str]]], PHRASES_DICT)
    return phrases, frozenset(phrase[:2] for phrase in phrases)


def _phrase_at(text: str, place: int) -> list[list[str]]:
    """The readings of the longest known phrase that begins here; nothing where none does."""
    phrases, beginnings = _phrases()
    if text[place : place + 2] not in beginnings:
        return []
    for end in range(min(place + LONGEST_PHRASE, len(text)), place + 1, -1):
        found = phrases.get(text[place:end])
        if found is not None and len(found) == end - place:
            return found
    return []


@lru_cache(maxsize=32_768)
def _readings(char: str) -> tuple[str, ...]:
    from pypinyin.constants import PINYIN_DICT

    toned = PINYIN_DICT.get(ord(char), "")
    readings = list(dict.fromkeys(_plain(reading) for reading in toned.split(",") if reading))
    counts = _counts().get(char, Counter())
    least = max(COMMON * counts.total(), 1)
    return tuple(reading for place, reading in enumerate(readings) if not place or counts[reading] >= least)


@cache
def _counts() -> Mapping[str, Counter[str]]:
    """How often each character is read in which way, over all phrases."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for phrase, readings in _phrases()[0].items():
        for char, reading in zip(phrase, readings, strict=False):
            counts[char][_plain(reading[0])] += 1
    return counts


@cache
def _plain(syllable: str) -> str:
    """The syllable without its tone."""
    from pypinyin.contrib.tone_convert import to_normal

    return str(to_normal(syllable)).replace("ê", "e")
