"""Every text that a row holds: plain columns, the leaves of JSON ones; and tables that this program's parts added."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

OBSERVATION = {
    "text": False, "tool": False, "branch": False, "cwd": False, "parent": False, "files": True, "detail": True,
}  # fmt: skip
"""The text columns of an observation, and whether each is JSON."""
VERSION = {
    "title": False, "summary": False, "text": False, "facts": True, "labels": True, "files": True, "flagged": True,
}  # fmt: skip
"""The same of a version."""
_BATCH = 500
_OURS = {
    "meta": ("key", "value"),  # places in keys: `sweeping.marks`
    "counters": ("name",),
    "projects": ("uid",),
    "project_aliases": ("kind",),
    "sessions": ("agent",),
    "deliveries": ("delivery", "agent", "outcome"),
    "memories": ("uid", "title", "tier", "kind", "state"),  # the title is the version's
    "journal_groups": ("action", "device", "clock"),
    "queue": ("state", "leased_by"),
    "models": ("name",),
    "disclosures": ("phase",),
    "usage": ("day", "model"),
    "audit_cases": ("family", "state", "action"),
    "upkeep_verdicts": ("holds", "model"),
    "sync_places": ("encryption",),
    "sync_segments": ("name",),
    "sync_memories": ("uid", "stamps", "awaits"),
    "sync_texts": ("uid", "stamp", "over"),
    "sync_tombs": ("kind", "name"),
    "sync_observations": ("uid",),
}
"""Text columns that hold only words of the program's and the settings' own, or are looked after elsewhere."""
_ELSEWHERE = frozenset({
    "observations", "versions", "memory_labels", "memory_files", "chunks", "journal", "start_index",
})  # fmt: skip
"""Tables that are looked through by themselves, and those whose rows go and come with a version's."""


def of(row: Mapping[str, Any] | sqlite3.Row, columns: Mapping[str, bool]) -> Iterator[str]:
    """The texts of a row's columns."""
    for name, is_json in columns.items():
        if is_json:
            yield from inside(json.loads(row[name]))
        elif row[name]:
            yield row[name]


def inside(value: Any) -> Iterator[str]:
    """The texts of a JSON value, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from inside(item)
    elif isinstance(value, list):
        for item in value:
            yield from inside(item)


def batches(
    connection: sqlite3.Connection, table: str, columns: Sequence[str], after: int = 0, size: int = _BATCH
) -> Iterator[list[sqlite3.Row]]:
    """All rows above an id, in the order of their ids, some at a time: no reader is held open between them."""
    sql = f"SELECT id, {', '.join(columns)} FROM {table} WHERE id > ? ORDER BY id LIMIT ?"
    while rows := connection.execute(sql, (after, size)).fetchall():
        yield rows
        after = rows[-1]["id"]


def small(connection: sqlite3.Connection) -> Iterator[tuple[str, list[str], list[str]]]:
    """The smaller tables, also those that later parts of the program added: (name, key columns, text columns)."""
    names = connection.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
        " ORDER BY name"
    ).fetchall()
    for (name,) in names:
        if name in _ELSEWHERE or name.startswith("search_text"):
            continue
        columns = connection.execute("SELECT name, type, pk FROM pragma_table_info(?)", (name,)).fetchall()
        keys = [column["name"] for column in columns if column["pk"]] or ["rowid"]
        ours = _OURS.get(name, ())
        texts = [column["name"] for column in columns if column["type"] in ("TEXT", "") and column["name"] not in ours]
        if texts:
            yield name, keys, texts


def rewrite(
    connection: sqlite3.Connection,
    table: str,
    keys: Sequence[str],
    texts: Sequence[str],
    change: Callable[[str], str | None],
    *,
    write: bool = True,
) -> int:
    """Give every text of a table to `change`: another text takes its place, None deletes the row; how many rows.

    Of two rows that become the same one stays. `write`: false only counts.
    """
    done = 0
    where = " AND ".join(f"{key} = ?" for key in keys)
    for row in connection.execute(f"SELECT {', '.join([*keys, *texts])} FROM {table}").fetchall():
        own, old = tuple(row)[: len(keys)], list(tuple(row)[len(keys) :])
        new = [change(text) if isinstance(text, str) and text else text for text in old]
        if new == old:
            continue
        done += 1
        if not write:
            continue
        if any(text is None and was is not None for text, was in zip(new, old, strict=True)):
            connection.execute(f"DELETE FROM {table} WHERE {where}", own)
        else:
            sets = ", ".join(f"{name} = ?" for name in texts)
            connection.execute(f"UPDATE OR REPLACE {table} SET {sets} WHERE {where}", (*new, *own))
    return done


Children = dict[str, list[tuple[str, str, str]]]
"""By table: (table that refers to it, by which column, what becomes of its rows)."""


def children(connection: sqlite3.Connection) -> Children:
    """Which tables refer to which, as the schema declares it."""
    rows = connection.execute(
        'SELECT t.name AS child, f."table" AS parent, f."from" AS "column", f.on_delete FROM pragma_table_list t'
        " JOIN pragma_foreign_key_list(t.name) f WHERE t.schema = 'main' AND t.type = 'table'"
    )
    found: Children = {}
    for row in rows:
        found.setdefault(row["parent"], []).append((row["child"], row["column"], row["on_delete"]))
    return found


def erase(connection: sqlite3.Connection, known: Children, table: str, ids: set[int]) -> None:
    """Delete rows by id with all that hangs on them, a set at a time; needs foreign keys to be off."""
    if not ids:
        return
    listed = (json.dumps(sorted(ids)),)
    for child, column, action in known.get(table, ()):
        where = f"WHERE {column} IN (SELECT value FROM json_each(?))"
        if action == "SET NULL":
            connection.execute(f"UPDATE {child} SET {column} = NULL {where}", listed)
        elif child in known:
            found = {row[0] for row in connection.execute(f"SELECT id FROM {child} {where}", listed)}
            erase(connection, known, child, found)
        else:
            connection.execute(f"DELETE FROM {child} {where}", listed)
    connection.execute(f"DELETE FROM {table} WHERE id IN (SELECT value FROM json_each(?))", listed)
