"""The search page and its files: no build step, nothing from elsewhere, a strict content security policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles

WEB = Path(__file__).with_name("web")

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-cache",
}

router = APIRouter(include_in_schema=False)


@router.api_route("/", methods=["GET", "HEAD"])
def search_page() -> FileResponse:
    """The search page."""
    return _page("index.html")


@router.api_route("/post", methods=["GET", "HEAD"])
def post_page() -> FileResponse:
    """One post; the page reads `id` and `q` from its own address."""
    return _page("post.html")


@router.api_route("/favicon.ico", methods=["GET", "HEAD"])
def favicon() -> FileResponse:
    """The icon, for browsers that ask at the root."""
    return _page("icon.svg")


class Assets(StaticFiles):
    """Scripts, styles and the icon, under the same policy as the pages."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers.update(SECURITY_HEADERS)
        return response


def _page(name: str) -> FileResponse:
    return FileResponse(WEB / name, headers=SECURITY_HEADERS)
