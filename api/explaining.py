"""Explanations as they are handed out: text, JSON, SVG or a graph, the same over HTTP and on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from segmenter.explain import Explanation

MEDIA_TYPES: Final = {
    "text": "text/plain; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "dot": "text/vnd.graphviz; charset=utf-8",
}


def rendered(found: Explanation, form: str) -> str:
    """The explanation in one of the formats of `MEDIA_TYPES`."""
    from segmenter.explain_draw import as_dot, as_svg
    from segmenter.explain_text import as_text

    if form == "json":
        return json.dumps(found.as_dict(), ensure_ascii=False)
    return {"text": as_text, "svg": as_svg, "dot": as_dot}[form](found)
