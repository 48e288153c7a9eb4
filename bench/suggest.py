"""Completion while typing: every beginning of a sample of titles, in characters, pinyin and initials.

    python bench/suggest.py [--posts FILE] [--every N] [--limit N] [--json]

Keys: keystrokes, found (share of the sampled titles that are among the ten completions of their first eight
characters), p50_ms, p95_ms, worst_ms (of one completion, one client), fill_seconds, keys (rows), and `peers`: `like`,
the same beginnings by `title ilike 'prefix%'`, which knows neither pinyin nor tags nor later words.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from corpus import POSTS, indexed, note, parser, percentiles, read_posts, report

from index import suggestions
from index.pinyin import initials, spellings, syllables
from index.suggest import suggest
from index.tables import Tables, ensure_serving
from index.types import Post
from segmenter.analyzer import Analyzer

TYPED = 8
"""Characters that are typed of each text."""


def keystrokes(texts: Sequence[str]) -> list[str]:
    """Each beginning of each text, as characters, as pinyin and as initials."""
    found: dict[str, None] = {}
    for text in texts:
        readings = syllables(text[:TYPED])
        for whole in (text[:TYPED], spellings(readings)[0][:TYPED], initials(readings)[0]):
            found |= dict.fromkeys(whole[:end] for end in range(1, len(whole) + 1))
    return [typed for typed in found if typed.strip()]


def measure(typed: Sequence[str], find: Callable[[str], Any]) -> dict[str, float]:
    """Times of all keystrokes, the first twenty once before, unmeasured."""
    for text in typed[:20]:
        find(text)
    seconds = []
    for text in typed:
        begin = time.perf_counter()
        find(text)
        seconds.append(time.perf_counter() - begin)
    return percentiles(seconds) | {"worst_ms": round(max(seconds) * 1e3, 2)}


def main() -> None:
    """Index, type, report."""
    arguments = parser("Latency of completion.")
    arguments.add_argument("--posts", type=Path, default=POSTS)
    arguments.add_argument("--every", type=int, default=20, help="type every Nth title only")
    arguments.add_argument("--limit", type=int, help="index the first N posts only")
    options = arguments.parse_args()
    posts = [
        Post(str(post["id"]), post["title"], post["body"], tuple(post.get("tags") or ()))
        for post in read_posts(options.posts)[: options.limit]
    ]
    sample = [post.title for post in posts if post.title.strip()][:: options.every]
    analyzer = Analyzer.default()
    with indexed(posts, analyzer, vectors=False) as pool, pool.connection() as conn:
        begin = time.perf_counter()
        with conn.transaction():
            suggestions.fill(Tables(conn, ensure_serving(conn, analyzer)))
        seconds = time.perf_counter() - begin
        conn.commit()
        conn.autocommit = True
        conn.execute("set statement_timeout = 0")
        conn.execute("vacuum analyze")
        typed = keystrokes(sample)
        note(f"{len(posts)} posts, {len(typed)} keystrokes")
        result: dict[str, Any] = {"keystrokes": len(typed)}
        result |= measure(typed, lambda text: suggest(conn, analyzer, text))
        hits = [title.strip() in {one.text for one in suggest(conn, analyzer, title[:TYPED])} for title in sample]
        result["found"] = round(sum(hits) / len(hits), 4)
        row = conn.execute("select count(*) from wenci.suggestion_key").fetchone()
        result |= {"fill_seconds": round(seconds, 1), "keys": row[0] if row else 0}
        like = "select title from wenci.post where title ilike %s order by title limit 10"
        result["peers"] = {"like": measure(typed, lambda text: conn.execute(like, [f"{text}%"]).fetchall())}
    report(result, options.json)


if __name__ == "__main__":
    main()
