"""`wenci evaluate` from the command line."""

import json
from pathlib import Path

import pytest

from api.cli import main

GOLD = "我们 在 北京 学习 。\n他 喜欢 看 电影 。\n"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.txt"
    path.write_text(GOLD, encoding="utf-8")
    return path


def test_json(gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.txt").write_text("我们 他 在 看 。\n", encoding="utf-8")
    train = ["--train", str(tmp_path / "train.txt")]
    assert main(["evaluate", "--gold", str(gold), "--json", "--worst", "1", "--compare", "jieba", *train]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {"precision", "recall", "f1", "oov_recall", "sentences"} <= set(data)
    assert data["sentences"] == data["peers"]["jieba"]["sentences"] == 2
    assert (data["gold_words"], data["oov_words"]) == (10, 4)
    assert data["f1"] == pytest.approx(2 * data["correct_words"] / (10 + data["predicted_words"]))


def test_for_people(gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--gold", str(gold)]) == 0
    out = capsys.readouterr().out
    assert "wenci" in out
    assert "han|han" in out


def test_a_missing_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--gold", str(tmp_path / "none.txt")]) == 1
    assert capsys.readouterr().err == f"wenci: {tmp_path / 'none.txt'}: No such file or directory\n"
