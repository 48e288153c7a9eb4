"""C3: same text, same tokens, whatever stands beside it, however it is batched, blocked, threaded, in any process."""

import json
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter.analyzer import Analyzer
from segmenter.dictionary import Dictionary
from segmenter.models import shipped_tagger
from segmenter.normalise import Normalizer
from segmenter.segment import Segmenter
from segmenter.stream import AHEAD, groups_by_size, mapped, windows
from segmenter.tagger import Tagger
from segmenter.types import Granularity, Token
from segmenter.user_dictionary import UserDictionary
from segmenter.wide import WEIGHTS_FILE
from tests.segmenter.fakes import PairTagger
from tests.segmenter.texts import any_texts, mixed_texts

ROOT = Path(__file__).parents[2]
DICTIONARY = Dictionary.load()
OWN = UserDictionary()
OWN.read_lines(["研究生命\t!", "iphone 12\t", "哈哈哈哈哈哈 5", "，。\t!"])
TAGGERS: dict[str, Tagger | None] = {"dictionary": None, "pairs": PairTagger()}
SHIPPED = ["wide", "hybrid"] if WEIGHTS_FILE.exists() else ["dictionary"]
if WEIGHTS_FILE.exists():
    TAGGERS["wide"] = shipped_tagger("wide", DICTIONARY)
SEGMENTERS = {name: Segmenter(DICTIONARY, tagger=tagger) for name, tagger in TAGGERS.items()}
SEGMENTERS["own"] = SEGMENTERS["pairs"].with_user_words(OWN)
segmenters = pytest.mark.parametrize("segmenter", SEGMENTERS.values(), ids=SEGMENTERS)
few = settings(max_examples=25)


def analyzer(segmenter: Segmenter, block: int = 1 << 17) -> Analyzer:
    return Analyzer(segmenter, Normalizer(), block=block)


def one_by_one(segmenter: Segmenter, texts: list[str]) -> list[list[Token]]:
    return [analyzer(segmenter).segment(text, Granularity.SEARCH) for text in texts]


@segmenters
@few
@given(texts=st.lists(any_texts, max_size=8), data=st.data())
def test_order_size_threads_and_windows_change_nothing(
    segmenter: Segmenter, texts: list[str], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(texts))))
    threads, window = data.draw(st.sampled_from([1, 2])), data.draw(st.sampled_from([1, 7, 60, 1 << 16]))
    expected = one_by_one(segmenter, texts)
    own = analyzer(segmenter)

    def cut(some: list[str]) -> list[list[Token]]:
        return own.segment_batch(some, Granularity.SEARCH)

    found = list(mapped(cut, (texts[place] for place in order), threads=threads, window=window))
    assert found == [expected[place] for place in order]
    assert list(own.segment_iter(texts, Granularity.SEARCH, threads=threads)) == expected


@segmenters
@few
@given(parts=st.lists(mixed_texts, max_size=6), end=st.sampled_from("。！\n，"), size=st.integers(1, 90))
def test_borders_of_blocks_change_nothing(segmenter: Segmenter, parts: list[str], end: str, size: int) -> None:
    text = end.join(parts)
    assert analyzer(segmenter, size).segment(text) == analyzer(segmenter).segment(text)


@segmenters
@few
@given(before=mixed_texts, text=mixed_texts, after=mixed_texts)
def test_a_line_is_cut_alike_alone_and_in_a_text(segmenter: Segmenter, before: str, text: str, after: str) -> None:
    whole = analyzer(segmenter).segment(f"{before}\n{text}\n{after}")
    shift = len(before) + 1
    inside = [token for token in whole if shift <= token.start and token.end <= shift + len(text)]
    alone = analyzer(segmenter).segment(text)
    assert [(t.text, t.start - shift) for t in inside] == [(t.text, t.start) for t in alone]


SENTENCES = st.lists(
    st.sampled_from(
        [
            "产品和服务",
            "他在长春市长春药店",
            "结婚的和尚未结婚的",
            "乒乓球拍卖完了",
            "李学平等表示会保证金云鹏的安全",
            "，",
            "。",
            "\n",
        ]
    ),
    max_size=6,
).map("".join)


@pytest.mark.skipif("hybrid" not in SHIPPED, reason="no weights")
@settings(max_examples=10)
@given(texts=st.lists(st.one_of(SENTENCES, mixed_texts), min_size=1, max_size=4), size=st.integers(1, 90))
def test_the_encoder_changes_nothing_of_this(texts: list[str], size: int) -> None:
    own = hybrid(1)
    expected = [own.segment(text, Granularity.SEARCH) for text in texts]
    assert own.segment_batch(texts[::-1], Granularity.SEARCH) == expected[::-1]
    assert list(hybrid(2).segment_iter(texts, Granularity.SEARCH, threads=2)) == expected
    joined = "。\n".join(texts)
    assert Analyzer(own._segmenter, Normalizer(), block=size).segment(joined) == own.segment(joined)


@cache
def hybrid(threads: int) -> Analyzer:
    return Analyzer.default(mode="hybrid", threads=threads)


@pytest.mark.parametrize("mode", SHIPPED)
def test_another_process_cuts_alike(mode: str) -> None:
    texts = ["产品和服务，研究生命起源。", "iPhone15Pro 23,876 下午3:30", "南京市长江大桥" * 50, "", "𠮷ﬁ①\u200b"]
    program = (
        "import json, sys; from segmenter.analyzer import Analyzer; a = Analyzer.default(mode=sys.argv[1]);"
        "print(json.dumps([a.fingerprint(), [[t[:3] for t in ts] for ts in"
        " a.segment_iter(json.load(sys.stdin), threads=2)]]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, mode],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    here = Analyzer.default(mode=mode)
    expected = [[list(token[:3]) for token in here.segment(text)] for text in texts]
    assert json.loads(done.stdout) == [here.fingerprint(), expected]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stream_is_read_only_some_windows_ahead(threads: int) -> None:
    read = 0

    def endless() -> Iterator[str]:
        nonlocal read
        while True:
            read += 1
            yield "一句话"

    found = islice(mapped(lambda some: some, endless(), threads=threads, window=30), 100)
    assert list(found) == ["一句话"] * 100
    assert read <= 100 + (threads + AHEAD + 2) * 10


def test_memory_does_not_grow_with_the_stream() -> None:
    def peak(texts: int) -> int:
        tracemalloc.start()
        for _ in mapped(lambda some: [text + "。" for text in some], ("话" * 200 for _ in range(texts)), threads=2):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(40_000) < 2 * peak(4_000)


@given(st.lists(st.text(max_size=30), max_size=40), st.integers(1, 60), st.integers(1, 5))
def test_windows_and_groups_hold_everything_once(texts: list[str], size: int, most: int) -> None:
    found = list(windows(texts, size, most))
    assert [text for window in found for text in window] == texts
    assert all(1 <= len(window) <= most for window in found)
    assert all(len(window) == 1 or sum(map(len, window)) <= size for window in found)
    groups = list(groups_by_size(texts, size))
    assert sorted(place for group in groups for place in group) == list(range(len(texts)))
    assert all(len(group) == 1 or sum(len(texts[place]) for place in group) <= size for group in groups)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_comes_when_it_is_due(threads: int) -> None:
    own = analyzer(SEGMENTERS["dictionary"])
    found = mapped(own.segment_batch, ["好", "x" * 40, "a\udc00"], threads=threads, window=20)
    assert [token.text for token in next(found)] == ["好"]
    assert next(found)
    with pytest.raises(ValueError, match="position 1"):
        next(found)


def test_no_threads_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        next(mapped(lambda some: some, ["a"], threads=0))
