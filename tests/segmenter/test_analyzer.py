from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter.analyzer import Analyzer
from segmenter.characters import DELETED, character_table
from segmenter.columns import COARSE, FINE
from segmenter.dictionary import Dictionary
from segmenter.errors import LoneSurrogateError
from segmenter.normalise import Normalizer
from segmenter.segment import Segmenter
from segmenter.types import Analysis, Granularity, Kind, Source
from segmenter.user_dictionary import UserDictionary
from tests.segmenter.texts import any_texts, mixed_texts

SEGMENTER = Segmenter(Dictionary.load())
ANALYZER = Analyzer(SEGMENTER, Normalizer())
OWN = UserDictionary()
OWN.read_lines(["研究生命\t!", "iphone 12\t", "C++ 京\t!", "哈哈哈哈哈哈 5", "，。\t!"])
WITH_OWN = ANALYZER.with_user_dictionary(OWN)
analyzers = pytest.mark.parametrize("analyzer", [ANALYZER, WITH_OWN], ids=["plain", "user words"])
COLUMNS = [name for name in Analysis.__slots__ if name != "stream"]


def cut(text: str, granularity: Granularity = Granularity.COARSE) -> list[str]:
    return [token.text for token in ANALYZER.segment(text, granularity)]


def same(one: Analysis, other: Analysis) -> bool:
    return one.stream == other.stream and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in COLUMNS
    )


def invisible(gap: str) -> bool:
    mapping = character_table().mapping
    return all(one.isspace() or mapping[ord(one)] == DELETED for one in gap)


@analyzers
@given(text=any_texts)
def test_tokens_and_gaps_join_to_the_text(analyzer: Analyzer, text: str) -> None:
    for granularity in (Granularity.COARSE, Granularity.FINE):
        end = 0
        for token in analyzer.segment(text, granularity):
            assert end <= token.start < token.end <= len(text)
            assert token.text == text[token.start : token.end]
            assert invisible(text[end : token.start])
            end = token.end
        assert invisible(text[end:])


@analyzers
@given(text=any_texts)
def test_granularities_nest(analyzer: Analyzer, text: str) -> None:
    coarse, fine, search = (
        {(token.start, token.end) for token in analyzer.segment(text, granularity)} for granularity in Granularity
    )
    assert coarse | fine <= search
    starts, ends = ({word[side] for word in coarse} for side in (0, 1))
    for start, end in search:
        is_part = any(low <= start and end <= high for low, high in coarse)
        assert is_part or (start in starts and end in ends)
    edges = {place for span in fine for place in span}
    assert {place for span in coarse for place in span} <= edges


@analyzers
@given(text=any_texts)
def test_columns_of_an_analysis(analyzer: Analyzer, text: str) -> None:
    found = analyzer.analyze(text)
    assert analyzer.stream(text) == found.stream
    size = len(found.stream)
    assert not any(one.isspace() or one == "\x00" for one in found.stream)
    assert len(found.starts) == len(found.ends) == len(found.is_dense) == size
    words = list(zip(found.word_start.tolist(), (-found.word_length).tolist(), strict=True))
    assert words == sorted(set(words))
    assert len(found.word_level) == len(words)
    assert all(0 <= start < start - negative <= size for start, negative in words)
    atoms = list(zip(found.atom_start.tolist(), (found.atom_start + found.atom_length).tolist(), strict=True))
    assert all(end <= following for (_, end), (following, _) in pairwise(atoms))
    assert all(0 <= start < end <= size for start, end in atoms)


@given(text=any_texts)
def test_levels_are_the_granularities(text: str) -> None:
    found = ANALYZER.analyze(text)
    spans = zip(found.word_start.tolist(), found.word_length.tolist(), found.word_level.tolist(), strict=True)
    rows = [(int(found.starts[start]), int(found.ends[start + length - 1]), level) for start, length, level in spans]
    for granularity, level in ((Granularity.COARSE, COARSE), (Granularity.FINE, FINE)):
        tokens = {(token.start, token.end) for token in ANALYZER.segment(text, granularity)}
        assert {(start, end) for start, end, of_level in rows if of_level == level} <= tokens


@analyzers
@given(texts=st.lists(any_texts, max_size=5))
def test_a_batch_changes_nothing(analyzer: Analyzer, texts: list[str]) -> None:
    assert all(map(same, analyzer.analyze_batch(texts), map(analyzer.analyze, texts)))
    assert analyzer.segment_batch(texts, Granularity.SEARCH) == [
        analyzer.segment(text, Granularity.SEARCH) for text in texts
    ]


@analyzers
@given(parts=st.lists(mixed_texts, max_size=6), size=st.integers(1, 80))
def test_the_size_of_blocks_changes_nothing(analyzer: Analyzer, parts: list[str], size: int) -> None:
    text = "。".join(parts)
    small = Analyzer(analyzer._segmenter, Normalizer(), block=size)
    assert small.segment(text, Granularity.SEARCH) == analyzer.segment(text, Granularity.SEARCH)
    assert same(small.analyze(text), analyzer.analyze(text))


def places_of_whole_words(text: str) -> list[int]:
    """Where a substring may begin or end: not inside a Latin word or number, not before an accent."""
    table, found = character_table(), ANALYZER.analyze(text)
    last = found.atom_start + found.atom_length - 1
    inside = {
        place
        for start, end in zip(found.starts[found.atom_start].tolist(), found.ends[last].tolist(), strict=True)
        for place in range(start + 1, end)
    }
    inner = [place for place in range(1, len(text)) if not table.composes[ord(text[place])] and place not in inside]
    return [0, *inner, len(text)]


@given(mixed_texts, st.data())
def test_what_an_index_needs_of_a_piece_is_in_the_text(text: str, data: st.DataObject) -> None:
    places = places_of_whole_words(text)
    low = data.draw(st.sampled_from(places))
    high = data.draw(st.sampled_from([place for place in places if place >= low]))
    piece, whole = ANALYZER.analyze(text[low:high]), ANALYZER.analyze(text)
    kept = np.flatnonzero((whole.starts >= low) & (whole.ends <= high) & (whole.starts < high))
    if not piece.stream or not len(kept):
        return
    shift = int(kept[0])
    end = shift + len(piece.stream)
    assert whole.stream[shift:end] == piece.stream
    assert np.array_equal(whole.is_dense[shift:end], piece.is_dense)
    atoms = set(zip(whole.atom_start.tolist(), whole.atom_length.tolist(), strict=True))
    moved = zip((piece.atom_start + shift).tolist(), piece.atom_length.tolist(), strict=True)
    assert set(moved) <= atoms


@pytest.mark.parametrize(
    ("text", "stream", "atoms"),
    [
        ("使用 Docker\n部署", "使用docker部署", ["docker"]),
        ("foo bar_baz 3.5", "foobar_baz3.5", ["foo", "bar", "baz", "3", "5"]),
        ("C++ 和 C# == ++", "c++和c#==++", ["c", "+", "+", "c", "#"]),
        ("👨\u200d👩👍🏽★→", "👨👩👍🏽★→", ["👨", "👩", "👍", "🏽", "★", "→"]),
        ("a\x00b\x07c", "abc", ["a", "b", "c"]),
    ],
)
def test_streams_and_atoms(text: str, stream: str, atoms: list[str]) -> None:
    found = ANALYZER.analyze(text)
    assert found.stream == stream
    pairs = zip(found.atom_start.tolist(), found.atom_length.tolist(), strict=True)
    assert [stream[start : start + length] for start, length in pairs] == atoms


@pytest.mark.parametrize(
    ("text", "coarse", "fine"),
    [
        ("中华人民共和国", "中华人民共和国", "中华 人民 共和国"),
        ("南京市长江大桥", "南京市 长江大桥", "南京市 长江 大桥"),
        ("产品和服务", "产品 和 服务", "产品 和 服务"),
        ("研究生命起源", "研究 生命 起源", "研究 生命 起源"),
        ("哈哈哈哈哈哈", "哈哈哈 哈哈哈", "哈哈哈 哈哈哈"),
    ],
)
def test_coarse_and_fine(text: str, coarse: str, fine: str) -> None:
    assert cut(text) == coarse.split(" ")
    assert cut(text, Granularity.FINE) == fine.split(" ")


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("iPhone15Pro", {"iPhone15", "Pro"}),
        ("HTMLParser", {"HTML", "Parser"}),
        ("snake_case", {"snake", "case"}),
        ("V300R200c20spc300", {"V300", "R200", "c20", "spc300"}),
        ("m123-test", {"m123", "test"}),
        ("Node.js", {"Node", "js"}),
        ("gpt-4o", {"gpt", "4o"}),
        ("k8s", set()),
        ("iPhone", set()),
        ("23,876", set()),
    ],
)
def test_parts_of_latin_words(word: str, parts: set[str]) -> None:
    assert set(cut(word, Granularity.SEARCH)) == {word} | parts


def test_sources_and_kinds() -> None:
    tokens = WITH_OWN.segment("研究生命𠀀 T恤 3.5% iPhone　12 ★")
    assert [(token.text, token.kind, token.source) for token in tokens] == [
        ("研究生命", Kind.HAN, Source.USER),
        ("𠀀", Kind.HAN, Source.CHARACTER),
        ("T恤", Kind.HAN, Source.DICTIONARY),
        ("3.5%", Kind.NUMBER, Source.RULE),
        ("iPhone　12", Kind.LATIN, Source.USER),
        ("★", Kind.EMOJI, Source.RULE),
    ]


@pytest.mark.parametrize("length", [1, 300_000])
def test_surrogates_are_named_by_their_place_in_their_text(length: int) -> None:
    with pytest.raises(LoneSurrogateError) as caught:
        ANALYZER.segment_batch(["好" * 10, "好。" * length + "\udc00"])
    assert caught.value.position == 2 * length


@pytest.mark.parametrize("part", ["哈", "南京市长江大桥研究生命起源", "a", "！", "\u0301", "👨\u200d", "二", "a,"])
def test_a_long_text_without_any_place_to_cut(part: str) -> None:
    text = part * (300_000 // len(part))
    tokens = ANALYZER.segment(text)
    assert "".join(token.text for token in tokens) == text.rstrip("\u200d")


def test_fingerprints() -> None:
    other = UserDictionary()
    other.add("稳词")
    with_other = ANALYZER.with_user_dictionary(other)
    assert len({ANALYZER.fingerprint(), WITH_OWN.fingerprint(), with_other.fingerprint()}) == 3
    assert ANALYZER.stream_fingerprint() == WITH_OWN.stream_fingerprint()
    assert Analyzer.default(mode="dictionary").fingerprint() == ANALYZER.fingerprint()
    other.remove("稳词")
    assert with_other.fingerprint() != ANALYZER.fingerprint()
    assert ANALYZER.with_user_dictionary(other).fingerprint() == ANALYZER.fingerprint()


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="a text is a str, not bytes"):
        ANALYZER.segment("女装".encode("gbk"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not int"):
        ANALYZER.analyze_batch(["好", 3])  # type: ignore[list-item]


def test_a_setting_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(AttributeError):
        Analyzer(SEGMENTER, Normalizer()).dict_force = {"词"}  # type: ignore[attr-defined]


def test_unknown_modes_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown mode"):
        Analyzer.default(mode="guess")
