"""What a change changed, in words: what a person reads in a memory's history, in place of the journal's columns."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tui_memory.model import Entry
from tui_memory.safetext import one_line
from tui_memory.store import rules

if TYPE_CHECKING:
    from tui_memory.store.db import Store

_LISTS = ("facts", "labels", "files")
_WORDS = ("tier", "kind")
_TITLE = 60
"""Characters of a title, or of another word of theirs, that are told."""
_GONE = "a text that is no longer kept"


def told(store: Store, entries: Sequence[Entry]) -> dict[int, str]:
    """By the id of each entry what it changed, as `title “Old” → “New”, text 3 → 5 lines`; empty where nothing is."""
    states = [state for entry in entries for state in (entry.before, entry.after) if state]
    versions = _rows(store, "versions", [state.get("version_id") for state in states])
    projects = _rows(store, "projects", [state.get("project_id") for state in states])
    names = {number: str(row["name"]) for number, row in projects.items()}
    return {
        entry.id: ", ".join(_changes(store, entry.before, entry.after, versions, names))
        if entry.before and entry.after
        else ""
        for entry in entries
    }


def _rows(store: Store, table: str, ids: Sequence[Any]) -> dict[int, sqlite3.Row]:
    wanted = json.dumps(sorted({number for number in ids if number}))
    found = store.rows(f"SELECT * FROM {table} WHERE id IN (SELECT value FROM json_each(?))", (wanted,))
    return {row["id"]: row for row in found}


def _changes(
    store: Store, before: dict[str, Any], after: dict[str, Any], versions: dict[int, sqlite3.Row], names: dict[int, str]
) -> list[str]:
    changed = {name for name in after if before.get(name) != after[name]}
    said = []
    if "version_id" in changed:
        old, new = versions.get(before["version_id"]), versions.get(after["version_id"])
        said += [_GONE] if old is None or new is None else _texts(store, old, new)
    if "state" in changed:
        said.append(f"{before['state']} → {after['state']}")
    if "pinned" in changed:
        said.append("pinned" if after["pinned"] else "no longer pinned")
    if "project_id" in changed:
        ends = (names.get(state.get("project_id") or 0, "all projects") for state in (before, after))
        said.append(f"project {_arrow(store, *ends)}")
    if "branch" in changed:
        said.append(f"branch {_arrow(store, str(before.get('branch') or '–'), str(after['branch'] or '–'))}")
    said += [f"{words} #{after[name]}" for name, words in _BY.items() if name in changed and after[name]]
    return said


_BY = {"superseded_by": "replaced by", "merged_into": "merged into"}


def _texts(store: Store, old: sqlite3.Row, new: sqlite3.Row) -> list[str]:
    """What two texts of a memory differ in."""
    said = []
    if old["title"] != new["title"]:
        said.append(f"title {_arrow(store, old['title'], new['title'], quoted=True)}")
    said += [f"{name} {old[name]} → {new[name]}" for name in _WORDS if old[name] != new[name]]
    said += ["summary"] if old["summary"] != new["summary"] else []
    if old["text"] != new["text"]:
        said.append(f"text {_counts(len(old['text'].splitlines()), len(new['text'].splitlines()), 'line')}")
    for name in _LISTS:
        if old[name] != new[name]:
            said.append(f"{name} {_counts(len(json.loads(old[name])), len(json.loads(new[name])))}")
    return said


def _counts(old: int, new: int, noun: str = "") -> str:
    """`3 → 5 lines`; `3 lines` where there are as many as before."""
    unit = f" {noun}{'' if new == 1 else 's'}" if noun else ""
    return f"{new:,}{unit}" if old == new else f"{old:,} → {new:,}{unit}"


def _arrow(store: Store, old: str, new: str, *, quoted: bool = False) -> str:
    ends = (one_line(rules.plain(store, text), _TITLE) for text in (old, new))
    return " → ".join(f"“{end}”" if quoted else end for end in ends)
