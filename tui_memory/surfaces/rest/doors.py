"""The doors that a person opens: the worker's socket, or a loopback port with a token."""

from __future__ import annotations

import logging
import os
import secrets
import socket
from collections.abc import Callable
from pathlib import Path

from tui_memory.engine import worker_client
from tui_memory.errors import RefusedError
from tui_memory.store.connection import make_directory
from tui_memory.surfaces.rest import door

HOST = "127.0.0.1"


def on_socket(home: Path) -> Path:
    """Have the worker up; where its REST socket is. WorkerError where it cannot be started."""
    worker_client.start(home)
    return door.path(worker_client.socket_path(home))


def on_port(home: Path, port: int, opened: Callable[[str, Path], None]) -> None:
    """Serve on a loopback port until interrupted; `opened` is told the address and where the token is.

    RefusedError where the port is taken.
    """
    secret = token(home)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
        except OSError as error:
            raise RefusedError(f"Port {port} cannot be listened on: {error.strerror}. Name another.") from error
        listening.listen(door.BACKLOG)
        worker_client.start(home)
        from tui_memory.surfaces.rest.service import Service

        chosen = listening.getsockname()[1]
        service = Service(home, logging.getLogger("tui_memory.rest"), port=chosen, token=secret)
        opened(f"http://{HOST}:{chosen}", token_file(home))
        service.run(listening)


def token_file(home: Path) -> Path:
    """Where the bearer token is: 0600, never exported."""
    return home / "token"


def token(home: Path) -> str:
    """The store's bearer token, made on first use; its file's mode is mended where it is open to others."""
    make_directory(home)
    place = token_file(home)
    try:
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        place.chmod(0o600)
        found = place.read_text(encoding="ascii").strip()
        if len(found) >= 32:
            return found
        raise RefusedError(f"{place} holds no token. Nothing was changed; delete it, and a new one is made.") from None
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        made = secrets.token_urlsafe(32)
        file.write(made + "\n")
    return made
