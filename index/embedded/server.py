"""One PostgreSQL cluster in a folder: set up, started, adopted, stopped."""

import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import psycopg

from index.embedded.binaries import Binaries, find
from index.embedded.home import PORT, account, home, socket_folder
from index.errors import EmbeddedPostgresError
from index.queries import queries

USER = DATABASE = "wenci"
PATIENCE = 60.0
"""Seconds to wait for another program that is starting or stopping the server, and for the server itself."""

SETTINGS: Mapping[str, str] = {
    "listen_addresses": "''",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "60",
    "shared_buffers": "128MB",
    "max_wal_size": "1GB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "random_page_cost": "1.1",
    "jit": "off",
    "log_min_messages": "warning",
    "log_timezone": "'UTC'",
    "timezone": "'UTC'",
}


class Server:
    """The cluster in `<data_dir>/postgres`. Every method is called under the lock of the data folder."""

    def __init__(self, data_dir: Path, settings: Mapping[str, str], programs: Path | None) -> None:
        self._programs = programs
        link = data_dir / "postgres"
        self.account = account(link / "data")
        self.home = home(link, self.account)
        self.cluster = self.home / "data"
        self.log = self.home / "server.log"
        self.sockets = socket_folder(self.home, self.account)
        self.settings = {**settings, "unix_socket_directories": f"'{self.sockets}'"}

    def url(self, database: str = DATABASE) -> str:
        return f"postgresql://{USER}@/{database}?host={quote(str(self.sockets), safe='')}&port={PORT}"

    def ensure_running(self) -> None:
        if not self._answers():
            binaries = self._binaries()
            if _major(self.cluster) is None:
                self._initialise(binaries)
            if not self._wait_while_running():
                self._start(binaries)
        self._create_database()

    def is_running(self) -> bool:
        """Whether the process that the data folder names is alive; it may still be starting."""
        return self._pid() is not None

    def shut_down(self) -> None:
        self._control(self._binaries(), "stop", "-m", "fast")

    def _binaries(self) -> Binaries:
        return find(self.account, self.home / "programs", _major(self.cluster), self._programs)

    def _initialise(self, binaries: Binaries) -> None:
        for leftover in self.home.glob("data.*"):
            shutil.rmtree(leftover)
        careless = ["--no-sync"] if self.settings.get("fsync") == "off" else []
        unfinished = self.home / f"data.{os.getpid()}.{time.monotonic_ns():x}"
        answer = ""
        for locale in _locales(binaries.major):
            result = self.account.run(
                binaries.path("initdb"), "-D", unfinished, "-U", USER, "-E", "UTF8", "--auth=trust", *careless, *locale
            )
            answer = result.stdout.strip()
            if result.returncode == 0:
                break
        else:
            raise EmbeddedPostgresError(f"initdb could not set up {self.cluster}: {answer[-800:]}")
        with (unfinished / "postgresql.conf").open("a", encoding="utf-8") as conf:
            conf.write("\ninclude_if_exists = 'wenci.conf'\n")
        unfinished.rename(self.cluster)

    def _start(self, binaries: Binaries) -> None:
        lines = [f"{name} = {value}\n" for name, value in self.settings.items()]
        conf = self.cluster / "wenci.conf"
        conf.write_text("# Written at every start. To change a setting, use ALTER SYSTEM.\n" + "".join(lines))
        if self.log.exists() and self.log.stat().st_size > 10_000_000:
            self.log.unlink()
        self._control(binaries, "start", "-l", self.log)

    def _control(self, binaries: Binaries, action: str, *options: str | Path) -> None:
        command = [binaries.path("pg_ctl"), action, "-D", self.cluster, "-w", "-t", str(int(PATIENCE)), *options]
        for pause in (0.5, 2.0, 0.0):  # backends of a killed server take a moment to go away
            result = self.account.run(*command, cwd=self.home, timeout=PATIENCE + 30)
            if result.returncode == 0 or self._is_stopped(action):
                return
            time.sleep(pause)
        raise EmbeddedPostgresError(f"PostgreSQL would not {action}: {result.stdout.strip()[-300:]} {self._last_log()}")

    def _is_stopped(self, action: str) -> bool:
        return action == "stop" and self._pid() is None

    def _last_log(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return f"The end of {self.log}: {' | '.join(lines[-4:])}" if lines else ""

    def _wait_while_running(self) -> bool:
        """True when a server runs and answers; waits while one is starting up, recovering or shutting down."""
        deadline = time.monotonic() + PATIENCE
        while self._pid() is not None:
            if self._answers():
                return True
            if time.monotonic() > deadline:
                raise EmbeddedPostgresError(f"PostgreSQL runs but does not answer. {self._last_log()}")
            time.sleep(0.1)
        return False

    def _pid(self) -> int | None:
        """The process that `postmaster.pid` names. A file whose number now belongs to another program is removed."""
        file = self.cluster / "postmaster.pid"
        try:
            pid = int(file.read_text().split("\n", 1)[0])
            os.kill(pid, 0)
        except (OSError, ValueError):
            return None
        command = Path(f"/proc/{pid}/cmdline")
        if command.exists() and b"postgres" not in command.read_bytes():
            file.unlink()
            return None
        return pid

    def _answers(self) -> bool:
        try:
            with psycopg.connect(self.url("postgres"), connect_timeout=5) as conn:
                row = conn.execute("show data_directory").fetchone()
        except psycopg.OperationalError:
            return False
        return row is not None and Path(row[0]) == self.cluster

    def _create_database(self) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True, connect_timeout=10) as conn:
            if conn.execute(queries("embedded.sql")["database_exists"]).fetchone() is None:
                conn.execute(queries("embedded.sql")["create_database"])


def _locales(major: int) -> list[list[str]]:
    """Arguments of initdb, best first: character classes of Unicode where they can be had, always byte order."""
    if major >= 17:
        return [["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]]
    return [["--locale=C.UTF-8"], ["--locale=C"]]


def _major(cluster: Path) -> int | None:
    file = cluster / "PG_VERSION"
    return int(file.read_text()) if file.exists() else None
