"""Running the application on a listening socket, on whatever thread calls."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from tui_memory.engine.memory import Memory
from tui_memory.surfaces.rest import app
from tui_memory.surfaces.worker import standing

if TYPE_CHECKING:
    from tui_memory.retrieve.search import Searcher

REQUEST_PATIENCE = 20.0  # seconds for a request's head, and for each look at a body that is still coming
PATIENCE = 2  # seconds for requests in work when the server stops


class _Timed(H11Protocol):
    """HTTP that hangs up on who does not get a request out: each waiting connection takes a place of others."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, and look whether a request comes."""
        super().connection_made(transport)
        self._unfinished: object = None
        self._look = self.loop.call_later(REQUEST_PATIENCE, self._looked)

    def connection_lost(self, exc: Exception | None) -> None:
        """End, and look no more."""
        self._look.cancel()
        super().connection_lost(exc)

    def _looked(self) -> None:
        """Hang up where no request, or none to its end, came since the last look; an answer may take long."""
        cycle = self.cycle
        if cycle is None or (cycle.more_body and cycle is self._unfinished):
            self.transport.abort()
            return
        self._unfinished = cycle if cycle.more_body else None
        self._look = self.loop.call_later(REQUEST_PATIENCE, self._looked)


class _Ours(_Timed):
    """HTTP for processes of this user alone."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or hang up on another user's process."""
        super().connection_made(transport)
        if not standing.is_ours(transport.get_extra_info("socket")):
            transport.abort()


class Service:
    """One running server over a store; `run` blocks until `stop`."""

    def __init__(
        self,
        home: Path,
        log: logging.Logger,
        *,
        touched: Callable[[], None] = app.nobody,
        port: int = 0,
        token: str = "",
        searcher: Searcher | None = None,
    ) -> None:
        """`searcher`: the one of the process that this runs in; None: one of its own."""
        self._memory = Memory(home, embedding="worker")
        if searcher is not None:
            self._memory.finding.share(searcher)
        api = app.create(self._memory, log, stopping=self._stopping, touched=touched, port=port, token=token)
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # its lines hold paths and tracebacks
        self._server = uvicorn.Server(
            uvicorn.Config(
                api,
                http=_Timed if token else _Ours,
                ws="none",
                loop="asyncio",
                log_config=None,
                access_log=False,
                server_header=False,
                limit_concurrency=128,
                timeout_graceful_shutdown=PATIENCE,
            )
        )

    def _stopping(self) -> bool:
        return self._server.should_exit

    def run(self, listening: socket.socket) -> None:
        """Serve until told to stop; then the store is let go of."""
        try:
            self._server.run(sockets=[listening])
        finally:
            self._memory.close()

    def stop(self) -> None:
        """Have `run` end once what is in work is answered."""
        self._server.should_exit = True
