"""Parameters that several routes take, with examples."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path, Query

from api import schemas

PostId = Annotated[schemas.PostId, Path(description="The post's id; it may hold slashes.", examples=["hello-docker"])]
Queried = Annotated[
    schemas.Text,
    Query(
        description='Words, "phrases", -exclude, OR, (one OR other), tag:, -tag:, category:, before:, after:.',
        examples=["Docker 部署", '"部署博客" -MySQL', "(部署 OR 备份) -tag:运维 category:技术 after:2026"],
    ),
]
Tags = Annotated[
    list[schemas.Label],
    Query(max_length=20, description="Only posts with all these tags.", examples=[["Docker", "运维"]]),
]
Categories = Annotated[
    list[schemas.Label],
    Query(
        max_length=20,
        description="Only posts in all these categories; a nested one by its whole path.",
        examples=[["技术/运维"]],
    ),
]
Before = Annotated[
    schemas.Bound | None,
    Query(description="Published before this year, month, date or moment.", examples=["2027", "2026-12-31"]),
]
After = Annotated[
    schemas.Bound | None,
    Query(
        description="Published in or after this year, month, date or moment.",
        examples=["2025", "2026-01", "2026-02-28", "2026-02-28T08:00:00Z"],
    ),
]
Sort = Annotated[
    Literal["relevance", "newest"], Query(description="Best hits first, or newest posts.", examples=["newest"])
]
Hits = Annotated[int, Query(ge=0, description="Hits of a page.", examples=[10])]
Offset = Annotated[int, Query(ge=0, description="Hits before the page.", examples=[10])]
Most = Annotated[int, Query(ge=1, le=50, description="The most that are listed.", examples=[5])]
