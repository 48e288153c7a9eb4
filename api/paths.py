"""What may come in as a path: percent-encoded UTF-8, as everything that is sent."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from starlette.types import ASGIApp, Receive, Scope, Send

from api.errors import problem


class PathText:
    """ASGI middleware: a path whose bytes are not UTF-8 is answered 400, instead of being read as another one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        fault = broken_bytes(scope.get("raw_path") or b"") if scope["type"] == "http" else None
        if fault is None:
            await self._app(scope, receive, send)
        else:
            await problem(400, f"the path is not UTF-8: {fault}")(scope, receive, send)


def broken_bytes(raw_path: bytes) -> str | None:
    """Where the decoded path stops being UTF-8, in words; None where it is.

    >>> broken_bytes(b"/v1/posts/%ff")
    '%FF after /v1/posts/'
    """
    path = unquote_to_bytes(raw_path)
    try:
        path.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"%{path[error.start]:02X} after {path[: error.start].decode('utf-8')}"
    return None
