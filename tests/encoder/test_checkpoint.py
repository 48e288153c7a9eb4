"""Checkpoints: whole or absent, pointed at, explained, refused."""

import json
import shutil

import pytest
import torch

from encoder import checkpoint
from encoder.checkpoint import CheckpointMismatchError, Meta

WEIGHTS = {"a": torch.arange(4.0), "b": torch.ones(2, 3)}


def meta(step: int, **identity: object) -> Meta:
    return Meta(step, 0, step, 100 * step, 1.5, identity, {"steps": 9}, {"top1": 0.25}, "abc")


def test_what_is_saved_is_loaded(tmp_path):
    state = {"optimizer": {"state": {}, "param_groups": []}, "generator": torch.get_rng_state()}
    folder = checkpoint.save(tmp_path, WEIGHTS, state, meta(3, encoder={"width": 8}), is_best=True)
    assert checkpoint.find(tmp_path) == checkpoint.find(tmp_path, "best") == folder
    read = checkpoint.load(folder, {"encoder": {"width": 8}})
    assert read.meta == meta(3, encoder={"width": 8})
    assert all(torch.equal(read.weights[name], value) for name, value in WEIGHTS.items())
    assert torch.equal(read.state["generator"], state["generator"])
    assert sorted(path.name for path in folder.iterdir()) == ["meta.json", "state.pt", "weights.safetensors"]
    assert json.loads((folder / "meta.json").read_text())["git"] == "abc"


def test_the_best_and_the_latest_stay_and_the_rest_goes(tmp_path):
    for step, is_best in [(1, True), (2, True), (3, False), (4, False)]:
        checkpoint.save(tmp_path, WEIGHTS, {}, meta(step), is_best=is_best)
    assert checkpoint.find(tmp_path).name == "step-00000004"
    assert checkpoint.find(tmp_path, "best").name == "step-00000002"
    assert len(list(tmp_path.glob("*step-*"))) == 2


def test_no_run_has_no_checkpoint(tmp_path):
    assert checkpoint.find(tmp_path / "nowhere") is None


@pytest.mark.parametrize("broken_at", ["save_file", "save"])
def test_a_crash_while_saving_leaves_the_last_checkpoint(tmp_path, monkeypatch, broken_at):
    checkpoint.save(tmp_path, WEIGHTS, {}, meta(1), is_best=True)

    def crash(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(checkpoint if broken_at == "save_file" else torch, broken_at, crash)
    with pytest.raises(OSError, match="disk full"):
        checkpoint.save(tmp_path, WEIGHTS, {}, meta(2), is_best=True)
    monkeypatch.undo()
    assert checkpoint.load(checkpoint.find(tmp_path)).meta.step == 1
    assert not (tmp_path / "step-00000002").exists()
    checkpoint.save(tmp_path, WEIGHTS, {}, meta(2), is_best=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["best", "latest", "step-00000001", "step-00000002"]


def test_every_differing_field_is_named(tmp_path):
    saved = {"encoder": {"width": 8, "layers": 2}, "tokenizer": "aa", "same": [1, 2]}
    folder = checkpoint.save(tmp_path, WEIGHTS, {}, meta(1, **saved), is_best=False)
    wanted = {"encoder": {"width": 16, "layers": 2}, "tokenizer": "bb", "same": (1, 2), "new": 1}
    with pytest.raises(CheckpointMismatchError) as caught:
        checkpoint.load(folder, wanted)
    message = str(caught.value)
    assert "encoder.width is 8 there and 16 here" in message
    assert 'tokenizer is "aa" there and "bb" here' in message
    assert "new is absent there and 1 here" in message
    assert "layers" not in message
    assert "same" not in message


def test_another_format_is_refused(tmp_path):
    folder = checkpoint.save(tmp_path, WEIGHTS, {}, meta(1), is_best=False)
    values = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps(values | {"format": 99}))
    with pytest.raises(ValueError, match="has checkpoint format 99"):
        checkpoint.read_meta(folder)


def test_git_commit_without_a_repository(tmp_path):
    assert checkpoint.git_commit(tmp_path) == "unknown"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_commit_names_the_commit(tmp_path):
    import subprocess

    def git(*command: str) -> None:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *command], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "first")
    clean = checkpoint.git_commit(tmp_path)
    assert len(clean) == 40
    assert int(clean, 16)
    (tmp_path / "file").write_text("one")
    git("add", "file")
    assert checkpoint.git_commit(tmp_path) == clean + "+"
