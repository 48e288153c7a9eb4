"""Lost matches: queries that stand in a text, and that a search does not find there.

    python bench/lost_matches.py [--gold FILE...] [--posts FILE] [--per-text N] [--every N] [--json]

Texts are the sentences of gold-segmented files, queries one to three consecutive gold words of 2-8 characters; and
articles, with pieces of 2-8 characters out of their runs of Chinese characters. The peers cut text and query apart with
jieba and ask whether all tokens of the query are among those of the text. Keys: queries, lost, peers {NAME: {lost}}.
"""

import random
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from corpus import DATA, POSTS, indexed, note, parser, read_gold, read_posts, report

from index.search import find_ids
from index.types import Post, SearchRequest
from segmenter.analyzer import Analyzer


class Text(NamedTuple):
    """A text, and the queries that stand in it."""

    id: str
    text: str
    queries: list[str]


def of_gold(files: Sequence[Path], per_text: int, every: int, chance: random.Random) -> Iterator[Text]:
    """Every Nth sentence with gold words as queries."""
    for file in files:
        for number, words in enumerate(read_gold(file)):
            if number % every == 0:
                queries = _some(_word_queries(words), per_text, chance)
                yield Text(f"{file.parent.name}-{number}", joined(words), queries)


def joined(words: Sequence[str]) -> str:
    """The words as running text, with a space between two Latin ones."""
    return re.sub(r"(?<=[A-Za-z0-9])\x00(?=[A-Za-z0-9])", " ", "\0".join(words)).replace("\0", "")


def _word_queries(words: Sequence[str]) -> list[str]:
    pieces = (joined(words[i : i + n]) for i in range(len(words)) for n in (1, 2, 3) if i + n <= len(words))
    return sorted({piece for piece in pieces if 2 <= len(piece) <= 8 and re.search(r"\w", piece)})


def of_posts(file: Path, per_text: int, every: int, chance: random.Random) -> Iterator[Text]:
    """Every Nth article with pieces of its Chinese text as queries."""
    for number, post in enumerate(read_posts(file)):
        if number % every == 0:
            runs = re.findall(r"[\u4e00-\u9fff]{2,}", post["body"])
            yield Text(f"post-{post['id']}", post["body"], _some(_pieces(runs, chance), per_text, chance))


def _pieces(runs: Sequence[str], chance: random.Random) -> list[str]:
    chosen = chance.sample(runs, min(len(runs), 40))
    starts = [(run, chance.randrange(len(run) - 1)) for run in chosen]
    return sorted({run[start : start + chance.randint(2, 8)] for run, start in starts})


def _some(queries: list[str], count: int, chance: random.Random) -> list[str]:
    return chance.sample(queries, min(count, len(queries)))


def lost_here(texts: Sequence[Text]) -> list[tuple[str, str]]:
    """`(id, query)` of every query that Wenci does not find in its text, among all texts at once."""
    analyzer = Analyzer.default()
    posts = [Post(id=text.id, title="", body=text.text) for text in texts]
    lost: list[tuple[str, str]] = []
    with indexed(posts, analyzer, vectors=False) as pool, pool.connection() as conn:
        conn.autocommit = True
        begin = time.perf_counter()
        for text in texts:
            lost += [
                (text.id, query)
                for query in text.queries
                if text.id not in find_ids(conn, analyzer, SearchRequest(query))
            ]
        note(f"searched in {time.perf_counter() - begin:.0f} s")
    return lost


def lost_by_jieba(texts: Sequence[Text], cutter: str) -> int:
    """How many queries have a token that their text has not."""
    import jieba

    jieba.setLogLevel(60)
    cut = getattr(jieba, cutter)

    def tokens(text: str) -> set[str]:
        return {token for token in cut(text) if re.search(r"\w", token)}

    return sum(not tokens(query) <= held for text in texts for held in [tokens(text.text)] for query in text.queries)


def main() -> None:
    """Run all and report."""
    arguments = parser("Queries that stand in a text and are not found there.")
    arguments.add_argument("--gold", type=Path, nargs="*", default=sorted((DATA / "seg").glob("*/dev.txt")))
    arguments.add_argument("--posts", type=Path, default=POSTS)
    arguments.add_argument("--per-text", type=int, default=5)
    arguments.add_argument("--every", type=int, default=1, help="take every Nth text only")
    options = arguments.parse_args()
    chance = random.Random(20240531)
    texts = list(of_gold(options.gold, options.per_text, options.every, chance))
    texts += of_posts(options.posts, options.per_text, options.every, chance)
    queries = sum(len(text.queries) for text in texts)
    note(f"{len(texts)} texts, {queries} queries")
    lost = lost_here(texts)
    for id, query in lost[:20]:
        note(f"lost: {query} in {id}")
    peers = {f"jieba_{name}": {"lost": lost_by_jieba(texts, name)} for name in ("cut", "cut_for_search")}
    result: dict[str, Any] = {"queries": queries, "lost": len(lost), "peers": peers}
    report(result, options.json)


if __name__ == "__main__":
    main()
