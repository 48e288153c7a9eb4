"""Marks and snippets, from passages made by the real analyzer."""

import pytest

from index.passages import BODY, cut
from index.reader import StoredPassage
from index.snippet import WIDTH, Mark, Needle, cut_body, marks_in, merged, render
from segmenter.analyzer import Analyzer


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


def stored(analyzer: Analyzer, text: str) -> list[StoredPassage]:
    return [StoredPassage(p.field, p.seq, p.first, p.stream, p.offsets) for p in cut(analyzer.analyze(text), BODY)]


def marked(analyzer: Analyzer, text: str, *needles: str, at_word: bool = False) -> list[str]:
    found = marks_in(stored(analyzer, text), BODY, [Needle(needle, at_word) for needle in needles])
    return [text[start:end] for start, end in merged(found)]


@pytest.mark.parametrize(
    ("text", "needle", "expected"),
    [
        ("新买的手机", "手机", ["手机"]),
        ("中 华\n人民", "中华", ["中 华"]),
        ("繁體圖書", "图书", ["圖書"]),
        ("ＵＳＢ接口", "usb", ["ＵＳＢ"]),
        ("重量㎏数", "kg", ["㎏"]),
        ("𠮷野家在𠮷野", "𠮷野", ["𠮷野", "𠮷野"]),
        ("😀手机😀", "手机", ["手机"]),
    ],
)
def test_marks_lie_in_the_original(analyzer: Analyzer, text: str, needle: str, expected: list[str]) -> None:
    assert marked(analyzer, text, needle) == expected


def test_a_latin_word_is_marked_where_a_word_begins(analyzer: Analyzer) -> None:
    assert marked(analyzer, "a year, Dear me", "ear", at_word=True) == []
    assert marked(analyzer, "a year, Dear me", "dear", at_word=True) == ["Dear"]


def test_where_a_word_stands_its_characters_elsewhere_are_not_marked(analyzer: Analyzer) -> None:
    text = "产品和服务，以及和服。"
    (mark,) = marks_in(stored(analyzer, text), BODY, [Needle("和服")])
    assert (mark.start, text[mark.start : mark.end]) == (8, "和服")


def test_overlapping_marks_become_one() -> None:
    marks = [Mark(0, 2, "ab", True), Mark(1, 3, "bc", True), Mark(3, 4, "d", True)]
    assert merged(marks) == ((0, 3), (3, 4))


def rendered(analyzer: Analyzer, text: str, *needles: str) -> tuple[str, list[str]]:
    found = cut_body(stored(analyzer, text), [Needle(needle) for needle in needles])
    stretch = text[found.start : found.start + found.length]
    snippet, marks = render(found, stretch, found.start + found.length >= len(text))
    return snippet, [snippet[start:end] for start, end in marks]


def test_a_short_body_is_shown_whole(analyzer: Analyzer) -> None:
    assert rendered(analyzer, "张三\n\n新买的手机", "手机") == ("张三  新买的手机", ["手机"])


def test_a_long_body_is_cut_around_what_was_found(analyzer: Analyzer) -> None:
    snippet, marks = rendered(
        analyzer, "前面的话很长。" * 400 + "这里有手机和电脑。" + "后面的话。" * 400, "手机", "电脑"
    )
    assert marks == ["手机", "电脑"]
    assert snippet.startswith("…这里有手机")
    assert snippet.endswith("…")
    assert len(snippet) <= WIDTH + 2


def test_the_stretch_with_most_different_words_is_chosen(analyzer: Analyzer) -> None:
    text = "手机。" + "无关。" * 100 + "手机和电脑。" + "无关。" * 100
    assert rendered(analyzer, text, "手机", "电脑")[1] == ["手机", "电脑"]


def test_nothing_found_shows_the_beginning(analyzer: Analyzer) -> None:
    snippet, marks = rendered(analyzer, "开头的话。" * 100, "没有")
    assert snippet == ("开头的话。" * 100)[:WIDTH] + "…"
    assert marks == []


def test_a_needle_longer_than_a_snippet_is_shown_whole(analyzer: Analyzer) -> None:
    needle = "很长的引文" * 60
    snippet, marks = rendered(analyzer, "前。" * 50 + needle + "后。" * 50, needle)
    assert marks == [needle]
    assert needle in snippet
