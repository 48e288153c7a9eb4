"""Limits on what a request may bring: bodies are counted while they stream in."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import FieldRefused, problem
from api.settings import Limits

READ_AWAY = 64_000_000
"""Bytes of a body over the limit that are read and thrown away, so that the answer arrives."""


class BodyLimit:
    """ASGI middleware: a body over `limit` bytes is answered 413, announced by Content-Length or not."""

    def __init__(self, app: ASGIApp, *, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = _content_length(scope)
        if announced is not None and announced > self._limit:
            await _read_away(receive, announced)
            await problem(413, self._message(), headers={"Connection": "close"})(scope, receive, send)
            return
        await self._app(scope, self._counting(receive), send)

    def _counting(self, receive: Receive) -> Receive:
        seen = 0

        async def receive_counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._limit:
                raise HTTPException(413, self._message(), headers={"Connection": "close"})
            return message

        return receive_counted

    def _message(self) -> str:
        return f"the body is larger than {self._limit} bytes"


async def _read_away(receive: Receive, announced: int) -> None:
    """Take what the client is still sending, up to `READ_AWAY` bytes: one that cannot write on sees no answer."""
    seen = 0
    while seen < min(announced, READ_AWAY):
        message = await receive()
        seen += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return


def _content_length(scope: Scope) -> int | None:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return None


def check_text(text: str, limits: Limits, name: str = "text") -> None:
    """413 for a text over the limit."""
    if len(text) > limits.text_characters:
        raise HTTPException(413, f"{name} is longer than {limits.text_characters} characters")


def check_batch(texts: Sequence[str], limits: Limits) -> None:
    """413 for too many texts, or too long ones together."""
    if len(texts) > limits.batch_texts:
        raise HTTPException(413, f"texts has more than {limits.batch_texts} entries")
    if sum(map(len, texts)) > limits.text_characters:
        raise HTTPException(413, f"texts are together longer than {limits.text_characters} characters")


def check_query(query: str, limit: int, offset: int, limits: Limits) -> None:
    """422 for a query or a page beyond the limits."""
    if len(query) > limits.query_characters:
        raise FieldRefused("query.q", f"q is longer than {limits.query_characters} characters")
    if limit > limits.page_hits:
        raise FieldRefused("query.limit", f"limit is at most {limits.page_hits}")
    if offset > limits.offset:
        raise FieldRefused("query.offset", f"offset is at most {limits.offset}")
