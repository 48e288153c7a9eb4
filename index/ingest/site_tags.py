"""What the tags of site generators show: Hexo and Liquid `{% … %}`, Hugo shortcodes `{{< … >}}`, Liquid `{{ … }}`."""

import re
from typing import NamedTuple

_PAIRED_CODE = r"codeblock|code|highlight"
BLOCK_OPENING = re.compile(
    rf"\{{%-?\s*(?P<tag>{_PAIRED_CODE}|raw|verbatim|comment)\b(?P<arguments>[^%\n]{{0,500}}?)-?%\}}"
    r"|\{\{[<%]\s*(?P<shortcode>highlight)\b[^\n]{0,500}?[%>]\}\}"
)
_ARGUMENT = re.compile(r"([\w-]+)\s*[=:]\s*(?:\"([^\"]*)\"|'([^']*)'|(\S+))|\"([^\"]*)\"|'([^']*)'|(\S+)")
_LIQUID_VALUE = re.compile(
    r"\{\{-?\s*(?:site|page|layout|content|include|post|paginator|theme|config)\b[^{}\n]{0,500}\}\}"
)
_SHOWN_NAMES = frozenset(
    {"title", "caption", "alt", "text", "attr", "author", "source", "label", "desc", "description"}
)
_ADDRESS = re.compile(r"(?:[a-z]+:)?/|.*\.\w{2,5}$|\d+(?:px|%)?$|(?:true|false|center|left|right)$", re.IGNORECASE)
_SHOW_ALL = frozenset({"blockquote", "quote", "pullquote", "btn", "button", "label", "tab", "subtabs", "folding"})
_SHOW_TAIL = frozenset({"asset_img", "img", "image", "post_link", "asset_link", "link", "figure", "details", "note"})
_WINDOW = 2000
_VERBATIM_WINDOW = 5000
_VERBATIM = re.compile(r"\{%-?\s*(raw|verbatim|comment)\s*-?%\}")


class SiteTag(NamedTuple):
    """A tag that starts at the position asked for: where it ends and the text a reader of the site sees."""

    end: int
    text: str


def block_closing(name: str, is_shortcode: bool) -> re.Pattern[str]:
    """The pattern of the tag that closes `name`."""
    if is_shortcode:
        return re.compile(rf"\{{\{{[<%]\s*/\s*{name}\s*[%>]\}}\}}")
    return re.compile(rf"\{{%-?\s*end{name}\s*-?%\}}")


def read_site_tag(source: str, start: int, limit: int) -> SiteTag | None:
    """The tag at `start` of `source[:limit]`, or None if what stands there is ordinary text."""
    verbatim = _VERBATIM.match(source, start, limit)
    if verbatim is not None:
        return _read_verbatim(source, verbatim, min(limit, verbatim.end() + _VERBATIM_WINDOW))
    limit = min(limit, start + _WINDOW)
    if source.startswith("{%", start):
        end = source.find("%}", start + 2, limit)
        return None if end < 0 else SiteTag(end + 2, _shown_of_tag(source[start + 2 : end].strip("- \n\t")))
    for opening, closing in (("{{<", ">}}"), ("{{%", "%}}")):
        if source.startswith(opening, start):
            end = source.find(closing, start + 3, limit)
            return None if end < 0 else SiteTag(end + 3, _shown_of_shortcode(opening, source[start + 3 : end], closing))
    value = _LIQUID_VALUE.match(source, start, limit)
    return SiteTag(value.end(), "") if value else None


def _read_verbatim(source: str, opening: re.Match[str], limit: int) -> SiteTag:
    """`raw` shows what is inside as it stands, `comment` shows nothing; one that is not closed here is a tag alone."""
    closing = block_closing(opening[1], False).search(source, opening.end(), limit)
    if closing is None:
        return SiteTag(opening.end(), "")
    inside = source[opening.end() : closing.start()]
    return SiteTag(closing.end(), "" if opening[1] == "comment" else inside)


def _shown_of_shortcode(opening: str, inside: str, closing: str) -> str:
    escaped = inside.strip()
    if escaped.startswith("/*") and escaped.endswith("*/"):
        return f"{opening} {escaped[2:-2].strip()} {closing}"
    return _shown_of_tag(escaped)


def _shown_of_tag(inside: str) -> str:
    name, _, rest = inside.partition(" ")
    if name in _SHOW_ALL:
        return rest.strip()
    tail = name in _SHOW_TAIL
    shown = []
    for number, match in enumerate(_ARGUMENT.finditer(rest)):
        key, *quoted = match.groups()
        value = next((group for group in quoted if group), "")
        named = key is not None and key.lower() in _SHOWN_NAMES
        positional = key is None and tail and number > 0 and not _ADDRESS.match(value)
        if named or positional:
            shown.append(value)
    return " ".join(shown)
