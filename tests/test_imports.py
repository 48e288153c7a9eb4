"""Nothing heavy where it is not needed, and no work at import."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "fastapi", "uvicorn", "psycopg", "onnx", "jieba", "markdown_it", "yaml", "tqdm")


def imported(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has after running `code`."""
    script = f"import sys\n{code}\nprint('\\n'.join(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_segment_starts_without_web_database_and_torch() -> None:
    code = "import io\nfrom api.cli import main\nsys.stdout = io.StringIO()\nmain(['segment', '产品和服务'])\n"
    assert imported(code + "sys.stdout = sys.__stdout__").isdisjoint(HEAVY)


def test_the_command_line_itself_is_light() -> None:
    assert imported("from api.cli import build_parser\nbuild_parser()").isdisjoint({*HEAVY, "numpy", "onnxruntime"})


@pytest.mark.parametrize("module", ["api.app", "api.cli", "index.search", "index.generations", "segmenter.analyzer"])
def test_serving_indexing_and_segmenting_know_no_torch(module: str) -> None:
    assert "torch" not in imported(f"import {module}")


@pytest.mark.parametrize("module", ["segmenter.analyzer", "segmenter.types", "encoder"])
def test_the_lower_layers_know_neither_web_nor_database(module: str) -> None:
    assert imported(f"import {module}").isdisjoint({"fastapi", "starlette", "uvicorn", "psycopg", "psycopg_pool"})
