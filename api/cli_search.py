"""`wenci search` and `wenci related`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from api.cli_options import (
    Subparsers,
    add_analyzer,
    add_command,
    add_database,
    add_json,
    add_labels,
    add_language,
    language_of,
    moment,
    not_negative,
    positive,
    settings_from,
)
from api.console import CommandError, counted, emit, emit_json, note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from index.notices import Language
    from index.spelling import Correction
    from index.types import Hit, Related, SearchResult, Span


def register(subparsers: Subparsers) -> None:
    """Add the commands."""
    parser = add_command(subparsers, "search", "find posts", search)
    parser.add_argument(
        "query",
        nargs="+",
        metavar="QUERY",
        help='words, "phrases", -exclude (after --), OR, tag:, category:, before:, after:',
    )
    parser.add_argument("--limit", type=not_negative, default=10, help="hits to print (default: 10)")
    parser.add_argument("--offset", type=not_negative, default=0, help="hits to skip")
    parser.add_argument("--sort", choices=["relevance", "newest"], default="relevance")
    add_labels(parser)
    parser.add_argument("--before", type=moment, metavar="DATE", help="published before")
    parser.add_argument("--after", type=moment, metavar="DATE", help="published at or after")
    parser.add_argument("--explain", action="store_true", help="say more about how each post was found")
    add_language(parser)
    _add_common(parser)
    parser = add_command(subparsers, "related", "posts like one post", related)
    parser.add_argument("id", metavar="ID", help="the id of the post")
    parser.add_argument("--limit", type=positive, default=5, help="posts to print (default: 5)")
    _add_common(parser)


def _add_common(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    add_database(parser)
    add_analyzer(parser)


def search(args: argparse.Namespace) -> int:
    """Print one page of hits; no hit is not a failure."""
    from api.bootstrap import load_analyzer, open_database
    from api.plain import plain
    from index.db import connection
    from index.search import search as find
    from index.spelling import corrections
    from index.types import SearchRequest

    request = SearchRequest(
        query=" ".join(args.query),
        tags=tuple(args.tag),
        categories=tuple(args.category),
        before=args.before,
        after=args.after,
        sort=args.sort,
        limit=args.limit,
        offset=args.offset,
        explain=args.explain,
        language=language_of(args),
    )
    settings = settings_from(args)
    analyzer = load_analyzer(settings)
    with open_database(settings) as pool, connection(pool) as conn:
        result = find(conn, analyzer, request)
        meant = corrections(conn, analyzer, request, result)
    if args.json:
        emit_json({**plain(result), "did_you_mean": plain(meant)})
    else:
        print_hits(result, meant, request.language)
    return 0


def print_hits(result: SearchResult, meant: Sequence[Correction], language: Language) -> None:
    """Hits for people: marks in bold on a terminal."""
    for notice in result.notices:
        note(notice)
    for one in meant:
        shown = f"did you mean: {one.query} ({counted(one.total, 'post')})"
        note(shown if language == "en" else f"你要找的是不是：{one.query}（{one.total} 篇）")
    for hit in result.hits:
        emit("\n".join(hit_lines(hit, language)))
    about = "" if result.total_is_exact else "about "
    note(f"{about}{result.total} found")


def hit_lines(hit: Hit, language: Language) -> list[str]:
    """A hit as a few lines: title, where, what it lacks, snippet."""
    where = " · ".join(
        part for part in (hit.id, hit.published_at and f"{hit.published_at:%Y-%m-%d}", *hit.tags) if part
    )
    snippet = marked(hit.snippet, hit.snippet_marks).replace("\n", " ")
    about = [f"  {line}" for line in (*by_route(hit, language), *shortcomings(hit, language))]
    return [marked(hit.title, hit.title_marks), f"  {where}", *about, f"  {snippet}", ""]


ROUTES = {
    "spacing": ("写法不同", "written otherwise"),
    "synonym": ("同义词", "synonym"),
    "fuzzy": ("拼写相近", "similar spelling"),
    "semantic": ("意思相近", "near in meaning"),
}
"""Routes other than by the query as it was typed."""


def by_route(hit: Hit, language: Language) -> list[str]:
    """How a hit was found that does not hold the query as it was typed."""
    place = int(language == "en")
    swaps = ", ".join(f"{swap['typed']} → {swap['meant']}" for swap in hit.why.get("swaps", ()))
    names = [ROUTES[route][place] for route in hit.why["routes"] if route in ROUTES]
    return [f"{name}: {swaps}" if swaps else name for name in names]


def shortcomings(hit: Hit, language: Language) -> list[str]:
    """What tells the hit from one that was seen to hold all of the query."""
    missing, is_english = " ".join(hit.why.get("missing", ())), language == "en"
    lines = [f"missing: {missing}" if is_english else f"缺少: {missing}"] if missing else []
    if hit.why.get("unchecked"):
        lines.append("not checked" if is_english else "未核对")
    return lines


def marked(text: str, marks: tuple[Span, ...]) -> str:
    """The text with its marks in bold where stdout is a terminal."""
    if not sys.stdout.isatty():
        return text
    parts, at = [], 0
    for start, end in marks:
        parts += [text[at:start], "\033[1m", text[start:end], "\033[0m"]
        at = end
    return "".join([*parts, text[at:]])


def related(args: argparse.Namespace) -> int:
    """Print posts like one post; an unknown id is a failure."""
    from api.bootstrap import load_analyzer, open_database
    from api.plain import plain
    from index import documents
    from index.db import connection
    from index.related import related as find

    settings = settings_from(args)
    analyzer = load_analyzer(settings)
    with open_database(settings) as pool, connection(pool) as conn:
        if documents.get(conn, args.id) is None:
            raise CommandError(f"no post has the id {args.id!r}")
        found = find(conn, analyzer, args.id, limit=args.limit)
    if args.json:
        emit_json({"id": args.id, "related": plain(found)})
    else:
        for post in found:
            emit("\n".join(related_lines(post)))
    return 0


def related_lines(post: Related) -> list[str]:
    """A related post as two lines: title, and what it shares."""
    shared = " ".join([*(f"#{tag}" for tag in post.shared_tags), *post.shared])
    return [post.title, f"  {post.id} · {shared}", ""]
