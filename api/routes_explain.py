"""`POST /v1/segment/explain`: why a text is cut the way it is."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Response
from pydantic import AfterValidator, ConfigDict, Field

from api.explaining import MEDIA_TYPES, rendered
from api.routes import PROBLEMS
from api.schemas import AnyText, Request
from api.services import Use
from api.texts import unicode_text
from segmenter.explain import ExplainTooLongError

router = APIRouter(prefix="/v1", responses={422: PROBLEMS[422]})


class ExplainRequest(Request):
    """One text, of 1,000 characters at most."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"text": "产品和服务"}, {"text": "产品和服务", "format": "svg"}]},
    )

    text: AnyText
    criterion: Annotated[str, Field(max_length=50), AfterValidator(unicode_text)] | None = Field(
        default=None, description="A segmentation standard the model knows."
    )
    format: Literal["json", "text", "svg", "dot"] = "json"


@router.post(
    "/segment/explain",
    tags=["segment"],
    response_class=Response,
    responses={
        200: {"description": "the explanation", "content": {kind: {} for kind in MEDIA_TYPES.values()}},
        413: PROBLEMS[413],
    },
)
def explain(body: ExplainRequest, services: Use) -> Response:
    """Say why: for each gap the model's belief, the words across it and what decided; the best other path."""
    try:
        found = services.analyzer.explain(body.text, criterion=body.criterion)
    except ExplainTooLongError as error:
        raise HTTPException(413, str(error)) from None
    return Response(rendered(found, body.format), media_type=MEDIA_TYPES[body.format])
