"""Rules added to markdown-it: site tags, mathematics and footnotes kept as text, and a floor under deep nesting.

Each rule looks no further than it has to: a search that failed once is remembered, so parsing stays linear.
"""

import re
from bisect import bisect_right

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from index.ingest.site_tags import BLOCK_OPENING, block_closing, read_site_tag

MAX_NESTING = 20
_FLOOR = MAX_NESTING - 4
_MATH_LINES = 500
_MATH_CHARACTERS = 2000

_FOOTNOTE = r"\[\^([^\]\s]{1,100})\]"
_DEFINITION = re.compile(_FOOTNOTE + ":")
_REFERENCE = re.compile(_FOOTNOTE)
_ATTRIBUTES = re.compile(r"\{:[^{}\n]{0,300}\}")
FOOTNOTE_LABELS = re.compile(r"^[ >]{0,12}" + _FOOTNOTE + ":", re.MULTILINE)


def make_parser() -> MarkdownIt:
    """A CommonMark parser with tables, strikethrough and the rules of this module."""
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": MAX_NESTING}).enable(["table", "strikethrough"])
    interrupting: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote"]}
    block = parser.block.ruler
    block.before("table", "floor", _floor)
    block.before("code", "tag_block", _tag_block, interrupting)
    block.before("code", "math_block", _math_block, interrupting)
    block.before("reference", "footnote", _footnote_definition, interrupting)
    inline = parser.inline.ruler
    inline.before("escape", "math", _math)
    inline.before("escape", "site_tag", _site_tag)
    inline.before("link", "footnote", _footnote_reference)
    return parser


def _floor(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Below the deepest level everything is one block of text: markdown-it itself would drop it."""
    if state.level < _FLOOR:
        return False
    if not silent:
        _push_verbatim(state, "plain", state.getLines(start, end, state.blkIndent, False))
        state.line = end
    return True


def _push_verbatim(state: StateBlock, kind: str, content: str) -> None:
    token = state.push(kind, "", 0)
    token.content = content


def _push_paragraph(state: StateBlock, content: str, line: int) -> None:
    state.push("paragraph_open", "p", 1)
    token = state.push("inline", "", 0)
    token.content, token.map, token.children = content, [line, line + 1], []
    state.push("paragraph_close", "p", -1)


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _tag_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`{% codeblock %}` … `{% endcodeblock %}`, `raw` and Hugo's `highlight`: verbatim; `comment`: nothing."""
    first = state.bMarks[start] + state.tShift[start]
    if state.is_code_block(start) or not state.src.startswith("{", first):
        return False
    opening = BLOCK_OPENING.match(state.src, first, state.eMarks[start])
    if opening is None:
        return False
    name = opening["tag"] or opening["shortcode"]
    closing = _search_closing(state, name, opening["tag"] is None, opening.end())
    if closing is None:
        return False
    last = bisect_right(state.bMarks, closing.start()) - 1
    if last >= end:
        return False
    if not silent:
        _push_tag_block(state, name, opening, closing, last)
        state.line = last + 1
    return True


def _search_closing(state: StateBlock, name: str, is_shortcode: bool, start: int) -> re.Match[str] | None:
    missing = state.env.setdefault("missing", set())
    if (name, is_shortcode) in missing:
        return None
    closing = block_closing(name, is_shortcode).search(state.src, start)
    if closing is None:
        missing.add((name, is_shortcode))
    return closing


def _push_tag_block(state: StateBlock, name: str, opening: re.Match[str], closing: re.Match[str], last: int) -> None:
    content = state.src[opening.end() : closing.start()]
    if name in ("raw", "verbatim"):
        _push_verbatim(state, "html_block" if content.lstrip().startswith("<") else "plain", content)
    elif name != "comment":
        _push_verbatim(state, "fence", content.strip("\n"))
    tail = state.src[closing.end() : state.eMarks[last]].strip()
    if tail:
        _push_paragraph(state, tail, last)


def _math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start):
        return False
    first = _line(state, start).rstrip()
    if not first.startswith("$$") or "$$" in first[2:]:
        return False
    for number in range(start + 1, min(end, start + _MATH_LINES)):
        if _line(state, number).rstrip().endswith("$$"):
            if not silent:
                lines = state.getLines(start, number + 1, state.blkIndent, False)
                _push_verbatim(state, "plain", lines.strip().removeprefix("$$").removesuffix("$$"))
                state.line = number + 1
            return True
        if state.isEmpty(number) or _line(state, number).startswith("$$"):
            return False
    return False


def _footnote_definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`[^1]: text` is a paragraph of its own; plain CommonMark may take it for a link definition and drop it."""
    if state.is_code_block(start):
        return False
    match = _DEFINITION.match(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if match is None:
        return False
    if silent:
        return True
    lines = [state.src[match.end() : state.eMarks[start]]]
    number = start + 1
    interrupts = state.md.block.ruler.getRules("paragraph")
    while number < end and not state.isEmpty(number) and not any(rule(state, number, end, True) for rule in interrupts):
        lines.append(_line(state, number))
        number += 1
    _push_paragraph(state, "\n".join(lines).strip(), start)
    state.line = number
    return True


def _math(state: StateInline, silent: bool) -> bool:
    """`$…$` and `$$…$$` are one piece of text, dollars included: no emphasis and no escapes inside."""
    if state.src[state.pos] != "$":
        return False
    mark = "$$" if state.src.startswith("$$", state.pos) else "$"
    first = state.pos + len(mark)
    end = state.src.find(mark, first, min(state.posMax, first + _MATH_CHARACTERS))
    if end <= first or (mark == "$" and not _looks_like_math(state.src, first, end)):
        return False
    return _accept(state, silent, state.src[state.pos : end + len(mark)], end + len(mark))


def _looks_like_math(source: str, first: int, end: int) -> bool:
    digit_after = source[end + 1 : end + 2].isdigit()
    return not source[first].isspace() and not source[end - 1].isspace() and not digit_after and source[end - 1] != "\\"


def _accept(state: StateInline, silent: bool, text: str, end: int, kind: str = "math") -> bool:
    if not silent:
        state.push(kind, "", 0).content = text
    state.pos = end
    return True


def _site_tag(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "{":
        return False
    attributes = _ATTRIBUTES.match(state.src, state.pos, state.posMax)
    if attributes is not None:
        return _accept(state, silent, "", attributes.end(), "site_tag")
    if state.src[state.pos + 1 : state.pos + 2] not in ("%", "{"):
        return False
    tag = read_site_tag(state.src, state.pos, state.posMax)
    return tag is not None and _accept(state, silent, tag.text, tag.end, "site_tag")


def _footnote_reference(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("[^", state.pos):
        return False
    match = _REFERENCE.match(state.src, state.pos, state.posMax)
    if match is None or match.group(1) not in state.env.get("footnotes", ()):
        return False
    return _accept(state, silent, "", match.end(), "footnote")
