"""Contract C1: whatever stands in a post is found, on real PostgreSQL, with posts and queries made at random."""

import random
import string
from collections.abc import Iterator
from itertools import count
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from psycopg import Connection

from index.documents import delete, upsert
from index.search import search
from index.types import Post, SearchRequest
from segmenter.analyzer import Analyzer
from segmenter.types import Analysis
from segmenter.user_dictionary import UserDictionary, UserWord
from tests.index.conftest import Databases

TABLE = """
稳定 分词 和服 产品和服务 研究生命起源 南京市长江大桥 的 了 我们 数据库 检索 乒乓球拍卖完了 龘 𠮷野家 𪚥
資料庫 軟體設計 臺灣 ＵＳＢ ｄｏｃｋｅｒ １２３ フリーレン の ｶﾀｶﾅ 한국어
Docker PostgreSQL C++ .NET Node.js gpt-4o k8s v3.11.7 snake_case camelCase user@example.com https://例.cn/a?b=1
3.14 50% 2024-05-31 12:30 10支 café naïve Straße ﬁn ㎏ ① 😀 👨‍👩‍👧 🇨🇳 ★
，。！？、；：“引用”「括」《书》 （注） - -- / \\ ' " | & ! <-> :* OR tag:甲 before:2024 -词 … · ～
"""
WORDS = TABLE.split()
GAPS = ["", "", "", " ", "  ", "\n", "\n\n", "\t", "\u3000", "\u200b"]

# A failing text is printed whole; shrinking it would take one upsert a step.
WITH_DATABASE: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "phases": [Phase.explicit, Phase.reuse, Phase.generate],
}

han = st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=1, max_size=6)
latin = st.text(alphabet="abcXYZ019_.-+'", min_size=1, max_size=8)
piece = st.one_of(st.sampled_from(WORDS), st.sampled_from(WORDS), han, latin)
texts = st.lists(st.tuples(piece, st.sampled_from(GAPS)), min_size=1, max_size=40).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)
USER_WORDS = ("定分", "务器", "数据库检索", "和服务", "库检", "长江大")
seeds = st.integers(0, 2**32 - 1)
numbers = count()


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture(scope="module")
def shared(databases: Databases) -> Iterator[Connection]:
    url = databases.fresh()
    with psycopg.connect(url, autocommit=True) as conn:
        yield conn
    databases.drop(url)


def starts_of(analysis: Analysis) -> list[int]:
    """Positions where a query may begin: at a dense character, or where a Latin word, a number or an emoji begins.

    Not at the plus of `C++`: that is a symbol only behind its letter.
    """
    atoms = [start for start in analysis.atom_start.tolist() if analysis.stream[start] not in string.punctuation]
    return sorted({*analysis.is_dense.nonzero()[0].tolist(), *atoms})


def substring(text: str, analysis: Analysis, chance: random.Random, longest: int = 40) -> str:
    """A piece of the original that begins at a word or a dense character and ends anywhere, with other white space."""
    begin = chance.choice(starts_of(analysis))
    end = min(begin + chance.randint(1, longest), len(analysis.stream))
    piece = text[analysis.starts[begin] : analysis.ends[end - 1]]
    return respaced(piece, analysis, begin, end, chance)


def respaced(piece: str, analysis: Analysis, begin: int, end: int, chance: random.Random) -> str:
    """White space added or taken out beside dense characters, for each gap by a throw of the dice."""
    first = int(analysis.starts[begin])
    result, last = "", begin
    for place in range(begin + 1, end):
        if not (analysis.is_dense[place - 1] or analysis.is_dense[place]):
            continue
        left, right = int(analysis.ends[place - 1]) - first, int(analysis.starts[place]) - first
        if right < left:
            continue
        gap = chance.choice([piece[left:right], "", " ", "\n"])
        result += piece[int(analysis.starts[last]) - first : left] + gap
        last = place
    return result + piece[int(analysis.starts[last]) - first :]


def found(conn: Connection, analyzer: Analyzer, query: str) -> set[str]:
    return {hit.id for hit in search(conn, analyzer, SearchRequest(query, limit=100)).hits}


@given(st.lists(texts, min_size=1, max_size=4), seeds)
@settings(max_examples=30, **WITH_DATABASE)
def test_every_piece_of_every_post_is_found(
    shared: Connection, analyzer: Analyzer, bodies: list[str], seed: int
) -> None:
    chance = random.Random(seed)
    posts = [Post(id=str(next(numbers)), title=chance.choice(bodies)[:60], body=body) for body in bodies]
    assert not upsert(shared, analyzer, posts).failed
    try:
        for post in posts:
            for text in (post.title, post.body):
                check_pieces(shared, analyzer, post.id, text, chance, pieces=4)
    finally:
        delete(shared, [post.id for post in posts])


def check_pieces(
    conn: Connection, analyzer: Analyzer, id: str, text: str, chance: random.Random, pieces: int, longest: int = 40
) -> None:
    analysis = analyzer.analyze(text)
    if not starts_of(analysis):
        return
    for _ in range(pieces):
        query = substring(text, analysis, chance, longest)
        if analyzer.analyze(query).stream in analysis.stream:
            assert id in found(conn, analyzer, query), (query, text)


def long_text(length: int, seed: int) -> str:
    chance = random.Random(seed)
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        parts += [chance.choice(WORDS) + chance.choice(GAPS) for _ in range(500)]
        parts += ["".join(chr(chance.randint(0x4E00, 0x9FA5)) for _ in range(300))]
    return "".join(parts)[:length]


def test_a_post_of_200_000_characters(shared: Connection, analyzer: Analyzer) -> None:
    body = long_text(200_000, seed=1)
    assert not upsert(shared, analyzer, [Post("long", "", body)]).failed
    chance = random.Random(2)
    check_pieces(shared, analyzer, "long", body, chance, pieces=30)
    check_pieces(shared, analyzer, "long", body, chance, pieces=5, longest=300)
    delete(shared, ["long"])


def test_pieces_over_the_borders_of_passages(shared: Connection, analyzer: Analyzer) -> None:
    body = long_text(30_000, seed=3)
    upsert(shared, analyzer, [Post("borders", "", body)])
    analysis = analyzer.analyze(body)
    query = "select first from wenci.passage where field = 1 and first > 0 order by first"
    borders = [first for (first,) in shared.execute(query)]
    assert len(borders) >= 10
    starts = starts_of(analysis)
    for border in borders:
        for begin in [start for start in starts if border - 40 < start < border + 80][::17]:
            end = begin + 40
            piece = body[analysis.starts[begin] : analysis.ends[end - 1]]
            assert "borders" in found(shared, analyzer, piece), piece
    delete(shared, ["borders"])


def test_one_character_50_000_times(shared: Connection, analyzer: Analyzer) -> None:
    upsert(shared, analyzer, [Post("ha", "", "哈" * 50_000), Post("other", "", "呵" * 300)])
    for length in (1, 2, 3, 40, 300, 49_999):
        assert found(shared, analyzer, "哈" * length) == {"ha"}
    delete(shared, ["ha", "other"])


@pytest.mark.parametrize("query", ["哈" * 50_001, "稳定词语" * 20_000])
def test_a_query_longer_than_any_post(shared: Connection, analyzer: Analyzer, query: str) -> None:
    upsert(shared, analyzer, [Post("short", "", "一个短帖子")])
    assert found(shared, analyzer, query) == set()
    delete(shared, ["short"])


@given(texts, seeds)
@settings(max_examples=15, **WITH_DATABASE)
def test_pieces_are_found_while_the_index_is_older_than_the_analyzer(
    shared: Connection, analyzer: Analyzer, body: str, seed: int
) -> None:
    newer = Analyzer.default(UserDictionary(UserWord(word, forced=True) for word in USER_WORDS))
    assume(newer.fingerprint() != analyzer.fingerprint())
    id = str(next(numbers))
    upsert(shared, analyzer, [Post(id, "", body)])
    try:
        check_pieces(shared, newer, id, body, random.Random(seed), pieces=6)
    finally:
        delete(shared, [id])


@given(st.text(max_size=60))
@settings(max_examples=100, **WITH_DATABASE)
def test_no_query_is_an_error(shared: Connection, analyzer: Analyzer, query: str) -> None:
    upsert(shared, analyzer, [Post("any", "标题", "一段文字 with words", tags=("标签",))])
    assert search(shared, analyzer, SearchRequest(query)).total in (0, 1)


OPERATORS = "招商a1\"“”「」-－:：tag before after OR2024 　()<>&|!*'\\\0\ud800%_{}"


@given(st.text(alphabet=st.sampled_from(OPERATORS), max_size=40))
@settings(max_examples=100, **WITH_DATABASE)
def test_no_operator_is_an_error(shared: Connection, analyzer: Analyzer, query: str) -> None:
    upsert(shared, analyzer, [Post("any", "标题", "一段文字 with words", tags=("标签",))])
    assert search(shared, analyzer, SearchRequest(query)).total in (0, 1)
