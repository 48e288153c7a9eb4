"""The examples of both READMEs, run in order against a live server; what they show must be what they print.

A `console` block holds commands after `$ ` and their output; `...` in it stands for anything. `python` blocks are
executed. With `python -m tests.test_readme FILE` the outputs of FILE are written anew.
"""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
READMES = ["README.md", "README.zh.md"]
PORT = "8765"


@dataclass(frozen=True)
class Example:
    """A command, what the README shows below it, and where."""

    command: str
    shown: str
    line: int


def blocks(text: str, language: str) -> Iterator[tuple[int, str]]:
    """The line and the content of each fenced block of a language."""
    for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield text.count("\n", 0, match.start(1)) + 1, match[1]


def examples(text: str) -> list[Example]:
    """Every command of the console blocks in order."""
    found = []
    for line, block in blocks(text, "console"):
        for match in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            found.append(Example(match[1], match[2], line + block.count("\n", 0, match.start())))
    return found


@contextmanager
def live(database: str, folder: Path) -> Iterator[dict[str, str]]:
    """A running server on a free port, and the environment in which the commands reach it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    environ = {key: value for key, value in os.environ.items() if not key.startswith("WENCI_")}
    environ |= {"WENCI_DATABASE_URL": database, "WENCI_DATA_DIR": str(folder), "TEST_PORT": port}
    environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environ["PATH"]])
    command = [sys.executable, "-m", "api.cli", "serve", "--port", port]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environ, encoding="utf-8", cwd=ROOT) as server:
        try:
            assert server.stdout is not None
            assert "answers at" in server.stdout.readline()
            yield environ
        finally:
            server.terminate()


def run(example: Example, environ: dict[str, str]) -> str:
    """What the command prints, as the README would show it."""
    command = example.command.replace(f"localhost:{PORT}", f"localhost:{environ['TEST_PORT']}")
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, encoding="utf-8", env=environ, cwd=ROOT, timeout=120, check=False
    )
    output = done.stdout if done.returncode == 0 else done.stdout + done.stderr
    return output if not output or output.endswith("\n") else output + "\n"


def fits(shown: str, printed: str) -> bool:
    """Whether the output is the one shown, `...` standing for anything."""
    pattern = ".*".join(re.escape(part) for part in shown.split("..."))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


def without_trailing_space(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


@pytest.mark.parametrize("name", READMES)
def test_examples_print_what_the_readme_shows(name: str, database: str, tmp_path: Path) -> None:
    found = examples((ROOT / name).read_text(encoding="utf-8"))
    assert len(found) >= 8
    with live(database, tmp_path) as environ:
        for example in found:
            printed = without_trailing_space(run(example, environ))
            assert fits(example.shown, printed), f"{name}:{example.line}: {example.command}\n{printed}"


@pytest.mark.parametrize("name", READMES)
def test_python_examples_run(name: str) -> None:
    found = list(blocks((ROOT / name).read_text(encoding="utf-8"), "python"))
    assert found
    for _, code in found:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=False)
        assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("name", READMES)
def test_the_configuration_is_complete(name: str) -> None:
    named = set(re.findall(r"WENCI_[A-Z_]+", (ROOT / "api" / "settings.py").read_text(encoding="utf-8")))
    described = set(re.findall(r"`(WENCI_[A-Z_]+)`", (ROOT / name).read_text(encoding="utf-8")))
    assert named <= described


def test_both_readmes_have_the_same_examples() -> None:
    first, second = ([one.command for one in examples((ROOT / name).read_text(encoding="utf-8"))] for name in READMES)
    assert first == second


def test_every_linked_file_exists() -> None:
    for name in READMES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / name).read_text(encoding="utf-8")):
            assert (ROOT / target).exists(), f"{name}: {target}"


def rewrite(names: Sequence[str], database: str, folder: Path) -> None:
    """Put what the commands print now below them; a shown `...` has to be put back by hand."""
    for name in names:
        text = (ROOT / name).read_text(encoding="utf-8")
        with live(database, folder) as environ:
            for example in examples(text):
                printed = without_trailing_space(run(example, environ))
                text = text.replace(f"$ {example.command}\n{example.shown}", f"$ {example.command}\n{printed}", 1)
        (ROOT / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    rewrite(sys.argv[1:], os.environ["WENCI_DATABASE_URL"], Path(os.environ["WENCI_DATA_DIR"]))
