"""`wenci suggest`, `wenci why-not` and `wenci facets`."""

from __future__ import annotations

import argparse
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
from api.console import counted, emit, emit_json, note

if TYPE_CHECKING:
    from index.types import SearchRequest
    from index.why_not import WhyNot


def register(subparsers: Subparsers) -> None:
    """Add the commands."""
    parser = add_command(subparsers, "suggest", "complete what was typed: text, pinyin or its initials", suggest)
    parser.add_argument("query", nargs="+", metavar="TYPED", help="the beginning of a query")
    parser.add_argument("--limit", type=positive, default=10, help="completions to print (default: 10)")
    _add_common(parser)
    parser = add_command(subparsers, "why-not", "why a search does not show a post, or not higher up", why_not)
    parser.add_argument("query", metavar="QUERY", help="the query, in quotes if it is more than one word")
    parser.add_argument("id", metavar="ID", help="the id of the post")
    parser.add_argument("--limit", type=not_negative, default=10, help="hits of the page (default: 10)")
    parser.add_argument("--offset", type=not_negative, default=0, help="hits before the page")
    parser.add_argument("--sort", choices=["relevance", "newest"], default="relevance")
    add_language(parser)
    _add_filters(parser)
    _add_common(parser)
    parser = add_command(subparsers, "facets", "tags, categories and years of the found posts", facets)
    parser.add_argument("query", nargs="+", metavar="QUERY")
    _add_filters(parser)
    _add_common(parser)


def _add_filters(parser: argparse.ArgumentParser) -> None:
    add_labels(parser)
    parser.add_argument("--before", type=moment, metavar="DATE", help="published before")
    parser.add_argument("--after", type=moment, metavar="DATE", help="published at or after")


def _add_common(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    add_database(parser)
    add_analyzer(parser)


def suggest(args: argparse.Namespace) -> int:
    """Print completions; corrections where there is none."""
    from api.bootstrap import load_analyzer, open_database
    from api.plain import plain
    from index.db import connection
    from index.spelling import did_you_mean
    from index.suggest import suggest as complete
    from index.types import SearchRequest

    settings, query = settings_from(args), " ".join(args.query)
    analyzer = load_analyzer(settings)
    with open_database(settings) as pool, connection(pool) as conn:
        found = complete(conn, analyzer, query, args.limit)
        meant = [] if found else did_you_mean(conn, analyzer, SearchRequest(query))
    if args.json:
        emit_json({"query": query, "suggestions": plain(found), "did_you_mean": plain(meant)})
        return 0
    for suggestion in found:
        emit(suggestion.text)
    for correction in meant:
        note(f"did you mean: {correction.query} ({counted(correction.total, 'post')})")
    return 0


def _request(args: argparse.Namespace, query: str) -> SearchRequest:
    from index.types import SearchRequest

    tags, categories = tuple(args.tag), tuple(args.category)
    return SearchRequest(query=query, tags=tags, categories=categories, before=args.before, after=args.after)


def why_not(args: argparse.Namespace) -> int:
    """Print the reasons, one a line."""
    from dataclasses import replace

    from api.bootstrap import load_analyzer, open_database
    from api.plain import plain
    from index.db import connection
    from index.why_not import why_not as explain

    settings = settings_from(args)
    request = replace(
        _request(args, args.query), limit=args.limit, offset=args.offset, sort=args.sort, language=language_of(args)
    )
    analyzer = load_analyzer(settings)
    with open_database(settings) as pool, connection(pool) as conn:
        answer = explain(conn, analyzer, request, args.id)
    if args.json:
        emit_json(plain(answer))
    else:
        emit("\n".join(answer_lines(answer)))
    return 0


def answer_lines(answer: WhyNot) -> list[str]:
    """The answer for people: where the post stands, and each reason with both cuts."""
    lines = [f"{answer.id}: rank {answer.rank} of {answer.total}" if answer.rank else f"{answer.id}: not found"]
    for reason in answer.reasons:
        lines.append(f"- {reason.message}")
        if reason.kind == "missing":
            lines.append(f"  query: {' | '.join(reason.details['query_words'])}")
            place = reason.details["post"]
            lines.append(f"  post:  {' | '.join(place.words) if place else '-'}")
    return lines


def facets(args: argparse.Namespace) -> int:
    """Print the counts."""
    from api.bootstrap import load_analyzer, open_database
    from api.plain import plain
    from index.db import connection
    from index.facets import facets as count

    settings = settings_from(args)
    analyzer = load_analyzer(settings)
    with open_database(settings) as pool, connection(pool) as conn:
        found = count(conn, analyzer, _request(args, " ".join(args.query)))
    if args.json:
        emit_json(plain(found))
        return 0
    for name, values in (("tags", found.tags), ("categories", found.categories), ("years", found.years)):
        emit(f"{name}: " + ", ".join(f"{one.value} ({one.count})" for one in values))
    return 0
