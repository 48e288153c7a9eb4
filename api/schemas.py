"""What goes over the wire: requests are strict (unknown fields are refused), answers are documented with examples."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from api.bounds import parse_filter
from api.moments import parse_moment
from api.texts import storable_json, storable_text, unicode_text
from index.types import Post, UpsertReport
from segmenter.types import Granularity

Text = Annotated[str, AfterValidator(storable_text)]
AnyText = Annotated[str, AfterValidator(unicode_text)]
Label = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(storable_text)]
PostId = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(storable_text)]
Moment = Annotated[AwareDatetime, BeforeValidator(parse_moment)]
Bound = Annotated[datetime, BeforeValidator(parse_filter), WithJsonSchema({"type": "string"})]


class Request(BaseModel):
    """A request body: unknown fields are an error, so that a misspelt one is not silently ignored."""

    model_config = ConfigDict(extra="forbid")


class Answer(BaseModel):
    """A response body."""


class SegmentRequest(Request):
    """One `text` or a batch of `texts`."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"text": "他在使用Docker部署PostgreSQL 18"},
                {"texts": ["研究生命的起源", "产品和服务"], "granularity": "search", "offsets": False},
            ]
        },
    )

    text: AnyText | None = None
    texts: list[AnyText] | None = None
    granularity: Granularity = Granularity.COARSE
    offsets: bool = Field(default=True, description="Whether tokens carry `start` and `end`, in code points.")
    criterion: Annotated[str, Field(max_length=50), AfterValidator(unicode_text)] | None = Field(
        default=None, description="A segmentation standard the model knows."
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> SegmentRequest:
        if (self.text is None) == (self.texts is None):
            raise ValueError("give either text or texts")
        return self


class TokenAnswer(Answer):
    """A token: `text == input[start:end]`, offsets in code points."""

    text: str
    start: int | None = None
    end: int | None = None
    kind: str
    granularity: str
    source: str


class Segmented(Answer):
    """The tokens of one text."""

    text: str
    tokens: list[TokenAnswer]


class SegmentedBatch(Answer):
    """The tokens of every text, in the order of the request."""

    results: list[Segmented]


class PostBody(Request):
    """A post to be stored; its id is in the address."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "title": "用 Docker 部署博客",
                    "body": "先写一个 Dockerfile，再把镜像推到服务器。",
                    "tags": ["Docker", "运维"],
                    "published_at": "2026-03-01T08:00:00Z",
                }
            ]
        },
    )

    title: Text
    body: Text
    tags: list[Label] = Field(default_factory=list, max_length=100)
    categories: list[Label] = Field(default_factory=list, max_length=100)
    url: Annotated[str, Field(max_length=2000), AfterValidator(storable_text)] | None = None
    published_at: Moment | None = None
    updated_at: Moment | None = None
    extra: Annotated[dict[str, Any], AfterValidator(storable_json)] = Field(
        default_factory=dict, description="Any JSON object; it is stored as it is."
    )

    def as_post(self, post_id: str) -> Post:
        """The post for the index."""
        return Post(
            id=post_id,
            title=self.title,
            body=self.body,
            tags=tuple(self.tags),
            categories=tuple(self.categories),
            url=self.url,
            published_at=self.published_at,
            updated_at=self.updated_at,
            extra=self.extra,
        )


class PostAnswer(Answer):
    """A stored post."""

    id: str
    title: str
    body: str
    tags: list[str]
    categories: list[str]
    url: str | None
    published_at: datetime | None
    updated_at: datetime | None
    extra: dict[str, Any]


class PostStored(Answer):
    """What became of a PUT: `created`, `replaced` or `unchanged`."""

    id: str
    state: Literal["created", "replaced", "unchanged"]

    @classmethod
    def of(cls, post_id: str, report: UpsertReport) -> PostStored:
        """The answer to a PUT of one post."""
        return cls(id=post_id, state="created" if report.added else "replaced" if report.changed else "unchanged")


class ReindexBody(Request):
    """What to read. Without `paths`: the folders the server was configured with."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{}, {"paths": ["/srv/blog/source/_posts"], "prune": True}]}
    )

    paths: list[Annotated[str, Field(min_length=1, max_length=4000), AfterValidator(storable_text)]] | None = Field(
        default=None, max_length=100
    )
    prune: bool = Field(default=False, description="Delete stored posts that the sources no longer have.")


class HitAnswer(Answer):
    """A found post. Marks are `[start, end]` pairs of code points into `title` and `snippet`.

    `why` says how it was found: `routes`, `matched` words and `fields`; where they apply `missing` (words of the query
    that the post lacks), `unchecked` (`phrase`, `exclusion`: what was not checked, there being too many candidates),
    `relaxed`, `swaps`, `similarity` and `score`.
    """

    id: str
    title: str
    url: str | None
    published_at: datetime | None
    tags: list[str]
    score: float
    snippet: str
    title_marks: list[tuple[int, int]]
    snippet_marks: list[tuple[int, int]]
    why: dict[str, Any]


class ChangeAnswer(Answer):
    """One word as typed and as meant."""

    typed: str
    meant: str
    reason: Literal["spelling", "sound", "character", "pinyin"]


class CorrectionAnswer(Answer):
    """A query that finds more."""

    query: str
    changes: list[ChangeAnswer]
    total: int


class SearchAnswer(Answer):
    """One page of hits; `total` counts all of them, `guessed` those found only by likeness of letters or meaning.

    `notices` are sentences in the language of the request, `notice_codes` the same for programs. Where `total_is_exact`
    is false, a notice says how many hits were not checked.
    """

    total: int
    total_is_exact: bool
    hits: list[HitAnswer]
    notices: list[str]
    query: str
    guessed: int
    notice_codes: list[str]
    did_you_mean: list[CorrectionAnswer]


class RelatedPost(Answer):
    """A post like another one, with what both share."""

    id: str
    title: str
    url: str | None
    published_at: datetime | None
    tags: list[str]
    score: float
    shared: list[str]
    shared_tags: list[str]
    similarity: float | None
    parts: dict[str, float]


class RelatedAnswer(Answer):
    """Posts like one post, best first."""

    id: str
    related: list[RelatedPost]


PROBLEM_REF = {"$ref": "#/components/schemas/ProblemAnswer"}


class ProblemAnswer(Answer):
    """RFC 9457."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "about:blank",
                    "title": "Unprocessable Content",
                    "status": 422,
                    "detail": "query.limit: Input should be greater than or equal to 0",
                    "errors": [{"field": "query.limit", "message": "Input should be greater than or equal to 0"}],
                }
            ]
        }
    )

    type: str
    title: str
    status: int
    detail: str
    errors: list[dict[str, str]] | None = None
