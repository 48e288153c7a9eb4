"""Routes beside the search: completion, facets, why a post is not shown, posts like a text, synonyms."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query
from fastapi.responses import JSONResponse

from api import schemas
from api import schemas_find as shapes
from api.languages import told_in
from api.limits import check_query, check_text
from api.parameters import After, Before, Categories, Hits, Most, Offset, Queried, Sort, Tags
from api.plain import plain
from api.routes import PROBLEMS, writes
from api.services import Reading, Use
from index import synonyms
from index.db import connection
from index.facets import facets
from index.related_text import related_to_text
from index.spelling import did_you_mean
from index.suggest import suggest
from index.synonym_rules import Rule, parse_rule
from index.types import Post, SearchRequest
from index.why_not import why_not

router = APIRouter(prefix="/v1", responses={422: PROBLEMS[422], 503: PROBLEMS[503]})


@router.get("/suggest", tags=["search"], response_model=shapes.SuggestAnswer)
def suggest_completions(
    services: Use,
    q: Annotated[schemas.Text, Query(description="What was typed so far.", examples=["数据", "shuju", "sjk"])],
    limit: Most = 10,
) -> Any:
    """Complete a query by titles, tags and frequent phrases; in Chinese by pinyin and its initials too."""
    check_query(q, limit, 0, services.settings.limits)
    with connection(services.pool) as conn:
        found = suggest(conn, services.analyzer, q, limit)
        meant = [] if found else did_you_mean(conn, services.analyzer, SearchRequest(q))
    return JSONResponse({"query": q, "suggestions": plain(found), "did_you_mean": plain(meant)})


@router.get("/facets", tags=["search"], response_model=shapes.FacetsAnswer)
def search_facets(
    services: Use,
    q: Queried,
    tag: Tags = [],  # noqa: B006 - FastAPI copies it
    category: Categories = [],  # noqa: B006 - the same
    before: Before = None,
    after: After = None,
    values: Annotated[
        int, Query(ge=1, le=1000, description="Values of a facet, the most frequent ones.", examples=[20])
    ] = 20,
) -> Any:
    """Count the found posts by tag, category and year; all posts where none is found."""
    check_query(q, 0, 0, services.settings.limits)
    request = SearchRequest(query=q, tags=tuple(tag), categories=tuple(category), before=before, after=after)
    with connection(services.pool) as conn:
        return JSONResponse(plain(facets(conn, services.analyzer, request, values)))


@router.get("/search/why-not", tags=["search"], response_model=shapes.WhyNotAnswer)
def why_not_found(
    services: Use,
    language: Reading,
    q: Queried,
    post: Annotated[schemas.PostId, Query(description="The post's id.", examples=["hello-docker"])],
    tag: Tags = [],  # noqa: B006 - FastAPI copies it
    category: Categories = [],  # noqa: B006 - the same
    before: Before = None,
    after: After = None,
    sort: Sort = "relevance",
    limit: Hits = 10,
    offset: Offset = 0,
) -> Any:
    """Why a page of hits does not show a post: filters, excluded or missing words with both cuts, or its rank."""
    check_query(q, limit, offset, services.settings.limits)
    request = SearchRequest(
        query=q, tags=tuple(tag), categories=tuple(category), before=before, after=after, sort=sort, limit=limit,
        offset=offset, language=language,
    )  # fmt: skip
    with connection(services.pool) as conn:
        found = why_not(conn, services.analyzer, request, post)
    return JSONResponse(plain(found), headers=told_in(language))


@router.post("/related", tags=["search"], response_model=shapes.RelatedToTextAnswer, responses={413: PROBLEMS[413]})
def related_to_a_text(body: shapes.RelatedBody, services: Use) -> Any:
    """Posts like a text that is not a post yet."""
    check_text(body.title, services.settings.limits, "title")
    check_text(body.body, services.settings.limits, "body")
    post = Post(id="", title=body.title, body=body.body, tags=tuple(body.tags))
    with connection(services.pool) as conn:
        found = related_to_text(conn, services.analyzer, post, limit=body.limit)
    return JSONResponse({"related": plain(found)})


@router.get("/synonyms", tags=["synonyms"], response_model=shapes.SynonymsAnswer)
def list_synonyms(services: Use) -> Any:
    """All rules."""
    with connection(services.pool) as conn:
        return shaped(synonyms.rules(conn))


@router.put("/synonyms", tags=["synonyms"], dependencies=writes, response_model=shapes.SynonymsAnswer)
def put_synonyms(body: shapes.SynonymsBody, services: Use) -> Any:
    """Let these be the rules of the API, in one step; those of the server's file stay."""
    with connection(services.pool) as conn:
        synonyms.replace_all(conn, [parse_rule(line) for line in body.rules])
        return shaped(synonyms.rules(conn))


@router.post("/synonyms", tags=["synonyms"], dependencies=writes, response_model=shapes.SynonymsAnswer)
def add_synonyms(body: shapes.SynonymsBody, services: Use) -> Any:
    """Add rules to those that are there."""
    with connection(services.pool) as conn:
        synonyms.add(conn, [parse_rule(line) for line in body.rules])
        return shaped(synonyms.rules(conn))


@router.delete(
    "/synonyms/{id}", tags=["synonyms"], dependencies=writes, status_code=204, responses={404: PROBLEMS[404]}
)
def delete_synonym(id: Annotated[int, Path(description="The rule's id.", examples=[1])], services: Use) -> None:
    """Remove one rule."""
    with connection(services.pool) as conn:
        if not 0 < id < 2**63 or not synonyms.delete(conn, id):
            raise HTTPException(404, f"no rule has the id {id}")


def shaped(rules: list[Rule]) -> Any:
    """Rules for the wire."""
    return JSONResponse({"rules": [{"rule": rule.line, **plain(rule)} for rule in rules]})
