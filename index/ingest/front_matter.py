"""Front matter: the block of metadata before the text of a post.

YAML between `---` lines (Hexo, Hugo, Jekyll; Hexo also without the opening line), TOML between `+++` lines (Hugo),
JSON as an object of its own (Hugo) or closed by `;;;` with or without braces (Hexo).
"""

import json
import re
import tomllib
from typing import NamedTuple

from index.ingest.errors import PostError
from index.ingest.yaml_subset import load_yaml

MAX_CHARACTERS = 262_144

_FENCE = re.compile(r"(-{3,}|\+{3}|;{3,})[ \t]*\n")
_KEY_LINE = re.compile(r"[ \t#]*[\w-]+[ \t]*:([ \t]|\n|$)")
_BARE_YAML = re.compile(r"(title|date|tags|categories|category|layout|permalink|updated|author)[ \t]*:([ \t]|\n)")
_JSON_OBJECT = re.compile(r"\{\s*[\"}]")
_BARE_JSON = re.compile(r"\"[^\"\n]*\"[ \t]*:")
_LEADING_TABS = re.compile(r"^\t+", re.MULTILINE)


class FrontMatter(NamedTuple):
    """The metadata with lower-case keys (generators ignore case), and the text after it."""

    fields: dict[str, object]
    body: str


def split_front_matter(text: str) -> FrontMatter:
    """Separate `text` (line ends already `\\n`) into metadata and body; without front matter the fields are empty.

    Raises PostError if there is front matter and it cannot be read.
    """
    opening = _FENCE.match(text)
    if opening is not None:
        return _fenced(text, opening)
    if _JSON_OBJECT.match(text):
        return _json_object(text)
    if _BARE_YAML.match(text):
        return _closed_only(text, "---", 0) or FrontMatter({}, text)
    if _BARE_JSON.match(text):
        return _closed_only(text, ";;;", 0) or FrontMatter({}, text)
    return FrontMatter({}, text)


def _fenced(text: str, opening: re.Match[str]) -> FrontMatter:
    fence = opening.group(1)
    found = _closed_only(text, fence, opening.end())
    if found is not None:
        return found
    if fence[0] != "-" or _KEY_LINE.match(text, opening.end()):
        raise PostError(f"front matter opened with {fence} is not closed")
    return FrontMatter({}, text)


def _closed_only(text: str, fence: str, start: int) -> FrontMatter | None:
    """Front matter from `start` to the next line that is `fence`, or None if there is no such line."""
    ends = re.escape(fence) + (r"|\.\.\." if fence == "---" and start else "")
    closing = re.compile(rf"^(?:{ends})[ \t]*(?:\n|\Z)", re.MULTILINE).search(text, start, start + MAX_CHARACTERS)
    if closing is None:
        return None
    data = _parse(text[start : closing.start()], fence[0])
    if isinstance(data, str):
        return FrontMatter({}, text)
    return FrontMatter(_fields(data), text[closing.end() :])


def _parse(block: str, mark: str) -> object:
    if mark == "+":
        return _parse_toml(block)
    if mark == ";":
        inner = block.strip().rstrip(",")
        return _parse_json(inner if inner.startswith("{") else "{" + inner + "}")
    return load_yaml(_LEADING_TABS.sub(lambda tabs: "  " * len(tabs.group()), block))


def _parse_toml(block: str) -> object:
    try:
        return tomllib.loads(block)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise PostError(f"front matter is not valid TOML: {_first_line(error)}") from error


def _parse_json(block: str) -> object:
    try:
        return json.loads(block)
    except (RecursionError, ValueError) as error:
        raise PostError(f"front matter is not valid JSON: {_first_line(error)}") from error


def _json_object(text: str) -> FrontMatter:
    try:
        data, end = json.JSONDecoder().raw_decode(text[:MAX_CHARACTERS])
    except (RecursionError, ValueError) as error:
        raise PostError(f"front matter is not valid JSON: {_first_line(error)}") from error
    rest = re.compile(r"[ \t]*(?:\n;{3,}[ \t]*)?(?:\n|\Z)").match(text, end)
    return FrontMatter(_fields(data), text[rest.end() if rest else end :])


def _fields(data: object) -> dict[str, object]:
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise PostError("front matter is not a mapping of names to values")
    return {str(key).strip().lower(): value for key, value in data.items()}


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).split("\n")[0]
