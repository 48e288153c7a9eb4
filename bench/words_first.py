"""Words first: posts in which the query stands as a word above those where its characters only meet across a border.

    python bench/words_first.py [--gold FILE...] [--mode MODE] [--every N] [--without PART...] [--half H] [--json]

Every sentence of the gold-segmented files is a post. Queries are dictionary words (jieba's list) of 2-3 characters that
are a gold word in some sentences, and in others only lie across a gold border. The first are right, the second wrong;
a sentence where the characters are several whole words, or lie inside a longer one, is neither, and is passed over.
Keys: queries, mean_ap (mean over the queries of the average precision of the whole ranking; a right sentence that is
not found counts 0), lost (share of the right that are not found), peers. Peers: `bigrams`, BM25 over character bigrams;
`jieba_search`, BM25 over jieba's search-mode tokens; both of the sentences that hold all tokens of the query.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from math import log
from pathlib import Path
from typing import Any, NamedTuple

from corpus import DATA, add_half, add_mode, add_without, in_half, indexed, note, parser, read_gold, report
from lost_matches import joined

from index.search import search
from index.types import Post, SearchRequest
from segmenter.analyzer import Analyzer

HAN = re.compile(r"[\u4e00-\u9fff]+")


class Query(NamedTuple):
    """A word, the numbers of the sentences in which it is one, and of those where it only lies across a border."""

    text: str
    right: frozenset[int]
    wrong: frozenset[int]


def read_sentences(files: Sequence[Path], every: int) -> list[list[str]]:
    """The words of every Nth sentence."""
    return [words for file in files for number, words in enumerate(read_gold(file)) if number % every == 0]


def make_queries(sentences: Sequence[Sequence[str]], is_word: Callable[[str], bool]) -> list[Query]:
    """All words with right and wrong sentences, in the order of the words."""
    kinds: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for number, words in enumerate(sentences):
        for text, kind in _places(words):
            kinds[text][number].add(kind)
    queries = []
    for text in sorted(kinds):
        right = frozenset(number for number, found in kinds[text].items() if "word" in found)
        wrong = frozenset(number for number, found in kinds[text].items() if found == {"crosses"})
        if right and wrong and is_word(text):
            queries.append(Query(text, right, wrong))
    return queries


def _places(words: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Each piece of 2-3 Han characters and how it lies to the gold words: word, words, crosses, or inside one."""
    text = "".join(words)
    ends = list(accumulate(map(len, words), initial=0))
    borders, whole = set(ends), set(pairwise(ends))
    for run in HAN.finditer(text):
        for start in range(run.start(), run.end() - 1):
            for end in range(start + 2, min(start + 3, run.end()) + 1):
                if start in borders and end in borders:
                    yield text[start:end], "word" if (start, end) in whole else "words"
                else:
                    crosses = any(middle in borders for middle in range(start + 1, end))
                    yield text[start:end], "crosses" if crosses else "inside"


def average_precision(found: Iterable[int], query: Query) -> float:
    """Of a ranking of sentences; those neither right nor wrong are passed over."""
    seen = right = 0
    total = 0.0
    for number in found:
        seen += number in query.right or number in query.wrong
        if number in query.right:
            right += 1
            total += right / seen
    return total / len(query.right)


def ours(
    sentences: Sequence[Sequence[str]], queries: Sequence[Query], mode: str | None, without: Iterable[str] = ()
) -> dict[str, Any]:
    """Wenci."""
    analyzer = Analyzer.default(mode=mode)
    posts = [Post(id=f"{number:06}", title="", body=joined(words)) for number, words in enumerate(sentences)]
    found: dict[Query, list[int]] = {}
    left_out = frozenset(without)
    with indexed(posts, analyzer, vectors=False) as pool, pool.connection() as conn:
        conn.autocommit = True
        for query in queries:
            hits = search(conn, analyzer, SearchRequest(query.text, limit=len(posts), without=left_out)).hits
            found[query] = [int(hit.id) for hit in hits]
    return figures(found)


def figures(found: Mapping[Query, Sequence[int]]) -> dict[str, float]:
    """Mean average precision, and the shares of right sentences lost and of wrong ones found."""
    right = sum(len(query.right) for query in found)
    wrong = sum(len(query.wrong) for query in found)
    precisions = [average_precision(numbers, query) for query, numbers in found.items()]
    return {
        "mean_ap": round(sum(precisions) / max(len(precisions), 1), 4),
        "lost": round(1 - sum(len(query.right & set(numbers)) for query, numbers in found.items()) / right, 4),
        "wrong_found": round(sum(len(query.wrong & set(numbers)) for query, numbers in found.items()) / wrong, 4),
    }


class Bm25:
    """Plain BM25 (k1 1.5, b 0.75) over the tokens of the sentences, of those that hold all tokens of a query."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._lengths = [len(tokens) for tokens in documents]
        self._average = sum(self._lengths) / len(documents)
        self._postings: dict[str, dict[int, int]] = defaultdict(dict)
        for number, tokens in enumerate(documents):
            for token, count in Counter(tokens).items():
                self._postings[token][number] = count

    def ranking(self, tokens: Sequence[str]) -> list[int]:
        """The sentences, best first, equal ones by number."""
        lists: list[Mapping[int, int]] = [self._postings.get(token, {}) for token in tokens]
        found = set.intersection(*(set(postings) for postings in lists)) if lists else set()
        return sorted(found, key=lambda number: (-sum(self._score(postings, number) for postings in lists), number))

    def _score(self, postings: Mapping[int, int], number: int) -> float:
        idf = log(1 + (len(self._lengths) - len(postings) + 0.5) / (len(postings) + 0.5))
        norm = 1.5 * (0.25 + 0.75 * self._lengths[number] / self._average)
        return idf * postings[number] * 2.5 / (postings[number] + norm)


def peer(texts: Sequence[str], queries: Sequence[Query], tokens: Callable[[str], list[str]]) -> dict[str, float]:
    """A BM25 engine over these tokens."""
    engine = Bm25([tokens(text) for text in texts])
    return figures({query: engine.ranking(tokens(query.text)) for query in queries})


def bigrams(text: str) -> list[str]:
    """Pairs of neighbouring characters. A query of three has two, which need not touch: the peer may err."""
    return [text[place : place + 2] for place in range(len(text) - 1)]


def main() -> None:
    """Run all and report."""
    import jieba

    jieba.setLogLevel(60)
    arguments = parser("Posts with the query as a word above posts with its characters across a border.")
    arguments.add_argument("--gold", type=Path, nargs="*", default=sorted((DATA / "seg").glob("*/dev.txt")))
    add_mode(arguments)
    add_without(arguments)
    add_half(arguments)
    arguments.add_argument("--every", type=int, default=1, help="take every Nth sentence only")
    options = arguments.parse_args()
    sentences = read_sentences(options.gold, options.every)
    jieba.initialize()
    queries = make_queries(sentences, lambda text: jieba.dt.FREQ.get(text, 0) > 0)
    queries = [query for query in queries if in_half(query.text, options.half)]
    note(f"{len(sentences)} sentences, {len(queries)} queries")
    result: dict[str, Any] = {"queries": len(queries), **ours(sentences, queries, options.mode, options.without)}
    texts = [joined(words) for words in sentences]
    result["peers"] = {
        "bigrams": peer(texts, queries, bigrams),
        "jieba_search": peer(texts, queries, lambda text: list(jieba.cut_for_search(text))),
    }
    report(result, options.json)


if __name__ == "__main__":
    main()
