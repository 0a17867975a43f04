"""What SQLite cannot do because of the disk around a store is told as what it is, with what to do."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from tui_memory.engine.status import unusable
from tui_memory.store import faults

CODES = [sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN]


def told(code: int, file: Path) -> str:
    """The sentence for an error of SQLite's about this file."""
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorcode = code
    found = faults.explain(error, file)
    assert found is not None
    return found.message


@pytest.mark.parametrize("code", CODES)
def test_a_full_disk_is_called_full_also_where_only_reading_failed(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=3, f_frsize=4096))
    said = told(code, tmp_path / "memory.db")
    assert said.startswith("The disk is full.") and "free some space" in said


@pytest.mark.parametrize("code", [*CODES, sqlite3.SQLITE_FULL])
def test_a_full_disk_is_not_said_to_stop_what_still_works(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A back-up that finds no room leaves a store that is open and read."""
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=3, f_frsize=4096))
    said = told(code, tmp_path / "memory.db")
    assert "not even reading" not in said and "even reading may fail" in said and "is intact" in said


@pytest.mark.parametrize("code", CODES)
def test_a_read_only_directory_is_called_so(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "directory is read-only" in told(code, tmp_path / "memory.db")


@pytest.mark.parametrize("code", CODES)
def test_where_there_is_room_it_is_neither(code: int, tmp_path: Path) -> None:
    assert not any(word in told(code, tmp_path / "memory.db") for word in ("full", "read-only"))


def test_only_a_damaged_store_is_to_be_replaced(tmp_path: Path) -> None:
    def mend(code: int) -> str:
        error = sqlite3.OperationalError("as SQLite says it")
        error.sqlite_errorcode = code
        wrapped = faults.explain(error, tmp_path / "memory.db")
        assert wrapped is not None
        wrapped.__cause__ = error
        return str(unusable(tmp_path, wrapped)["checks"][0]["fix"])

    assert [mend(code) for code in (*CODES, sqlite3.SQLITE_FULL)] == ["", "", ""]
    assert "restore-backup" in mend(sqlite3.SQLITE_CORRUPT)
