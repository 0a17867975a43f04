"""What a request must pass before any of it is looked at: body size, and on a port who asks from where."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from tui_memory.surfaces.rest import problems

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_LIMIT = 2 << 20
_WATCHERS = ("/healthz", "/metrics")  # asked every few seconds, by programs that would keep a worker up for ever


class BodyLimit:
    """No more than so many bytes are read, whatever Content-Length says; and a request is a sign of life."""

    def __init__(self, app: ASGIApp, touched: Callable[[], None], limit: int = BODY_LIMIT) -> None:
        self._app, self._touched, self._limit = app, touched, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on; 413 for what is too large."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        if scope["path"] not in _WATCHERS:
            self._touched()
        said = _header(scope, b"content-length")
        if said.isdigit() and int(said[:20]) > self._limit:
            return await _refuse(scope, receive, send, 413, self._sentence)
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._limit:
                raise HTTPException(413, self._sentence)  # the framework answers with it, wherever it was reading
            return message

        await self._app(scope, counted, send)

    @property
    def _sentence(self) -> str:
        return f"A body is at most {self._limit:,} bytes. Nothing was changed."


class Loopback:
    """On a port any page of any browser here could ask: Host and Origin must be ours, and the token must be right."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost")}
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on; 403 for a foreign Host or Origin, 401 without the token."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return await _refuse(scope, receive, send, 403, "The Host header names another machine.")
        origin = _header(scope, b"origin")
        if origin and origin.lower().removeprefix(b"http://") not in self._hosts:
            return await _refuse(scope, receive, send, 403, "Web pages of other origins are not served.")
        scheme, _, given = _header(scope, b"authorization").partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(), self._token):
            said = "The bearer token is missing or wrong; the file `token` in the store holds it."
            return await _refuse(scope, receive, send, 401, said, {"WWW-Authenticate": "Bearer"})
        await self._app(scope, receive, send)


async def _refuse(
    scope: Scope, receive: Receive, send: Send, status: int, detail: str, headers: dict[str, str] | None = None
) -> None:
    await problems.answer(status, detail, headers=(headers or {}) | {"Connection": "close"})(scope, receive, send)


def _header(scope: Scope, name: bytes) -> bytes:
    return next((bytes(value) for key, value in scope["headers"] if key == name), b"")
