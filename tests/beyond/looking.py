"""What a store says, and what lies in a place."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tui_memory.beyond.place import opened
from tui_memory.engine.memory import Memory


def titles(home: Path) -> list[str]:
    """The titles of a store's memories, sorted; the file is sound."""
    with closing(sqlite3.connect(home / "memory.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return sorted(row[0] for row in connection.execute("SELECT title FROM memories WHERE state = 'active'"))


def everything(home: Path) -> list[str]:
    """Every row of a store, as text; of `meta` what a restore does not set itself."""
    with closing(sqlite3.connect(home / "memory.db")) as connection:
        found = [line for line in connection.iterdump() if "search_text" not in line and 'INTO "meta"' not in line]
    return sorted(found)


def files(url: str) -> list[str]:
    """The names of the files there."""
    return opened(url, ()).names()


def content(url: str) -> dict[str, bytes]:
    """Every file there."""
    place = opened(url, ())
    return {name: place.get(name, 1 << 30) for name in place.names()}


def marks(memory: Memory) -> dict[str, str]:
    """What the store remembers of its back-ups."""
    return dict(map(tuple, memory.store.rows("SELECT key, value FROM meta WHERE key LIKE 'backup_%'")))


def pad(memory: Memory, size: int) -> None:
    """Make the store larger by so many bytes that no compression takes away."""
    with memory.store.transaction() as connection:
        connection.execute("INSERT INTO models (name, dimension, created) VALUES (?, 1, 1)", (os.urandom(8).hex(),))
        model = connection.execute("SELECT max(id) FROM models").fetchone()[0]
        chunk = connection.execute("SELECT max(id) FROM chunks").fetchone()[0]
        if chunk is None:
            version = connection.execute("SELECT max(id) FROM versions").fetchone()[0]
            chunk = connection.execute(
                "INSERT INTO chunks (version_id, n, text) VALUES (?, 0, 'x')", (version,)
            ).lastrowid
        connection.execute("INSERT INTO vectors VALUES (?, ?, ?)", (chunk, model, os.urandom(size)))


def meet(url: str, *memories: Memory) -> None:
    """Each syncs, and the first ones once more: all know all."""
    for memory in (*memories, *memories[:-1]):
        memory.syncing.sync(url)


def says(memory: Memory) -> list[tuple[Any, ...]]:
    """What a person sees of all that is active."""
    rows = memory.get([row.id for row in memory.memories()])
    return sorted((row.title, row.text, row.pinned, row.project, tuple(row.labels), row.created) for row in rows)


def the(memory: Memory, title: str) -> int:
    """The memory of this title."""
    (found,) = [row.id for row in memory.memories(state="all") if row.title == title]
    return found
