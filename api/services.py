"""What the routes work with, and who may write."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

from fastapi import Depends, Header, HTTPException, Request

from api.languages import of_header
from api.settings import Settings
from index.notices import Language

if TYPE_CHECKING:
    from api.live import LiveAnalyzer
    from index.analytics import Recorder
    from index.db import Pool
    from segmenter.analyzer import Analyzer


@dataclass(frozen=True, slots=True)
class Services:
    """The settings, and everything that was opened when the application started; no `recorder` where it is off."""

    settings: Settings
    pool: Pool
    live: LiveAnalyzer
    recorder: Recorder | None

    @property
    def analyzer(self) -> Analyzer:
        """The analyzer as it is now; take it once for everything that belongs together."""
        return self.live.current


def services_of(request: Request) -> Services:
    """The services of the running application."""
    return cast(Services, request.app.state.services)


Use: TypeAlias = Annotated[Services, Depends(services_of)]


def language_of(
    accept_language: Annotated[
        str | None, Header(description="The language of notices and reasons: Chinese or English.", examples=["en"])
    ] = None,
) -> Language:
    """The language that the client prefers."""
    return of_header(accept_language)


Reading: TypeAlias = Annotated[Language, Depends(language_of)]


def client_of(request: Request) -> str | None:
    """What tells one visitor from another, for the hash of a day; None for who asks not to be tracked."""
    if request.headers.get("sec-gpc") == "1" or request.headers.get("dnt") == "1" or request.client is None:
        return None
    return f"{request.client.host} {request.headers.get('user-agent', '')[:500]}"


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
