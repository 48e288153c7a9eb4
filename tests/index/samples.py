"""Posts, a small analyzer and a full check of what the database holds, for the tests of the write path."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import Connection
from psycopg.sql import SQL

from index.generations import serving
from index.passages import BODY, TAGS, TITLE, tag_text
from index.postings import MAX_TF, gram_counts, unpack_all, word_counts
from index.types import Post
from segmenter.types import Analysis
from tests.index.fake_analyzer import analyze

KINDS = {TITLE: (0, 2), BODY: (1, 3), TAGS: (4, 5)}
"""The kinds of postings of words and of grams of each field."""


@dataclass(frozen=True)
class SmallAnalyzer:
    """Every dense character and pair is a word. Fails on texts that hold `poison`."""

    version: str = "1"
    stream_version: str = "1"
    poison: str = "\ue000"

    def analyze_batch(self, texts: Sequence[str]) -> list[Analysis]:
        if any(self.poison in text for text in texts):
            raise RuntimeError("this text is poison")
        return [analyze(text) for text in texts]

    def stream(self, text: str) -> str:
        return analyze(text).stream

    def fingerprint(self) -> str:
        return f"small-{self.version}"

    def stream_fingerprint(self) -> str:
        return f"stream-{self.stream_version}"


class CountingAnalyzer(SmallAnalyzer):
    """Remembers how many texts it has seen, in this process."""

    def __init__(self, version: str = "1") -> None:
        super().__init__(version)
        object.__setattr__(self, "seen", [])

    def analyze_batch(self, texts: Sequence[str]) -> list[Analysis]:
        self.bodies.extend(texts[1::3])
        return super().analyze_batch(texts)

    @property
    def bodies(self) -> list[str]:
        return self.__dict__["seen"]  # type: ignore[no-any-return]


def make_posts(count: int, edition: int = 1, start: int = 0) -> list[Post]:
    """Different posts with different words; the same number in another edition is a changed post."""
    return [
        Post(
            id=f"post-{n}",
            title=f"第{n}篇：索引与分词",
            body=f"第{n}篇的第{edition}版。"
            + "数据库里的全文检索，C++ 和 Node.js。" * (n % 5 + 1)
            + f"独有{chr(0x4E00 + n)}字",
            tags=("检索", f"标签{n % 3}"),
            categories=("技术",),
            url=f"/posts/{n}/",
            extra={"n": n},
        )
        for n in range(start, start + count)
    ]


def check_whole(conn: Connection, posts: Sequence[Post]) -> None:
    """The serving generation holds exactly these posts, each with all its passages and postings, and nothing else."""
    current = serving(conn)
    assert current is not None
    rows = conn.execute(
        "select ord, id, title, body, tags, categories, url, extra, title_length, body_length from wenci.post"
        " where generation = %s",
        [current.id],
    ).fetchall()
    wanted = {post.id: post for post in posts}
    assert {row[1] for row in rows} == set(wanted)
    for row in rows:
        post = wanted[row[1]]
        assert row[2:8] == (post.title, post.body, list(post.tags), list(post.categories), post.url, dict(post.extra))
    _check_passages(conn, current.id, {row[0]: wanted[row[1]] for row in rows})
    _check_postings(conn, current.id, {row[0]: wanted[row[1]] for row in rows})
    assert current.documents == len(rows)
    assert current.title_length == sum(row[8] for row in rows)
    assert current.body_length == sum(row[9] for row in rows)
    assert all(row[9] == word_counts(analyze(row[3])).total() for row in rows)
    _check_tables(conn, current.id)


def _fields(post: Post) -> dict[int, Analysis]:
    texts = {TITLE: post.title, BODY: post.body, TAGS: tag_text(post.tags, post.categories)}
    return {field: analyze(text) for field, text in texts.items()}


def _check_passages(conn: Connection, generation: int, posts: dict[int, Post]) -> None:
    query = "select ord, field, seq, first, stream from wenci.passage where generation = %s order by ord, field, seq"
    streams: dict[tuple[int, int], str] = {}
    for ord, field, _, first, stream in conn.execute(query, [generation]):
        so_far = streams.get((ord, field), "")
        assert first <= len(so_far)
        streams[ord, field] = so_far[:first] + stream
    wanted = {
        (ord, field): analysis.stream
        for ord, post in posts.items()
        for field, analysis in _fields(post).items()
        if analysis.stream
    }
    assert streams == wanted


def _check_postings(conn: Connection, generation: int, posts: dict[int, Post]) -> None:
    wanted: Counter[tuple[int, str, int]] = Counter()
    for ord, post in posts.items():
        for field, analysis in _fields(post).items():
            for kind, counts in zip(KINDS[field], (word_counts(analysis), gram_counts(analysis)), strict=True):
                wanted.update({(kind, lexeme, ord): min(tf, MAX_TF) for lexeme, tf in counts.items()})
    stored: Counter[tuple[int, str, int]] = Counter()
    query = "select kind, lexeme, ords, tfs from wenci.posting where generation = %s"
    for kind, lexeme, ords, tfs in conn.execute(query, [generation]):
        postings = unpack_all([(ords, tfs)])
        assert postings.ords.tolist() == sorted(set(postings.ords.tolist()))
        for ord, tf in zip(postings.ords.tolist(), postings.tfs.tolist(), strict=True):
            if ord in posts:
                assert (kind, lexeme, ord) not in stored
                stored[kind, lexeme, ord] = tf
    assert stored == wanted


def _check_tables(conn: Connection, generation: int) -> None:
    """One set of tables, attached, with the indexes of their parents and no others."""
    query = SQL("select relname from pg_class where relnamespace = 'wenci'::regnamespace and relkind = {} order by 1")
    tables = [name for (name,) in conn.execute(query.format("r"))]
    assert [name for name in tables if name[-1].isdigit()] == [
        f"{table}_{generation}" for table in ("passage", "post", "posting")
    ]
    indexes = conn.execute(
        "select count(*) filter (where c.relispartition), count(*) from pg_index join pg_class c on c.oid = indexrelid"
        " join pg_class t on t.oid = indrelid where t.relispartition and t.relkind = 'r'"
    ).fetchone()
    assert indexes == (8, 8)
