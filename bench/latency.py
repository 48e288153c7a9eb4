"""Latency of search in a large collection, by kind of query.

    python bench/latency.py [--posts FILE] [--passages N] [--queries N] [--data DIR] [--mode MODE] [--json]

The collection is made up: each of its posts has one passage of body, three paragraphs drawn from all articles of the
file and put together, and no title; so many posts (100,000 by default) are as many passages, words are as frequent as
in real text, and no paragraph is rare. It is indexed through the usual bulk path, which takes minutes. With `--data`
the database is kept in that directory and used again, whatever analyzer made it.

Queries of each kind, drawn from the same articles with a fixed seed:
`character` one of the most frequent Chinese characters; `frequent` one of the most frequent words; `rare` a word of two
articles or fewer of a sample; `words` two words with a space between them; `phrase` a stretch of 4 to 12 characters
between quotes; `stretch` the same without quotes; `or` two words joined by OR; `excluded` a frequent word without
another one; `title` the title of an article; `long` a stretch of 60 to 120 characters.

Keys: passages, documents, queries, p50_ms, p95_ms, worst_ms (of one search from text to page, one client, after twenty
queries unmeasured), client_cpu_ms (median processor time of the search without PostgreSQL's, for machines that do other
work meanwhile), the same in `kinds` for each kind, and `slowest`: kind, text and time of the slowest queries.
"""

import random
import re
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from corpus import FAST, POSTS, add_mode, note, parser, percentiles, read_posts, report

from index.db import Pool, open_pool
from index.embedded import EmbeddedPostgres
from index.generations import reindex, serving
from index.migrate import migrate
from index.search import search
from index.types import Post, SearchRequest
from segmenter.analyzer import Analyzer

PARAGRAPHS = 3
LONGEST = 1_500
"""Characters of a body, so that it is one passage."""

SEED = 20
WARM = 20
SLOWEST = 5


class Timed(NamedTuple):
    """A query, and the seconds it took by the clock and of this thread's processor time."""

    seconds: float
    cpu: float
    kind: str
    text: str


def paragraphs_of(articles: Sequence[dict[str, Any]]) -> list[str]:
    """The paragraphs of all bodies, long ones cut."""
    lines = (line.strip() for article in articles for line in article["body"].split("\n"))
    return [line[: LONGEST // PARAGRAPHS - 1] for line in lines if line]


def recombined(paragraphs: Sequence[str], count: int) -> Iterator[Post]:
    """Posts of paragraphs drawn with a fixed seed."""
    random_ = random.Random(SEED)
    for number in range(count):
        yield Post(f"{number:07}", "", "\n".join(random_.choices(paragraphs, k=PARAGRAPHS)))


def make(pool: Pool, analyzer: Analyzer, articles: Sequence[dict[str, Any]], count: int) -> None:
    """Index `count` posts unless the database serves as many already."""
    with pool.connection() as conn:
        migrate(conn)
        current = serving(conn)
    if current is not None and current.documents == count:
        if current.fingerprint != analyzer.fingerprint():
            note("the collection was cut by another version of the analyzer")
        return
    done = reindex(pool, analyzer, recombined(paragraphs_of(articles), count), prune=True)
    note(f"{done.documents} posts of {done.characters} characters indexed in {done.seconds:.0f} s")
    with pool.connection() as conn:
        conn.autocommit = True
        conn.execute("set statement_timeout = 0")
        conn.execute("vacuum analyze")
        conn.execute("reset statement_timeout")


def queries_of(analyzer: Analyzer, articles: Sequence[dict[str, Any]], count: int) -> dict[str, list[str]]:
    """Texts of each kind."""
    random_ = random.Random(SEED)
    bodies = [article["body"] for article in articles]
    words = _words(analyzer, bodies[:: max(len(bodies) // 400, 1)])
    frequent = [word for word, _ in words.most_common(count)]
    rare = sorted(word for word, held in words.items() if held <= 2)
    middle = [word for word, held in words.items() if held > 2]
    characters = [
        char for char, _ in Counter(char for body in bodies for char in body if _is_han(char)).most_common(count)
    ]

    def some(draw: Callable[[], str]) -> list[str]:
        return [draw() for _ in range(count)]

    def stretch(least: int, most: int) -> str:
        while True:
            body, size = random_.choice(bodies), random_.randint(least, most)
            runs = re.findall(rf"[\u4e00-\u9fff，]{{{size},}}" if most < 20 else rf"(?s).{{{size}}}", body)
            if runs:
                return str(random_.choice(runs)[:size].replace('"', " "))

    return {
        "character": characters,
        "frequent": frequent,
        "rare": random_.sample(rare, min(count, len(rare))),
        "words": some(lambda: " ".join(random_.sample(middle, 2))),
        "phrase": some(lambda: f'"{stretch(4, 12)}"'),
        "stretch": some(lambda: stretch(4, 12)),
        "or": some(lambda: " OR ".join(random_.sample(middle, 2))),
        "excluded": some(lambda: f"{random_.choice(frequent)} -{random_.choice(middle)}"),
        "title": some(lambda: str(random_.choice(articles)["title"])),
        "long": some(lambda: stretch(60, 120)),
    }


def _words(analyzer: Analyzer, bodies: Sequence[str]) -> Counter[str]:
    """In how many bodies each Chinese word of two characters or more stands."""
    held: Counter[str] = Counter()
    for tokens in analyzer.segment_batch(bodies):
        held.update({token.text for token in tokens if len(token.text) > 1 and all(map(_is_han, token.text))})
    return held


def _is_han(char: str) -> bool:
    return "\u4e00" <= char <= "\u9fff"


def measure(find: Callable[[str], Any], queries: dict[str, list[str]]) -> dict[str, Any]:
    """Times by kind and of all queries, kinds in turn."""
    texts = [(kind, text) for of_kind in zip(*_even(queries), strict=True) for kind, text in of_kind]
    for _, text in texts[:WARM]:
        find(text)
    times: list[Timed] = []
    for kind, text in texts:
        begin, begin_cpu = time.perf_counter(), time.thread_time()
        find(text)
        cpu = time.thread_time() - begin_cpu
        times.append(Timed(time.perf_counter() - begin, cpu, kind, text))
    kinds = {name: _figures([one for one in times if one.kind == name]) for name in queries}
    slowest = {f"{one.kind}: {one.text}": round(one.seconds * 1e3, 1) for one in sorted(times)[: -SLOWEST - 1 : -1]}
    return {"queries": len(times)} | _figures(times) | {"kinds": kinds, "slowest": slowest}


def _even(queries: dict[str, list[str]]) -> list[list[tuple[str, str]]]:
    """Each kind's queries, as many as the kind with the fewest has."""
    fewest = min(map(len, queries.values()))
    return [[(kind, text) for text in texts[:fewest]] for kind, texts in queries.items()]


def _figures(times: Sequence[Timed]) -> dict[str, float]:
    return percentiles([one.seconds for one in times]) | {
        "worst_ms": round(max(times).seconds * 1e3, 2),
        "client_cpu_ms": round(statistics.median(one.cpu for one in times) * 1e3, 2),
    }


def main() -> None:
    """Index unless it is there, search, report."""
    arguments = parser("Latency of search in a large collection.")
    arguments.add_argument("--posts", type=Path, default=POSTS)
    arguments.add_argument("--passages", type=int, default=100_000, help="posts of one passage each")
    arguments.add_argument("--queries", type=int, default=60, help="of each kind")
    arguments.add_argument("--data", type=Path, help="keep the database in this directory, and use it again")
    add_mode(arguments)
    options = arguments.parse_args()
    articles = read_posts(options.posts)
    analyzer = Analyzer.default(mode=options.mode)
    with ExitStack() as stack:
        folder = options.data or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wenci-", dir="/tmp")))
        server = stack.enter_context(EmbeddedPostgres(folder / "data", settings=FAST))
        pool = stack.enter_context(open_pool(server.url))
        make(pool, analyzer, articles, options.passages)
        conn = stack.enter_context(pool.connection())
        conn.autocommit = True
        found = measure(
            lambda text: search(conn, analyzer, SearchRequest(text)), queries_of(analyzer, articles, options.queries)
        )
        row = conn.execute("select (select count(*) from wenci.passage), (select count(*) from wenci.post)").fetchone()
        passages, documents = row or (0, 0)
    report({"passages": passages, "documents": documents} | found, options.json)


if __name__ == "__main__":
    main()
