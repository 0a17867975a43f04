"""Capture paused: for everything, for a project, for a time. Times are milliseconds. Standard library only."""

from __future__ import annotations

import os
import sqlite3

from tui_memory.light import TYPE_CHECKING
from tui_memory.store import folders

if TYPE_CHECKING:
    from tui_memory.config import CaptureSettings
    from tui_memory.store.db import Store

FOR_EVER = (1 << 53) - 1


def put(store: Store, until: int, project_id: int | None = None) -> None:
    """Pause until a time (FOR_EVER; 0 resumes), everywhere or in one project."""
    with store.transaction() as connection:
        if project_id is None:
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('paused_until', ?)", (str(until),))
        else:
            connection.execute("UPDATE projects SET paused_until = ? WHERE id = ?", (until, project_id))


def until(connection: sqlite3.Connection, project_id: int | None = None) -> int:
    """Until when capture is paused, everywhere or in this project; 0 or past: it is not."""
    return max(own(connection), own(connection, project_id)) if project_id is not None else own(connection)


def own(connection: sqlite3.Connection, project_id: int | None = None) -> int:
    """Until when a pause of everything holds, or one of this project alone."""
    sql = "SELECT paused_until FROM projects WHERE id = ?"
    if project_id is None:
        sql = "SELECT value FROM meta WHERE key = 'paused_until' AND ? IS NULL"
    row = connection.execute(sql, (project_id,)).fetchone()
    return int(row[0]) if row else 0


def named(connection: sqlite3.Connection, now: int) -> dict[str, int]:
    """The projects that are paused by themselves: until when, by name."""
    sql = "SELECT name, paused_until FROM projects WHERE paused_until > ? ORDER BY 1"
    return dict(connection.execute(sql, (now,)).fetchall())


def _inside(connection: sqlite3.Connection, folder: str, now: int) -> bool:
    """Whether a folder that no event came from yet lies in a paused project's."""
    folder = folders.stored(connection, folder)
    rows = connection.execute(
        "SELECT value FROM project_aliases a JOIN projects p ON p.id = a.project_id"
        " WHERE a.kind = 'path' AND p.paused_until > ?",
        (now,),
    )
    return any(f"{folder}/".startswith(f"{row[0].rstrip('/')}/") for row in rows)


def applies(
    connection: sqlite3.Connection, settings: CaptureSettings | None, project_id: int | None, folder: str, now: int
) -> bool:
    """Whether an event of this project or folder is dropped: by a pause, or switched off in the settings."""
    if until(connection, project_id) > now or (project_id is None and _inside(connection, folder, now)):
        return True
    if settings is None:
        return False
    if settings.off:
        return True
    row = connection.execute("SELECT name FROM projects WHERE id = ?", (project_id,)).fetchone()
    names = {
        row[0] if row else "",
        os.path.basename(folder),
    }  # before its project is known, a folder goes by its own name
    return any(
        rules.off and (name in names or f"{folder}/".startswith(f"{name.rstrip('/')}/"))
        for name, rules in settings.projects.items()
    )
