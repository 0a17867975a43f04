"""What people have in other memories: claude-mem's and Engram's databases, and their notes for agents.

Readers open their file so that nothing in it can change, and hand on plain data. Standard library only.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tui_memory.capture.foreign import claude_mem, engram, notes
from tui_memory.capture.foreign.items import Contents, Item
from tui_memory.capture.transcripts.records import head
from tui_memory.capture.transcripts.sqlite_files import MAGIC, read_only
from tui_memory.errors import UsageError

__all__ = ["Contents", "Item", "is_notes", "read"]

KNOWN = "a claude-mem or Engram database, or a Markdown file such as CLAUDE.md or AGENTS.md"


def is_notes(path: Path) -> bool:
    """Whether a file's name says that it holds notes."""
    return path.suffix.lower() in (".md", ".mdc", ".markdown") or path.name in (".cursorrules", ".windsurfrules")


def read(path: Path, *, everywhere: bool = False) -> Contents:
    """What a file holds. `everywhere`: notes that lie in no project. UsageError for any other kind of file."""
    try:
        if is_notes(path):
            return notes.read(path, everywhere)
        if head(path, len(MAGIC)) == MAGIC:
            return _database(path)
    except (OSError, sqlite3.Error) as error:
        raise UsageError(f"{path} cannot be read: {error}. Nothing was imported.") from error
    raise UsageError(f"{path} is none of the files that can be imported: {KNOWN}. Nothing was imported.")


def _database(path: Path) -> Contents:
    with closing(read_only(path)) as connection:
        if claude_mem.is_one(connection):
            return claude_mem.read(connection)
        if engram.is_one(connection):
            return engram.read(connection)
    raise UsageError(f"{path} is a database of another program than these: {KNOWN}. Nothing was imported.")
