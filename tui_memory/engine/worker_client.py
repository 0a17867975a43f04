"""Asking the worker: one framed request a connection. Imports nothing heavy; numpy only where vectors come back."""

from __future__ import annotations

import json
import os
import select
import socket
import sqlite3
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_memory import __version__, launch, places
from tui_memory.errors import StoreError, TuiMemoryError, WorkerError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAGIC = b"TM1\n"
OTHER_PATIENCE = 2.0  # for another worker to answer, where ours has left
START_PATIENCE = 15.0  # seconds: a cold disk, an antivirus, a machine at work
STOP_PATIENCE = 15.0
QUERY_PATIENCE = 5.0


def ask(home: Path, operation: str, fields: Sequence[str] = (), body: bytes = b"", timeout: float = 10.0) -> bytes:
    """Send one request and return the answer's body.

    WorkerError where no worker listens, it does not answer within `timeout` seconds, or it says that it failed.
    """
    header = b"\0".join(os.fsencode(field) for field in (operation, *fields))
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
            channel.settimeout(timeout)
            channel.connect(os.fspath(socket_path(home)))
            channel.sendall(MAGIC + len(header).to_bytes(4, "big") + len(body).to_bytes(4, "big") + header + body)
            head = _exactly(channel, 5)
            answer = _exactly(channel, int.from_bytes(head[1:], "big"))
    except OSError as error:
        raise WorkerError(
            f"The worker of {home} does not answer ({error.strerror or error}). Nothing was changed; "
            "`tui-memory worker start` starts one."
        ) from error
    if head[:1] == b"E":
        raise WorkerError(answer.decode("utf-8", "replace"))
    return answer


def _exactly(channel: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = channel.recv(min(size - len(parts), 1 << 20))
        if not part:
            raise ConnectionResetError("it hung up")
        parts += part
    return bytes(parts)


def socket_path(home: Path) -> Path:
    """Where the worker of a store listens; a path that does not exist where none runs."""
    beside = places.hook_socket(home)
    if beside is not None:
        return beside
    said = written(home).get("socket")
    return Path(said) if isinstance(said, str) and said else places.worker_file(home)


def written(home: Path) -> dict[str, Any]:
    """What the last worker wrote of itself (pid, version, socket); empty where there is nothing readable."""
    try:
        value = json.loads(places.worker_file(home).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def status(home: Path) -> dict[str, Any]:
    """The contract's {running, pid, version, model, queue, idle_s}, from the worker or, where none runs, the store."""
    try:
        value = json.loads(ask(home, "status", timeout=2.0))
        return value if isinstance(value, dict) else {}
    except (WorkerError, ValueError):
        return {"running": False, "pid": None, "version": None, "model": None, "queue": _queued(home), "idle_s": None}


def _queued(home: Path) -> int:
    """How many turns wait, read from the store itself."""
    from tui_memory.store.connection import connect

    try:
        connection = connect(home, create=False, timeout=0.5)
    except StoreError:
        return 0
    try:
        row = connection.execute("SELECT COUNT(*) FROM queue WHERE state IN ('waiting', 'leased')").fetchone()
        return int(row[0])
    except sqlite3.DatabaseError:
        return 0  # damaged or busy: whoever asks for what it holds says so
    finally:
        connection.close()


def running(home: Path) -> bool:
    """Whether a worker answers."""
    try:
        ask(home, "status", timeout=2.0)
    except TuiMemoryError:
        return False
    return True


def start(home: Path, *, idle: float | None = None) -> dict[str, Any]:
    """Start the worker unless one of this version, or a newer one, runs; its status once it answers.

    `idle`: after how many seconds without work it leaves. WorkerError where none answers in time, StoreError where
    it left because the store cannot be used.
    """
    found = status(home)
    if found["running"]:
        if not older(str(found["version"])):
            return found
        stop(home)
    alive = spawn(home, idle=idle)
    try:
        if _wait(home, alive):
            return status(home)
    finally:
        os.close(alive)
    raise WorkerError(
        f"The worker of {home} did not start. What was captured is safe in the store; "
        f"{places.log_dir(home) / 'worker.log'} says why, and `tui-memory doctor` what to do."
    )


def _wait(home: Path, alive: int) -> bool:
    """Whether a worker answers in time. StoreError where ours has left because the store cannot be used."""
    until, left = time.monotonic() + START_PATIENCE, False
    while time.monotonic() < until:
        if status(home)["running"]:
            return True
        if not left and select.select([alive], [], [], 0)[0]:
            left = True
            _explain(home)
            until = min(until, time.monotonic() + OTHER_PATIENCE)  # it may have left because another one stays
        time.sleep(0.02)
    return False


def _explain(home: Path) -> None:
    """StoreError where it is the store that no worker can use: it says what to do, the worker's log only where."""
    from tui_memory.store.connection import connect

    connect(home, timeout=0.5).close()


def spawn(home: Path, *, idle: float | None = None) -> int:
    """Start a worker of its own session, without our streams, and of no parent; of several, one stays.

    A shell starts it and leaves: an agent that ends its MCP server ends all that descends from it. Returned is a
    descriptor that can be read once the worker has ended.
    """
    reader, writer = os.pipe()
    try:
        subprocess.run(
            ["/bin/sh", "-c", '"$@" &', "sh", *launch.command(home, idle)],
            env=launch.environment(),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=(writer,),
            check=False,
        )
    finally:
        os.close(writer)
    return reader


def older(version: str) -> bool:
    """Whether a worker's version is older than this program: only then is it replaced, so that two installed
    versions that share a store do not end each other's worker in turn."""
    return _numbers(version) < _numbers(__version__)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def stop(home: Path) -> bool:
    """Ask the worker to finish what it has and leave, and wait for that; False where none ran.

    One that has only just begun does not listen yet: it is asked as soon as it does.
    """
    until = time.monotonic() + STOP_PATIENCE
    while True:
        try:
            ask(home, "stop", timeout=5.0)
            break
        except WorkerError:
            if not locked(home):
                return False
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
    while time.monotonic() < until:
        if not locked(home):
            return True
        time.sleep(0.02)
    raise WorkerError(
        f"The worker of {home} was asked to stop and is still at work. Nothing was lost; wait, or ask again."
    )


def locked(home: Path) -> bool:
    """Whether a worker holds the store's lock."""
    import fcntl

    try:
        with open(home / "worker.lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def refresh(home: Path) -> bool:
    """Tell a running worker that the store has changed: it embeds what is missing. False where none runs."""
    try:
        ask(home, "refresh", timeout=2.0)
    except WorkerError:
        return False
    return True


def embed(home: Path, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32] | None:
    """Normalised vectors (rows, dimension) of texts; None where no worker runs or its model is not there yet."""
    try:
        answer = ask(
            home, "embed", ("query" if query else "passage",), json.dumps(list(texts)).encode(), QUERY_PATIENCE
        )
    except WorkerError:
        return None
    import numpy as np

    rows, dimension = (int.from_bytes(answer[at : at + 4], "big") for at in (0, 4))
    return np.frombuffer(answer, dtype="<f4", offset=8).reshape(rows, dimension).astype(np.float32, copy=True)


def drain(home: Path, timeout: float = 600.0) -> dict[str, Any]:
    """Have the worker empty the queue now; what is left. WorkerError where none runs."""
    value = json.loads(ask(home, "drain", timeout=timeout))
    return value if isinstance(value, dict) else {}
