"""Whose server it is and where it lives: the account that runs it, its folder, and the folder of its socket."""

import hashlib
import os
import pwd
import tempfile
from pathlib import Path

from index.embedded.binaries import Account
from index.errors import EmbeddedPostgresError

PORT = 5432
_SOCKET_PATH_LIMIT = 103
_UNPRIVILEGED = ("postgres", "nobody")
_RELOCATED = Path("/var/lib/wenci")


def account(cluster: Path) -> Account:
    """Oneself; for root the owner of the cluster, or an unprivileged account for a new one."""
    if os.geteuid():
        return Account(os.geteuid(), os.getegid())
    if cluster.exists() and cluster.stat().st_uid:
        owner = cluster.stat()
        return Account(owner.st_uid, owner.st_gid)
    for name in _UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise EmbeddedPostgresError(f"PostgreSQL does not run as root, and there is no user {' or '.join(_UNPRIVILEGED)}.")


def home(link: Path, account: Account) -> Path:
    """The server's folder: `link` itself, or what it points to where the account can not get at the data folder."""
    if not link.exists():
        link.unlink(missing_ok=True)
        if _reaches(account, link.parent):
            link.mkdir(mode=0o700)
        else:
            _RELOCATED.mkdir(mode=0o755, parents=True, exist_ok=True)
            link.symlink_to(tempfile.mkdtemp(prefix="server-", dir=_RELOCATED))
        os.chown(link, account.uid, account.gid)
    return link.resolve()


def _reaches(account: Account, folder: Path) -> bool:
    return account.run("sh", "-c", 'cd "$0"', folder).returncode == 0


def socket_folder(home: Path, account: Account) -> Path:
    """Where the socket lies: in `home`, or in /tmp when that path is too long for a socket."""
    folder = home / "run"
    if len(os.fsencode(folder / f".s.PGSQL.{PORT}.lock")) > _SOCKET_PATH_LIMIT or "'" in str(folder):
        name = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
        folder = Path("/tmp") / f"wenci-{name}"
    if not folder.exists():
        folder.mkdir(mode=0o700)
        os.chown(folder, account.uid, account.gid)
    if folder.is_symlink() or folder.stat().st_uid != account.uid:
        raise EmbeddedPostgresError(f"{folder} belongs to someone else.")
    return folder
