"""Cutting posts into passages: the limits of tsvector, and what must survive a border."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.passages import (
    BODY,
    MAX_LENGTH,
    TAGS,
    TITLE,
    borders,
    cut,
    cut_post,
    decode_places,
    encode_places,
    spans_at,
    tag_text,
)
from index.tsvector import PIECE_SPAN, Ints, gram_columns, word_columns
from segmenter.types import Analysis
from tests.index.fake_analyzer import analyze

TEXTS = {
    "plain": "稳定的词不会变化，" * 3000,
    "one character": "哈" * 50_000,
    "two in turn": "哈呵" * 5_000,
    "one word": "docker " * 4_000,
    "one long atom": "x" * 30_000,
    "mixed": "在 Docker 里部署 PostgreSQL 18，再看看日志。" * 900,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_lexeme_reaches_256_positions_and_no_passage_is_too_long(text: str) -> None:
    analysis = analyze(text)
    columns = [joined_words(analysis), gram_columns(analysis)]
    for first, end in borders(analysis, *columns):
        assert 0 < end - first <= MAX_LENGTH
        for starts, lengths in columns:
            inside = (starts >= first) & (starts < end)
            spans = zip(starts[inside].tolist(), lengths[inside].tolist(), strict=True)
            seen = Counter(analysis.stream[s : s + n] for s, n in spans)
            assert max(seen.values(), default=0) <= 255


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_passages_cover_the_text_and_overlap(text: str) -> None:
    analysis = analyze(text)
    found = borders(analysis, gram_columns(analysis))
    assert found[0][0] == 0
    assert found[-1][1] == len(analysis.stream)
    for (_, end), (first, _) in pairwise(found):
        assert end - first == PIECE_SPAN


def joined_words(analysis: Analysis) -> tuple[Ints, Ints]:
    inside, across = word_columns(analysis)
    return np.concatenate([inside[0], across[0]]), np.concatenate([inside[1], across[1]])


def test_a_short_text_is_one_passage_and_an_empty_one_is_none() -> None:
    assert [passage.stream for passage in cut(analyze("稳 词"), BODY)] == ["稳词"]
    assert list(cut(analyze(" "), BODY)) == []


def test_title_lexemes_weigh_more() -> None:
    passages = list(cut_post(analyze("词"), analyze("词"), analyze(tag_text(["稳"], ["词", "稳"]))))
    assert [(p.field, p.seq, p.words) for p in passages] == [
        (TITLE, 0, "'词':1A"),
        (BODY, 0, "'词':1C"),
        (TAGS, 0, "'稳':1B '词':3B"),
    ]


def test_positions_count_from_the_start_of_the_passage() -> None:
    second = list(cut(analyze("甲乙丙丁" * 1000), BODY))[1]
    assert second.first > 0
    assert second.grams.startswith(f"'{second.stream[:2]}':1,")


def test_hundreds_of_nested_words_stay_under_a_megabyte() -> None:
    analysis = analyze("词" * 300)
    starts, lengths = (axis.astype(np.int32).ravel() for axis in np.mgrid[0:300, 1:200])
    lengths = np.minimum(lengths, 300 - starts)
    nested = replace(analysis, word_start=starts, word_length=lengths, word_level=np.full(len(starts), 2, np.uint8))
    assert all(len(passage.words.encode()) < 1_000_000 * 4 // 3 for passage in cut(nested, BODY))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.booleans()), max_size=80))
@settings(max_examples=200, deadline=None)
def test_places_survive_encoding(steps: list[tuple[int, int, bool]]) -> None:
    columns = np.array(steps, np.int32).reshape(-1, 3)
    starts = np.cumsum(columns[:, 0], dtype=np.int32)
    ends = starts + columns[:, 1]
    edges = np.append(columns[:, 2], 0).astype(bool)
    places = decode_places(encode_places(starts, ends, edges), len(starts))
    assert [column.tolist() for column in places] == [starts.tolist(), ends.tolist(), edges.tolist()]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.booleans()), min_size=1, max_size=80), st.data())
@settings(max_examples=200, deadline=None)
def test_some_places_are_those_of_all(steps: list[tuple[int, int, bool]], data: st.DataObject) -> None:
    columns = np.array(steps, np.int32)
    starts = np.cumsum(columns[:, 0], dtype=np.int32)
    size = len(starts)
    encoded = encode_places(starts, starts + columns[:, 1], np.append(columns[:, 2], 0).astype(bool))
    places = decode_places(encoded, size)
    head = data.draw(st.integers(0, size))
    some = decode_places(encoded, head)
    assert [column.tolist() for column in some] == [
        places.starts[:head].tolist(), places.ends[:head].tolist(), places.edges[: head + 1].tolist()
    ] or not head  # fmt: skip
    first = data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=9))
    last = [data.draw(st.integers(one + 1, size)) for one in first]
    spans = spans_at(encoded, first, last)
    assert spans.starts.tolist() == places.starts[first].tolist()
    assert spans.ends.tolist() == places.ends[np.array(last) - 1].tolist()
    assert spans.before.tolist() == places.edges[first].tolist()
    assert spans.behind.tolist() == places.edges[last].tolist()


def test_places_of_plain_text_take_one_run() -> None:
    starts = np.arange(5000, dtype=np.int32)
    assert len(encode_places(starts, starts + 1, np.zeros(5001, bool))) == 4 + 12 + 626


def test_words_across_a_border_carry_the_lowest_weight() -> None:
    analysis = analyze("和服")
    coarse = replace(
        analysis,
        word_start=np.array([0, 0, 1], np.int32),
        word_length=np.array([2, 1, 1], np.int32),
        word_level=np.array([2, 0, 0], np.uint8),
    )
    (passage,) = cut(coarse, BODY)
    assert passage.words == "'和':1C '服':2C '和服':1"
    assert decode_places(passage.offsets, 2).edges.tolist() == [True, True, True]
