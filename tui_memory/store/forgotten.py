"""Sessions that were purged: their transcripts, read later, must not bring them back. Standard library only."""

from __future__ import annotations

import hashlib
import sqlite3

from tui_memory.clock import now_ms
from tui_memory.store import folders

_MARK = "forgotten:"


def remember(connection: sqlite3.Connection, agent: str, session: str) -> None:
    """What this session did until now is forgotten; its name is kept as a digest alone."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_name(agent, session), str(now_ms())))


def holds(connection: sqlite3.Connection, agent: str, session: str, time: int) -> bool:
    """Whether what a session did then (ms) was purged."""
    row = connection.execute(
        "SELECT value FROM meta WHERE key = ?", (_name(agent, folders.stored(connection, session)),)
    ).fetchone()
    return row is not None and time <= int(row[0])


def _name(agent: str, session: str) -> str:
    whole = f"{agent}\0{session}".encode("utf-8", "replace")
    return _MARK + hashlib.sha256(whole).hexdigest()[:32]
