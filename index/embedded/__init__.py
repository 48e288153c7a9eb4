"""A PostgreSQL of the program's own: set up in a folder, reached over a Unix socket, shared by all that use it.

    with EmbeddedPostgres(folder) as server, open_pool(server.url) as pool:
        ...

The first user starts the server and the last one stops it. A server that a killed program left running is adopted.
One that dies while it is in use (killed, out of memory, a full disk) is started again as soon as that works.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import SubprocessError
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING

import psycopg

from index.errors import EmbeddedPostgresError

if TYPE_CHECKING:
    from index.embedded.lease import Lease
    from index.embedded.server import Server


WATCH = 1.0
"""Seconds between two looks at whether the server still runs."""
LONGEST_PAUSE = 30.0
"""Seconds between two attempts to start a server that does not start."""


class EmbeddedPostgres:
    """The server of one data folder. `url` is valid while it is entered; `start` and `stop` do the same by hand.

    `settings` are lines of postgresql.conf beside the usual ones. `programs` is a folder with `postgres`, `initdb` and
    `pg_ctl` to use instead of the ones that are found.
    """

    def __init__(
        self, data_dir: Path, *, settings: Mapping[str, str] | None = None, programs: Path | None = None
    ) -> None:
        self.data_dir = data_dir.expanduser().absolute()
        self._programs = programs
        self._settings = settings or {}
        self._lease: Lease | None = None
        self._server: Server | None = None
        self._stopping = Event()
        self._watcher: Thread | None = None

    @property
    def url(self) -> str:
        """Where to connect. Raises `EmbeddedPostgresError` before `start`."""
        if self._server is None:
            raise EmbeddedPostgresError("The embedded PostgreSQL has not been started.")
        return self._server.url()

    def start(self) -> "EmbeddedPostgres":
        """Set up what is missing, start the server or adopt the running one. Raises `EmbeddedPostgresError`."""
        if sys.platform == "win32":
            raise EmbeddedPostgresError("The embedded PostgreSQL needs Unix sockets. Set WENCI_DATABASE_URL instead.")
        from index.embedded.lease import Lease, exclusive  # not importable on Windows
        from index.embedded.server import PATIENCE, SETTINGS, Server

        try:
            self.data_dir.mkdir(parents=True, exist_ok=True)
            with exclusive(self.data_dir / "postgres.lock", PATIENCE):
                server = Server(self.data_dir, {**SETTINGS, **self._settings}, self._programs)
                lease = Lease(self.data_dir / "postgres.users")
                try:
                    server.ensure_running()
                except BaseException:
                    lease.release()
                    raise
        except (OSError, SubprocessError, psycopg.Error) as error:
            raise EmbeddedPostgresError(f"The embedded PostgreSQL could not be started: {error}") from error
        self._lease, self._server = lease, server
        self._stopping.clear()
        self._watcher = Thread(target=self._watch, args=(server,), name="wenci-postgres-watch", daemon=True)
        self._watcher.start()
        return self

    def _watch(self, server: "Server") -> None:
        """Start the server again whenever it is gone; ever slower while it does not start."""
        from index.embedded.lease import exclusive
        from index.embedded.server import PATIENCE

        pause = WATCH
        while not self._stopping.wait(pause):
            if server.is_running():
                pause = WATCH
                continue
            pause = min(2 * pause, LONGEST_PAUSE)
            try:
                with exclusive(self.data_dir / "postgres.lock", PATIENCE):
                    if not self._stopping.is_set():
                        server.ensure_running()
            except (EmbeddedPostgresError, OSError, SubprocessError, psycopg.Error):
                continue

    def stop(self) -> None:
        """Stop using the server, and shut it down unless another program uses it. Does nothing before `start`."""
        from index.embedded.lease import exclusive
        from index.embedded.server import PATIENCE

        if self._lease is None or self._server is None:
            return
        lease, server, self._lease, self._server = self._lease, self._server, None, None
        self._stopping.set()
        if self._watcher is not None:
            self._watcher.join()
            self._watcher = None
        with exclusive(self.data_dir / "postgres.lock", PATIENCE):
            if lease.release():
                server.shut_down()

    def __enter__(self) -> "EmbeddedPostgres":
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
