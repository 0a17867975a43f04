"""A store whose file is damaged behind the back of whoever has it open."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def settled(home: Path) -> Path:
    """The store's file, with all that is stored in the file itself."""
    file = home / "memory.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return file


def damage(home: Path) -> None:
    """Overwrite every page but the first."""
    file = settled(home)
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"\xee" * (len(content) - 4096))
