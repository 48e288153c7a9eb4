"""The embedded PostgreSQL: shared, adopted, stopped by its last user; as root and as anyone else; wherever it lies."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from index.db import open_pool
from index.embedded import EmbeddedPostgres, binaries, home
from index.embedded.binaries import Account, find
from index.errors import EmbeddedPostgresError
from tests.index.conftest import DEBIAN_15, FAST

IS_ROOT = os.geteuid() == 0
PROGRAM = """
import sys
from pathlib import Path
from index.embedded import EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1]), settings={"fsync": "off"}).start()
print(server.url, flush=True)
sys.stdin.read()
server.stop()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="wenci-", dir="/tmp"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def embedded(folder: Path, programs: Path | None = None) -> EmbeddedPostgres:
    return EmbeddedPostgres(folder, settings=FAST, programs=programs)


def another_program(folder: Path) -> subprocess.Popen[str]:
    """A process that uses the server until its standard input ends; it has started when this returns."""
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    assert program.stdout.readline().startswith("postgresql://")
    return program


def pid(folder: Path) -> int | None:
    """The server's process, if one runs."""
    try:
        number = int((folder / "postgres/data/postmaster.pid").read_text().split()[0])
        os.kill(number, 0)
    except (OSError, ValueError):
        return None
    return number


def test_it_keeps_its_data_and_stops_when_left(folder: Path) -> None:
    with embedded(folder) as server, psycopg.connect(server.url) as conn:
        conn.execute("create table kept as select '稳词' as word, lower('ÄÖ') as lower")
        first = pid(folder)
    assert first is not None
    assert pid(folder) is None
    with embedded(folder) as server, psycopg.connect(server.url) as conn:
        assert conn.execute("select word, lower from kept").fetchone() == ("稳词", "äö")
        settings = conn.execute(
            "select current_setting('listen_addresses'), current_setting('server_encoding')"
        ).fetchone()
        assert settings == ("", "UTF8")


def test_programs_share_it_and_the_last_one_stops_it(folder: Path) -> None:
    with embedded(folder) as server:
        first = pid(folder)
        other = another_program(folder)
        assert pid(folder) == first
        with embedded(folder) as again:
            assert again.url == server.url
        assert pid(folder) == first
    assert pid(folder) == first
    other.communicate("")
    assert other.returncode == 0
    assert pid(folder) is None


def test_a_server_left_by_a_killed_program_is_adopted(folder: Path) -> None:
    other = another_program(folder)
    first = pid(folder)
    other.kill()
    other.communicate()
    assert pid(folder) == first is not None
    with embedded(folder) as server, psycopg.connect(server.url) as conn:
        assert pid(folder) == first
        assert conn.execute("select 1").fetchone() == (1,)
    assert pid(folder) is None


def test_a_killed_server_starts_again(folder: Path) -> None:
    with EmbeddedPostgres(folder) as server:
        with psycopg.connect(server.url) as conn:
            conn.execute("create table kept as select 1 as n")
        first = pid(folder)
        assert first is not None
        os.kill(first, signal.SIGKILL)
        with EmbeddedPostgres(folder) as again, psycopg.connect(again.url) as conn:
            assert conn.execute("select n from kept").fetchone() == (1,)
            assert pid(folder) not in (None, first)
    assert pid(folder) is None


def test_a_server_that_dies_in_use_is_started_again_for_the_pool(folder: Path) -> None:
    with EmbeddedPostgres(folder) as server, open_pool(server.url, max_size=2) as pool:
        with pool.connection() as conn:
            conn.execute("create table kept as select 1 as n")
        first = pid(folder)
        assert first is not None
        os.kill(first, signal.SIGKILL)
        deadline = time.monotonic() + 60
        while pid(folder) in (None, first) and time.monotonic() < deadline:
            time.sleep(0.1)
        with pool.connection(timeout=60) as conn:
            assert conn.execute("select n from kept").fetchone() == (1,)
    assert pid(folder) is None


def test_a_stale_pid_file_that_names_another_program_is_no_obstacle(folder: Path) -> None:
    with embedded(folder):
        file = folder / "postgres/data/postmaster.pid"
        lines = file.read_text().splitlines()
    file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    shutil.chown(file, file.parent.stat().st_uid, file.parent.stat().st_gid)
    with embedded(folder) as server, psycopg.connect(server.url) as conn:
        assert conn.execute("select 1").fetchone() == (1,)


def test_what_an_interrupted_setup_left_is_no_obstacle(folder: Path) -> None:
    (folder / "postgres/data.123").mkdir(parents=True)
    if IS_ROOT:
        account = home.account(folder / "postgres/data")
        shutil.chown(folder / "postgres", account.uid, account.gid)
    with embedded(folder):
        assert pid(folder) is not None
    assert not (folder / "postgres/data.123").exists()


def test_a_long_path_has_its_socket_elsewhere(folder: Path) -> None:
    deep = folder / "很长的文件夹名字" / ("x" * 90)
    with embedded(deep) as server, psycopg.connect(server.url) as conn:
        assert conn.execute("select 1").fetchone() == (1,)
        sockets = Path(str(conn.info.host))
        assert sockets.parent == Path("/tmp")
        assert sockets.stat().st_mode & 0o077 == 0
    shutil.rmtree(sockets)


def test_the_programs_of_the_system_serve_too(folder: Path) -> None:
    if not DEBIAN_15.exists():
        pytest.skip("PostgreSQL 15 is not installed")
    with embedded(folder, DEBIAN_15) as server, psycopg.connect(server.url) as conn:
        assert conn.info.server_version // 10_000 == 15
        assert conn.execute("select current_setting('lc_collate')").fetchone() in [("C.UTF-8",), ("C",)]
    with embedded(folder) as server, psycopg.connect(server.url) as conn:
        assert conn.info.server_version // 10_000 == 15, "an existing cluster is opened by its own version"


def test_without_any_usable_program_the_error_names_what_was_tried(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "bin").mkdir()
    monkeypatch.setattr(binaries, "_package_folder", lambda: None)
    monkeypatch.setattr(binaries, "_SYSTEM", (f"{folder}/bin",))
    monkeypatch.setenv("PATH", "/nowhere")
    account = Account(os.geteuid(), os.getegid())
    with pytest.raises(EmbeddedPostgresError, match=r"has no postgres, initdb, pg_ctl.*WENCI_DATABASE_URL"):
        find(account, folder)


def test_a_version_that_is_not_there_is_named(folder: Path) -> None:
    (folder / "postgres/data").mkdir(parents=True)
    (folder / "postgres/data/PG_VERSION").write_text("12\n")
    with pytest.raises(EmbeddedPostgresError, match=r"No usable PostgreSQL 12: .*is version 18"):
        embedded(folder).start()


def test_a_server_that_does_not_start_says_why(folder: Path) -> None:
    with pytest.raises(EmbeddedPostgresError, match="shared_buffers"):
        EmbeddedPostgres(folder, settings={**FAST, "shared_buffers": "nonsense"}).start()
    with embedded(folder):
        assert pid(folder) is not None


def test_a_folder_that_cannot_be_made_says_so(folder: Path) -> None:
    (folder / "file").write_text("")
    with pytest.raises(EmbeddedPostgresError, match="could not be started"):
        embedded(folder / "file").start()


def test_before_the_start_there_is_no_address(folder: Path) -> None:
    with pytest.raises(EmbeddedPostgresError, match="not been started"):
        _ = embedded(folder).url


@pytest.mark.skipif(not IS_ROOT, reason="needs root")
def test_root_runs_it_as_someone_else_even_where_only_root_can_go(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The data folder is closed to others, and so is the folder that the package lies in."""
    package = binaries._package_folder()
    assert package is not None
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    (closed / package.name).symlink_to(package)
    (closed / f"{package.name}.libs").symlink_to(package.with_name(f"{package.name}.libs"))
    monkeypatch.setattr(binaries, "_package_folder", lambda: closed / package.name)
    monkeypatch.setattr(home, "_RELOCATED", folder / "relocated")
    with embedded(closed / "data") as server, psycopg.connect(server.url) as conn:
        (data,) = conn.execute("show data_directory").fetchone() or ("",)
        assert data.startswith(str(folder / "relocated"))
        owner = Path(f"/proc/{pid(closed / 'data')}").stat().st_uid
        assert owner not in (0,)
        assert Path(f"/proc/{pid(closed / 'data')}/exe").resolve().is_relative_to(folder / "relocated")


@pytest.mark.skipif(not IS_ROOT, reason="needs root to become someone else")
def test_an_ordinary_user_runs_it_as_himself(folder: Path) -> None:
    nobody = home.account(folder / "none")
    shutil.chown(folder, nobody.uid, nobody.gid)
    with embedded(folder / "before"):
        pass  # everything is imported: the child may not be allowed to read the standard library
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setgid(nobody.gid)
            os.setuid(nobody.uid)
            with embedded(folder / "data") as server, psycopg.connect(server.url) as conn:
                status = 0 if conn.execute("select 42").fetchone() == (42,) else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert (folder / "data/postgres/data").stat().st_uid == nobody.uid
    assert pid(folder / "data") is None
