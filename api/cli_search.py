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
    add_language,
    language_of,
    moment,
    not_negative,
    positive,
    settings_from,
)
from api.console import CommandError, emit, emit_json, note

if TYPE_CHECKING:
    from index.notices import Language
    from index.types import Hit, Related, SearchResult, Span


def register(subparsers: Subparsers) -> None:
    """Add the commands."""
    parser = add_command(subparsers, "search", "find posts", search)
    parser.add_argument(
        "query", nargs="+", metavar="QUERY", help='words, "phrases", -exclude (after --), OR, tag:, before:, after:'
    )
    parser.add_argument("--limit", type=not_negative, default=10, help="hits to print (default: 10)")
    parser.add_argument("--offset", type=not_negative, default=0, help="hits to skip")
    parser.add_argument("--sort", choices=["relevance", "newest"], default="relevance")
    parser.add_argument("--tag", action="append", default=[], help="only posts with this tag; can be repeated")
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
    from index.types import SearchRequest

    request = SearchRequest(
        query=" ".join(args.query),
        tags=tuple(args.tag),
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
    if args.json:
        emit_json(plain(result))
    else:
        print_hits(result, request.language)
    return 0


def print_hits(result: SearchResult, language: Language) -> None:
    """Hits for people: marks in bold on a terminal."""
    for notice in result.notices:
        note(notice)
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
    lacks = [f"  {line}" for line in shortcomings(hit, language)]
    return [marked(hit.title, hit.title_marks), f"  {where}", *lacks, f"  {snippet}", ""]


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
