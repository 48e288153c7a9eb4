import json
import random
from pathlib import Path

import pytest

from api.cli import main
from segmenter.user_dictionary import UserDictionary


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rng = random.Random(5)
    around = [chr(code) for code in range(0x4E10, 0x4E10 + 200)]
    lines = ["".join(rng.choices(around, k=10)) + "鑫淼焱" + "".join(rng.choices(around, k=10)) for _ in range(20)]
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_discover(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["discover", str(corpus), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    (word,) = answer["words"]
    assert (word["word"], word["frequency"], answer["count_error"]) == ("鑫淼焱", 20, 0)
    assert main(["discover", str(corpus)]) == 0
    assert capsys.readouterr().out.startswith("鑫淼焱")


def test_entries_are_a_file_of_user_words(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["discover", str(corpus), "--entries"]) == 0
    words = UserDictionary()
    assert words.read_lines(capsys.readouterr().out.splitlines()).words == 1


def test_posts_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str], corpus: Path) -> None:
    posts = tmp_path / "posts.jsonl"
    lines = corpus.read_text("utf-8").splitlines()
    rows = [{"id": str(number), "title": "题", "body": text} for number, text in enumerate(lines)]
    posts.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    assert main(["discover", str(posts), "--json"]) == 0
    assert [word["word"] for word in json.loads(capsys.readouterr().out)["words"]] == ["鑫淼焱"]


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["discover", "/no/such/file"]) == 1
    assert "/no/such/file" in capsys.readouterr().err
