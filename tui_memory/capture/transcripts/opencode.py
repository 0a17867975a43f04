"""OpenCode's sessions: an export, the older tree of JSON files, or its database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from tui_memory.capture.opencode import without_quotes
from tui_memory.capture.shapes import items, mapping, number, string, text_of
from tui_memory.capture.transcripts.dialect import Scene, call
from tui_memory.capture.transcripts.records import document, parsed
from tui_memory.capture.transcripts.sqlite_files import read_only
from tui_memory.capture.transcripts.steps import BY_PROGRAM, NOTHING, UNKNOWN, Step, Tally, moment
from tui_memory.model import Draft

_KNOWN_PARTS = "reasoning step-start step-finish snapshot patch file agent subtask compaction retry"
_KNOWN = frozenset(_KNOWN_PARTS.split())

Message = tuple[dict[str, Any], list[dict[str, Any]]]
"""(what the message is, its parts)."""


def read(path: Path, start: int, tally: Tally) -> Iterator[Step]:
    """The steps of one file; a changed one is read from its beginning."""
    del start
    if path.suffix == ".db":
        yield from _database(path, tally)
        return
    whole = document(path, tally)
    tally.resume = tally.end
    if "messages" in whole:
        told = ((mapping(one, "info"), _parts(one.get("parts"))) for one in items(whole, "messages"))
        yield from session(mapping(whole, "info"), told, tally)
    elif path.parent.parent.name == "session":
        yield from session(whole, _tree(path.parents[2], string(whole, "id"), tally), tally)


def _tree(storage: Path, name: str, tally: Tally) -> Iterator[Message]:
    """The messages below a storage folder: message/SESSION/*.json, each with part/MESSAGE/*.json."""
    if not name or "/" in name or name.startswith("."):
        return
    for file in _files(storage, storage / "message" / name):
        info = document(file, tally)
        parts = [document(part, tally) for part in _files(storage, storage / "part" / file.stem)]
        yield info, parts


def _files(storage: Path, folder: Path) -> list[Path]:
    """The JSON files of a folder inside the storage; none where a link leads out of it."""
    if not folder.is_dir() or not folder.resolve().is_relative_to(storage.resolve()):
        return []
    return sorted(file for file in folder.glob("*.json") if not file.is_symlink())


def _database(path: Path, tally: Tally) -> Iterator[Step]:
    """Every session of a database, one after the other."""
    tally.end = tally.resume = path.stat().st_size
    with closing(read_only(path)) as connection:
        try:
            rows = connection.execute("SELECT id, directory, parent_id FROM session ORDER BY time_created, id")
            for row in rows.fetchall():
                info = {"id": row[0], "directory": row[1], "parentID": row[2] or ""}
                yield from session(info, _rows(connection, row[0], tally), tally)
        except sqlite3.DatabaseError:
            tally.skipped["not OpenCode's database"] += 1


def _rows(connection: sqlite3.Connection, session_id: str, tally: Tally) -> Iterator[Message]:
    sql = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
    for id_, data in connection.execute(sql, (session_id,)).fetchall():
        parts = connection.execute("SELECT id, data FROM part WHERE message_id = ? ORDER BY id", (id_,)).fetchall()
        tally.records += 1 + len(parts)
        yield _value(data) | {"id": id_}, [_value(part) | {"id": part_id} for part_id, part in parts]


def _value(data: object) -> dict[str, Any]:
    return (parsed(data.encode("utf-8", "replace")) or {}) if isinstance(data, str) else {}


def _parts(value: object) -> list[dict[str, Any]]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def session(info: dict[str, Any], messages: Iterator[Message], tally: Tally) -> Iterator[Step]:
    """The steps of one session."""
    own, above = string(info, "id"), string(info, "parentID", "parent_id")
    scene = Scene("opencode", above or own, string(info, "directory"), parent=own if above else "")
    reading = _Reading(scene, own, tally)
    for message, parts in messages:
        yield from reading.message(message, parts)
    yield from reading.closing()


class _Reading:
    def __init__(self, scene: Scene, own: str, tally: Tally) -> None:
        self._scene, self._own, self._tally = scene, own, tally
        self._prompt = ""
        self._said: tuple[str, str, int] = ("", "", 0)

    def message(self, info: dict[str, Any], parts: list[dict[str, Any]]) -> Iterator[Step]:
        """The steps of one message."""
        time = moment(mapping(info, "time").get("created"))
        identity = string(info, "id")
        if string(info, "role") == "user":
            yield from self._user(identity, time, parts)
            return
        self._scene.cwd = string(mapping(info, "path"), "cwd") or self._scene.cwd
        self._scene.model = string(info, "modelID") or self._scene.model
        said: list[str] = []
        for part in parts:
            kind = string(part, "type")
            if kind == "tool":
                said.clear()
                yield from self._call(part, time)
            elif kind == "text" and part.get("synthetic") is not True:
                said.append(string(part, "text"))
            else:
                self._tally.skipped[NOTHING if kind in _KNOWN or kind == "text" else UNKNOWN] += 1
        text = "\n".join(filter(None, said)).strip()
        self._said = (text, identity, moment(mapping(info, "time").get("completed")) or time)

    def closing(self) -> Iterator[Step]:
        """The last message of a turn, where words end it."""
        text, identity, time = self._said
        self._said = ("", "", 0)
        if text:
            event = "SubagentStop" if self._scene.parent else "Stop"
            made = self._scene.draft(event, time, last_assistant_message=text, prompt_id=self._prompt)
            yield from self._step(made, f"{identity}:stop")

    def _user(self, identity: str, time: int, parts: list[dict[str, Any]]) -> Iterator[Step]:
        texts = [
            string(part, "text") for part in parts if part.get("type") == "text" and part.get("synthetic") is not True
        ]
        text = without_quotes("\n".join(filter(None, texts)).strip())
        if not text or self._scene.parent:
            self._tally.skipped[BY_PROGRAM] += 1
            return
        yield from self.closing()
        self._prompt = identity
        made = self._scene.draft("UserPromptSubmit", time, prompt=text, prompt_id=identity)
        yield from self._step(made, identity)

    def _call(self, part: dict[str, Any], time: int) -> Iterator[Step]:
        state, use = mapping(part, "state"), string(part, "callID")
        status = string(state, "status")
        if status not in ("completed", "error"):
            self._tally.skipped["a call that never ended"] += 1
            return
        tool, given = call(string(part, "tool"), mapping(state, "input"))
        fields: dict[str, Any] = {"tool_name": tool, "tool_input": given, "tool_use_id": use}
        code = number(mapping(state, "metadata"), "exit")
        said = text_of(state.get("output"))
        ended = moment(mapping(state, "time").get("end")) or time
        if status == "error" or code:
            error = string(state, "error") or said
            fields["error"] = f"Exit code {code}\n{error}" if code else error
            made = self._scene.draft("PostToolUseFailure", ended, **fields)
        else:
            file = {"type": "text", "file": {"numLines": len(said.splitlines())}}
            made = self._scene.draft("PostToolUse", ended, **fields, tool_response=file if tool == "Read" else said)
        yield from self._step(made, f"{string(part, 'id')}:{use}")

    def _step(self, made: Draft | None, identity: str) -> Iterator[Step]:
        if made is None:
            self._tally.skipped[NOTHING] += 1
        else:
            yield Step(made, f"{self._own}:{identity}", 0)
