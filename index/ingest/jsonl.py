"""Posts as JSON lines, plain or compressed with zstd, one line at a time."""

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import zstandard

from index.ingest import fields as read
from index.ingest.errors import PostError
from index.ingest.files import printable
from index.ingest.site import check_id
from index.types import BadPost, Post, Skipped

MAX_LINE = 64 * 1024 * 1024
_CHUNK = 1 << 20
_PUBLISHED = ("published_at", "date")
_UPDATED = ("updated_at", "updated")


def is_json_lines(path: Path) -> bool:
    """Whether the name says that the file holds JSON lines."""
    return path.name.lower().endswith((".jsonl", ".jsonl.zst", ".ndjson", ".ndjson.zst"))


def read_json_lines(path: Path) -> Iterator[tuple[int, Post | BadPost | Skipped, list[str]]]:
    """Each line that is not blank with its number: a post, or `file:line` and the reason why it is none; and warnings.

    A line with `draft`, `published: false` or `password` is skipped like a file with such front matter. Bodies are
    taken as plain text. Memory holds one line, of at most 64 MB; a longer one is reported and skipped.
    """
    name = printable(path)
    number = 0
    try:
        with _open(path) as stream:
            for number, line in enumerate(_lines(stream), start=1):
                if line is None or line.strip():
                    warnings: list[str] = []
                    yield number, _read_line(line, name, number, warnings), warnings
    except (OSError, EOFError, zstandard.ZstdError) as error:
        reason = getattr(error, "strerror", None) or error
        yield number + 1, BadPost(f"{name}:{number + 1}", f"the file cannot be read from here on: {reason}"), []


def _open(path: Path) -> BinaryIO:
    file = path.open("rb")
    if path.suffix.lower() != ".zst":
        return file
    reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=True)
    return io.BufferedReader(reader, _CHUNK)


def _lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Lines without their ends; None for one that is too long."""
    while line := stream.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE or line.endswith(b"\n"):
            yield line
            continue
        while (rest := stream.readline(_CHUNK)) and not rest.endswith(b"\n"):
            pass
        yield None


def _read_line(line: bytes | None, name: str, number: int, warnings: list[str]) -> Post | BadPost | Skipped:
    where = f"{name}:{number}"
    try:
        if line is None:
            raise PostError(f"line is longer than {MAX_LINE // 1024 // 1024} MB")
        data = _parse(line, number)
        own_id = check_id(_id(data))
    except PostError as error:
        return BadPost(where, str(error))
    try:
        why = read.kept_back(data, read.Calendar())
        if why is not None:
            return Skipped(where, why, own_id, Path(name).name)
        return _post(own_id, data, Path(name).name, warnings)
    except PostError as error:
        return BadPost(where, str(error), own_id)


def _parse(line: bytes, number: int) -> Mapping[str, object]:
    try:
        data = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError as error:
        raise PostError(f"not UTF-8: byte 0x{line[error.start]:02x} at {error.start}") from error
    except json.JSONDecodeError as error:
        raise PostError(f"not valid JSON: {error.msg} at character {error.pos + 1}") from error
    except (RecursionError, ValueError) as error:
        raise PostError(f"not usable JSON: {str(error).splitlines()[0]}") from error
    if not isinstance(data, dict):
        raise PostError("the line is not a JSON object")
    return data


def _post(own_id: str, data: Mapping[str, object], file: str, warnings: list[str]) -> Post:
    excerpt = {"excerpt": _text(data, "excerpt")} if data.get("excerpt") else {}
    return Post(
        id=own_id,
        title=_text(data, "title").strip(),
        body=_text(data, "body"),
        tags=tuple(read.names_field(data.get("tags"), "tags")),
        categories=tuple(read.names_field(data.get("categories"), "categories")),
        url=read.text_field(data, "url"),
        published_at=read.first_date(data, _PUBLISHED, read.Calendar(), warnings),
        updated_at=read.first_date(data, _UPDATED, read.Calendar(), warnings),
        extra={"path": file, **excerpt},
    )


def _id(data: Mapping[str, object]) -> str:
    value = data.get("id")
    if value is None:
        raise PostError("id is missing")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise PostError(f"id must be text or a whole number, not {read.shown(value)}")
    return read.clean_text(value, "id")


def _text(data: Mapping[str, object], name: str) -> str:
    value = data.get(name)
    if value is None:
        raise PostError(f"{name} is missing")
    if not isinstance(value, str):
        raise PostError(f"{name} must be text, not {read.shown(value)}")
    return read.clean_text(value, name)
