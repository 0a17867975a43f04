"""What rows of claude-mem's and Engram's databases become, whatever their version, and that nothing in them changes."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tui_memory.capture import foreign
from tui_memory.clock import parse_iso
from tui_memory.errors import UsageError

CLAUDE_MEM = """
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, {session} TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY, {session} TEXT, project TEXT, text TEXT, type TEXT, title TEXT,
    subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
    created_at_epoch INTEGER);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, {session} TEXT, project TEXT, request TEXT, investigated TEXT,
    learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT,
    created_at_epoch INTEGER);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, prompt_text TEXT);
"""
ENGRAM = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT, directory TEXT, started_at TEXT, ended_at TEXT, summary TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY, sync_id TEXT, session_id TEXT, type TEXT, title TEXT, content TEXT,
    project TEXT, scope TEXT, topic_key TEXT, pinned INTEGER, expires_at TEXT, created_at TEXT, deleted_at TEXT);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, session_id TEXT, content TEXT);
"""


def database(path: Path, schema: str, rows: list[tuple[str, dict[str, Any]]]) -> Path:
    """A database with these rows, as (table, values by column)."""
    connection = sqlite3.connect(path)
    connection.executescript(schema)
    for table, values in rows:
        marks = ", ".join("?" * len(values))
        connection.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values()))
    connection.commit()
    connection.close()
    return path


@pytest.mark.parametrize("session", ["memory_session_id", "sdk_session_id"])
def test_claude_mems_rows_in_every_version_of_its_columns(tmp_path: Path, session: str) -> None:
    observation = {
        session: "s1", "project": "orderly", "type": "bugfix", "title": "Cents were lost", "subtitle": "float sum",
        "narrative": "The sum began with 0.", "facts": '["sum starts from Decimal"]', "concepts": '["money", "gotcha"]',
        "files_read": '["src/a.py"]', "files_modified": '["src/cart.py"]', "created_at_epoch": 1767258000000,
    }  # fmt: skip
    summary = {
        session: "s1",
        "project": "orderly",
        "request": "Fix cents",
        "learned": "floats drift",
        "created_at_epoch": 1767258000,
    }
    rows: list[tuple[str, dict[str, Any]]] = [
        ("observations", observation), ("observations", {session: "s1", "type": "change", "text": "Moved a file"}),
        ("observations", {session: "s1", "type": "docs", "title": "Read me"}), ("observations", {session: "s1"}),
        ("session_summaries", summary), ("session_summaries", {session: "s1"}), ("user_prompts", {"prompt_text": "hi"}),
    ]  # fmt: skip
    contents = foreign.read(database(tmp_path / "cm.db", CLAUDE_MEM.format(session=session), rows))
    first, change, docs, digest = contents.items
    assert (first.title, first.summary, first.text) == ("Cents were lost", "float sum", "The sum began with 0.")
    assert (first.kind, first.project, first.facts) == ("bugfix", "orderly", ["sum starts from Decimal"])
    assert first.labels == ["claude-mem", "money", "gotcha"] and first.files == ["src/cart.py", "src/a.py"]
    assert (change.title, change.kind, change.labels) == ("Moved a file", "feature", ["claude-mem", "change"])
    assert (docs.kind, docs.labels) == ("discovery", ["claude-mem", "docs"])
    assert (digest.kind, digest.text) == ("digest", "Asked: Fix cents\n\nLearned: floats drift")
    assert first.created == digest.created == 1767258000000
    assert sum(contents.skipped.values()) == 3


def test_claude_mems_directives_are_preferences(tmp_path: Path) -> None:
    columns = "id INTEGER PRIMARY KEY, scope TEXT, project TEXT, content TEXT, status TEXT, created_at_epoch INTEGER"
    schema = CLAUDE_MEM.format(session="memory_session_id") + f"CREATE TABLE directives ({columns});"
    rows: list[tuple[str, dict[str, Any]]] = [
        ("directives", {"scope": "global", "project": "x", "content": "Be brief", "status": "active"}),
        ("directives", {"scope": "project", "project": "orderly", "content": "No floats", "status": "active"}),
        ("directives", {"scope": "global", "content": "Old", "status": "retired"}),
    ]
    contents = foreign.read(database(tmp_path / "cm.db", schema, rows))
    assert [(item.kind, item.tier, item.title, item.project) for item in contents.items] == [
        ("preference", "semantic", "Be brief", ""),
        ("preference", "semantic", "No floats", "orderly"),
    ]


def test_engrams_rows(tmp_path: Path) -> None:
    base = {"session_id": "e1", "project": "orderly", "scope": "project", "created_at": "2026-01-01 09:00:00"}
    rows: list[tuple[str, dict[str, Any]]] = [
        (
            "observations",
            base | {"type": "architecture", "title": "Hexagonal", "content": "Ports.", "topic_key": "arch/ports"},
        ),
        (
            "observations",
            base | {"type": "pattern", "title": "Names", "content": "Long.", "scope": "personal", "pinned": 1},
        ),
        ("observations", base | {"type": "manual", "title": "Odd", "content": "?"}),
        ("observations", base | {"type": "bugfix", "title": "Gone", "content": "x", "deleted_at": "2026-01-02"}),
        ("observations", base | {"type": "bugfix", "title": "Late", "content": "x", "expires_at": "2026-01-02"}),
        ("sessions", {"id": "e1", "directory": "/home/dev/orderly", "started_at": "2026-01-01", "summary": "Did it."}),
        ("user_prompts", {"session_id": "e1", "content": "hi"}),
    ]
    contents = foreign.read(database(tmp_path / "engram.db", ENGRAM, rows))
    assert [(item.title, item.kind, item.tier, item.project, item.pinned) for item in contents.items] == [
        ("Hexagonal", "decision", "semantic", "orderly", False),
        ("Names", "convention", "semantic", "", True),
        ("Odd", "discovery", "episodic", "orderly", False),
        ("Did it.", "digest", "episodic", "/home/dev/orderly", False),
    ]
    assert contents.items[0].labels == ["engram", "arch/ports"] and contents.items[2].labels == ["engram", "manual"]
    assert contents.items[0].created == parse_iso("2026-01-01T09:00:00Z")
    assert sum(contents.skipped.values()) == 3


def test_identities_are_version_7_uuids_with_the_time_of_their_source(tmp_path: Path) -> None:
    row = {"session_id": "e1", "title": "A", "content": "a", "created_at": "2026-01-01 09:00:00"}
    rows: list[tuple[str, dict[str, Any]]] = [("observations", row | {"sync_id": name}) for name in ("x", "y")]
    one, other = foreign.read(database(tmp_path / "e.db", ENGRAM, rows)).items
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", one.uid)
    assert int(one.uid[:8] + one.uid[9:13], 16) == parse_iso("2026-01-01T09:00:00Z") and one.uid != other.uid


def test_the_file_is_only_read(tmp_path: Path) -> None:
    path = database(tmp_path / "engram.db", ENGRAM, [])
    before = path.read_bytes()
    path.chmod(0o400)
    foreign.read(path)
    assert path.read_bytes() == before and list(tmp_path.glob("engram*")) == [path]


def test_what_another_program_is_just_writing_is_read_too(tmp_path: Path) -> None:
    path = database(tmp_path / "engram.db", ENGRAM, [])
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("INSERT INTO observations (session_id, title, content) VALUES ('e1', 'New', 'x')")
    writer.commit()
    assert [item.title for item in foreign.read(path).items] == ["New"]
    writer.close()


def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "engram.db"
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises(UsageError, match="Nothing was imported"):
        foreign.read(path)


def test_a_value_of_any_type_in_any_column_breaks_nothing(tmp_path: Path) -> None:
    odd = {"memory_session_id": 7, "type": b"\xff", "title": 1.5, "narrative": None, "facts": "{", "concepts": "[[]]"}
    rows: list[tuple[str, dict[str, Any]]] = [
        ("observations", odd),
        ("observations", {"title": "x", "facts": "not a list", "files_read": "3", "created_at_epoch": "soon"}),
    ]
    schema = CLAUDE_MEM.format(session="memory_session_id")
    made = foreign.read(database(tmp_path / "cm.db", schema, rows)).items
    assert made[-1].facts == ["not a list"] and made[-1].created == 0
