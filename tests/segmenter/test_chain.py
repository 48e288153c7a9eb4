"""Exact inference against trying every path, and its independence of how the chain is laid out."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter import chain
from segmenter.chain import FORCED, Emissions, gap_log_odds

SCORE = st.tuples(*[st.integers(-3000, 3000)] * 4)


def columns(rows: list[tuple[int, int, int, int]]) -> Emissions:
    table = np.array(rows, dtype=np.int32).reshape(-1, 4)
    return Emissions(*(np.ascontiguousarray(table[:, i]) for i in range(4)))


def by_trying_all(rows: list[tuple[int, int, int, int]]) -> list[int]:
    """Best score with less best score without a border, for each inner gap."""
    order = {(1, 0): 0, (0, 0): 1, (0, 1): 2, (1, 1): 3}
    best: dict[tuple[int, int], int] = {}
    for inner in product((0, 1), repeat=len(rows) - 1):
        borders = (1, *inner, 1)
        score = sum(row[order[borders[i], borders[i + 1]]] for i, row in enumerate(rows))
        for gap, state in enumerate(inner):
            best[gap, state] = max(best.get((gap, state), -(10**9)), score)
    return [best[gap, 1] - best[gap, 0] for gap in range(len(rows) - 1)]


@given(st.lists(SCORE, min_size=1, max_size=8))
def test_equals_trying_every_path(rows: list[tuple[int, int, int, int]]) -> None:
    odds = gap_log_odds(columns(rows), np.zeros(1, dtype=np.int64))
    assert odds[:-1].tolist() == by_trying_all(rows)
    assert odds[-1] >= FORCED // 2


@given(st.lists(st.lists(SCORE, min_size=1, max_size=6), min_size=1, max_size=6), st.integers(1, 5))
def test_a_sentence_does_not_see_its_neighbours(sentences: list[list[tuple[int, int, int, int]]], chunk: int) -> None:
    starts = np.cumsum([0, *map(len, sentences)])[:-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chain, "_CHUNK", chunk)
        together = gap_log_odds(columns([row for rows in sentences for row in rows]), starts)
    for start, rows in zip(starts, sentences, strict=True):
        alone = gap_log_odds(columns(rows), np.zeros(1, dtype=np.int64))
        assert together[start : start + len(rows) - 1].tolist() == alone[:-1].tolist()
        assert together[start + len(rows) - 1] >= FORCED // 2


@given(st.lists(SCORE, min_size=1, max_size=60), st.integers(1, 20))
def test_chunks_change_nothing(rows: list[tuple[int, int, int, int]], chunk: int) -> None:
    starts = np.zeros(1, dtype=np.int64)
    expected = gap_log_odds(columns(rows), starts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chain, "_CHUNK", chunk)
        assert gap_log_odds(columns(rows), starts)[:-1].tolist() == expected[:-1].tolist()


def test_no_characters() -> None:
    assert len(gap_log_odds(columns([]), np.zeros(0, dtype=np.int64))) == 0
