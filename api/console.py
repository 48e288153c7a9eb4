"""How commands speak: results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any


class CommandError(Exception):
    """An expected failure, told in one line; the exit code is 1."""


class UsageError(CommandError):
    """The command or its configuration cannot be used like this; the exit code is 2."""


def emit(text: str) -> None:
    """Write a result line to stdout."""
    sys.stdout.write(text + "\n")


def emit_json(value: Any) -> None:
    """Write one JSON document on one line to stdout."""
    emit(json.dumps(value, ensure_ascii=False))


def note(text: str) -> None:
    """Write a line for people to stderr."""
    print(f"wenci: {text}", file=sys.stderr, flush=True)


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 post`, `2 posts`."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def guarded(run: Callable[[], int]) -> int:
    """Run a command and turn what may go wrong into one line and an exit code."""
    try:
        code = run()
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _silence_stdout()
        return 0
    except KeyboardInterrupt:
        note("interrupted")
        return 1
    except UsageError as error:
        note(one_line(error))
        return 2
    except (CommandError, ValueError, OSError) as error:
        note(one_line(error))
        return 1
    except Exception as error:
        if not is_expected(error) or os.environ.get("WENCI_DEBUG"):
            raise
        note(one_line(error))
        return 1


def is_expected(error: Exception) -> bool:
    """Whether the error belongs to the families that a user can do something about."""
    families = {"psycopg", "psycopg_pool", "index", "segmenter"}
    return any(cls.__module__.split(".")[0] in families for cls in type(error).__mro__)


def one_line(error: BaseException) -> str:
    """The message on one line, a file's name before what is wrong with it; the class name where there is none."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    message = " ".join(str(error).split())
    return message or type(error).__name__


def _silence_stdout() -> None:
    """Nobody reads any more: whatever is still buffered goes to the null device at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
