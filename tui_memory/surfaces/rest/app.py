"""The application: routes, problems, guards, and the document that describes them."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, FastAPI, Header, Request, Security
from fastapi.responses import StreamingResponse
from fastapi.security import HTTPBearer

from tui_memory import __version__
from tui_memory.engine.memory import Memory
from tui_memory.errors import StoreError
from tui_memory.surfaces.rest import audit, problems, stream
from tui_memory.surfaces.rest.guards import BodyLimit, Loopback
from tui_memory.surfaces.rest.routes import router

if TYPE_CHECKING:
    from starlette.types import ASGIApp

THREADS = 8
STREAMS = 16

feed = APIRouter(responses=problems.documented())


def never() -> bool:
    """Nothing stops."""
    return False


def nobody() -> None:
    """Nobody wants to know."""


def create(
    memory: Memory,
    log: logging.Logger,
    *,
    stopping: Callable[[], bool] = never,
    touched: Callable[[], None] = nobody,
    port: int = 0,
    token: str = "",
) -> ASGIApp:
    """The guarded application. `touched` is told of requests; a token and its port make it one for TCP."""
    api = plain(memory, log, stopping=stopping, touched=touched, locked=bool(token))
    limited = BodyLimit(api, touched)
    return Loopback(limited, port, token) if token else limited


def plain(
    memory: Memory,
    log: logging.Logger,
    *,
    stopping: Callable[[], bool] = never,
    touched: Callable[[], None] = nobody,
    locked: bool = False,
) -> FastAPI:
    """The application without its guards. No page of documentation: that one would load scripts from elsewhere."""
    app = FastAPI(
        title="tui-memory",
        version=__version__,
        summary="A local memory for AI coding agents.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
        dependencies=[Security(HTTPBearer(auto_error=False))] if locked else [],
    )
    app.state.memory, app.state.stopping, app.state.touched, app.state.streams = memory, stopping, touched, 0
    problems.install(app, log)
    app.include_router(router)
    app.include_router(audit.router)
    app.include_router(feed)
    return app


@contextlib.asynccontextmanager
async def _lifespan(_app: FastAPI) -> AsyncIterator[None]:
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS  # each has a connection of its own
    yield


@feed.get(
    "/v1/stream", tags=["state"], response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)  # fmt: skip
async def follow(request: Request, last_event_id: Annotated[str, Header(max_length=64)] = "") -> StreamingResponse:
    """What changes, as server-sent events `observation` and `memory`, from now or from Last-Event-ID on."""
    state = request.app.state
    if state.streams >= STREAMS:
        raise StoreError(f"{STREAMS} streams are open already. Close one first.")
    return StreamingResponse(
        _counted(state, last_event_id), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
    )


async def _counted(state: Any, last: str) -> AsyncIterator[str]:
    state.streams += 1
    try:
        async for frame in stream.events(state.memory, last, state.stopping, state.touched):
            yield frame
    finally:
        state.streams -= 1
