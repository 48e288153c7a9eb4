"""What PostgreSQL can hold of a post, and the hash that says whether a post has changed."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from index.errors import UnusablePost
from index.moments import zoned
from index.types import Post

MAX_ID_BYTES = 1_000
MAX_URL_BYTES = 8_000
MAX_TAG_BYTES = 2_000
"""Of a tag or category, less than what an index of PostgreSQL can hold."""


def clean(post: Post) -> Post:
    """The post without NUL, which PostgreSQL can not store. Other control characters stay.

    Raises `UnusablePost` for an id that is empty, too long or holds NUL, for a tag, category or url that is too long,
    and for a lone surrogate anywhere.
    """
    if not post.id.strip():
        raise UnusablePost("the id is empty")
    if "\0" in post.id:
        raise UnusablePost("the id holds a NUL character")
    for name, text in _texts(post):
        if not _is_unicode(text):
            raise UnusablePost(f"{name} holds a lone surrogate, which is not a character")
    if len(post.id.encode()) > MAX_ID_BYTES:
        raise UnusablePost(f"the id is longer than {MAX_ID_BYTES} bytes")
    if post.url and len(post.url.encode()) > MAX_URL_BYTES:
        raise UnusablePost(f"the url is longer than {MAX_URL_BYTES} bytes")
    if any(len(tag.encode()) > MAX_TAG_BYTES for tag in (*post.tags, *post.categories)):
        raise UnusablePost(f"a tag or category is longer than {MAX_TAG_BYTES} bytes")
    if not any("\0" in text for _, text in _texts(post)):
        return post
    return replace(
        post,
        title=_without_nul(post.title),
        body=_without_nul(post.body),
        tags=tuple(_without_nul(post.tags)),
        categories=tuple(_without_nul(post.categories)),
        url=_without_nul(post.url),
        extra=_without_nul(post.extra),
    )


def content_hash(post: Post) -> bytes:
    """16 bytes over everything in the post."""
    parts = [
        post.title,
        post.body,
        list(post.tags),
        list(post.categories),
        post.url,
        _instant(post.published_at),
        _instant(post.updated_at),
        post.extra,
    ]
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, default=str, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def extra_json(post: Post) -> str:
    """`extra` as JSON; dates and other objects as their text. Raises `UnusablePost` for what JSON does not have."""
    try:
        return json.dumps(post.extra, ensure_ascii=False, default=str, allow_nan=False)
    except (ValueError, TypeError, RecursionError) as error:
        raise UnusablePost(f"extra is not JSON: {error}") from error


def _instant(moment: datetime | None) -> str | None:
    known = zoned(moment)
    return None if known is None else known.isoformat()


def _texts(post: Post) -> Iterator[tuple[str, str]]:
    yield "the id", post.id
    yield "the title", post.title
    yield "the body", post.body
    for tag in (*post.tags, *post.categories):
        yield "a tag", tag
    if post.url is not None:
        yield "the url", post.url
    for text in _strings(post.extra):
        yield "extra", text


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)


def is_storable(text: str) -> bool:
    """PostgreSQL can hold the text: it has no NUL and no lone surrogate."""
    return "\0" not in text and _is_unicode(text)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _without_nul(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, Mapping):
        return {str(key).replace("\0", ""): _without_nul(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nul(item) for item in value]
    return value
