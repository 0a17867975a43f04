"""Cursor's agent-transcripts: what was asked, said and called, without times, ids or results.

They are below `~/.cursor/projects/FOLDER/agent-transcripts`. The chats that Cursor itself shows are in databases of a
form of its own (`state.vscdb`, `store.db`), which nobody documents: those are not read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tui_memory.capture.prompts import is_scaffolding
from tui_memory.capture.shapes import fingerprint, items, mapping, string
from tui_memory.capture.transcripts.dialect import Scene, call
from tui_memory.capture.transcripts.records import records
from tui_memory.capture.transcripts.steps import BY_PROGRAM, NOTHING, UNKNOWN, Step, Tally, moment
from tui_memory.model import Draft

FOLDER = "agent-transcripts"
_QUERY = re.compile(r"<user_query>\n?(.*?)(?:\n?</user_query>|\Z)", re.DOTALL)
_HIDDEN = re.compile(r"\s*\[REDACTED\]\s*")
_OTHERS = re.compile(r"[^A-Za-z0-9]+")
_HEAD_RECORDS = 200


def read(path: Path, start: int, tally: Tally) -> Iterator[Step]:
    """The steps of one transcript."""
    reading = _Reading(path, start, tally)
    for at, record in records(path, start, tally):
        yield from reading.record(at, record)
    yield from reading.finish()


def session_of(path: Path) -> tuple[str, str]:
    """(session, sub-agent) that a transcript's place names."""
    if path.parent.name == "subagents":
        return path.parent.parent.name, path.stem
    return path.stem, ""


class _Reading:
    def __init__(self, path: Path, start: int, tally: Tally) -> None:
        self._tally, self._began = tally, start
        session, parent = session_of(path)
        self._scene = Scene("cursor", session, _folder(path), parent=parent)
        self._said: tuple[str, str, int] = ("", "", 0)

    def record(self, at: int, record: dict[str, Any]) -> Iterator[Step]:
        """The steps that one message completes."""
        role, time = string(record, "role"), moment(record.get("timestamp"))
        message = mapping(record, "message")
        parts = items(message, "content") or [{"type": "text", "text": string(message, "content")}]
        if role == "user":
            yield from self._asked(at, time, _text(parts))
        elif role == "assistant":
            yield from self._answered(at, time, parts)
        else:
            self._tally.skipped[UNKNOWN] += 1

    def finish(self) -> Iterator[Step]:
        """What was said last. Nothing tells that a turn is over: a later reading starts with the last one."""
        self._tally.resume = self._began
        yield from self._closing()

    def _asked(self, at: int, time: int, text: str) -> Iterator[Step]:
        queries = _QUERY.findall(text)
        asked = "\n".join(queries).strip() if queries else text
        if not asked or is_scaffolding(asked) or self._scene.parent:
            self._tally.skipped[BY_PROGRAM] += 1
            return
        yield from self._closing()
        self._began = at
        yield from self._step(self._scene.draft("UserPromptSubmit", time, prompt=asked), f"{at}:{fingerprint(asked)}")

    def _answered(self, at: int, time: int, parts: list[Any]) -> Iterator[Step]:
        uses = [part for part in parts if isinstance(part, dict) and string(part, "type") == "tool_use"]
        text = _HIDDEN.sub("\n", _text(parts)).strip()
        self._said = (text, f"{at}", time) if text and not uses else ("", "", 0)
        for number, use in enumerate(uses):
            tool, given = call(string(use, "name"), mapping(use, "input"))
            made = self._scene.draft(
                "PostToolUse", time, tool_name=tool, tool_input=given, tool_response={}, tool_use_id=string(use, "id")
            )
            if made is not None:
                made.detail.pop("exit_code", None)  # what came of a call is not told: unknown is not success
            yield from self._step(made, f"{at}.{number}:{fingerprint(f'{tool}{given}')}")

    def _closing(self) -> Iterator[Step]:
        text, identity, time = self._said
        self._said = ("", "", 0)
        if text:
            event = "SubagentStop" if self._scene.parent else "Stop"
            yield from self._step(self._scene.draft(event, time, last_assistant_message=text), f"{identity}:stop")

    def _step(self, made: Draft | None, identity: str) -> Iterator[Step]:
        if made is None:
            self._tally.skipped[NOTHING] += 1
            return
        made.detail |= {} if made.time else {"untimed": True}
        yield Step(made, f"{self._scene.session}:{self._scene.parent}:{identity}", self._began)


def _text(parts: list[Any]) -> str:
    texts = [string(part, "text") for part in parts if isinstance(part, dict) and string(part, "type") == "text"]
    return "\n".join(filter(None, texts)).strip()


def _folder(path: Path) -> str:
    """The folder that the agent worked in; Cursor's own folder for it where that cannot be told.

    Its name is the path with all but letters and digits as `-`: a path in a call that begins so gives it back, else
    the folders of this machine do.
    """
    own = next((above.parent for above in path.parents if above.name == FOLDER), None)
    if own is None:
        return str(path.parent)
    wanted = _flat(own.name)
    for count, (_, record) in enumerate(records(path, 0, Tally())):
        if count == _HEAD_RECORDS:
            break
        for part in items(mapping(record, "message"), "content"):
            given = mapping(part, "input") if isinstance(part, dict) else {}
            for value in given.values():
                if isinstance(value, str) and value.startswith("/") and (found := _above(value, wanted)):
                    return found
    return _walked("/", wanted) or str(own)


def _above(path: str, wanted: str) -> str:
    """The path, or a folder above it, whose name would be the one that is wanted."""
    folder = path
    while len(folder) > 1 and len(_flat(folder)) >= len(wanted):
        if _flat(folder) == wanted:
            return folder
        folder = os.path.dirname(folder)
    return ""


def _walked(folder: str, wanted: str, most: int = 24) -> str:
    """The folder below `folder` that `wanted` names; only folders whose names fit are looked into."""
    if not wanted or not most:
        return folder if not wanted else ""
    try:
        with os.scandir(folder) as entries:
            names = sorted((entry.name for entry in entries if entry.is_dir(follow_symlinks=False)), key=len)
    except OSError:
        return ""
    for name in reversed(names):
        flat = _flat(name)
        if flat and (wanted == flat or wanted.startswith(f"{flat}-")):
            rest = wanted[len(flat) + 1 :]
            if found := _walked(os.path.join(folder, name), rest, most - 1):
                return found
    return ""


def _flat(path: str) -> str:
    return _OTHERS.sub("-", path).strip("-")
