"""Finding and decoding the files of a folder, in an order that depends on their names alone."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from index.ingest.errors import PostError
from index.ingest.site import Site
from index.types import MARKDOWN, BadPost

MAX_BYTES = 64 * 1024 * 1024

_DECLARED = re.compile(
    rb"(?:charset|coding|encoding)[ \t]*[=:][ \t]*[\"']?(gb18030|gbk|gb2312|big5|utf-16)\b", re.IGNORECASE
)
_HEAD = 1024


def markdown_files(folder: Path, site: Site) -> Iterator[Path | BadPost]:
    """The Markdown files below `folder`, sorted by name; folders that cannot be listed come as BadPost.

    Links to folders are followed once, and never into what is walked anyway, so loops end.
    """
    seen = {os.path.realpath(folder)}
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        try:
            entries = sorted(os.scandir(current), key=lambda entry: entry.name)
        except OSError as error:
            yield BadPost(printable(current), f"folder cannot be read: {error.strerror}")
            continue
        folders = []
        for entry in entries:
            path = current / entry.name
            if _is_folder(entry):
                if not site.skips_folder(path) and _is_new(entry, folder, seen):
                    folders.append(path)
            elif path.suffix.lower() in MARKDOWN and not site.skips_file(path):
                yield path
        waiting.extend(reversed(folders))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_new(entry: os.DirEntry[str], top: Path, seen: set[str]) -> bool:
    real = os.path.realpath(entry.path)
    if entry.is_symlink() and Path(real).is_relative_to(os.path.realpath(top)):
        return False
    if real in seen:
        return False
    seen.add(real)
    return True


def read_text(path: Path) -> str:
    """The text of a regular file, line ends as `\\n`, without byte order mark and NUL; PostError if it is not text."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise PostError("not a regular file")
        if status.st_size > MAX_BYTES:
            raise PostError(f"file is larger than {MAX_BYTES // 1024 // 1024} MB")
        data = path.read_bytes()
    except OSError as error:
        raise PostError(f"file cannot be read: {error.strerror or error}") from error
    text = decode(data)
    if text.count("\x00") * 20 > len(text):
        raise PostError("file is binary: too many NUL characters")
    return text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")


def decode(data: bytes) -> str:
    """Bytes as UTF-8, UTF-16 by its mark, or an encoding declared in the head of the file; PostError with a hint."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _decode_as(data, "utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        declared = _DECLARED.search(data[:_HEAD])
        if declared is not None:
            name = declared.group(1).decode("ascii").lower()
            return _decode_as(data, "gb18030" if name.startswith("gb") else name)
        raise PostError(_not_utf8(data, error)) from error


def _decode_as(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise PostError(f"file is declared as {encoding} but is not ({error.reason} at byte {error.start})") from error


def _not_utf8(data: bytes, error: UnicodeDecodeError) -> str:
    line = data.count(b"\n", 0, error.start) + 1
    fact = f"not UTF-8: byte 0x{data[error.start]:02x} in line {line}"
    for encoding, name in (("gb18030", "GB18030"), ("big5", "BIG5")):
        try:
            data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return f"{fact}; it may be {name}: convert it with iconv -f {name} -t UTF-8"
    return f"{fact}; the file is damaged or in another encoding"


def printable(path: object) -> str:
    """A path as text that can be printed and stored, whatever bytes its name has."""
    return os.fsencode(str(path)).decode("utf-8", "backslashreplace").replace("\x00", "\\0")
