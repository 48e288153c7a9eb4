"""Markdown to the text a reader sees."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from index.ingest.html_text import HIDDEN, html_text, image_text, split_at_more, tag_name
from index.ingest.markdown_rules import FOOTNOTE_LABELS, make_parser

MAX_PARSED = 2_000_000

_HEADING_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}\s*$")
_TASK = re.compile(r"\[[ xX]\]\s+")
_TABLE_OF_CONTENTS = re.compile(r"@?\[\[?toc\]?\]", re.IGNORECASE)
_LINK_TO_TAG = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\s]{0,500}\)")
_STRAY_STRONG = re.compile(r"(?<=[^\x00-\x7f])\*\*|\*\*(?=[^\x00-\x7f])")


class MarkdownText(NamedTuple):
    """`text`: paragraphs, headings and code blocks divided by blank lines; `heading`: the first heading;
    `excerpt`: the text before `<!-- more -->`."""

    text: str
    heading: str | None
    excerpt: str | None


class MarkdownReader:
    """A parser to be used again and again (building one costs more than a short post). Not for several threads."""

    def __init__(self) -> None:
        self._parser: MarkdownIt = make_parser()

    def read(self, source: str) -> MarkdownText:
        """The visible text of `source`: code as code, links by their text, images by `alt`, no HTML and no site tags.

        Never raises: a source that the parser fails on, or of more than `MAX_PARSED` characters, is kept as it stands.
        """
        if len(source) > MAX_PARSED:
            return MarkdownText(source.strip(), None, None)
        environment = {"footnotes": set(FOOTNOTE_LABELS.findall(source)) if "[^" in source else set()}
        try:
            tokens = self._parser.parse(source, environment)
        except Exception:  # a fault of the parser must not lose a post
            return MarkdownText(source.strip(), None, None)
        collector = _Collector()
        collector.collect(tokens)
        return collector.result()


class _Collector:
    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._separator = "\n\n"
        self._heading: str | None = None
        self._excerpt: str | None = None

    def result(self) -> MarkdownText:
        return MarkdownText("".join(self._pieces).strip(), self._heading, self._excerpt)

    def collect(self, tokens: Sequence[Token]) -> None:
        before: Token | None = None
        item_before = False
        for token in tokens:
            kind = token.type
            if kind == "inline":
                self._inline_block(token, before, item_before)
            elif kind in ("fence", "code_block", "plain"):
                self._add("\n\n", token.content.strip("\n"))
            elif kind == "html_block":
                self._html_block(token.content)
            elif token.level == 0 and kind in ("bullet_list_open", "ordered_list_open", "table_open"):
                self._separator = "\n\n"
            elif kind == "tr_open" and self._separator == "\t":
                self._separator = "\n"
            if kind != "inline":
                item_before = before is not None and before.type == "list_item_open"
                before = token

    def _add(self, separator: str, text: str) -> None:
        if text:
            self._pieces += (separator, text)

    def _inline_block(self, token: Token, before: Token | None, in_item: bool) -> None:
        kind = before.type if before is not None else ""
        text = self._inline(token.children or [])
        if kind == "heading_open":
            text = _HEADING_ATTRIBUTES.sub("", text) if len(text) < 1000 else text
            self._heading = self._heading or text.strip() or None
        elif in_item:
            text = _TASK.sub("", text, count=1) if _TASK.match(text) else text
        elif _TABLE_OF_CONTENTS.fullmatch(text):
            return
        tight = before is not None and before.hidden
        cell = kind in ("td_open", "th_open")
        self._add(self._separator if tight or cell else "\n\n", text.strip())
        self._separator = "\n" if tight else "\t" if cell else "\n\n"

    def _html_block(self, source: str) -> None:
        halves = split_at_more(source) if self._excerpt is None else None
        if halves is None:
            self._add("\n\n", html_text(source))
            return
        self._add("\n\n", html_text(halves[0]))
        self._mark_excerpt("")
        self._add("\n\n", html_text(halves[1]))

    def _mark_excerpt(self, unfinished: str) -> None:
        if self._excerpt is None:
            self._excerpt = "".join([*self._pieces, "\n\n", unfinished]).strip()

    def _inline(self, children: Sequence[Token]) -> str:
        parts: list[str] = []
        links_to_tags = False
        hidden_until = _hidden_spans(children)
        position = 0
        while position < len(children):
            token = children[position]
            if position in hidden_until:
                position = hidden_until[position]
                continue
            if token.type == "site_tag":
                links_to_tags = links_to_tags or (bool(parts) and parts[-1].endswith("]("))
            if token.type == "html_inline" and split_at_more(token.content):
                self._mark_excerpt("".join(parts))
            parts.append(_visible(token))
            position += 1
        text = "".join(parts)
        return _LINK_TO_TAG.sub(r"\1", text) if links_to_tags else text


def _hidden_spans(children: Sequence[Token]) -> dict[int, int]:
    """For each `<script>` and its like closed among `children`: its index, and that of what follows the close."""
    spans: dict[int, int] = {}
    opened: tuple[str, int] | None = None
    for number, token in enumerate(children):
        if token.type != "html_inline":
            continue
        name = tag_name(token.content)
        if opened is None:
            if name in HIDDEN and not token.content.startswith("</"):
                opened = name, number
        elif name == opened[0] and token.content.startswith("</"):
            spans[opened[1]] = number + 1
            opened = None
    return spans


def _visible(token: Token) -> str:
    kind = token.type
    if kind == "text":
        return _STRAY_STRONG.sub("", token.content) if "**" in token.content else token.content
    if kind in ("softbreak", "hardbreak"):
        return "\n"
    if kind == "image":
        return "".join(_visible(child) for child in token.children or [])
    if kind == "html_inline":
        return _visible_tag(token.content)
    return token.content if kind in ("code_inline", "math", "site_tag", "text_special") else ""


def _visible_tag(tag: str) -> str:
    name = tag_name(tag)
    if name == "img":
        return image_text(tag)
    return "\n" if name in ("br", "p", "div", "li") else ""
