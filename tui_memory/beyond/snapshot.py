"""A copy of the store's database as it was at one moment, while everything runs; and a look whether a copy is whole."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tui_memory import places
from tui_memory.errors import StoreError
from tui_memory.store import erasing
from tui_memory.store.faults import explained

_PAGES = 2_048
"""Pages that are copied between two looks whether to go on: eight megabytes."""


def take(home: Path, target: Path, tick: Callable[[], object]) -> None:
    """Copy the committed state of now into a new file, readable by its owner alone. StoreError where it is not whole.

    `tick` is called between two steps; what it raises ends it.
    """
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with explained(home), closing(sqlite3.connect(places.database(home), isolation_level=None)) as source:
        source.execute("BEGIN")  # one state from the first page to the last, whatever others write meanwhile
        source.execute("SELECT 1 FROM meta LIMIT 1").fetchone()
        with closing(sqlite3.connect(target, isolation_level=None)) as copy:
            source.backup(copy, pages=_PAGES, progress=lambda *_how_far: tick())
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, that needs no log beside it
            if copy.execute("SELECT 1 FROM meta WHERE key = ?", (erasing.PENDING,)).fetchone():
                # What was purged may still be in its pages, and is to go nowhere.
                copy.execute("INSERT INTO search_text (search_text) VALUES ('optimize')")
                copy.execute("VACUUM")
    verdict = look(target)[2]
    if verdict != "ok":
        raise StoreError(
            f"The store is damaged ({verdict}), so no back-up of it was made, and the earlier ones stay as they are."
            " Keep a copy of it, then run `tui-memory doctor`."
        )


def look(file: Path) -> tuple[int, dict[str, int], str]:
    """(schema version, rows by table, SQLite's verdict) of a database that nobody else has open."""
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)) as copy:
            verdict = str(copy.execute("PRAGMA integrity_check(1)").fetchone()[0])
            tables = copy.execute(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
                " AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_text_%' ORDER BY 1"
            ).fetchall()
            counts = {name: int(copy.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0]) for (name,) in tables}
            return int(copy.execute("PRAGMA user_version").fetchone()[0]), counts, verdict
    except sqlite3.Error as error:
        return 0, {}, str(error)


def listed(file: Path) -> int:
    """The memories in a database that nobody else has open, without those whose creation was taken back."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)) as copy:
        return int(copy.execute("SELECT COUNT(*) FROM memories WHERE state <> 'undone'").fetchone()[0])
