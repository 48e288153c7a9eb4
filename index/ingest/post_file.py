"""One Markdown file as one post."""

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Literal

from index.ingest import fields as read
from index.ingest.errors import PostError
from index.ingest.files import printable, read_text
from index.ingest.front_matter import split_front_matter
from index.ingest.links import post_url
from index.ingest.markdown import MarkdownReader, MarkdownText
from index.ingest.site import DATED_NAME, Generator, Site, check_id, generator_of
from index.types import Post, Skipped

_PUBLISHED = ("date", "published_at", "publishdate", "pubdate", "created", "created_at", "published")
_UPDATED = ("updated", "lastmod", "last_modified_at", "modified", "updated_at")
_EXCERPTS = ("excerpt", "summary", "description")
_WORD_BREAKS = re.compile(r"[-_]+")


def read_post(path: Path, site: Site, reader: MarkdownReader, warnings: list[str]) -> Post | Skipped:
    """The post in `path`. Raises PostError with the reason why there is none; what it is left without is a warning.

    A date in the future makes no draft: whether a post is shown already is for the site to say.
    """
    front, body = split_front_matter(read_text(path))
    why = skipped_as(front, site, path)
    if why is not None:
        return _skipped(why, front, site, path)
    own_id = post_id(front, site, path)
    try:
        return _build(own_id, front, reader.read(body), site, path, warnings)
    except PostError as error:
        raise PostError(str(error), own_id) from error


def _build(
    own_id: str, front: Mapping[str, object], text: MarkdownText, site: Site, path: Path, warnings: list[str]
) -> Post:
    generator = generator_of(site, path)
    published = _published(front, site, path, warnings)
    is_article = "_posts" in path.relative_to(site.root).parts
    if not front and not text.text:
        raise PostError("file is empty")
    return Post(
        id=own_id,
        title=_title(front, text, site, path, generator),
        body=text.text,
        tags=tuple(_tags(front, generator)),
        categories=tuple(_categories(front, site, path, generator)),
        url=post_url(front, site, site.parts(path), is_article, published),
        published_at=published,
        updated_at=read.first_date(front, _UPDATED, site.calendar, warnings),
        extra=_extra(front, text, site, path),
    )


def skipped_as(front: Mapping[str, object], site: Site, path: Path) -> Literal["draft", "password"] | None:
    """What keeps the post from being found; a file in a `_drafts` folder is a draft."""
    return read.kept_back(front, site.calendar, among_drafts=_is_among_drafts(site, path))


def _skipped(why: Literal["draft", "password"], front: Mapping[str, object], site: Site, path: Path) -> Skipped:
    undated = _is_among_drafts(site, path) and not DATED_NAME.fullmatch(path.stem) and not {"id", "slug"} & set(front)
    return Skipped(printable(path), why, _possible_id(front, site, path), _path(site, path), undated)


def _is_among_drafts(site: Site, path: Path) -> bool:
    return "_drafts" in path.relative_to(site.root).parts[:-1]


def _possible_id(front: Mapping[str, object], site: Site, path: Path) -> str | None:
    try:
        return post_id(front, site, path)
    except PostError:
        return None


def post_id(front: Mapping[str, object], site: Site, path: Path) -> str:
    """The id as described in `index.ingest.site`."""
    own = read.text_field(front, "id")
    if own is not None:
        return check_id(own)
    parts = site.parts(path)
    slug = read.text_field(front, "slug")
    return check_id("/".join((*parts[:-1], slug.strip("/")) if slug else parts))


def _title(front: Mapping[str, object], text: MarkdownText, site: Site, path: Path, generator: Generator) -> str:
    title = read.text_field(front, "title") or text.heading
    if title is not None:
        return " ".join(title.split())
    name = site.parts(path)[-1]
    dated = DATED_NAME.fullmatch(name)
    return _WORD_BREAKS.sub(" ", dated.group(2) if dated else name).strip() or name


def _published(front: Mapping[str, object], site: Site, path: Path, warnings: list[str]) -> datetime | None:
    """The date of the front matter, or else that of a name such as `2024-05-01-title.md`."""
    names = _PUBLISHED if read.is_date(front.get("published"), site.calendar) else _PUBLISHED[:-1]
    given = read.first_date(front, names, site.calendar, warnings)
    dated = DATED_NAME.fullmatch(site.parts(path)[-1])
    if given is not None or dated is None:
        return given
    try:
        return read.read_date(dated.group(1), "date", site.calendar)
    except PostError:
        return None


def _tags(front: Mapping[str, object], generator: Generator) -> list[str]:
    both = [name for name in ("tags", "tag") if front.get(name) is not None]
    return read.names_field(front[both[0]], both[0], split_spaces=generator == "jekyll") if both else []


def _categories(front: Mapping[str, object], site: Site, path: Path, generator: Generator) -> list[str]:
    """Names of categories. A Hexo list is one path of nested categories (`A/B`), a list of lists several of them."""
    if front.get("categories") is None:
        own = read.names_field(front.get("category"), "category")
    elif generator == "hexo":
        own = _nested(front["categories"])
    else:
        own = read.names_field(front["categories"], "categories", split_spaces=generator == "jekyll")
    return list(dict.fromkeys([*_folder_categories(site, path, generator), *own]))


def _nested(value: object) -> list[str]:
    if isinstance(value, str):
        return read.names_field(value, "categories")
    rows = value if isinstance(value, list) and any(isinstance(item, list) for item in value) else [value]
    paths = ("/".join(read.names_field([row], "categories")) for row in rows)
    return [path for path in paths if path]


def _folder_categories(site: Site, path: Path, generator: Generator) -> list[str]:
    """Jekyll takes the folders above `_posts` as categories."""
    parts = path.relative_to(site.root).parts
    return list(parts[: parts.index("_posts")]) if generator == "jekyll" and "_posts" in parts else []


def _extra(front: Mapping[str, object], text: MarkdownText, site: Site, path: Path) -> dict[str, object]:
    extra: dict[str, object] = {"path": _path(site, path)}
    excerpt = text.excerpt or next((found for name in _EXCERPTS if (found := _plain(front, name))), None)
    if excerpt:
        extra["excerpt"] = excerpt
    return extra


def _path(site: Site, path: Path) -> str:
    return printable(path.relative_to(site.root).as_posix())


def _plain(front: Mapping[str, object], name: str) -> str | None:
    return read.text_field(front, name) if isinstance(front.get(name), str) else None
