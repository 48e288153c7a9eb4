from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter.analyzer import Analyzer
from segmenter.dictionary import Dictionary
from segmenter.errors import UserWordError
from segmenter.types import Granularity, Source
from segmenter.user_dictionary import LONGEST_WORD, UserDictionary, UserWord, parse_line
from tests.segmenter.texts import mixed_texts

ANALYZER = Analyzer.default(mode="dictionary")


def cut(text: str, *lines: str) -> list[str]:
    words = UserDictionary()
    assert not words.read_lines(lines).notes
    return [token.text for token in ANALYZER.with_user_dictionary(words).segment(text)]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("长江大桥", UserWord("长江大桥")),
        ("长江大桥 30", UserWord("长江大桥", 30)),
        ("长江大桥 30 ns", UserWord("长江大桥", 30, "ns")),
        ("长江大桥 ns", UserWord("长江大桥", None, "ns")),
        ("长江大桥 !", UserWord("长江大桥", None, None, True)),
        ("iphone 12", UserWord("iphone", 12)),
        ("iphone 12\t", UserWord("iphone 12")),
        ("Edu Trust认证\t7\tnz", UserWord("Edu Trust认证", 7, "nz")),
        ("a/d\t!", UserWord("a/d", None, None, True)),
    ],
)
def test_lines_of_both_forms(line: str, word: UserWord) -> None:
    assert parse_line(line) == word


CONTENTS = ["打底裤\r\n打底 3\r\n", "\ufeff打底裤\n打底 3\n", "打底裤\r打底 3", "打底裤\n\n \n打底 3"]


@pytest.mark.parametrize("content", CONTENTS)
def test_line_ends_and_byte_order_mark(tmp_path: Path, content: str) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(content.encode())
    words = UserDictionary()
    assert words.read(path).words == 2
    assert [word.text for word in words] == ["打底裤", "打底"]


def test_bad_lines_are_reported_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    lines = ["好词".encode(), b"\xb4\xf2\xb5\xd7", "词\tmany\t".encode(), b"a\t1\tn\tx", "​\t1".encode()]
    path.write_bytes(b"\n".join([*lines, "北京 1 ns".encode(), "好词 9".encode(), ("长" * 200).encode()]))
    words = UserDictionary()
    report = words.read(path, Dictionary.load())
    assert [(note.line, note.reason.split(":")[0]) for note in report.notes] == [
        (2, "malformed"),
        (3, "malformed"),
        (4, "malformed"),
        (5, "malformed"),
        (6, "lowered"),
        (7, "duplicate"),
        (8, "malformed"),
    ]
    assert report.words == 2
    assert list(words) == [UserWord("好词", 9), UserWord("北京", 1, "ns")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("# 注释", "a space that is not between Latin words"),
        ("#注释", "'#' in a word"),
        ("// comment", "'comment' is no tag"),
        ("词 -5", "a space that is not between Latin words"),
        ("词 12.5 n", "a space that is not between Latin words"),
        ("词 100 名词", "a space that is not between Latin words"),
        ("词 n 100", "a space that is not between Latin words"),
        ("词  100  n", None),
        ("词,100,n", "',' in a word"),
        ("{'word':'词'}", "'{' in a word"),
        ("<b>词</b>", "'<' in a word"),
        ("你好，世界", "'，' in a word"),
        ("你好，世界 30 nz", None),
        ("-----", "no letter or digit"),
        ("machine learning", "'learning' is no tag"),
        ("machine learning\t", None),
        ("你好，世界\t", None),
        ("# 注释\t", None),
        ("Edu Trust认证 2000", None),
        ("C++ Builder 30 nz", None),
        ("Node.js", None),
        ("AT&T", None),
        ("《红楼梦》", None),
        ("😂", None),
        ("银行客服 !", None),
    ],
)
def test_a_strict_reading_leaves_out_what_hardly_is_a_word(line: str, reason: str | None) -> None:
    words = UserDictionary()
    notes = words.read_lines(["好词", line, "北京 1 ns"], strict=True).notes
    assert [(note.line, note.is_bad, note.reason.split(";")[0]) for note in notes] == (
        [(2, True, f"malformed: {reason}")] if reason else []
    )
    assert len(words) == (2 if reason else 3)
    assert not UserDictionary().read_lines([line]).notes, "a file of one's own is read as it stands"


def test_the_collection(tmp_path: Path) -> None:
    words = UserDictionary([UserWord("爱听4G")])
    assert words.add("愛聽４ｇ", 5) == UserWord("爱听4G")
    assert "爱听4g" in words
    assert len(words) == 1
    words.add("iphone 12", tag="nz", forced=True)
    words.write(tmp_path / "words.txt")
    copy = UserDictionary()
    assert copy.read(tmp_path / "words.txt").words == 2
    assert list(copy) == list(words)
    assert copy.remove("IPHONE 12")
    assert not copy.remove("IPHONE 12")
    assert [word.text for word in copy] == ["愛聽４ｇ"]


@pytest.mark.parametrize("text", ["", " ", "\u200b", "a\nb", "a\tb", "长" * (LONGEST_WORD + 1), "a\ud800"])
def test_words_that_cannot_be_matched(text: str) -> None:
    with pytest.raises(UserWordError):
        UserDictionary().add(text)


def test_negative_frequencies_are_refused() -> None:
    with pytest.raises(UserWordError, match="negative"):
        UserDictionary().add("词", -1)


@pytest.mark.parametrize(
    ("text", "lines", "expected"),
    [
        ("银行客服", ["行客 9999999999"], "银 行客 服"),
        ("招商银行客服", ["行客 9999999999"], "招商银行 客服"),
        ("招商银行客服", ["行客\t!"], "招商 银 行客 服"),
        ("银行客服", ["行客"], "银行 客服"),
        ("长沙国丞相", ["长沙国"], "长沙国 丞相"),
        ("北京大学生活动", ["北京大学生\t!", "大学\t!", "生活\t!"], "北京大学生 活动"),
        ("产品和服务", ["和服\t!", "品和\t!"], "产 品和 服务"),
        ("wow底w底", ["w底\t!"], "wow 底 w底"),
        ("m1-pro m1", ["m1\t!"], "m1 - pro m1"),
        ("m1-pro m1", ["m1"], "m1-pro m1"),
        ("看http://m1.cn/m1和a@m1.org", ["m1\t!"], "看 http://m1.cn/m1 和 a@m1.org"),
        ("**ST舜船**", ["*ST舜船"], "* *ST舜船 **"),
        ("㍿好", ["式会\t!"], "㍿ 好"),
        ("カタカナ", ["タカ\t!"], "カ タカ ナ"),
        ("二〇二六", ["二〇\t!"], "二〇 二 六"),
    ],
)
def test_precedence_and_borders(text: str, lines: list[str], expected: str) -> None:
    assert cut(text, *lines) == expected.split(" ")


def test_words_are_of_one_instance() -> None:
    words = UserDictionary([UserWord("云原生网关")])
    own = ANALYZER.with_user_dictionary(words)
    words.add("稳词分词", forced=True)
    assert [token.source for token in own.segment("云原生网关")] == [Source.USER]
    assert len(own.segment("稳词分词")) > 1, "an analyzer keeps the words it was made with"
    assert len(ANALYZER.segment("云原生网关")) > 1


@given(mixed_texts, st.integers(0, 50))
def test_adding_a_word_of_the_dictionary_changes_nothing(text: str, frequency: int) -> None:
    words = UserDictionary()
    for token in ANALYZER.segment(text):
        if token.source is Source.DICTIONARY:
            words.add(token.text, frequency)
    for granularity in Granularity:
        before = [(token.start, token.end) for token in ANALYZER.segment(text, granularity)]
        after = [(token.start, token.end) for token in ANALYZER.with_user_dictionary(words).segment(text, granularity)]
        assert before == after


@given(st.lists(st.text("研究生命起源北大学abAB12 +-", min_size=1, max_size=6), max_size=8), st.data())
def test_a_word_without_a_frequency_is_not_cut_when_it_stands_alone(texts: list[str], data: st.DataObject) -> None:
    words = UserDictionary()
    kept = [text for text in texts if text.strip() == text and "  " not in text]
    for text in kept:
        words.add(text)
    analyzer = ANALYZER.with_user_dictionary(words)
    for text in kept:
        assert [token.text for token in analyzer.segment(text)] == [text]


def test_a_hundred_thousand_words() -> None:
    characters = [chr(code) for code in range(0x4E00, 0x4E00 + 320)]
    words = UserDictionary(UserWord(a + b + a) for a in characters for b in characters)
    analyzer = ANALYZER.with_user_dictionary(words)
    assert len(words) > 90_000
    assert [token.text for token in analyzer.segment("丁七丁丑丙丑")] == ["丁七丁", "丑丙丑"]


@given(st.lists(st.text(alphabet=st.sampled_from("词a1 \t!-,，#+.😂\ud800"), max_size=12), max_size=6))
def test_any_lines_are_read_or_reported(lines: list[str]) -> None:
    words = UserDictionary()
    report = words.read_lines(lines, strict=True)
    assert len(words) == report.words
    bad = sum(note.is_bad for note in report.notes)
    assert report.words <= sum(1 for line in lines if line.strip()) - bad
