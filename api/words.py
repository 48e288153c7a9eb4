"""User words for the wire and the terminal: words as objects, and what a change means for the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segmenter.user_dictionary import LoadReport, UserDictionary, UserWord

JIEBA, TABBED = "jieba", "wenci"


def word_object(word: UserWord) -> dict[str, Any]:
    """One word."""
    return {"word": word.text, "frequency": word.frequency, "tag": word.tag, "forced": word.forced}


def add_word(
    words: UserDictionary,
    text: str,
    frequency: int | None,
    tag: str | None,
    *,
    forced: bool,
    as_is: bool,
    if_meant: str,
) -> UserWord | None:
    """Add a word that looks like one, as an import asks, or `as_is`; returns the one that it replaced.

    Raises UserWordError with `if_meant`, how to insist.
    """
    from segmenter.user_dictionary import UserWord, check_plain

    text = text.strip()
    if text and not as_is and text not in words:
        check_plain(UserWord(text, frequency, "n" if tag else None, forced), if_meant)
    return words.add(text, frequency, tag, forced=forced)


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
