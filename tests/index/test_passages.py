"""Cutting posts into passages: the limits of tsvector, and what must survive a border."""

from collections import Counter
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
    decode_offsets,
    encode_offsets,
    tag_text,
)
from index.tsvector import PIECE_SPAN, gram_columns, word_columns
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
    columns = [word_columns(analysis), gram_columns(analysis)]
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


def test_a_short_text_is_one_passage_and_an_empty_one_is_none() -> None:
    assert [passage.stream for passage in cut(analyze("稳 词"), BODY)] == ["稳词"]
    assert list(cut(analyze(" "), BODY)) == []


def test_title_lexemes_weigh_more() -> None:
    passages = list(cut_post(analyze("词"), analyze("词"), analyze(tag_text(["稳"], ["词", "稳"]))))
    assert [(p.field, p.seq, p.grams) for p in passages] == [
        (TITLE, 0, "'词':1A"),
        (BODY, 0, "'词':1"),
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
    nested = type(analysis)(**{f: getattr(analysis, f) for f in analysis.__slots__} | {"word_start": starts})
    object.__setattr__(nested, "word_length", lengths)
    assert all(len(passage.words.encode()) < 1_000_000 * 4 // 3 for passage in cut(nested, BODY))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=80))
@settings(max_examples=200, deadline=None)
def test_offsets_survive_encoding(steps: list[tuple[int, int]]) -> None:
    starts = np.cumsum([step for step, _ in steps]).astype(np.int32) if steps else np.empty(0, np.int32)
    ends = starts + np.array([width for _, width in steps], np.int32) if steps else starts
    decoded = decode_offsets(encode_offsets(starts, ends), len(starts))
    assert decoded[0].tolist() == starts.tolist()
    assert decoded[1].tolist() == ends.tolist()


def test_offsets_of_plain_text_take_one_run() -> None:
    starts = np.arange(5000, dtype=np.int32)
    assert len(encode_offsets(starts, starts + 1)) == 12
