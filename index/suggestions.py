"""What completion and spelling read, kept for every generation: titles, tags, phrases, and the words of the posts.

Titles and tags follow every change of a post. Phrases and the vocabulary are taken from all posts when a generation is
built, and again when the posts written since are more than a share of all.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import LiteralString, NamedTuple

from psycopg import Connection
from psycopg.types.json import Jsonb

from index.passages import decode_places
from index.phrases import HEAD_CHARACTERS, Phrases
from index.pinyin import initials, is_han, sound, spellings, syllables
from index.queries import queries
from index.rows import escaped
from index.tables import Tables, copy_lines

TITLE, TAG, PHRASE = 0, 1, 2
TEXT, PINYIN, INITIALS = 0, 1, 2

KEY_LENGTH = 32
LONGEST_TITLE = 200
"""Characters of a title that are offered; with an id, what an index of PostgreSQL can hold."""

PLACES = 6
"""Words of a title from which it can be completed: its first, and up to so many in all."""

INNER_SPELLINGS = 2
CHURN = 8
"""Phrases and vocabulary are taken again when one in so many posts has changed."""

FEW_POSTS = 20
MOST = 0.25
"""A phrase that more than this share of the posts begin with says nothing (from `FEW_POSTS` posts on)."""

MANY_POSTS = 500
"""From so many posts on, a word has to stand in two of them to be offered as a spelling."""

LONGEST_HAN = 5
PAGE = 500
ORDS_AT_ONCE = 4_000

_NULL = "\\N"


class Key(NamedTuple):
    """A way to a suggestion."""

    route: int
    place: int
    key: str


def fill(tables: Tables) -> None:
    """Take everything from the posts of a generation that has nothing yet, or only from an interrupted call."""
    conn, values = tables.conn, {"generation": tables.generation}
    conn.execute(_sql("forget_all"), values)
    after = ""
    while True:
        rows = conn.execute(tables.sql("ids_after", "suggest.sql"), values | {"after": after, "limit": PAGE}).fetchall()
        ids = [id for (id,) in rows]
        if not ids:
            break
        _add_titles(tables, ids)
        after = ids[-1]
    refresh(tables)


def update(tables: Tables, ids: Sequence[str], *, may_refresh: bool = True) -> None:
    """Bring the posts that were written or deleted up to date; part of the transaction that wrote them.

    Without `may_refresh`, phrases and vocabulary wait for a later call. A generation that has nothing yet is filled.
    """
    if not ids:
        return
    conn, values = tables.conn, {"generation": tables.generation}
    if conn.execute(_sql("state"), values).fetchone() is None:
        fill(tables)
        return
    gone = conn.execute(_sql("forget_titles"), values | {"ids": list(ids)}).fetchall()
    _count_tags(conn, tables.generation, Counter(tag for (tags,) in gone for tag in tags), sign=-1)
    _add_titles(tables, ids)
    row = conn.execute(_sql("add_changes"), values | {"changes": len(ids)}).fetchone()
    documents = conn.execute(_sql("documents"), values).fetchone()
    if may_refresh and row is not None and documents is not None and row[0] * CHURN > documents[0]:
        refresh(tables)


def refresh(tables: Tables) -> None:
    """Take phrases and vocabulary from the posts again."""
    _fill_phrases(tables)
    _fill_vocabulary(tables)
    tables.conn.execute(_sql("no_changes"), {"generation": tables.generation})


def forget_unused(conn: Connection) -> None:
    """Delete what belongs to generations that no longer serve, in small transactions. `conn` is in autocommit mode."""
    for (generation,) in conn.execute(_sql("unused")).fetchall():
        while conn.execute(_sql("forget_some"), {"generation": generation, "limit": PAGE}).rowcount:
            pass
        conn.execute(_sql("forget_vocabulary"), {"generation": generation})
        conn.execute(_sql("forget_state"), {"generation": generation})


def keys_of(stream: str, starts: Iterable[int]) -> Iterator[Key]:
    """The keys of a normalised text from the places where its words begin; the first is the text's beginning.

    >>> [key.key for key in keys_of("数据库", [0])]
    ['数据库', 'shujuku', 'sjk']
    """
    for number, start in enumerate(starts):
        text = stream[start : start + KEY_LENGTH]
        place = min(number, 1)
        yield Key(TEXT, place, text)
        if any(is_han(char) for char in text):
            readings = syllables(text)
            most = INNER_SPELLINGS if place else None
            for route, spelt in ((PINYIN, spellings(readings)), (INITIALS, initials(readings))):
                yield from (Key(route, place, key[:KEY_LENGTH]) for key in spelt[:most] if key)


def word_starts(stream: str, offsets: bytes) -> list[int]:
    """Where the first words of a stored title begin, marks before it aside."""
    edges = decode_places(offsets, len(stream)).edges.nonzero()[0].tolist()
    starts = [place for place in edges if place < len(stream) and stream[place].isalnum()]
    return (starts or [0])[:PLACES]


def _add_titles(tables: Tables, ids: Sequence[str]) -> None:
    conn, values = tables.conn, {"generation": tables.generation}
    rows = conn.execute(tables.sql("titles_of_ids", "suggest.sql"), values | {"ids": list(ids)}).fetchall()
    all_tags = {id: list(dict.fromkeys([*tags, *categories])) for id, _, tags, categories, _, _ in rows}
    inserted = conn.execute(
        _sql("insert_titles"),
        values
        | {
            "ids": [row[0] for row in rows],
            "texts": [row[1].strip()[:LONGEST_TITLE].rstrip() for row in rows],
            "tags": [Jsonb(all_tags[row[0]]) for row in rows],
        },
    )
    numbers: dict[str, int] = dict(inserted.fetchall())
    keys = (
        (numbers[id], TITLE, 1, key)
        for id, _, _, _, stream, offsets in rows
        if stream
        for key in keys_of(stream, word_starts(stream, offsets))
    )
    _copy_keys(conn, tables.generation, keys)
    _count_tags(conn, tables.generation, Counter(chain.from_iterable(all_tags.values())), sign=1)


def _count_tags(conn: Connection, generation: int, counts: Counter[str], *, sign: int) -> None:
    if not counts:
        return
    values = {"generation": generation, "texts": list(counts), "documents": [sign * n for n in counts.values()]}
    rows = conn.execute(_sql("count_tags"), values).fetchall()
    keys = ((number, TAG, documents, key) for text, number, documents, is_new in rows if is_new for key in _plain(text))
    _copy_keys(conn, generation, keys)
    conn.execute(_sql("update_key_documents"), values)
    conn.execute(_sql("forget_unused_tags"), values)


def _plain(text: str) -> Iterator[Key]:
    """Keys of a short text from its beginning alone."""
    return keys_of(folded(text), [0])


def folded(text: str) -> str:
    """A tag as far as it can be normalised without an analyzer: case and white space."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _fill_phrases(tables: Tables) -> None:
    conn, values = tables.conn, {"generation": tables.generation}
    conn.execute(_sql("forget_phrases"), values)
    row = conn.execute(tables.sql("ord_range", "suggest.sql"), values).fetchone()
    first, last, documents = row or (0, -1, 0)
    phrases = Phrases()
    for begin in range(first, last + 1, ORDS_AT_ONCE):
        span = {"first": begin, "last": begin + ORDS_AT_ONCE - 1, "characters": HEAD_CHARACTERS}
        for passage in conn.execute(tables.sql("heads", "suggest.sql"), values | span):
            phrases.add(*passage)
    frequent = phrases.frequent(2, documents * MOST if documents >= FEW_POSTS else documents)
    found = {written: (phrase, count) for phrase, written, count in frequent}
    given = {"texts": list(found), "documents": [count for _, count in found.values()]}
    numbers = conn.execute(_sql("insert_phrases"), values | given).fetchall()
    keys = ((number, PHRASE, found[text][1], key) for text, number in numbers for key in keys_of(found[text][0], [0]))
    _copy_keys(conn, tables.generation, keys)


def _fill_vocabulary(tables: Tables) -> None:
    conn, values = tables.conn, {"generation": tables.generation}
    conn.execute(_sql("forget_vocabulary"), values)
    row = conn.execute(tables.sql("ord_range", "suggest.sql"), values).fetchone()
    least = 2 if row is not None and row[2] >= MANY_POSTS else 1
    words = conn.execute(tables.sql("words", "suggest.sql"), values | {"least": least}).fetchall()
    spoken = ((word, documents, _spoken(word)) for word, documents in words)
    lines = (
        f"{tables.generation}\t{escaped(word)}\t{documents}\t{_NULL if sounds is None else escaped(sounds)}\n"
        for word, documents, sounds in spoken
        if sounds is not None or word[0].isascii()
    )
    copy_lines(conn, _sql("copy_vocabulary"), lines)


def _spoken(word: str) -> str | None:
    is_short_han = len(word) <= LONGEST_HAN and all(is_han(char) for char in word)
    return sound(word) if is_short_han else None


def _copy_keys(conn: Connection, generation: int, keys: Iterable[tuple[int, int, int, Key]]) -> None:
    lines = (
        f"{generation}\t{number}\t{key.route}\t{kind}\t{key.place}\t{escaped(key.key)}\t{documents}\n"
        for number, kind, documents, key in keys
    )
    copy_lines(conn, _sql("copy_keys"), lines)


def _sql(name: str) -> LiteralString:
    return queries("suggest.sql")[name]
