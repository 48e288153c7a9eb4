"""The built wheel holds what the program needs, and works from a folder of its own."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("encoder", "segmenter", "index", "api", "migrations")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = folder.glob("wenci-*.whl")
    return built


def tracked_data() -> set[str]:
    """Every file of the packages that is not Python, as it is committed."""
    listed = subprocess.run(
        ["git", "ls-files", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\n")
    return {name for name in listed if name and (ROOT / name).is_file()}


def test_the_wheel_has_every_file_of_the_packages(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    missing = tracked_data() - held
    assert not missing
    suffixes = {Path(name).suffix for name in held}
    assert {".sql", ".html", ".css", ".js", ".npz", ".py"} <= suffixes
    assert any(name.startswith("migrations/0001_") for name in held)
    assert any(name.endswith("licenses/NOTICE") for name in held)
    assert not any(name.split("/")[0] in {"tests", "bench", "docs"} for name in held)


def test_the_wheel_segments_and_serves_from_elsewhere(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    environ = {**os.environ, "PYTHONPATH": str(target), "PYTHONSAFEPATH": "1"}
    script = "import api.cli, sys; assert 'site' in api.cli.__file__, api.cli.__file__; sys.exit(api.cli.main())"
    run = [sys.executable, "-c", script]
    done = subprocess.run(
        [*run, "segment", "产品和服务", "--json"], capture_output=True, encoding="utf-8", env=environ, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert [token["text"] for token in json.loads(done.stdout)["tokens"]] == ["产品", "和", "服务"]
    look = (
        "from index.migrate import available; from api.pages import WEB; "
        "print(len(available()), (WEB / 'index.html').is_file())"
    )
    listed = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, env=environ, cwd=tmp_path)
    number, has_page = listed.stdout.split()
    assert int(number) >= 1
    assert has_page == "True"
