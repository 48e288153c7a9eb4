import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter.analyzer import Analyzer
from segmenter.errors import UserWordError
from segmenter.user_dictionary import UserDictionary, UserWord, parse_line
from segmenter.word_preview import changed_cuts, sentences_with
from segmenter.words_file import UnusableWordsFileError, WordsFile, WordsFileError, jieba_lines, write_atomically


def test_edits_are_written_and_read_back(tmp_path: Path) -> None:
    file = WordsFile(tmp_path / "new" / "words.txt")
    assert len(file.read()) == 0
    with file.edit() as words:
        words.add("iphone 12", 7, "nz")
        words.add("稳词", forced=True)
    assert file.path.read_text("utf-8") == "iphone 12\t7\tnz\n稳词\t!\t\n"
    assert file.read().get("IPHONE 12") == UserWord("iphone 12", 7, "nz")


def test_a_failed_edit_leaves_the_file(tmp_path: Path) -> None:
    file = WordsFile(tmp_path / "words.txt")
    file.path.write_text("旧词 3\n", "utf-8")
    with pytest.raises(UserWordError), file.edit() as words:
        words.add_all([UserWord("新词"), UserWord("")])
    assert file.path.read_text("utf-8") == "旧词 3\n"


def test_an_edit_without_a_change_does_not_touch_the_file(tmp_path: Path) -> None:
    file = WordsFile(tmp_path / "words.txt")
    file.path.write_text("旧词 3\r\n", "utf-8", newline="")
    with file.edit():
        pass
    assert file.path.read_bytes() == "旧词 3\r\n".encode()


def test_a_line_that_would_be_lost_stops_the_edit(tmp_path: Path) -> None:
    file = WordsFile(tmp_path / "words.txt")
    content = "好词\n词\tmany\t\n"
    file.path.write_text(content, "utf-8")
    with pytest.raises(WordsFileError, match=r"words\.txt:2: malformed"), file.edit() as words:
        words.add("新词")
    assert file.path.read_text("utf-8") == content
    assert len(file.read()) == 1


def test_a_write_that_fails_leaves_the_old_content_and_no_rest(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("旧\n", "utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "新\ud800\n")
    assert path.read_text("utf-8") == "旧\n"
    assert [one.name for one in tmp_path.iterdir()] == ["words.txt"]


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_is_named_and_never_waited_for(tmp_path: Path, make: Callable[[Path], None]) -> None:
    file = WordsFile(tmp_path / "words.txt")
    make(file.path)
    with pytest.raises(UnusableWordsFileError, match=r"words\.txt cannot be read or written: it is not a regular file"):
        file.read()
    with pytest.raises(UnusableWordsFileError), file.edit() as words:
        words.add("新词")
    assert not file.path.is_file()


def test_a_link_stays_and_the_file_that_it_leads_to_is_written(tmp_path: Path) -> None:
    target = tmp_path / "kept" / "mine.txt"
    target.parent.mkdir()
    target.write_text("旧词 3\n", "utf-8")
    file = WordsFile(tmp_path / "words.txt")
    file.path.symlink_to(target)
    with file.edit() as words:
        words.add("新词")
    assert file.path.is_symlink()
    assert "新词" in target.read_text("utf-8")
    assert len(file.read()) == 2


def add_many(path: Path, first: int) -> None:
    for number in range(first, first + 10):
        with WordsFile(path).edit() as words:
            words.add(f"词条{number}")


def test_two_processes_lose_no_word(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    path = tmp_path / "words.txt"
    processes = [context.Process(target=add_many, args=(path, first)) for first in (0, 10)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert len(WordsFile(path).read()) == 20


def test_the_form_of_jieba() -> None:
    words = [UserWord("长江大桥", 30, "ns"), UserWord("稳词", None, "nz"), UserWord("客服", None, None, True)]
    lines, unfit = jieba_lines([*words, UserWord("iphone 12")])
    assert lines == ["长江大桥 30 ns", "稳词 nz", "客服"]
    assert unfit == [UserWord("iphone 12")]


@given(st.lists(st.builds(UserWord, st.text("词语ab 1", min_size=1, max_size=6).map(str.strip).filter(bool),
                          st.none() | st.integers(0, 10**6), st.none() | st.sampled_from(["n", "ns"]))))  # fmt: skip
def test_what_is_exported_to_jieba_is_read_back(words: list[UserWord]) -> None:
    lines, unfit = jieba_lines(words)
    assert [parse_line(line) for line in lines] == [word for word in words if word not in unfit]


def test_what_would_change() -> None:
    before = Analyzer.default(mode="dictionary")
    after = before.with_user_dictionary(UserDictionary([UserWord("品和服", None, None, True)]))
    (change,) = changed_cuts(before, after, ["产品和服务", "没有它", ""])
    assert (change.text, change.before, change.after) == (
        "产品和服务", ("产品", "和", "服务"), ("产", "品和服", "务")
    )  # fmt: skip


def test_sentences() -> None:
    text = "买了IPhone。好吗？ 用iphone的人！\n没有"
    assert list(sentences_with(text, "iPhone")) == ["买了IPhone。", "用iphone的人！"]
