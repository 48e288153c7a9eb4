"""From files to a corpus."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
import zstandard

from encoder.data import Corpus
from encoder.prepare import (
    Excluded,
    PrepareConfig,
    ReadAhead,
    gold_sentences,
    is_held_out,
    prepare,
    read_lines,
    training_lines,
)
from encoder.tokenizers import UNK, CharTokenizer, load_tokenizer
from tests.encoder.invented import sentences

CONFIG = PrepareConfig(valid_share=0.1, character_minimum=1)


def test_a_corpus_holds_the_texts_once_split_by_paragraph(tmp_path: Path) -> None:
    lines = [f"{text}{number}号" for number, text in enumerate(sentences(300))]
    report = prepare([*lines, *lines[:50], "short", "latin text only, nothing else here"], tmp_path, CONFIG)
    tokenizer = load_tokenizer(tmp_path / "tokenizer.txt")
    train, valid = Corpus.load(tmp_path / "train"), Corpus.load(tmp_path / "valid")
    texts = [
        {tokenizer.decode(corpus.ids[first:last].tolist()) for first, last in zip(*_borders(corpus), strict=True)}
        for corpus in (train, valid)
    ]
    assert texts[0] | texts[1] == set(lines)
    assert not texts[0] & texts[1]
    assert texts[1] == {line for line in lines if is_held_out(line, 0.1)}
    assert (report.train_windows, report.valid_windows) == (len(texts[0]), len(texts[1]))
    assert 10 <= report.valid_windows <= 60
    assert json.loads((tmp_path / "prepare.json").read_text())["window"] == 128


def _borders(corpus: Corpus) -> tuple[list[int], list[int]]:
    return corpus.offsets[:-1].tolist(), corpus.offsets[1:].tolist()


def test_words_come_from_the_callable(tmp_path: Path) -> None:
    def starts(texts: Sequence[str]) -> list[Iterable[int]]:
        return [range(0, len(text), 3) for text in texts]

    prepare(sentences(400), tmp_path, CONFIG, starts=starts)
    corpus = Corpus.load(tmp_path / "train")
    for first, last in zip(*_borders(corpus), strict=True):
        assert np.flatnonzero(corpus.word_starts[first:last]).tolist() == list(range(0, last - first, 3))


def test_a_given_tokenizer_is_used_and_kept(tmp_path: Path) -> None:
    tokenizer = CharTokenizer(["在", "花", "园"])
    prepare(sentences(400), tmp_path, CONFIG, tokenizer=tokenizer)
    assert load_tokenizer(tmp_path / "tokenizer.txt").fingerprint() == tokenizer.fingerprint()
    assert UNK in Corpus.load(tmp_path / "train").ids


def test_too_little_text_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="too little text"):
        prepare(sentences(400), tmp_path, PrepareConfig(valid_share=0.0))


def test_the_limit_stops_reading(tmp_path: Path) -> None:
    def lines() -> Iterable[str]:
        for number, text in enumerate(sentences(10_000)):
            assert number < 1500
            yield f"{text}{number}号"

    report = prepare(lines(), tmp_path, PrepareConfig(valid_share=0.1, limit=5000))
    assert 4000 < report.train_characters + report.valid_characters < 5100


ARTICLE = ["怎样在自己的电脑上安装一个数据库,并且让它开机就启动。", "短句也算"]


@pytest.mark.parametrize(
    ("paragraph", "belongs"),
    [
        (ARTICLE[0], True),
        ("怎样在自己的电脑上 安装一个数据库,并且让它开机就启动", True),
        ("短句也算", True),
        ("短句也", False),
        ("怎样在自己的电脑上做饭,我从来没有想过这样的问题,你呢。", False),
    ],
)
def test_paragraphs_of_excluded_texts_are_recognised(paragraph: str, belongs: bool) -> None:
    excluded = Excluded(ARTICLE)
    assert (paragraph in excluded) is belongs
    assert excluded.count == belongs


def test_excluded_paragraphs_take_no_part(tmp_path: Path) -> None:
    lines = [f"{text}{number}号房间里的人" for number, text in enumerate(sentences(300))]
    report = prepare(lines, tmp_path, CONFIG, excluded=Excluded(lines[:40]))
    assert report.excluded == 40
    assert report.train_windows + report.valid_windows == 260


def test_reading_plain_compressed_and_json_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("一行\r\n两行\n", "utf-8")
    (tmp_path / "b.txt.zst").write_bytes(zstandard.compress("三行\n四行".encode()))
    post = json.dumps({"id": "1", "title": "标题", "body": "正文一\n正文二"}, ensure_ascii=False)
    (tmp_path / "c.jsonl.zst").write_bytes(zstandard.compress(post.encode()))
    names = ["a.txt", "b.txt.zst", "c.jsonl.zst"]
    lines = ["一行", "两行", "三行", "四行", "标题", "正文一", "正文二"]
    assert list(read_lines(tmp_path / name for name in names)) == lines
    assert list(read_lines([tmp_path / "c.jsonl.zst"], field="title")) == ["标题"]


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "gbk.txt").write_bytes("汉字".encode("gbk"))
    with pytest.raises(ValueError, match=r"gbk\.txt is not UTF-8"):
        list(read_lines([tmp_path / "gbk.txt"]))


def test_training_lines_are_normalised_unless_raw(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("ＡＢＣ  汉字\n第二行\n", "utf-8")
    assert list(training_lines([tmp_path / "a.txt"])) == ["abc 汉字", "第二行"]
    assert list(training_lines([tmp_path / "a.txt"], raw=True, limit=1)) == ["ＡＢＣ  汉字"]


def test_gold_sentences_join_to_their_words(tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("她 在 ＡＢＣ 学习 。\n\n", "utf-8")
    [(text, words)] = gold_sentences(tmp_path / "gold.txt")
    assert text == "她在abc学习。"
    assert [text[start:end] for start, end in words] == ["她", "在", "abc", "学习", "。"]


def test_reading_ahead_keeps_texts_and_starts_together() -> None:
    texts = [str(number) for number in range(1300)]
    batches: list[int] = []

    def starts(batch: Sequence[str]) -> list[Iterable[int]]:
        batches.append(len(batch))
        return [[int(text)] for text in batch]

    ahead = ReadAhead(texts, starts)
    assert [(text, ahead(text)) for text in ahead] == [(text, [int(text)]) for text in texts]
    assert batches == [512, 512, 276]
    for _ in ahead:
        with pytest.raises(ValueError, match="order"):
            ahead("another")
        break
