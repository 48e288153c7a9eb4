"""What the routes work with, and who may write."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

from fastapi import Depends, HTTPException, Request

from api.jobs import Jobs
from api.settings import Settings

if TYPE_CHECKING:
    from index.db import Pool
    from segmenter.analyzer import Analyzer


@dataclass(frozen=True, slots=True)
class Services:
    """The settings, and everything that was opened when the application started."""

    settings: Settings
    pool: Pool
    analyzer: Analyzer
    jobs: Jobs


def services_of(request: Request) -> Services:
    """The services of the running application."""
    return cast(Services, request.app.state.services)


Use: TypeAlias = Annotated[Services, Depends(services_of)]


def authorize_write(request: Request, services: Use) -> None:
    """Where WENCI_WRITE_TOKEN is set, writing needs it as a bearer token: 401 otherwise."""
    expected = services.settings.write_token
    if expected is None:
        return
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode("latin-1"), expected.encode()):
        raise HTTPException(
            401, "writing needs the bearer token of WENCI_WRITE_TOKEN", headers={"WWW-Authenticate": "Bearer"}
        )
