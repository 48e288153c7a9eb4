"""The training commands, from text files to a probed checkpoint, at the size of a toy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from api.cli import main
from encoder.listeners import read_metrics
from encoder.tokenizers import load_tokenizer
from tests.encoder.invented import segmented, sentences

SHAPE = ["--width", "32", "--layers", "2", "--heads", "2", "--batch-characters", "512", "--threads", "1"]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("".join(f"{line}{number % 97}号\n" for number, line in enumerate(sentences(600))), "utf-8")
    return path


@pytest.fixture(scope="module")
def corpus(text: Path) -> Path:
    out = text.parent / "corpus"
    assert main(["encoder", "prepare", str(text), "--out", str(out), "--minimum", "1", "--valid-share", "0.1"]) == 0
    return out


@pytest.fixture(scope="module")
def run(corpus: Path) -> Path:
    out = corpus.parent / "run"
    assert main(pretrain(corpus, out, "--steps", "30", "--validate-every", "15")) == 0
    return out


def pretrain(corpus: Path, out: Path, *more: str) -> list[str]:
    return ["encoder", "pretrain", "--data", str(corpus), "--out", str(out), *SHAPE, "--warmup", "5", *more]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("kind", ["char", "word", "bpe"])
def test_a_tokenizer_of_each_kind_is_trained(
    kind: str, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tokenizer.txt"
    facts = json.loads(
        printed(capsys, "tokenizer", "train", str(text), "--kind", kind, "--out", str(out), "--size", "500", "--json")
    )
    tokenizer = load_tokenizer(out)
    assert facts == {
        "kind": tokenizer.kind,
        "vocabulary": tokenizer.vocabulary_size,
        "fingerprint": tokenizer.fingerprint(),
    }
    longest = max(len(tokenizer.id_to_token(id_)) for id_ in tokenizer.encode("小明在图书馆里学习。"))
    assert longest == 1 if kind == "char" else longest >= 2


def test_dictionary_words_are_masked_whole(corpus: Path) -> None:
    from encoder.data import Corpus, corpus_window

    tokenizer = load_tokenizer(corpus / "tokenizer.txt")
    train = Corpus.load(corpus / "train")
    windows = [corpus_window(train, tokenizer, row) for row in range(100)]
    words = {text[start:end] for text, spans in windows for start, end in spans}
    assert {"老师", "姐姐", "python", "散步"} <= words


def test_pretraining_leaves_a_run_that_can_be_read(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = list(read_metrics(run / "metrics.jsonl"))
    losses = [record["loss"] for record in records if record["event"] == "StepFinished"]
    assert len(losses) == 30
    assert sum(losses[-5:]) < 0.9 * sum(losses[:5])
    assert "<svg" in (run / "dashboard.html").read_text("utf-8")
    meta = json.loads(printed(capsys, "encoder", "info", str(run), "--json"))
    assert meta["step"] == 30
    assert meta["identity"]["tokenizer"] == load_tokenizer(run / "tokenizer.txt").fingerprint()
    assert "identity.encoder.width: 32" in printed(capsys, "encoder", "info", str(run))


def test_resuming_goes_on_and_refuses_another_shape(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert main(pretrain(corpus, out, "--steps", "4")) == 0
    assert main(pretrain(corpus, out, "--steps", "8")) == 1
    assert "resume it" in capsys.readouterr().err
    assert main(pretrain(corpus, out, "--steps", "8", "--resume", "--width", "16")) == 1
    assert "encoder.width" in capsys.readouterr().err
    assert main(pretrain(corpus, out, "--steps", "8", "--resume")) == 0
    steps = [record["step"] for record in read_metrics(out / "metrics.jsonl") if record["event"] == "StepFinished"]
    assert steps == list(range(1, 9))


def test_a_time_limit_stops_the_run(corpus: Path, tmp_path: Path) -> None:
    assert main(pretrain(corpus, tmp_path / "run", "--steps", "100000", "--minutes", "0.01")) == 0
    last = list(read_metrics(tmp_path / "run" / "metrics.jsonl"))[-1]
    assert (last["event"], last["reason"]) == ("RunFinished", "minutes")


def test_predict_hides_words_of_a_typed_sentence(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "encoder", "predict", str(run), "老师在花园里学习。", "--top", "3", "--json")
    found = json.loads(out)
    assert "".join(word["word"] for word in found["words"]) == "老师在花园里学习。"
    assert found["words"][0]["word"] == "老师"
    assert all(len(word["guesses"]) == 3 and word["loss"] > 0 for word in found["words"])
    one = printed(capsys, "encoder", "predict", str(run), "老师在花园里学习。", "--mask", "学习")
    assert one.count("loss") == 1
    assert "学习 (6-8)" in one
    assert main(["encoder", "predict", str(run), "老师在花园里学习。", "--mask", "数据库"]) == 1


def test_predict_draws_validation_sentences(corpus: Path, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(
        capsys, "encoder", "predict", str(run), "--data", str(corpus), "--sentences", "2", "--words", "1", "--json"
    )
    assert [len(json.loads(line)["words"]) for line in out.splitlines()] == [1, 1]
    assert main(["encoder", "predict", str(run)]) == 2


def test_probe_writes_maps_and_prints_figures(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, page = tmp_path / "gold.txt", tmp_path / "maps" / "attention.html"
    gold.write_text("".join(" ".join(words) + "\n" for words in segmented(200, seed=5)), "utf-8")
    looking = ["--attention", "老师在花园里", "--out", str(page), "--neighbours", "花", "花园", "--borders"]
    out = printed(capsys, "encoder", "probe", str(run), *looking, "--gold", str(gold), "--json")
    found = json.loads(out)
    assert page.read_text("utf-8").count("<svg") == 4
    assert len(found["neighbours"]["花"]) == 10
    assert {name for name, _ in found["neighbours"]["花园"]} <= {
        word for words in segmented(200, seed=5) for word in words
    }
    assert [layer["layer"] for layer in found["borders"]] == [0, 1, 2]
    assert main(["encoder", "probe", str(run)]) == 2


def test_what_is_not_there_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["encoder", "info", str(tmp_path)]) == 1
    assert "holds no checkpoint" in capsys.readouterr().err
    assert main(["encoder", "prepare", str(tmp_path / "none.txt"), "--out", str(tmp_path)]) == 1


@pytest.mark.parametrize("kind", ["word", "bpe"])
def test_pretraining_and_guessing_with_other_tokenizers(
    kind: str, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenizer, data, out = tmp_path / "tokenizer.txt", tmp_path / "corpus", tmp_path / "run"
    printed(capsys, "tokenizer", "train", str(text), "--kind", kind, "--out", str(tokenizer), "--size", "500")
    arguments = ["--out", str(data), "--tokenizer", str(tokenizer), "--valid-share", "0.1"]
    printed(capsys, "encoder", "prepare", str(text), *arguments)
    printed(capsys, *pretrain(data, out, "--steps", "6", "--validate-every", "6"))
    found = printed(capsys, "encoder", "predict", str(out), "--data", str(data), "--json")
    samples = [word for line in found.splitlines() for word in json.loads(line)["words"]]
    assert samples
    assert all(sample["text"] and 0 <= sample["start"] < sample["end"] <= len(sample["text"]) for sample in samples)


def test_a_run_starts_from_saved_weights(
    run: Path, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from encoder.predict import load_pretrained
    from encoder.weights import save_weights

    start = tmp_path / "start.safetensors"
    save_weights(load_pretrained(run).model, start, {})
    losses = []
    for name, more in ("cold", []), ("warm", ["--start", str(start)]):
        out = tmp_path / name
        printed(capsys, *pretrain(corpus, out, "--steps", "1", "--learning-rate", "1e-9", *more))
        losses += [
            record["loss"] for record in read_metrics(out / "metrics.jsonl") if record["event"] == "StepFinished"
        ]
    assert losses[1] < losses[0]
    assert main(pretrain(corpus, tmp_path / "none", "--steps", "1", "--start", str(tmp_path / "none.st"))) == 1
    assert "no such file" in capsys.readouterr().err
    assert main(pretrain(corpus, tmp_path / "w", "--steps", "1", "--start", str(start), "--width", "16")) == 1
    assert "in the weights to start from" in capsys.readouterr().err
