"""Where posts come from: folders of Markdown and files of JSON lines."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from index.ingest.errors import PostError
from index.ingest.files import markdown_files, printable
from index.ingest.jsonl import is_json_lines, read_json_lines
from index.ingest.markdown import MarkdownReader
from index.ingest.post_file import post_id, read_post
from index.ingest.site import Site, find_site
from index.types import MARKDOWN, BadPost, Post, PostWarning, Skipped, Sourced


class _Found(NamedTuple):
    """Something read: its file, its line or 0, and what is to be said of a post beside."""

    file: str
    line: int
    what: Post | BadPost | Skipped
    warnings: Sequence[str] = ()


def read_posts(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Sourced]:
    """Every post below `paths`, one at a time, and a BadPost with file and reason for each that cannot be read.

    A path is a folder (its Markdown files, in order of their names), a Markdown file, or JSON lines (`.jsonl`,
    `.jsonl.zst`). Drafts come as Skipped; what a post is left without, such as an unreadable date, as a PostWarning
    behind it. Never raises for what it reads: one malformed post does not stop the rest. The second post with an id
    that was there before is a BadPost that names both. Ids are described in `index.ingest.site`.
    """
    ids = _Ids()
    reader = MarkdownReader()
    for path in paths:
        for found in _read_path(Path(path), reader):
            checked = ids.check(found)
            if checked is not None:
                yield checked
            if checked is found.what:
                yield from (PostWarning(_named(found.file, found.line), warning) for warning in found.warnings)


def _read_path(path: Path, reader: MarkdownReader) -> Iterator[_Found]:
    if os.path.isdir(path):
        yield from _read_folder(path, reader)
    elif not os.path.lexists(path):
        yield _bad(path, "no such file or folder")
    elif is_json_lines(path):
        name = printable(path)
        for number, post, warnings in read_json_lines(path):
            yield _Found(name, number, post, warnings)
    elif path.suffix.lower() in MARKDOWN:
        absolute = Path(os.path.abspath(path))
        yield from _read_file(absolute, path, find_site(absolute), reader)
    else:
        yield _bad(path, "neither a folder nor .md, .jsonl or .jsonl.zst")


def _read_folder(folder: Path, reader: MarkdownReader) -> Iterator[_Found]:
    absolute = Path(os.path.abspath(folder))
    site = find_site(absolute)
    empty = True
    for found in markdown_files(absolute, site):
        empty = False
        if isinstance(found, BadPost):
            yield _Found(found.where, 0, found)
        else:
            yield from _read_file(found, folder / found.relative_to(absolute), site, reader)
    if empty:
        yield _bad(folder, "no Markdown files in this folder")


def _read_file(path: Path, shown: Path, site: Site, reader: MarkdownReader) -> Iterator[_Found]:
    warnings: list[str] = []
    try:
        post = read_post(path, site, reader, warnings)
    except PostError as error:
        yield _bad(shown, str(error), error.post_id or _path_id(path, site))
        return
    name = printable(shown)
    yield _Found(name, 0, replace(post, where=name) if isinstance(post, Skipped) else post, warnings)


def _path_id(path: Path, site: Site) -> str | None:
    """The id that a file has whose front matter cannot be read, if it can be one."""
    try:
        return post_id({}, site, path)
    except PostError:
        return None


def _bad(path: Path, reason: str, own_id: str | None = None) -> _Found:
    where = printable(path)
    return _Found(where, 0, BadPost(where, reason, own_id))


class _Ids:
    """The ids met so far: a digest and a place for each rather than the id, so that millions of lines fit in memory."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}
        self._files: dict[str, int] = {}
        self._skipped: set[tuple[str, int]] = set()

    def check(self, found: _Found) -> Post | BadPost | Skipped | None:
        """The post, or what is wrong with its id; None if this very place was read before.

        A bad post holds its id too, but is never reported twice, and has none where another post has it.
        """
        file, line, post, _ = found
        if isinstance(post, Skipped):
            if (file, line) in self._skipped:
                return None
            self._skipped.add((file, line))
            return post
        if post.id is None:
            return post
        digest = hashlib.blake2b(post.id.encode(), digest_size=12).digest()
        place = self._files.setdefault(file, len(self._files)) << 40 | line
        if digest not in self._places:
            self._places[digest] = place
            return post
        first = self._places[digest]
        if first == place:
            return None
        if isinstance(post, BadPost):
            return BadPost(post.where, post.reason)
        return BadPost(_named(file, line), f"the id {post.id!r} is already that of {self._name(first)}")

    def _name(self, place: int) -> str:
        file = next(name for name, number in self._files.items() if number == place >> 40)
        return _named(file, place & (1 << 40) - 1)


def _named(file: str, line: int) -> str:
    return f"{file}:{line}" if line else file
