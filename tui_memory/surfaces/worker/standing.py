"""What makes a process the worker of a store: the lock, the socket, and the note of who it is."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import stat
import struct
import sys
from pathlib import Path

from tui_memory import __version__, places
from tui_memory.errors import WorkerError
from tui_memory.store import filelock
from tui_memory.store.connection import make_directory

BACKLOG = 1024  # a hundred hooks at once must not find the door closed


def take_lock(home: Path) -> int | None:
    """The descriptor of the store's worker lock, held as long as it is open; None where another worker has it."""
    make_directory(home)
    return filelock.take(home / "worker.lock")


def holds(lock: int, home: Path) -> bool:
    """Whether the held lock is still the store's: its directory may have been removed, or another put in its place."""
    try:
        return os.path.samestat(os.fstat(lock), os.stat(home / "worker.lock"))
    except OSError:
        return False


def bind(home: Path) -> tuple[socket.socket, Path]:
    """A listening socket only this user can reach, and its path. Whoever holds the lock may replace an old one."""
    path = places.hook_socket(home) or _elsewhere(home)
    # Bound under another name and renamed once it listens: nobody ever finds a socket that refuses.
    fresh = path.with_name(path.name + "~")
    fresh.unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        server.bind(os.fspath(fresh))
    finally:
        os.umask(before)
    fresh.chmod(0o600)
    server.listen(BACKLOG)
    server.setblocking(False)
    fresh.replace(path)
    return server, path


def _elsewhere(home: Path) -> Path:
    """A short path in a directory that is ours alone; WorkerError where somebody else made that directory."""
    folder = places.runtime_dir()
    if not folder.exists():
        make_directory(folder)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise WorkerError(
            f"{folder} is not this user's alone, so the worker does not listen there. Nothing was changed; "
            "set XDG_RUNTIME_DIR, or TUI_MEMORY_HOME to a shorter path."
        )
    return folder / f"tui-memory-{hashlib.sha256(os.fsencode(home)).hexdigest()[:16]}.sock"


def write_note(home: Path, path: Path) -> None:
    """worker.json: pid, version and socket, whole at every moment."""
    value = {"pid": os.getpid(), "version": __version__, "socket": str(path)}
    fresh = places.worker_file(home).with_suffix(".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False)  # the hook reads the path without knowing escapes
    fresh.replace(places.worker_file(home))


def leave(home: Path, path: Path) -> None:
    """Take socket and note away; only the holder of the lock may."""
    path.unlink(missing_ok=True)
    places.worker_file(home).unlink(missing_ok=True)


def is_ours(peer: socket.socket) -> bool:
    """Whether the process at the other end belongs to this user (or root)."""
    if sys.platform == "linux":
        raw = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        uid = struct.unpack("3i", raw)[1]
    else:
        uid = struct.unpack("II", peer.getsockopt(0, 1, 8))[1]  # LOCAL_PEERCRED: version, uid, …
    return uid in (os.geteuid(), 0)
