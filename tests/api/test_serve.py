"""`wenci serve` as a process: where it listens, what it says, how it ends."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from api.cli_serve import address, listen
from api.console import CommandError
from api.settings import Settings


@pytest.fixture
def environ(database: str, tmp_path: Path) -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("WENCI_")}
    return {**clean, "WENCI_DATABASE_URL": database, "WENCI_DATA_DIR": str(tmp_path)}


@contextmanager
def serving(environ: dict[str, str], *arguments: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The process and the address that it printed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "api.cli", "serve", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environ,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + (process.stderr.read() if process.stderr else "")
        yield process, found[0]
    finally:
        process.kill()
        process.communicate(timeout=30)


def get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.loads(answer.read())


def write_post(folder: Path) -> Path:
    folder.mkdir()
    (folder / "hello.md").write_text("---\ntitle: 你好\n---\n第一篇文章\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_indexes_answers_and_ends_clean(environ: dict[str, str], tmp_path: Path, ending: signal.Signals) -> None:
    folder = write_post(tmp_path / "blog")
    with serving(environ, "--port", "0", "--with", str(folder)) as (process, url):
        found = get(f"{url}v1/search?q=%E6%96%87%E7%AB%A0")
        assert isinstance(found, dict)
        assert found["total"] == 1
        process.send_signal(ending)
        assert process.wait(30) == 0
        assert process.stderr is not None
        said = process.stderr.read()
        assert "1 added" in said
        assert "Traceback" not in said


def test_an_embedded_server_is_started_and_stopped(environ: dict[str, str], tmp_path: Path) -> None:
    del environ["WENCI_DATABASE_URL"]
    folder = write_post(tmp_path / "blog")
    with serving(environ, "--port", "0", "--with", str(folder)) as (process, url):
        beside = subprocess.run(
            [sys.executable, "-m", "api.cli", "search", "文章", "--json"], capture_output=True, env=environ, check=False
        )
        assert json.loads(beside.stdout)["total"] == 1, beside.stderr
        assert isinstance(get(f"{url}readyz"), dict), "the server goes on when a command beside it ends"
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert not list(tmp_path.rglob("postmaster.pid"))


def test_examples_stay_out_of_an_index_with_other_posts(environ: dict[str, str], tmp_path: Path) -> None:
    examples = write_post(tmp_path / "examples")
    served = ("--port", "0", "--examples", str(examples))
    for added in ("1 added", "1 unchanged"):  # an index of examples alone takes them up again
        with serving(environ, *served) as (process, url):
            assert total(url) == 1
            process.terminate()
            assert added in process.communicate(timeout=30)[1]
    own = tmp_path / "own.jsonl"
    own.write_text('{"id": "own", "title": "自己的文章", "body": "文章"}\n', encoding="utf-8")
    subprocess.run([sys.executable, "-m", "api.cli", "reindex", str(own), "--prune"], env=environ, check=True)
    with serving(environ, *served) as (process, url):
        assert total(url) == 1
        process.terminate()
        assert "posts of your own, so the examples are left as they are" in process.communicate(timeout=30)[1]


def test_examples_never_come_back_by_a_reindex_nor_over_a_post_of_ones_own(
    environ: dict[str, str], tmp_path: Path
) -> None:
    """Pruned examples stay away, and a post with the id of an example is one's own."""
    examples = write_post(tmp_path / "examples")
    own = tmp_path / "own.jsonl"
    own.write_text('{"id": "hello", "title": "自己的文章", "body": "文章"}\n', encoding="utf-8")
    served = ("--port", "0", "--examples", str(examples))
    with serving(environ, *served) as (process, url):
        subprocess.run([sys.executable, "-m", "api.cli", "reindex", str(own), "--prune"], env=environ, check=True)
        address = url.rstrip("/") + post(f"{url}v1/reindex")
        while (job := get(address))["state"] in ("queued", "running"):
            time.sleep(0.05)
        assert (job["state"], job["report"]["added"], job["report"]["changed"]) == ("done", 0, 0), job
        assert get(f"{url}v1/posts/hello")["title"] == "自己的文章"
        refused = urllib.request.Request(f"{url}v1/reindex", json.dumps({"paths": [str(examples)]}).encode())
        refused.add_header("Content-Type", "application/json")
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(refused, timeout=30)
        process.terminate()
    with serving(environ, *served) as (process, url):
        assert get(f"{url}v1/posts/hello")["title"] == "自己的文章"
        process.terminate()
        assert "posts of your own, so the examples are left as they are" in process.communicate(timeout=30)[1]


def test_examples_stay_out_where_posts_are_indexed_first(environ: dict[str, str], tmp_path: Path) -> None:
    examples = write_post(tmp_path / "examples")
    own = tmp_path / "own.jsonl"
    own.write_text('{"id": "own", "title": "自己的文章", "body": "文章"}\n', encoding="utf-8")
    with serving(environ, "--port", "0", "--with", str(own), "--examples", str(examples)) as (process, url):
        assert total(url) == 1
        assert get(f"{url}v1/posts/own")["title"] == "自己的文章"
        process.terminate()


def post(url: str) -> str:
    """The address of what a POST started."""
    with urllib.request.urlopen(urllib.request.Request(url, b""), timeout=30) as answer:
        return str(answer.headers["location"])


def total(url: str) -> object:
    found = get(f"{url}v1/search?q=%E6%96%87%E7%AB%A0")
    assert isinstance(found, dict)
    return found["total"]


def busy() -> socket.socket:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener


def test_a_chosen_port_that_is_taken_is_an_error_with_a_way_out() -> None:
    with busy() as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=rf"port {port} is taken; \d+ is free: --port \d+"):
            listen(Settings.from_env({"WENCI_PORT": str(port)}))


def test_the_default_port_gives_way_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with busy() as taken:
        port = taken.getsockname()[1]
        settings = Settings(data_dir=Path("/nowhere"), port=port)
        with listen(settings) as listener:
            used = listener.getsockname()[1]
            assert port < used < port + 50
            assert address(listener) == f"http://127.0.0.1:{used}/"
    assert f"port {port} is taken, using {used}" in capsys.readouterr().err


def test_an_address_of_another_machine_is_an_error() -> None:
    with pytest.raises(CommandError, match=r"cannot listen on 192\.0\.2\.1"):
        listen(Settings.from_env({"WENCI_HOST": "192.0.2.1", "WENCI_PORT": "0"}))
