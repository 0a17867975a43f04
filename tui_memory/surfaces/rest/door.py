"""The worker's REST socket. Nothing of it is imported until somebody knocks: no hook waits for a web framework."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Callable
from logging import Logger
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui_memory.retrieve.search import Searcher
    from tui_memory.surfaces.rest.service import Service

BACKLOG = 128
CLOSE_PATIENCE = 3.0


def path(hook: Path) -> Path:
    """Where REST listens beside a worker's hook socket."""
    return hook.with_name("rest.sock" if hook.name == "hook.sock" else f"{hook.stem}-rest.sock")


def bind(place: Path) -> socket.socket:
    """A listening socket only this user can reach, in the place of an old one."""
    fresh = place.with_name(place.name + "~")
    fresh.unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        server.bind(os.fspath(fresh))
    finally:
        os.umask(before)
    server.listen(BACKLOG)
    server.setblocking(False)
    fresh.replace(place)
    return server


class Door:
    """Listens beside the hooks' socket from `open` on; the first connection starts the server on its own thread."""

    def __init__(
        self, home: Path, hooks: socket.socket, touched: Callable[[], None], log: Logger,
        searcher: Callable[[], Searcher],
    ) -> None:  # fmt: skip
        self._home, self._touched, self._log, self._searcher = home, touched, log, searcher
        self._place = path(Path(str(hooks.getsockname()).removesuffix("~")))
        self._socket: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self._service: Service | None = None
        self._closing = False

    def open(self) -> None:
        """Listen. Runs on the worker's loop; a socket that cannot be had costs REST alone."""
        try:
            self._socket = bind(self._place)
        except OSError as error:
            self._log.error("rest: cannot listen: %s", error.strerror)
            return
        asyncio.get_running_loop().add_reader(self._socket, self._knocked)

    def close(self, *, ours: bool) -> None:
        """Answer what is in work and stop; the socket's file goes where the store is still `ours`."""
        self._closing = True
        if self._service is not None:
            self._service.stop()
        if self._thread is not None:
            self._thread.join(CLOSE_PATIENCE)
        if self._socket is not None and ours:
            self._place.unlink(missing_ok=True)

    def _knocked(self) -> None:
        assert self._socket is not None
        asyncio.get_running_loop().remove_reader(self._socket)
        self._thread = threading.Thread(target=self._serve, args=(self._socket,), name="rest", daemon=True)
        self._thread.start()

    def _serve(self, listening: socket.socket) -> None:
        from tui_memory.surfaces.worker.logs import what

        try:
            from tui_memory.surfaces.rest.service import Service

            self._service = Service(self._home, self._log, touched=self._touched, searcher=self._searcher())
            if self._closing:  # it was told to leave while the framework was imported
                return
            self._log.info("rest: serves")
            self._service.run(listening)
        except Exception as error:  # nobody else hears of it, and hooks go on without
            self._log.error("rest: unexpected %s", what(error))
            listening.close()
