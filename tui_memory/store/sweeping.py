"""What a purge takes out of everything but observations and memories: smaller tables, `ui.json`, back-ups, marks.

Every text column of every table is looked through; `leaves` names those that hold only words of the program's own, and
a test plants a text in each of the rest, so that a table that comes later is covered or fails it.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from tui_memory import places
from tui_memory.clock import uuid7
from tui_memory.store import folders, leaves
from tui_memory.store.connection import write_private
from tui_memory.store.text import dumps

Search = Callable[[str], object]

_BLANK = frozenset({
    ("queue", "last_error"), ("sessions", "cwd"), ("sessions", "branch"), ("memories", "branch"),
})  # fmt: skip
"""(table, column) whose row stays without the text."""
_RENAMED = frozenset({
    ("projects", "name"), ("sessions", "session"), ("deliveries", "key"), ("journal_groups", "actor"),
})  # fmt: skip
"""(table, column) whose row stays under another name, for others refer to it."""
_UI = "ui.json"


def tables(connection: sqlite3.Connection, search: Search) -> int:
    """Take what matches out of the smaller tables: rows changed."""
    done = leaves.rewrite(connection, "journal", ["id"], ["before", "after"], lambda text: _unbranched(text, search))
    for table, keys, columns in leaves.small(connection):
        for column in columns:
            done += leaves.rewrite(connection, table, keys, [column], _change(table, column, search))
    return done


def _change(table: str, column: str, search: Search) -> Callable[[str], str | None]:
    """What becomes of a text of a column: itself, where it does not match."""

    def changed(text: str) -> str | None:
        if not search(text):
            return text
        if (table, column) in _RENAMED:
            return "purged" if table in ("projects", "journal_groups") else f"purged-{uuid7()}"
        return "" if (table, column) in _BLANK else None

    return changed


def _unbranched(text: str, search: Search) -> str:
    """A journaled state without a branch whose name matches."""
    value = json.loads(text)
    return dumps(value | {"branch": ""}) if search(str(value.get("branch", ""))) else text


def marks(connection: sqlite3.Connection, search: Search) -> list[str]:
    """Forget how far transcripts were read, and which copies were made, where the place matches; all that still exist.

    A copy is named whatever its name is: what is forgotten may be in it.
    """
    outside = []
    rows = connection.execute("SELECT key FROM meta WHERE key LIKE 'transcript:%' OR key LIKE 'copy:%'").fetchall()
    for (key,) in rows:
        kind, _, stored = key.partition(":")
        place = folders.real(connection, stored)
        matches = search(place) or search(stored)
        if matches:
            connection.execute("DELETE FROM meta WHERE key = ?", (key,))
        if (matches or kind == "copy") and ("://" in place or os.path.exists(place)):
            outside.append(place)
    return sorted({*outside, *_synced(connection)})


def copies_outside(connection: sqlite3.Connection) -> list[str]:
    """The exports and back-ups that were written outside of the store and are still there."""
    rows = connection.execute("SELECT key FROM meta WHERE key LIKE 'copy:%'").fetchall()
    places = [folders.real(connection, key.partition(":")[2]) for (key,) in rows]
    return sorted({*(place for place in places if "://" in place or os.path.exists(place)), *_synced(connection)})


def _synced(connection: sqlite3.Connection) -> list[str]:
    """The places that other devices read: until the next sync takes it out of there."""
    rows = connection.execute("SELECT place FROM sync_places WHERE sent > 0").fetchall()
    return [folders.real(connection, row[0]) for row in rows]


def named(connection: sqlite3.Connection, projects: set[int], sessions: set[str]) -> re.Pattern[str] | None:
    """The names by which files beside the tables may know projects and sessions that go."""
    listed = json.dumps(sorted(projects))
    these = "IN (SELECT value FROM json_each(?))"
    rows = connection.execute(
        f"SELECT uid FROM projects WHERE id {these} UNION SELECT name FROM projects WHERE id {these}"
        f" UNION SELECT value FROM project_aliases WHERE project_id {these}",
        (listed, listed, listed),
    )
    words = {str(row[0]) for row in rows} | {name for name in sessions if len(name) >= 8}
    return re.compile("|".join(map(re.escape, sorted(words)))) if words else None


def file(home: Path, change: Callable[[str], str | None], *, write: bool = True) -> int:
    """Give every text in the application's own file to `change`, None takes it out: 1 where it changed, else 0.

    OSError where it cannot be rewritten.
    """
    path = home / _UI
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        return 0
    except ValueError:
        path.unlink()  # torn: the application makes another
        return 1
    kept = _changed(value, change)
    if kept != value and write:
        aside = path.with_name(f".{_UI}-{uuid7()}")
        write_private(aside, json.dumps(kept).encode())
        aside.replace(path)
    return int(kept != value)


def _changed(value: Any, change: Callable[[str], str | None]) -> Any:
    """A JSON value with its texts and names changed, without those that are taken out."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        pairs = [(change(name), _changed(item, change), item) for name, item in value.items()]
        return {name: new for name, new, item in pairs if name is not None and (new is not None or item is None)}
    if isinstance(value, list):
        return [new for item in value if (new := _changed(item, change)) is not None or item is None]
    return value


def settings(search: Search) -> list[str]:
    """The settings file, where it holds a match: it is the person's own to change."""
    path = places.config_file()
    try:
        return [str(path)] if search(path.read_text("utf-8", "replace")) else []
    except OSError:
        return []


def copies(home: Path, search: Search) -> list[str]:
    """The back-ups inside the store, as paths within it, in which any text matches; one that cannot be read does."""
    folder = home / "backups"
    found = sorted(folder.rglob("*.db*")) if folder.is_dir() else []
    return [str(path.relative_to(home)) for path in found if _holds(path, search)]


def _holds(path: Path, search: Search) -> bool:
    try:
        with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as copy:
            return any(search(text) for text in _texts(copy))
    except sqlite3.Error:
        return True


def _texts(copy: sqlite3.Connection) -> Iterator[str]:
    """Every text of every table, as it reads."""
    for (table,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"):
        for row in copy.execute(f'SELECT * FROM "{table}"'):
            for value in row:
                if isinstance(value, str):
                    yield value
                    if value[:1] in "[{":
                        yield from _leaves(value)


def _leaves(text: str) -> Iterator[str]:
    try:
        yield from leaves.inside(json.loads(text))
    except ValueError:
        return
