"""Other programs' databases, opened so that nothing in them can change."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import quote

MAGIC = b"SQLite format 3\0"


def read_only(path: Path) -> sqlite3.Connection:
    """A read-only connection, rows by name; OSError where it is no regular file or cannot be opened.

    What another program has just written and not yet moved into the file (its -wal) is read too, where the
    folder allows it.
    """
    if path.is_symlink() or not path.is_file():
        raise OSError(f"{path} is not a regular file")
    address = f"file:{quote(str(path.absolute()))}"
    error: sqlite3.Error | None = None
    for mode in ("mode=ro", "immutable=1"):
        connection = sqlite3.connect(f"{address}?{mode}", uri=True, timeout=2.0)
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return connection
        except sqlite3.Error as failure:
            connection.close()
            error = failure
    raise OSError(f"{path} cannot be read as an SQLite database: {error}") from error


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The names of a table's columns; none where there is no such table."""
    return frozenset(row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))
