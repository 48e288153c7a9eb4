"""Words for what was typed as pinyin, in full or by its initials: `jiqixuexi` and `jqxx` for 机器学习."""

from collections.abc import Iterator

from psycopg import Connection

from index.pinyin import Syllables, cuts, is_han, syllables, typed
from index.queries import queries
from index.rows import DocumentAnalyzer
from index.suggest import suggest
from index.suggestions import LONGEST_HAN, folded

SHORTEST = 2
LONGEST = 24
"""Letters that may be pinyin."""

LOOKED_AT = 10
"""Completions in which the word is looked for."""


def spelt(conn: Connection, generation: int, analyzer: DocumentAnalyzer, letters: str) -> dict[str, int]:
    """Words of completions and of the vocabulary that are spelt so, with the number of posts that each has."""
    letters = typed(letters)
    if not SHORTEST <= len(letters) <= LONGEST or not (letters.isascii() and letters.isalpha()):
        return {}
    found: dict[str, int] = {}
    for one in suggest(conn, analyzer, letters, LOOKED_AT):
        text = folded(one.text)
        if one.route != "text" and (piece := _piece(text, letters, one.route == "initials")):
            found[piece] = max(found.get(piece, 0), one.documents)
    values = {"generation": generation, "sounds": list(cuts(letters, LONGEST_HAN))}
    for word, documents, _ in conn.execute(queries("suggest.sql")["alike"], values) if values["sounds"] else ():
        found[word] = max(found.get(word, 0), documents)
    return found


def _piece(text: str, letters: str, by_initials: bool) -> str:
    """The first piece of the text that is spelt so: a word of two characters or more, with a Chinese one in it."""
    readings = syllables(text)
    if by_initials:
        readings = [tuple(dict.fromkeys(one[:1] for one in options)) for options in readings]
    pieces = (text[start:end] for start, end in _places(readings, letters))
    return next((piece for piece in pieces if len(piece) > 1 and any(map(is_han, piece))), "")


def _places(readings: Syllables, letters: str) -> Iterator[tuple[int, int]]:
    for start in range(len(readings)):
        reached = {0}
        for end in range(start, len(readings)):
            options = [one for one in readings[end] if one]
            reached = {at + len(one) for at in reached for one in options if letters.startswith(one, at)}
            if len(letters) in reached:
                yield start, end + 1
            if not reached:
                break
