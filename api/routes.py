"""The routes of the API: each one parses, calls one function below, and shapes the answer."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from fastapi.responses import JSONResponse

from api import schemas
from api.languages import told_in
from api.limits import check_batch, check_query, check_text
from api.parameters import After, Before, Categories, Hits, Most, Offset, PostId, Queried, Sort, Tags
from api.plain import plain
from api.segmenting import segment_texts
from api.services import Reading, Services, Use, authorize_write, client_of
from index import documents, embed
from index.db import connection
from index.related import related
from index.search import search
from index.spelling import corrections
from index.types import SearchRequest

PROBLEMS: dict[int | str, dict[str, Any]] = {
    code: {"description": text, "content": {"application/problem+json": {"schema": schemas.PROBLEM_REF}}}
    for code, text in {404: "not found", 413: "too large", 422: "does not fit", 503: "no database"}.items()
}
router = APIRouter(prefix="/v1", responses={422: PROBLEMS[422], 503: PROBLEMS[503]})
writes = [Depends(authorize_write)]


@router.post(
    "/segment",
    tags=["segment"],
    response_model=schemas.Segmented | schemas.SegmentedBatch,
    response_model_exclude_unset=True,
    responses={413: PROBLEMS[413]},
)
def segment(body: schemas.SegmentRequest, services: Use) -> Response:
    """Cut one text or a batch into words."""
    limits = services.settings.limits
    if body.text is not None:
        check_text(body.text, limits)
        return JSONResponse(cut(services, [body.text], body)[0])
    assert body.texts is not None
    check_batch(body.texts, limits)
    return JSONResponse({"results": cut(services, body.texts, body)})


def cut(services: Services, texts: list[str], body: schemas.SegmentRequest) -> list[dict[str, Any]]:
    """The texts as the request wants them."""
    return segment_texts(services.analyzer, texts, body.granularity, criterion=body.criterion, offsets=body.offsets)


@router.get("/search", tags=["search"], response_model=schemas.SearchAnswer)
def search_posts(
    services: Use,
    http: Request,
    language: Reading,
    q: Queried,
    tag: Tags = [],  # noqa: B006 - FastAPI copies it
    category: Categories = [],  # noqa: B006 - the same
    before: Before = None,
    after: After = None,
    sort: Sort = "relevance",
    limit: Hits = 10,
    offset: Offset = 0,
    explain: Annotated[bool, Query(description="Say more about how each hit was found.", examples=[True])] = False,
) -> Any:
    """Find posts. Whatever is in a post is found; posts that hold the query as words come first."""
    check_query(q, limit, offset, services.settings.limits)
    request = SearchRequest(
        query=q, tags=tuple(tag), categories=tuple(category), before=before, after=after, sort=sort, limit=limit,
        offset=offset, explain=explain, language=language,
    )  # fmt: skip
    begin = time.perf_counter()
    with connection(services.pool) as conn:
        result = search(conn, services.analyzer, request)
        milliseconds = (time.perf_counter() - begin) * 1e3
        meant = corrections(conn, services.analyzer, request, result)
    if services.recorder is not None:
        services.recorder.search(q, result.total, milliseconds, first=offset, client=client_of(http))
    return JSONResponse({**plain(result), "did_you_mean": plain(meant)}, headers=told_in(language))


@router.get(
    "/posts/{id:path}/related", tags=["search"], response_model=schemas.RelatedAnswer, responses={404: PROBLEMS[404]}
)
def related_posts(id: PostId, services: Use, limit: Most = 5) -> Any:
    """Posts like this one: distinctive shared words and tags, never the post itself."""
    with connection(services.pool) as conn:
        found = related(conn, services.analyzer, id, limit=limit)
    return JSONResponse({"id": id, "related": plain(found)})


@router.get("/posts/{id:path}", tags=["posts"], response_model=schemas.PostAnswer, responses={404: PROBLEMS[404]})
def get_post(id: PostId, services: Use) -> Any:
    """One stored post."""
    with connection(services.pool) as conn:
        post = documents.get(conn, id)
    if post is None:
        raise HTTPException(404, f"no post has the id {id!r}")
    return JSONResponse(plain(post))


@router.put(
    "/posts/{id:path}",
    tags=["posts"],
    dependencies=writes,
    response_model=schemas.PostStored,
    responses={201: {"model": schemas.PostStored, "description": "created"}, 413: PROBLEMS[413]},
)
def put_post(id: PostId, body: schemas.PostBody, services: Use, response: Response) -> Any:
    """Store a post, or replace it; it can be found when this answers."""
    limits = services.settings.limits
    check_text(body.title, limits, "title")
    check_text(body.body, limits, "body")
    with connection(services.pool) as conn:
        report = documents.upsert(conn, services.analyzer, [body.as_post(id)])
        if (report.added or report.changed) and embed.is_there(conn):
            embed.request(conn)
    if report.failed:
        raise HTTPException(422, report.failed[0].reason)
    response.status_code = 201 if report.added else 200
    return schemas.PostStored.of(id, report)


@router.delete("/posts/{id:path}", tags=["posts"], dependencies=writes, status_code=204, responses={404: PROBLEMS[404]})
def delete_post(id: PostId, services: Use) -> None:
    """Delete a post from the store and the index."""
    with connection(services.pool) as conn:
        if not documents.delete(conn, [id]):
            raise HTTPException(404, f"no post has the id {id!r}")
