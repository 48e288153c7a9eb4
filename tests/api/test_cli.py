"""The commands as a person or a script uses them: in processes of their own, against a real database."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from api.cli import main

Run: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]
WENCI = [sys.executable, "-m", "api.cli"]


@pytest.fixture
def environ(database: str, tmp_path: Path) -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("WENCI_")}
    return {**clean, "WENCI_DATABASE_URL": database, "WENCI_DATA_DIR": str(tmp_path), "LC_ALL": "C"}


@pytest.fixture
def wenci(environ: dict[str, str]) -> Run:
    def run(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*WENCI, *arguments],
            capture_output=True,
            encoding="utf-8",
            env=environ,
            timeout=120,
            check=False,
            **options,
        )

    return run


@pytest.fixture
def posts(tmp_path: Path) -> Path:
    file = tmp_path / "posts.jsonl"
    rows = [
        {"id": "a", "title": "产品和服务", "body": "谈谈定价与部署", "tags": ["产品"], "published_at": "2026-01-01"},
        {"id": "b", "title": "京都的和服", "body": "在清水寺拍照"},
    ]
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file


def last_line(text: str) -> str:
    return text.strip().splitlines()[-1]


def test_reindex_search_related(wenci: Run, posts: Path) -> None:
    done = wenci("reindex", str(posts))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("2 posts in the index (2 added)")
    found = json.loads(wenci("search", "和服", "--json").stdout)
    assert found["total"] == 2
    assert [hit["id"] for hit in found["hits"]] == ["b", "a"]
    assert {"id", "title", "snippet", "score", "why"} <= set(found["hits"][0])
    shown = wenci("search", "部署", "--tag", "产品")
    assert "产品和服务" in shown.stdout
    assert "a · 2026-01-01 · 产品" in shown.stdout
    related = json.loads(wenci("related", "a", "--json").stdout)
    assert related["id"] == "a"
    assert "a" not in [post["id"] for post in related["related"]]


def test_reindex_reports_bad_posts_and_takes_the_others(wenci: Run, posts: Path) -> None:
    posts.write_text(posts.read_text(encoding="utf-8") + "{broken\n", encoding="utf-8")
    done = wenci("reindex", str(posts), "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert (report["documents"], report["failed_count"]) == (2, 1)
    assert "posts.jsonl:3" in done.stderr


def test_reindex_says_what_it_left_out_of_posts_and_which_it_skipped(wenci: Run, tmp_path: Path) -> None:
    blog = tmp_path / "blog"
    blog.mkdir()
    (blog / "a.md").write_text("---\ntitle: 五月\ndate: 2024-13-40\n---\n五月的正文", encoding="utf-8")
    (blog / "b.md").write_text("---\ndraft: true\n---\n草稿", encoding="utf-8")
    (blog / "c.md").write_text("---\npassword: 1\n---\n密码", encoding="utf-8")
    done = wenci("reindex", str(blog))
    assert done.stdout.startswith(
        "1 post in the index (1 added, 1 warning, 1 draft skipped, 1 post with a password skipped) in "
    )
    assert done.stderr == f"wenci: {blog / 'a.md'}: date is not a date: '2024-13-40'; indexed without it\n"
    assert done.returncode == 0
    report = json.loads(wenci("reindex", str(blog), "--json").stdout)
    assert (report["unchanged"], report["drafts"], report["protected"], report["warnings_count"]) == (1, 1, 1, 1)
    assert report["warnings"][0]["where"] == str(blog / "a.md")
    assert json.loads(wenci("search", "五月", "--json").stdout)["hits"][0]["published_at"] is None


def test_a_post_that_is_no_longer_public_is_withdrawn_and_the_rest_stays(wenci: Run, tmp_path: Path) -> None:
    blog, lines = tmp_path / "blog", tmp_path / "posts.jsonl"
    blog.mkdir()
    for name in ("a", "b", "c", "d"):
        (blog / f"{name}.md").write_text(f"---\ntitle: {name}\n---\n一样的正文", encoding="utf-8")
    lines.write_text('{"id": "e", "title": "e", "body": "一样的正文"}\n', encoding="utf-8")
    wenci("reindex", str(blog), str(lines))
    for name, front in (("a", "draft: true"), ("b", "password: x"), ("c", "published: false")):
        (blog / f"{name}.md").write_text(f"---\ntitle: {name}\n{front}\n---\n一样的正文", encoding="utf-8")
    done = wenci("reindex", str(blog))
    assert done.stdout.startswith(
        "2 posts in the index (1 unchanged, 1 kept that these PATHs do not name: --prune deletes them, 3 withdrawn, "
        "2 drafts skipped, 1 post with a password skipped) in "
    )
    lines.write_text('{"id": "e", "draft": true}\n', encoding="utf-8")
    report = json.loads(wenci("reindex", str(blog), str(lines), "--json").stdout)
    assert (report["withdrawn"], report["drafts"], report["kept"], report["documents"]) == (1, 3, 0, 1)
    assert [hit["id"] for hit in json.loads(wenci("search", "正文", "--json").stdout)["hits"]] == ["d"]


def test_reindex_says_how_to_get_rid_of_posts_that_it_was_not_given(wenci: Run, posts: Path, tmp_path: Path) -> None:
    (tmp_path / "c.md").write_text("---\ntitle: 三\n---\n三", encoding="utf-8")
    wenci("reindex", str(posts))
    said = "2 kept that these PATHs do not name: --prune deletes them"
    assert f"({said}" not in wenci("reindex").stdout, "no PATH was given"
    assert f"(1 added, {said}) in" in wenci("reindex", str(tmp_path / "c.md")).stdout
    assert "(1 unchanged, 2 removed) in" in wenci("reindex", str(tmp_path / "c.md"), "--prune").stdout


def test_prune_says_why_it_deleted_nothing(wenci: Run, posts: Path, tmp_path: Path) -> None:
    wenci("reindex", str(posts))
    empty, broken = tmp_path / "empty", tmp_path / "broken.jsonl"
    empty.mkdir()
    broken.write_text('{"id": "c", "title": "三", "body": "三"}\n{broken\n{"title": "没有 id"}\n', encoding="utf-8")
    for path, why in [
        (empty, "because it is not known which posts these are or hold: {path}; mend what is named above, or"),
        (broken, "because it is not known which posts these are or hold: {path}:2 and 1 more; mend what is named"),
    ]:
        done = wenci("reindex", str(path), "--prune")
        assert done.returncode == 1
        assert last_line(done.stderr).startswith("wenci: --prune deleted nothing, " + why.format(path=path))
    (empty / "a.md").write_text("---\ndraft: true\n---\n", encoding="utf-8")
    report = json.loads(wenci("reindex", str(empty), "--prune", "--json").stdout)
    assert (report["documents"], report["removed"], report["prune_withheld"]) == (3, 0, True)
    assert report["prune_withheld_reason"].startswith("--prune deleted nothing, because no post could be read")
    assert json.loads(wenci("reindex", str(posts), "--prune", "--json").stdout)["prune_withheld_reason"] is None


def test_a_date_is_the_one_that_the_author_wrote(wenci: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: 元旦\ndate: 2025-01-01 00:00:00 +0800\n---\n新年", encoding="utf-8")
    wenci("reindex", str(tmp_path / "a.md"))
    assert "  a · 2025-01-01\n" in wenci("search", "新年", "--after", "2025-01-01").stdout
    assert wenci("search", "新年", "--before", "2025-01-01").stdout == ""
    assert wenci("search", "新年", "--before", "2024-12-31T16:00:01Z").stdout != ""
    assert "years: 2025 (1)\n" in wenci("facets", "新年").stdout


def test_a_missing_folder_is_not_an_empty_one(wenci: Run, posts: Path) -> None:
    wenci("reindex", str(posts))
    lost = wenci("reindex", str(posts.parent / "nowhere"), "--prune")
    assert lost.returncode == 1
    assert lost.stderr.startswith("wenci: no such file or folder: ")
    assert json.loads(wenci("search", "和服", "--json").stdout)["total"] == 2


def test_reindex_without_a_path_cuts_the_stored_posts_anew(wenci: Run, posts: Path, environ: dict[str, str]) -> None:
    wenci("reindex", str(posts))
    words = posts.parent / "words.txt"
    words.write_text("定价与部署\n", encoding="utf-8")
    environ["WENCI_USER_DICTIONARY"] = str(words)
    assert "fresh index" in wenci("doctor").stdout
    assert wenci("reindex").returncode == 0
    assert "fresh index" not in wenci("doctor").stdout
    assert json.loads(wenci("search", "定价与部署", "--json").stdout)["total"] == 1


def test_segment_one_text(wenci: Run) -> None:
    plain = wenci("segment", "产品和服务")
    assert (plain.stdout, plain.stderr, plain.returncode) == ("产品 和 服务\n", "", 0)
    answer = json.loads(wenci("segment", "产品和服务", "--json", "-g", "search").stdout)
    assert answer["text"] == "产品和服务"
    assert {key: answer["tokens"][0][key] for key in ("text", "start", "end")} == {"text": "产品", "start": 0, "end": 2}


def test_segment_reads_lines_and_keeps_their_number(wenci: Run) -> None:
    lines = "产品和服务\n\n  \n研究生命的起源\r\n没有换行符"
    plain = wenci("segment", input=lines).stdout
    assert plain.count("\n") == 5
    assert plain.splitlines()[0] == "产品 和 服务"
    assert plain.splitlines()[1:3] == ["", ""]
    answers = [json.loads(line) for line in wenci("segment", "--json", input=lines).stdout.splitlines()]
    assert [answer["text"] for answer in answers] == ["产品和服务", "", "  ", "研究生命的起源", "没有换行符"]


def test_segment_names_a_line_that_is_not_text_and_goes_on(environ: dict[str, str]) -> None:
    done = subprocess.run(
        [*WENCI, "segment"], input="和服\n".encode() + b"\xff\n" + "服务\n".encode(), capture_output=True, env=environ
    )
    assert done.stdout.decode() == "和服\n\n服务\n"
    assert done.stderr.decode() == "wenci: line 2: not UTF-8 at byte 1\n"
    assert done.returncode == 1


def test_segment_answers_each_line_when_it_comes(environ: dict[str, str]) -> None:
    with subprocess.Popen(
        [*WENCI, "segment"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", env=environ
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for text in ("产品和服务", "和服"):
            process.stdin.write(text + "\n")
            process.stdin.flush()
            assert process.stdout.readline().replace(" ", "") == text + "\n"
        process.stdin.close()
    assert process.returncode == 0


def test_a_reader_that_leaves_is_no_error(environ: dict[str, str], tmp_path: Path) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text("研究生命的起源\n" * 50_000, encoding="utf-8")
    script = f"set -o pipefail; {sys.executable} -m api.cli segment < {lines} | head -n 1"
    done = subprocess.run(["bash", "-c", script], capture_output=True, encoding="utf-8", env=environ, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.replace(" ", "") == "研究生命的起源\n"


@pytest.mark.parametrize(("closed", "code", "said"), [("1", 1, "wenci: standard output is closed\n"), ("0", 0, "")])
def test_closed_streams(environ: dict[str, str], closed: str, code: int, said: str) -> None:
    command = shlex.join([*WENCI, "segment"]) + (f" {closed}>&-" if closed == "1" else f" {closed}<&-")
    done = subprocess.run(["sh", "-c", command], env=environ, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (code, said)


def _heed_interrupts() -> None:
    """A test run in the background of a shell ignores SIGINT, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupt_is_one_line(environ: dict[str, str]) -> None:
    with subprocess.Popen(
        [*WENCI, "segment"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environ,
        preexec_fn=_heed_interrupts,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("和服\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 1
        assert process.stderr.read() == "wenci: interrupted\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "COMMAND"),
        (["find"], 2, "find"),
        (["search"], 2, "QUERY"),
        (["search", "a", "--limit", "x"], 2, "--limit"),
        (["search", "a", "--before", "soon"], 2, "--before"),
        (["segment", "a", "--granularity", "tiny"], 2, "--granularity"),
        (["segment", "a", "--user-dictionary", "/nowhere"], 2, "WENCI_USER_DICTIONARY"),
        (["segment", "a", "--mode", "magic"], 2, "WENCI_MODE"),
        (["serve", "--port", "x"], 2, "WENCI_PORT"),
        (["related", "nothing"], 1, "nothing"),
        (["reindex", "/nowhere/at/all"], 1, "no such file or folder: /nowhere/at/all"),
        (["reindex", "--prune"], 2, "PATH"),
        (["search", "a", "--database-url", "postgresql://127.0.0.1:1/x?connect_timeout=1"], 1, "PostgreSQL"),
    ],
)
def test_exit_codes(
    environ: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    said: str,
) -> None:
    monkeypatch.setattr(os, "environ", environ)
    try:
        found = main(arguments)
    except SystemExit as ended:
        found = ended.code
    out, err = capfd.readouterr()
    assert found == code, err
    assert said in last_line(err)
    assert out == ""
    if code == 1:
        assert len(err.strip().splitlines()) == 1


def test_migrate_and_doctor(wenci: Run, databases: Any, environ: dict[str, str]) -> None:
    environ["WENCI_DATABASE_URL"] = url = databases.empty()
    before = wenci("doctor")
    assert "to be applied by `wenci migrate`" in before.stdout
    applied = json.loads(wenci("migrate", "--json").stdout)["applied"]
    assert applied[0].startswith("0001_")
    assert wenci("migrate").stdout == "nothing to do\n"
    after = wenci("doctor", "--json")
    assert after.returncode == 0, after.stdout
    findings = {finding["what"]: finding["state"] for finding in json.loads(after.stdout)["findings"]}
    assert findings["database"] == findings["migrations"] == findings["analyzer"] == "ok"
    databases.drop(url)


def test_doctor_fails_without_a_database(wenci: Run) -> None:
    done = wenci("doctor", "--database-url", "postgresql://127.0.0.1:1/x")
    assert done.returncode == 1
    assert "failed  database" in done.stdout


@pytest.mark.parametrize(
    "command", ["serve", "reindex", "search", "segment", "related", "migrate", "doctor", "evaluate"]
)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--help"], [command, "--help"]):
        with pytest.raises(SystemExit, match="0"):
            main(arguments)
        assert command in capsys.readouterr().out


def test_version(wenci: Run) -> None:
    assert wenci("--version").stdout.startswith("wenci ")
