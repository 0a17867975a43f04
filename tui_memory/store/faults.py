"""SQLite's errors for a person: what happened, that nothing was changed, what to do. Standard library only."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from tui_memory.errors import StoreError, UsageError

# By primary result code, the low byte of sqlite_errorcode (https://sqlite.org/rescode.html).
_ADVICE = {
    sqlite3.SQLITE_BUSY: "The store is busy: another process is writing. Nothing was changed; try again in a moment.",
    sqlite3.SQLITE_INTERRUPT: "The question was broken off: nobody waits for its answer any more. Nothing was changed.",
    sqlite3.SQLITE_LOCKED: "The store is busy: another thread is writing. Nothing was changed; try again in a moment.",
    sqlite3.SQLITE_READONLY: "The store is read-only. Nothing was changed; give yourself write access to its directory"
    " and files, or point TUI_MEMORY_HOME at another one.",
    sqlite3.SQLITE_PERM: "You may not use the store's files. Nothing was changed; check their owner and modes.",
    sqlite3.SQLITE_FULL: "The disk (or the store's size limit) is full. The change was taken back and what was stored"
    " before is intact; free some space and try again.",
    sqlite3.SQLITE_IOERR: "The disk reported an error. What was being changed was taken back; check the disk, then run"
    " `tui-memory doctor`.",
    sqlite3.SQLITE_CORRUPT: "The store's file is damaged. Nothing was changed; keep a copy of it, then run"
    " `tui-memory doctor`.",
    sqlite3.SQLITE_NOTADB: "The store's file is not a database. Nothing was changed; move it aside (a new store is made"
    " in its place) or put a back-up there.",
    sqlite3.SQLITE_CANTOPEN: "The store's file cannot be opened. Nothing was changed; check that its directory exists,"
    " is yours and can be written, or point TUI_MEMORY_HOME at another one.",
}


_FULL = (
    "The disk is full. What was being changed was taken back and what was stored before is intact; free some space and"
    " try again. Until there is a little room, even reading may fail."
)
_READ_ONLY = (
    "The store's directory is read-only, and SQLite needs to write beside a store to read it. Nothing was changed; make"
    " it writable, or copy it elsewhere and point TUI_MEMORY_HOME there."
)
_LITTLE = 128_000
"""Bytes below which a disk is full: what SQLite needs to read a store that it does not have open."""


def _surroundings(code: int, where: object) -> str:
    """What is wrong around the file, where SQLite only says that it could not use it."""
    if code not in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL):
        return ""
    folder = os.path.dirname(os.fspath(where)) if isinstance(where, os.PathLike) else ""
    try:
        if not folder or not os.path.isdir(folder):
            return ""
        if not os.access(folder, os.W_OK):
            return _READ_ONLY
        left = os.statvfs(folder)
    except OSError:
        return ""
    return _FULL if left.f_bavail * left.f_frsize < _LITTLE else ""


def explain(error: BaseException, where: object = "") -> StoreError | None:
    """The store error of a SQLite error; None where it is none, or the program's own (bad SQL, a constraint)."""
    code = getattr(error, "sqlite_errorcode", None)
    if not isinstance(code, int) or code & 0xFF not in _ADVICE:
        return None
    advice = _surroundings(code & 0xFF, where) or _ADVICE[code & 0xFF]
    place = f" [{where}]" if where else ""
    return StoreError(f"{advice} ({error}){place}")


@contextmanager
def explained(where: object = "") -> Iterator[None]:
    """Raise a StoreError with advice where SQLite reports that the store cannot be used.

    UsageError for a number or a text that no store can hold.
    """
    try:
        yield
    except OverflowError as error:
        raise UsageError(
            "A number that was given is larger than any the store can hold. Nothing was changed."
        ) from error
    except UnicodeEncodeError as error:
        raise UsageError("A text that was given holds bytes that are no characters. Nothing was changed.") from error
    except sqlite3.Error as error:
        told = explain(error, where)
        if told is None:
            raise
        raise told from error
