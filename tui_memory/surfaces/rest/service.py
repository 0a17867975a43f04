"""Running the application on a listening socket, on whatever thread calls."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from tui_memory.engine.memory import Memory
from tui_memory.surfaces.rest import app
from tui_memory.surfaces.worker import standing

PATIENCE = 2  # seconds for requests in work when the server stops


class _Ours(H11Protocol):
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
    ) -> None:
        self._memory = Memory(home, embedding="worker")
        api = app.create(self._memory, log, stopping=self._stopping, touched=touched, port=port, token=token)
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # its lines hold paths and tracebacks
        self._server = uvicorn.Server(
            uvicorn.Config(
                api,
                http=H11Protocol if token else _Ours,
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
