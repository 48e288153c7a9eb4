"""The visible text of HTML inside Markdown.

The time is linear whatever the markup, which html.parser does not promise: it is quadratic on unclosed marks.
"""

import html
import re

_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9:-]*)")
_TAG_END = re.compile(r"[^>\"']*(?:(?:\"[^\"]*\"|'[^']*')[^>\"']*)*>")
_ALT = re.compile(r"\salt\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))", re.IGNORECASE)
_MORE = re.compile(r"\s*more\b.{0,200}", re.IGNORECASE | re.DOTALL)
_TAG_WINDOW = 2048

HIDDEN = frozenset({"script", "style", "template"})
_BLOCK = frozenset(
    re.findall(
        r"\w+",
        "address article aside audio blockquote br center dd details div dl dt fieldset figcaption figure footer form "
        "h1 h2 h3 h4 h5 h6 header hr iframe li main nav ol p pre section summary table tbody tfoot thead tr ul video",
    )
)
_CELLS = frozenset({"td", "th"})


def is_more_mark(comment: str) -> bool:
    """Whether the inside of an HTML comment is the mark that ends an excerpt (`<!-- more -->`)."""
    return _MORE.fullmatch(comment) is not None


def tag_name(tag: str) -> str:
    """The lower-case name of a tag such as `<br/>` or `</div>`; empty for comments and declarations."""
    match = _NAME.match(tag)
    return match.group(1).lower() if match else ""


def unescape(text: str) -> str:
    """Entities to characters; text with a numeral too long to be one stays as it is."""
    try:
        return html.unescape(text)
    except ValueError:
        return text


def split_at_more(source: str) -> tuple[str, str] | None:
    """The HTML before and after the first excerpt mark, or None."""
    start = source.find("<!--")
    while start >= 0:
        end = source.find("-->", start + 4)
        if end < 0:
            return None
        if is_more_mark(source[start + 4 : end]):
            return source[:start], source[end + 3 :]
        start = source.find("<!--", end + 3)
    return None


def html_text(source: str) -> str:
    """Text of a piece of HTML: no tags, comments, scripts, styles; `alt` of images; a line end for each block tag."""
    lines = (line.strip() for line in "".join(_Stripper(source).pieces()).split("\n"))
    return "\n".join(line for line in lines if line)


class _Stripper:
    def __init__(self, source: str) -> None:
        self._source = source
        self._missing: set[str] = set()

    def pieces(self) -> list[str]:
        found: list[str] = []
        position = 0
        while (opening := self._source.find("<", position)) >= 0:
            found.append(unescape(self._source[position:opening]))
            visible, position = self._markup(opening)
            found.append(visible)
        found.append(unescape(self._source[position:]))
        return found

    def _markup(self, start: int) -> tuple[str, int]:
        """What the markup at `start` shows, and where it ends; a `<` that starts none shows itself."""
        if self._source.startswith("<!--", start):
            end = self._find("-->", start + 4)
            return ("", end + 3) if end >= 0 else ("<", start + 1)
        match = _NAME.match(self._source, start)
        if match is None and self._source[start + 1 : start + 2] not in ("!", "?"):
            return "<", start + 1
        end = self._tag_end(match.end() if match else start + 2)
        if end < 0:
            return "<", start + 1
        return self._tag(match.group(1).lower() if match else "", start, end)

    def _tag(self, name: str, start: int, end: int) -> tuple[str, int]:
        closing = self._source[start + 1] == "/"
        if name in HIDDEN and not closing:
            return "", self._after_hidden(name, end)
        if name in _BLOCK:
            return "\n", end
        if name in _CELLS:
            return "\t", end
        return (image_text(self._source[start:end]) if name == "img" else ""), end

    def _tag_end(self, start: int) -> int:
        if self._find(">", start) < 0:
            return -1
        match = _TAG_END.match(self._source, start, start + _TAG_WINDOW)
        return match.end() if match else self._source.find(">", start) + 1

    def _after_hidden(self, name: str, start: int) -> int:
        closing = re.compile(rf"</{name}[^>]{{0,100}}>", re.IGNORECASE).search(self._source, start)
        return closing.end() if closing else len(self._source)

    def _find(self, mark: str, start: int) -> int:
        """`str.find` that never looks for a mark again once there is none."""
        if mark in self._missing:
            return -1
        found = self._source.find(mark, start)
        if found < 0:
            self._missing.add(mark)
        return found


def image_text(tag: str) -> str:
    """The `alt` of an image tag."""
    match = _ALT.search(tag, 0, _TAG_WINDOW)
    return unescape(next((group for group in match.groups() if group), "")) if match else ""
