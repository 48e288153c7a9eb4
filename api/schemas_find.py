"""Answers of completion, facets, explanations and synonyms."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from api.schemas import Answer, CorrectionAnswer, Label, RelatedPost, Request, Text


class SuggestionAnswer(Answer):
    """A completion; `route` says what of it begins with the query."""

    text: str
    kind: Literal["title", "tag", "phrase"]
    route: Literal["text", "pinyin", "initials"]
    documents: int
    id: str | None
    url: str | None


class SuggestAnswer(Answer):
    """Completions; corrections where there is none."""

    query: str
    suggestions: list[SuggestionAnswer]
    did_you_mean: list[CorrectionAnswer]


class FacetValueAnswer(Answer):
    """A value and the number of posts that have it."""

    value: str
    count: int


class FacetsAnswer(Answer):
    """Counts over the posts a query finds; over all posts (`of_all`) where it finds none."""

    documents: int
    of_all: bool
    tags: list[FacetValueAnswer]
    categories: list[FacetValueAnswer]
    years: list[FacetValueAnswer]


class ReasonAnswer(Answer):
    """One cause that kept a post out, or down."""

    kind: str
    message: str
    details: dict[str, Any]


class WhyNotAnswer(Answer):
    """What became of one post in a search."""

    query: str
    id: str
    found: bool
    on_page: bool
    rank: int | None
    total: int
    reasons: list[ReasonAnswer]
    is_stale: bool


class RelatedBody(Request):
    """A text that is not a post yet."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"title": "用 Docker 部署博客", "body": "先写一个 Dockerfile。", "tags": ["Docker"]}]
        },
    )

    title: Text = ""
    body: Text = ""
    tags: list[Label] = Field(default_factory=list, max_length=100)
    limit: int = Field(default=5, ge=1, le=50)


class RelatedToTextAnswer(Answer):
    """Posts like the text, best first."""

    related: list[RelatedPost]


def is_rule(line: str) -> str:
    """The line itself, if it is a rule. Raises ValueError."""
    from index.synonym_rules import parse_rule

    parse_rule(line)
    return line


RuleLine = Annotated[str, Field(max_length=4000), AfterValidator(is_rule)]


class SynonymsBody(Request):
    """Rules as lines: `k8s = Kubernetes` both ways, `番茄 => 西红柿` one way."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"rules": ["k8s = Kubernetes", "番茄 => 西红柿"]}]}
    )

    rules: list[RuleLine] = Field(max_length=10_000)


class RuleAnswer(Answer):
    """A stored rule."""

    id: int
    rule: str
    words: list[str]
    meanings: list[str]
    two_way: bool
    origin: Literal["api", "file"]


class SynonymsAnswer(Answer):
    """All rules."""

    rules: list[RuleAnswer]


class ClickBody(Request):
    """A hit was opened; `position` counts from 1 over all pages."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"query": "Docker 部署", "id": "hello-docker", "position": 1}]}
    )

    query: Annotated[str, Field(max_length=1000)]
    id: Annotated[str, Field(min_length=1, max_length=500)]
    position: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class QueryCountAnswer(Answer):
    """A query, whatever its case: how often, the median of hits and latency, clicks."""

    query: str
    count: int
    total: int
    latency_ms: float
    clicks: int
    last: datetime


class ClickCountAnswer(Answer):
    """A post and how often it was opened."""

    id: str
    count: int


class AnalyticsAnswer(Answer):
    """What was searched for since a moment."""

    since: datetime
    searches: int
    distinct_queries: int
    zero_results: int
    clients: int
    p50_ms: float | None
    p95_ms: float | None
    max_ms: float | None
    clicks: int
    mean_reciprocal_rank: float
    top: list[QueryCountAnswer]
    without_results: list[QueryCountAnswer]
    clicked: list[ClickCountAnswer]
