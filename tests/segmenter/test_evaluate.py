"""Scoring against cases worked by hand."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter.evaluate import PEERS, evaluate, read_gold, spans_of, word_class
from segmenter.vocabulary import Vocabulary, save_vocabularies

GOLD = [["他", "在", "北京大学", "念书"], ["天气", "好"]]
CUT = {"他在北京大学念书": ["他", "在", "北京", "大学", "念书"], "天气好": ["天气", "好"]}


def cut(text: str) -> list[tuple[int, int]]:
    return spans_of(CUT[text])


def test_worked_example() -> None:
    """Six gold words, seven predicted, five in common: P 5/7, R 5/6, F1 10/13; two of three unknown words found."""
    report = evaluate(cut, GOLD, vocabulary={"他", "在", "好"})
    assert (report.sentences, report.gold, report.predicted, report.correct) == (2, 6, 7, 5)
    assert report.precision == pytest.approx(5 / 7)
    assert report.recall == pytest.approx(5 / 6)
    assert report.f1 == pytest.approx(10 / 13)
    assert report.oov_recall == pytest.approx(2 / 3)


def test_kinds_of_errors() -> None:
    data = evaluate(cut, GOLD).as_dict(worst=1)
    assert data["boundaries"] == {"han|han": {"false": 1, "right": 4}}
    assert data["classes"] == {
        "han-1": {"found": 3, "gold": 3},
        "han-2": {"found": 2, "gold": 2},
        "han-4": {"found": 0, "gold": 1},
    }
    assert data["worst"] == [{"errors": 3, "gold": "他 在 北京大学 念书", "predicted": "他 在 北京 大学 念书"}]
    assert data["oov_recall"] is None
    assert data["slowest_sentence"]["text"] in CUT


def test_missed_border() -> None:
    report = evaluate(lambda text: [(0, len(text))], [["用", "Docker", "部署"]])
    assert report.boundaries == {("han|latin", "missed"): 1, ("latin|han", "missed"): 1}
    assert report.f1 == 0.0


def test_worst_sentences_keep_the_order_of_the_file() -> None:
    report = evaluate(lambda text: [(0, len(text))], [["甲", "乙"], ["丙", "丁"], ["一", "二", "三"]])
    assert ["".join(mistake.gold) for mistake in report.worst(3)] == ["一二三", "甲乙", "丙丁"]


@pytest.mark.parametrize("spans", [[(0, 2), (1, 3)], [(0, 9)], [(-1, 2)], [(1, 1)]])
def test_refuses_what_is_no_cut(spans: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="overlaps or leaves"):
        evaluate(lambda text: spans, [["天气", "好"]])


@given(st.lists(st.lists(st.text("汉字a1，", min_size=1, max_size=4), min_size=1, max_size=6), max_size=4))
def test_gold_against_itself_is_perfect(gold: list[list[str]]) -> None:
    answers = iter(gold)
    report = evaluate(lambda text: spans_of(next(answers)), gold)
    assert report.correct == report.gold == report.predicted
    assert not report.mistakes


def test_word_classes() -> None:
    names = [word_class(word) for word in ("好", "中华人民共和国", "Docker", "2024", "T恤", "，")]
    assert names == ["han-1", "han-5+", "latin", "digit", "mixed", "other"]


def test_read_gold(tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("天气 很  好\n\n今天\n", encoding="utf-8")
    assert read_gold(tmp_path / "gold.txt") == [["天气", "很", "好"], ["今天"]]


def test_vocabulary(tmp_path: Path) -> None:
    vocabulary = Vocabulary.of(["天气", "好", "天气"])
    assert len(vocabulary) == 2
    assert "天气" in vocabulary
    assert "气" not in vocabulary
    save_vocabularies({"pku": vocabulary}, tmp_path / "v.npz")
    stored = Vocabulary.load("pku", tmp_path / "v.npz")
    assert stored is not None
    assert "好" in stored
    assert Vocabulary.load("ud", tmp_path / "v.npz") is None
    assert Vocabulary.load("pku", tmp_path / "none.npz") is None


def test_jieba_is_a_peer() -> None:
    assert PEERS["jieba"]()("天气好") == [(0, 2), (2, 3)]
