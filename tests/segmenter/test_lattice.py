import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter import lattice
from segmenter.lattice import Edges, best_path, uncrossed

SIZE = 9
spans = st.tuples(st.integers(0, SIZE - 1), st.integers(1, 4)).map(lambda s: (s[0], min(s[0] + s[1], SIZE)))
scored = st.dictionaries(spans, st.integers(-5, -1), max_size=24)


def edges_of(table: dict[tuple[int, int], int]) -> Edges:
    rows = sorted((start, end, score) for (start, end), score in table.items())
    return Edges(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def all_paths(table: dict[tuple[int, int], int], place: int) -> list[list[tuple[int, int]]]:
    if place == SIZE:
        return [[]]
    return [[edge, *rest] for edge in sorted(table) if edge[0] == place for rest in all_paths(table, edge[1])]


def longest_then_leftmost(path: list[tuple[int, int]]) -> list[int]:
    return [end - start for start, end in path]


@pytest.mark.parametrize("longest_vectorised", [0, 48])
@given(table=scored)
def test_best_path_is_the_best_of_all_paths(longest_vectorised: int, table: dict[tuple[int, int], int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice, "_LONGEST_VECTORISED", longest_vectorised)
        taken = best_path(np.array([0]), np.array([SIZE]), edges_of(table), SIZE)
    paths = all_paths(table, 0)
    found = [(int(start), int(start + taken[start])) for start in np.flatnonzero(taken)]
    if not paths:
        assert taken[0] == 0
        return
    best = max(paths, key=lambda path: (sum(table[edge] for edge in path), longest_then_leftmost(path)))
    assert found == best


@given(st.lists(scored, min_size=1, max_size=5))
def test_pieces_do_not_know_each_other(tables: list[dict[tuple[int, int], int]]) -> None:
    starts = np.arange(len(tables)) * SIZE
    shifted = [
        (start + shift, end + shift, score)
        for shift, table in zip(starts.tolist(), tables, strict=True)
        for start, end, score in zip(*(column.tolist() for column in edges_of(table)), strict=True)
    ]
    edges = Edges(*np.array(shifted, dtype=np.int64).reshape(-1, 3).T)
    together = best_path(starts, starts + SIZE, edges, SIZE * len(tables))
    for start, table in zip(starts.tolist(), tables, strict=True):
        alone = best_path(np.array([0]), np.array([SIZE]), edges_of(table), SIZE)
        assert together[start : start + SIZE].tolist() == alone[:SIZE].tolist()


@given(scored)
def test_uncrossed_borders(table: dict[tuple[int, int], int]) -> None:
    border = np.ones(SIZE + 1, dtype=np.bool_)
    sure = uncrossed(border, edges_of(table))
    assert sure.tolist() == [not any(start < place < end for start, end in table) for place in range(SIZE + 1)]
