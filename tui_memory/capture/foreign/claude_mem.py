"""claude-mem's database: its observations, session summaries and directives. Column names changed over its versions."""

from __future__ import annotations

import sqlite3
from typing import Any

from tui_memory.capture.foreign.items import Contents, Item, first_line, texts
from tui_memory.capture.shapes import clean
from tui_memory.capture.transcripts.sqlite_files import columns
from tui_memory.model import MemoryKind, Tier

FORMAT = "claude-mem"
_KINDS = {
    "decision": MemoryKind.DECISION,
    "bugfix": MemoryKind.BUGFIX,
    "feature": MemoryKind.FEATURE,
    "refactor": MemoryKind.REFACTOR,
    "discovery": MemoryKind.DISCOVERY,
    "change": MemoryKind.FEATURE,
}
_SUMMARY = (
    ("Asked", "request"), ("Looked at", "investigated"), ("Learned", "learned"), ("Done", "completed"),
    ("Left open", "next_steps"), ("Notes", "notes"),
)  # fmt: skip


def is_one(connection: sqlite3.Connection) -> bool:
    """Whether a database is claude-mem's."""
    return {"narrative", "facts"} <= columns(connection, "observations") and bool(columns(connection, "sdk_sessions"))


def read(connection: sqlite3.Connection) -> Contents:
    """Everything worth taking over. sqlite3.Error where the database is damaged."""
    contents = Contents(FORMAT)
    for row in _rows(connection, "observations"):
        item = _observation(row)
        if item is None:
            contents.skipped["observation without a text"] += 1
        else:
            contents.items.append(item)
    for row in _rows(connection, "session_summaries"):
        item = _session_summary(row)
        if item is None:
            contents.skipped["session summary without a text"] += 1
        else:
            contents.items.append(item)
    for row in _rows(connection, "directives"):
        if _text(row, "status") not in ("", "active"):
            contents.skipped["directive that is not active"] += 1
        elif _text(row, "content"):
            contents.items.append(_directive(row))
    for table, what in (
        ("user_prompts", "prompt (claude-mem's memories tell what came of it)"),
        ("pending_messages", "event that claude-mem has not worked on yet"),
    ):
        if columns(connection, table) and (count := connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]):
            contents.skipped[what] += count
    return contents


def _rows(connection: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    if not columns(connection, table):
        return []
    return [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY id")]


def _observation(row: dict[str, Any]) -> Item | None:
    text = _text(row, "narrative") or _text(row, "text")
    facts = texts(row.get("facts"))
    title = _text(row, "title") or first_line(text)
    if not title and not facts:
        return None
    kind = _text(row, "type")
    own = [] if kind in _KINDS and kind != "change" else [kind] if kind else []
    return Item(
        identity=_identity(row, "observation"),
        source=f"observation: {kind or 'no type'}",
        title=title or facts[0],
        text=text,
        summary=_text(row, "subtitle"),
        facts=facts,
        kind=_KINDS.get(kind, MemoryKind.DISCOVERY),
        labels=[FORMAT, *own, *texts(row.get("concepts"))],
        files=list(dict.fromkeys([*texts(row.get("files_modified")), *texts(row.get("files_read"))])),
        project=_project(row),
        created=_created(row),
    )


def _session_summary(row: dict[str, Any]) -> Item | None:
    parts = [(name, _text(row, column)) for name, column in _SUMMARY]
    text = "\n\n".join(f"{name}: {said}" for name, said in parts if said)
    if not text:
        return None
    return Item(
        identity=_identity(row, "summary"),
        source="session summary",
        title=first_line(_text(row, "request") or _text(row, "completed") or _text(row, "learned") or text),
        text=text,
        summary=first_line(_text(row, "completed") or _text(row, "learned"), 200),
        kind=MemoryKind.DIGEST,
        labels=[FORMAT],
        files=list(dict.fromkeys([*texts(row.get("files_edited")), *texts(row.get("files_read"))])),
        project=_project(row),
        created=_created(row),
    )


def _directive(row: dict[str, Any]) -> Item:
    said = _text(row, "content")
    return Item(
        identity=_identity(row, "directive"),
        source="directive",
        title=first_line(said),
        text=said,
        kind=MemoryKind.PREFERENCE,
        tier=Tier.SEMANTIC,
        labels=[FORMAT],
        project=_text(row, "project") if _text(row, "scope") != "global" else "",
        created=_created(row),
    )


def _identity(row: dict[str, Any], sort: str) -> str:
    """Session and number within it: databases of two machines count their rows alike."""
    session = _text(row, "memory_session_id") or _text(row, "sdk_session_id")
    return f"{FORMAT}:{sort}:{session}:{row.get('id')}:{row.get('created_at_epoch')}"


def _project(row: dict[str, Any]) -> str:
    return _text(row, "merged_into_project") or _text(row, "project")


def _created(row: dict[str, Any]) -> int:
    """Milliseconds; its oldest versions counted seconds."""
    value = row.get("created_at_epoch")
    if not isinstance(value, int) or not 0 < value < 1 << 44:
        return 0
    return value if value > 100_000_000_000 else value * 1000


def _text(row: dict[str, Any], column: str) -> str:
    value = row.get(column)
    return clean(value).strip() if isinstance(value, str) else ""
