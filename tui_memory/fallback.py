"""What a hook does without a worker: store the event itself, then start one. Runs in a child of the hook.

Standard library only; nothing here is imported while a worker answers.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` makes enumerations of it all: a third of a millisecond
import contextlib
import os
import sqlite3
import sys
import time
from pathlib import Path

from tui_memory import capture, launch, places
from tui_memory.config import CaptureSettings, compiled
from tui_memory.store import connection as opening
from tui_memory.store import folders, git_deliveries, ingest

LIFETIME = 45  # seconds until this process waits no longer
GRACE = 10  # seconds from then until the system ends it, whatever it does
LOCK_PATIENCE = 30.0  # seconds to wait for another writer (a purge rewrites the file); the agent is long gone by then
WAL_LIMIT = 4 << 20  # bytes
_NOTICED_MS = 10_000


def run(home: bytes, header: bytes, payload: bytes, writer: int) -> None:
    """Store the event, write the agent's answer to `writer`, become the worker. The process ends with this.

    `header`: the frame's fields. What could not be stored is raised, and no worker started: it could not use this store
    either, and would be started again by every event.
    """
    _signal.signal(_signal.SIGALRM, _give_up)
    _signal.alarm(LIFETIME)
    place = Path(os.fsdecode(home))
    _, agent, delivery, cwd, project_dir, *known = (os.fsdecode(field) for field in header.split(b"\0"))
    answer = store(place, agent, delivery, cwd, project_dir, known, payload)
    with contextlib.suppress(BrokenPipeError):  # the agent went on without it
        os.write(writer, answer)
    os.close(writer)
    fold_wal(place)
    start_worker(place)


def _give_up(*_: object) -> None:
    _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
    _signal.alarm(GRACE)
    raise TimeoutError


def store(home: Path, agent: str, delivery: str, cwd: str, project_dir: str, known: list[str], payload: bytes) -> bytes:
    """Commit one event; what the agent may be told. Errors of the store are raised.

    The connection is left open: closing the last one copies the WAL and waits for the disk, a third of the run.
    """
    name, _, event = agent.partition(":")
    connection = opening.connect(home, timeout=LOCK_PATIENCE)
    given = ingest.Delivery(delivery, name, time.time_ns() // 1_000_000, cwd, project_dir, tuple(known))
    key = opening.store_key(home)
    compiled_settings = settings(home)
    whole = git_deliveries.expanded(given, capture.with_event(payload, event), compiled_settings)
    outcomes = [ingest.receive(connection, one, content, compiled_settings, key) for one, content in whole]
    outcome = outcomes[0]
    if outcome.outcome != ingest.STORED or outcome.wants_context != "start":
        return b""
    text = start_index(connection, project_dir or outcome.draft_cwd, compiled_settings is None)
    return capture.answer(name, "SessionStart", masked(text, compiled_settings, key))


def settings(home: Path) -> CaptureSettings | None:
    """What was compiled, now where the file was written since; the defaults where nobody has any settings yet.

    None: they are wrong, or hold rules that only a worker can run; then only metadata is kept.
    """
    found = compiled(home)
    if found is not None:
        return found
    if not places.settings_file(home).exists() and not places.config_file().exists():
        return CaptureSettings()
    launch.compile_settings(home)
    return compiled(home)


def masked(text: str, known: CaptureSettings | None, key: bytes) -> str:
    """An index as it may be handed out: an older program may have written it."""
    from tui_memory.redact import Redactor

    return Redactor(key, kinds_off=known.kinds_off if known else frozenset()).text(text).text if text else ""


def start_index(connection: sqlite3.Connection, folder: str, own_rules: bool = False) -> str:
    """The index the worker last wrote for the project this folder is known to belong to; '' where there is none.

    `own_rules`: the settings may hold rules that only a worker can run; one built before they changed is not given.
    """
    since = _changed_ms() if own_rules else 0
    path = Path(folders.stored(connection, folder))
    for known in (path, *path.parents):
        row = connection.execute(
            "SELECT body FROM start_index JOIN project_aliases USING (project_id)"
            " WHERE kind = 'path' AND value = ? AND built >= ?",
            (str(known), since),
        ).fetchone()
        if row:
            return str(row[0])
    return ""


def _changed_ms() -> int:
    """When the settings file was last changed, with the time that a worker may take to notice."""
    try:
        return places.config_file().stat().st_mtime_ns // 1_000_000 + _NOTICED_MS
    except OSError:
        return 0


def fold_wal(home: Path) -> None:
    """Copy a long WAL into the database: where no worker ever starts, nobody else does."""
    try:
        if os.stat(f"{places.database(home)}-wal").st_size > WAL_LIMIT:
            sqlite3.connect(places.database(home)).execute("PRAGMA wal_checkpoint(PASSIVE)")
    except (OSError, sqlite3.Error):
        return  # there is none, or it cannot be done now: the next event tries again


def start_worker(home: Path) -> None:
    """Become the store's worker, unless one runs or is starting. Ends the process or returns."""
    import fcntl

    try:
        lock = os.open(home / "worker.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return  # held: a worker is there; or nothing can be written, and it would not start either
    os.close(lock)
    _signal.alarm(0)
    os.chdir("/")
    os.closerange(3, 1024)
    os.execve(sys.executable, launch.command(home), launch.environment())
