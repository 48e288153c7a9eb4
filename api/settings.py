"""Deployment settings, read from an environment mapping that the caller hands in."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")

MODES = ("auto", "dictionary", "wide", "hybrid")
"""The segmenter's own list, repeated: reading settings must not load the models' modules (a test compares them)."""

DEFAULT_PORT = 8765


class SettingsError(ValueError):
    """A setting cannot be used. The message names the variable."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may ask for. Characters are code points."""

    body_bytes: int = 8_000_000
    text_characters: int = 1_000_000
    batch_texts: int = 1_000
    query_characters: int = 1_000
    page_hits: int = 100
    offset: int = 100_000


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a deployment can choose. `database_url` None means: the embedded PostgreSQL in `data_dir`."""

    data_dir: Path
    database_url: str | None = None
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    port_is_chosen: bool = False
    user_dictionary: Path | None = None
    mode: str | None = None
    sources: tuple[Path, ...] = ()
    write_token: str | None = None
    cors_origins: tuple[str, ...] = ()
    pool_size: int = 8
    analytics: bool = True
    analytics_days: int = 90
    synonyms: Path | None = None
    job_workers: int = 1
    limits: Limits = Limits()

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Settings:
        """Read every `WENCI_…` variable; an empty one counts as unset. Raises SettingsError."""
        read, usual = _Reader(environ), Limits()
        return cls(
            data_dir=read("WENCI_DATA_DIR", _path, None) or default_data_dir(),
            database_url=read("WENCI_DATABASE_URL", _database_url, None),
            host=read("WENCI_HOST", str, "127.0.0.1"),
            port=read("WENCI_PORT", _port, DEFAULT_PORT),
            port_is_chosen=bool(environ.get("WENCI_PORT")),
            user_dictionary=read("WENCI_USER_DICTIONARY", _existing_file, None),
            mode=read("WENCI_MODE", _mode, None),
            sources=read("WENCI_SOURCES", _paths, ()),
            write_token=read("WENCI_WRITE_TOKEN", str, None),
            cors_origins=read("WENCI_CORS_ORIGINS", _origins, ()),
            pool_size=read("WENCI_POOL_SIZE", _positive, 8),
            analytics=read("WENCI_ANALYTICS", _switch, True),
            analytics_days=read("WENCI_ANALYTICS_DAYS", _positive, 90),
            synonyms=read("WENCI_SYNONYMS", _existing_file, None),
            job_workers=read("WENCI_JOB_WORKERS", _not_negative, 1),
            limits=Limits(
                body_bytes=read("WENCI_MAX_BODY_BYTES", _positive, usual.body_bytes),
                text_characters=read("WENCI_MAX_TEXT_CHARACTERS", _positive, usual.text_characters),
                batch_texts=read("WENCI_MAX_BATCH_TEXTS", _positive, usual.batch_texts),
                query_characters=read("WENCI_MAX_QUERY_CHARACTERS", _positive, usual.query_characters),
                page_hits=read("WENCI_MAX_PAGE_HITS", _positive, usual.page_hits),
                offset=read("WENCI_MAX_OFFSET", _positive, usual.offset),
            ),
        )

    @property
    def words_path(self) -> Path:
        """The file with the user's own words: the one chosen, or `words.txt` in the data directory."""
        return self.user_dictionary or self.data_dir / "words.txt"

    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def default_data_dir() -> Path:
    """The platform's user data directory for Wenci."""
    import platformdirs

    return Path(platformdirs.user_data_dir("wenci", appauthor=False))


class _Reader:
    """Reads one variable at a time and names it in every error."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def __call__(self, name: str, parse: Callable[[str], T], default: T | None) -> T:
        value = self._environ.get(name, "").strip()
        if not value:
            return default  # type: ignore[return-value]
        try:
            return parse(value)
        except ValueError as error:
            raise SettingsError(f"{name}: {error}") from None


def _mode(value: str) -> str:
    if value not in MODES:
        raise ValueError(f"expected one of {', '.join(MODES)}, got {value!r}")
    return value


def _positive(value: str) -> int:
    if not (value.isascii() and value.isdigit()) or not 0 < int(value) < 2**31:
        raise ValueError(f"expected a whole number above 0, got {value!r}")
    return int(value)


def _not_negative(value: str) -> int:
    return 0 if value == "0" else _positive(value)


def _switch(value: str) -> bool:
    known = {"on": True, "1": True, "true": True, "off": False, "0": False, "false": False}
    if value.lower() not in known:
        raise ValueError(f"expected on or off, got {value!r}")
    return known[value.lower()]


def _port(value: str) -> int:
    if not (value.isascii() and value.isdigit()) or int(value) > 65535:
        raise ValueError(f"expected a port from 0 to 65535, got {value!r}")
    return int(value)


def _path(value: str) -> Path:
    return Path(value).expanduser().absolute()


def _paths(value: str) -> tuple[Path, ...]:
    return tuple(_path(part) for part in value.split(os.pathsep) if part)


def _existing_file(value: str) -> Path:
    path = _path(value)
    if not path.is_file():
        raise ValueError(f"no such file: {path}")
    return path


def _database_url(value: str) -> str:
    if not value.startswith(("postgresql://", "postgres://")) and "=" not in value:
        raise ValueError("expected postgresql://user@host/database or a libpq connection string")
    return value


def _origins(value: str) -> tuple[str, ...]:
    origins = tuple(part.strip().rstrip("/") for part in value.split(",") if part.strip())
    for origin in origins:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.path:
            raise ValueError(f"expected origins such as https://blog.example, got {origin!r}")
    return origins
