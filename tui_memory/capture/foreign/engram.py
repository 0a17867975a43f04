"""Engram's database: its observations and the summaries of its sessions."""

from __future__ import annotations

import sqlite3
from typing import Any

from tui_memory.capture.foreign.items import Contents, Item, first_line
from tui_memory.capture.shapes import clean
from tui_memory.capture.transcripts.sqlite_files import columns
from tui_memory.clock import now_ms, parse_iso
from tui_memory.model import MemoryKind, Tier

FORMAT = "engram"
_KINDS: dict[str, tuple[MemoryKind, Tier]] = {
    "decision": (MemoryKind.DECISION, Tier.EPISODIC),
    "architecture": (MemoryKind.DECISION, Tier.SEMANTIC),
    "bugfix": (MemoryKind.BUGFIX, Tier.EPISODIC),
    "pattern": (MemoryKind.CONVENTION, Tier.SEMANTIC),
    "config": (MemoryKind.CONVENTION, Tier.SEMANTIC),
    "policy": (MemoryKind.CONVENTION, Tier.SEMANTIC),
    "preference": (MemoryKind.PREFERENCE, Tier.SEMANTIC),
    "discovery": (MemoryKind.DISCOVERY, Tier.EPISODIC),
    "learning": (MemoryKind.DISCOVERY, Tier.EPISODIC),
    "session_summary": (MemoryKind.DIGEST, Tier.EPISODIC),
}
_OTHER = (MemoryKind.DISCOVERY, Tier.EPISODIC)


def is_one(connection: sqlite3.Connection) -> bool:
    """Whether a database is Engram's."""
    return {"type", "title", "content", "session_id"} <= columns(connection, "observations") and bool(
        columns(connection, "user_prompts")
    )


def read(connection: sqlite3.Connection) -> Contents:
    """Everything worth taking over. sqlite3.Error where the database is damaged."""
    contents = Contents(FORMAT)
    for row in connection.execute("SELECT * FROM observations ORDER BY id"):
        _take(dict(row), contents)
    if "summary" in columns(connection, "sessions"):
        for row in connection.execute("SELECT * FROM sessions ORDER BY id"):
            _take_session(dict(row), contents)
    count = connection.execute("SELECT count(*) FROM user_prompts").fetchone()[0]
    if count:
        contents.skipped["prompt (Engram's memories tell what came of it)"] += count
    return contents


def _take(row: dict[str, Any], contents: Contents) -> None:
    content, title, kind = _text(row, "content"), _text(row, "title"), _text(row, "type")
    if _text(row, "deleted_at"):
        contents.skipped["observation that was deleted there"] += 1
    elif 0 < _moment(row, "expires_at") <= now_ms():
        contents.skipped["observation that has expired there"] += 1
    elif not content and not title:
        contents.skipped["observation without a text"] += 1
    else:
        known, tier = _KINDS.get(kind, _OTHER)
        topic = _text(row, "topic_key")
        own = [kind] if kind and kind not in _KINDS else []
        contents.items.append(
            Item(
                identity=f"{FORMAT}:{_text(row, 'sync_id') or _local(row)}",
                source=f"observation: {kind or 'no type'}",
                title=title or first_line(content),
                text=content,
                kind=known,
                tier=tier,
                labels=[FORMAT, *own, *([topic] if topic else [])],
                project="" if _text(row, "scope") == "personal" else _text(row, "project"),
                created=_moment(row, "created_at"),
                pinned=bool(row.get("pinned")),
            )
        )


def _take_session(row: dict[str, Any], contents: Contents) -> None:
    said = _text(row, "summary")
    if not said:
        contents.skipped["session without a summary"] += 1
        return
    contents.items.append(
        Item(
            identity=f"{FORMAT}:session:{row.get('id')}",
            source="session summary",
            title=first_line(said),
            text=said,
            kind=MemoryKind.DIGEST,
            labels=[FORMAT],
            project=_text(row, "directory") or _text(row, "project"),
            created=_moment(row, "started_at"),
        )
    )


def _local(row: dict[str, Any]) -> str:
    return f"{_text(row, 'session_id')}:{row.get('id')}:{_text(row, 'created_at')}"


def _moment(row: dict[str, Any], column: str) -> int:
    """Milliseconds of a time as SQLite writes it (UTC); 0 where there is none."""
    try:
        return max(parse_iso(_text(row, column)), 0)
    except (ValueError, OverflowError):
        return 0


def _text(row: dict[str, Any], column: str) -> str:
    value = row.get(column)
    return clean(value).strip() if isinstance(value, str) else ""
