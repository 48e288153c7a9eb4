"""User words for the wire and the terminal: words as objects, and what a change means for the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segmenter.user_dictionary import LoadReport, UserWord

JIEBA, TABBED = "jieba", "wenci"


def word_object(word: UserWord) -> dict[str, Any]:
    """One word."""
    return {"word": word.text, "frequency": word.frequency, "tag": word.tag, "forced": word.forced}


def effect(before: str, after: str, stale_posts: int | None = None) -> dict[str, Any]:
    """What it means for an index that the analyzer changed; `stale_posts` None: not known."""
    changed = before != after
    return {
        "fingerprint_before": before,
        "fingerprint_after": after,
        "changed": changed,
        "stale_posts": stale_posts,
        "reindex_advised": bool(stale_posts) if stale_posts is not None else changed,
        "explanation": _explanation(changed, stale_posts),
    }


def _explanation(changed: bool, stale_posts: int | None) -> str:
    if not changed and not stale_posts:
        return "no text is cut differently; the index needs nothing"
    posts = "stored posts were" if stale_posts is None else f"{stale_posts} stored posts were"
    return (
        f"{posts} cut with other words; everything that is in them is still found, "
        "and a reindex brings their words, and so the order of hits, up to date"
    )


def import_object(report: LoadReport) -> dict[str, Any]:
    """What came of an import: new words, how many lines were left out, and the lines that deserve a look."""
    notes = [{"line": note.line, "text": note.text, "reason": note.reason} for note in report.notes]
    return {"added": report.words, "failed": sum(note.is_bad for note in report.notes), "notes": notes}
