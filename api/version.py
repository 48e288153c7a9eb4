"""The version of the program."""

from __future__ import annotations


def program_version() -> str:
    """The version of the installed distribution."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("wenci")
    except PackageNotFoundError:
        return "0+unknown"
