"""Packing postings, collecting them, and giving documents new numbers."""

import pickle
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from index.postings import BODY_WORDS, MAX_TF, TITLE_GRAMS, Collector, Postings, pack, renumber, unpack, unpack_all

DOCUMENTS = st.dictionaries(
    st.integers(0, 500), st.dictionaries(st.sampled_from("甲乙丙"), st.integers(1, 600), max_size=3), max_size=20
)


def collect(documents: dict[int, dict[str, int]]) -> Collector:
    collector = Collector()
    for ord in sorted(documents):
        collector.add(ord, BODY_WORDS, Counter(documents[ord]))
    return collector


def as_dict(collector: Collector) -> dict[tuple[int, str], dict[int, int]]:
    result = {}
    for kind, lexeme, ords, tfs in collector.rows():
        postings = unpack(ords, tfs)
        assert postings.ords.tolist() == sorted(postings.ords.tolist())
        result[kind, lexeme] = dict(zip(postings.ords.tolist(), postings.tfs.tolist(), strict=True))
    return result


@given(DOCUMENTS)
def test_what_is_collected_comes_out_per_lexeme(documents: dict[int, dict[str, int]]) -> None:
    wanted: dict[tuple[int, str], dict[int, int]] = {}
    for ord, counts in documents.items():
        for lexeme, tf in counts.items():
            wanted.setdefault((BODY_WORDS, lexeme), {})[ord] = min(tf, MAX_TF)
    assert as_dict(collect(documents)) == wanted


@given(DOCUMENTS, DOCUMENTS)
def test_merging_is_collecting_one_after_the_other(
    first: dict[int, dict[str, int]], later: dict[int, dict[str, int]]
) -> None:
    later = {ord + 501: counts for ord, counts in later.items()}
    merged = collect(first)
    merged.merge(pickle.loads(pickle.dumps(collect(later))))
    assert as_dict(merged) == as_dict(collect(first | later))


def test_kinds_are_kept_apart() -> None:
    collector = collect({1: {"甲": 2}})
    collector.add(1, TITLE_GRAMS, Counter("甲"))
    assert as_dict(collector) == {(BODY_WORDS, "甲"): {1: 2}, (TITLE_GRAMS, "甲"): {1: 1}}
    assert len(collector) == 2
    collector.clear()
    assert list(collector.rows()) == []


def test_numbers_are_little_endian_whatever_the_machine() -> None:
    assert pack(Postings(np.array([1, 0x01020304], np.int32), np.array([7, 255], np.uint8))) == (
        b"\x01\0\0\0\x04\x03\x02\x01",
        b"\x07\xff",
    )


def test_segments_are_joined() -> None:
    rows = [
        pack(Postings(np.array(ords, np.int32), np.array(tfs, np.uint8)))
        for ords, tfs in [([1, 2], [3, 4]), ([], []), ([9], [5])]
    ]
    ords, tfs = unpack_all(rows)
    assert (ords.tolist(), tfs.tolist()) == ([1, 2, 9], [3, 4, 5])
    assert unpack_all([]).ords.tolist() == []


@given(
    st.dictionaries(st.integers(0, 60), st.integers(1, 255)),
    st.lists(st.integers(-1, 10**6), unique_by=lambda n: n if n >= 0 else object()),
)
def test_renumbering_keeps_those_with_a_new_number(postings: dict[int, int], new: list[int]) -> None:
    ords = sorted(postings)
    before = Postings(np.array(ords, np.int32), np.array([postings[ord] for ord in ords], np.uint8))
    after = renumber(before, np.array(new, np.int32))
    wanted = {new[ord]: tf for ord, tf in postings.items() if ord < len(new) and new[ord] >= 0}
    assert list(zip(after.ords.tolist(), after.tfs.tolist(), strict=True)) == sorted(wanted.items())
