"""Which programs use the embedded server, told by file locks: the kernel releases them however a program ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from index.errors import EmbeddedPostgresError


@contextmanager
def exclusive(path: Path, timeout: float) -> Iterator[None]:
    """Hold the lock file; one program at a time is inside. Raises `EmbeddedPostgresError` after `timeout` seconds."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + timeout
        while not _lock(descriptor):
            if time.monotonic() > deadline:
                raise EmbeddedPostgresError(f"Another program has held {path} for {timeout:.0f} seconds.")
            time.sleep(0.05)
        yield
    finally:
        os.close(descriptor)


class Lease:
    """One user of the server: a locked file in `folder` for as long as it lives."""

    def __init__(self, folder: Path) -> None:
        """Become a user. Call it inside `exclusive`, as with the other methods."""
        self.folder = folder
        folder.mkdir(mode=0o700, exist_ok=True)
        self.path = folder / f"{os.getpid()}-{time.monotonic_ns():x}"
        self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        _lock(self._descriptor)

    def release(self) -> bool:
        """Stop being a user; true if there is no other one. Files of programs that died are removed."""
        self.path.unlink(missing_ok=True)
        os.close(self._descriptor)
        held = [path for path in self.folder.iterdir() if _is_held(path)]  # look at each: stale files go
        return not held


def _is_held(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        if not _lock(descriptor):
            return True
        path.unlink(missing_ok=True)
        return False
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
