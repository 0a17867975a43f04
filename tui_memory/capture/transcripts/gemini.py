"""Gemini CLI's chats: JSON lines where a message may come again under its id or be taken back; or one old document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tui_memory.capture.dialect import hunks, lines_read
from tui_memory.capture.gemini_cli import exit_code, output_of, unwrapped, without_context
from tui_memory.capture.shapes import items, mapping, string, text_of
from tui_memory.capture.transcripts.dialect import Scene, call
from tui_memory.capture.transcripts.records import at_places, document, records
from tui_memory.capture.transcripts.steps import BY_PROGRAM, LONGEST_SAID, NOTHING, UNKNOWN, Step, Tally, moment
from tui_memory.model import Draft

_AGENT = "gemini-cli"
_WORKSPACE = re.compile(r"Workspace Directories:\*\*\n\s{0,8}- ([^\n]{1,4096})")


def read(path: Path, start: int, tally: Tally) -> Iterator[Step]:
    """The steps of one chat. A changed file is read from its beginning: a later record may change an earlier one."""
    del start
    if path.suffix == ".json":
        whole = document(path, tally)
        messages: Iterator[dict[str, Any]] = (one for one in items(whole, "messages") if isinstance(one, dict))
        meta = whole
    else:
        places, meta = _surviving(path, tally)
        messages = _messages(path, places)
    reading = _Reading(path, meta, tally)
    for message in messages:
        yield from reading.message(message)
    yield from reading.closing()


def _surviving(path: Path, tally: Tally) -> tuple[dict[str, tuple[int, int]], dict[str, Any]]:
    """Where each message that was not taken back is told last: id → (line's byte, place in a list); and the meta."""
    places: dict[str, tuple[int, int]] = {}
    meta: dict[str, Any] = {}
    for at, record in records(path, 0, tally):
        if "$rewindTo" in record:
            gone = string(record, "$rewindTo")
            kept = list(places)[: list(places).index(gone)] if gone in places else []
            tally.skipped["taken back"] += len(places) - len(kept)
            places = {id_: places[id_] for id_ in kept}
        elif "$set" in record:
            for number, message in enumerate(items(mapping(record, "$set"), "messages")):
                places[string(message, "id") or f"{at}.{number}"] = (at, number)
        elif "sessionId" in record and "type" not in record:
            meta |= record
        elif string(record, "type"):
            if string(record, "id") in places:
                tally.skipped["written again"] += 1
            places[string(record, "id") or str(at)] = (at, -1)
        else:
            tally.skipped[UNKNOWN] += 1
    tally.resume = tally.end
    return places, meta


def _messages(path: Path, places: dict[str, tuple[int, int]]) -> Iterator[dict[str, Any]]:
    told = zip(at_places(path, (at for at, _ in places.values())), places.values(), strict=True)
    for record, (_, number) in told:
        listed = items(mapping(record, "$set"), "messages")
        message = record if number < 0 else listed[number] if number < len(listed) else {}
        yield message if isinstance(message, dict) else {}


class _Reading:
    def __init__(self, path: Path, meta: dict[str, Any], tally: Tally) -> None:
        tally.resume = tally.end
        self._tally = tally
        own = string(meta, "sessionId") or path.stem
        sub = string(meta, "kind") == "subagent"
        self._scene = Scene(_AGENT, path.parent.name if sub else own, parent=own if sub else "")
        self._own = own
        self._digest = string(meta, "projectHash")
        self._said: list[str] = []
        self._last: tuple[str, int] = ("", 0)

    def message(self, message: dict[str, Any]) -> Iterator[Step]:
        """The steps of one message."""
        kind = string(message, "type")
        if kind == "user":
            yield from self._user(message)
        elif kind == "gemini":
            yield from self._answer(message)
        else:
            known = kind in ("info", "error", "warning", "")
            self._tally.skipped[NOTHING if known else UNKNOWN] += 1

    def closing(self) -> Iterator[Step]:
        """What the agent said in the turn, as its last hook hands it: every message of it."""
        identity, time = self._last
        said, self._said = "\n".join(self._said), []
        if said:
            event = "SubagentStop" if self._scene.parent else "Stop"
            made = self._scene.draft(event, time, last_assistant_message=said, prompt_id=identity)
            yield from self._step(made, f"{identity}:stop")

    def _user(self, message: dict[str, Any]) -> Iterator[Step]:
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"text": content}]
        text = "\n".join(filter(None, (without_context(string(part, "text")) for part in parts)))
        if text.startswith("<session_context>"):
            found = _WORKSPACE.search(text)
            self._scene.cwd = found.group(1).strip() if found else self._scene.cwd
            text = ""
        if not text or self._scene.parent:
            self._tally.skipped[BY_PROGRAM] += 1
            return
        yield from self.closing()
        identity = string(message, "id")
        made = self._scene.draft("UserPromptSubmit", moment(message.get("timestamp")), prompt=text, prompt_id=identity)
        yield from self._step(made, f"{identity}:prompt")

    def _answer(self, message: dict[str, Any]) -> Iterator[Step]:
        self._scene.model = string(message, "model") or self._scene.model
        said = text_of(message.get("content")).strip()
        if said and sum(map(len, self._said)) < LONGEST_SAID:
            self._said.append(said)
        self._last = (string(message, "id"), moment(message.get("timestamp")))
        for one in items(message, "toolCalls"):
            yield from self._call(one, self._last[1])

    def _call(self, one: dict[str, Any], time: int) -> Iterator[Step]:
        tool, given = call(string(one, "name"), mapping(one, "args"))
        response = mapping(mapping((items(one, "result") or [{}])[0], "functionResponse"), "response")
        fields: dict[str, Any] = {"tool_name": tool, "tool_input": given, "tool_use_id": string(one, "id")}
        status = string(one, "status")
        if status not in ("success", "error", "cancelled"):
            self._tally.skipped["a call that never ended"] += 1
            return
        if status == "success" and not response.get("error"):
            said = unwrapped(text_of(response.get("output")))
            code = exit_code(said) if tool == "Bash" else 0
            said = output_of(said) if tool == "Bash" else said
            event = "PostToolUseFailure" if code else "PostToolUse"
            fields |= {"error": f"Exit code {code}\n{said}"} if code else {"tool_response": _result(tool, said, one)}
        else:
            event = "PostToolUseFailure"
            shown = one.get("resultDisplay")
            told = [text_of(response.get("error")), shown if isinstance(shown, str) else ""]
            fields |= {"error": "\n".join(filter(None, told)), "is_interrupt": status == "cancelled"}
        made = self._scene.draft(event, moment(one.get("timestamp")) or time, **fields)
        yield from self._step(made, f"{string(one, 'id')}:call")

    def _step(self, made: Draft | None, identity: str) -> Iterator[Step]:
        if made is None:
            self._tally.skipped[NOTHING] += 1
            return
        if self._digest and not made.cwd:
            made.detail["project_hash"] = self._digest  # all that an older chat says of its folder
        yield Step(made, f"{self._own}:{identity}", 0)


def _result(tool: str, said: str, one: dict[str, Any]) -> Any:
    """The result as Claude's tools give it, for those that tell more than their text."""
    if tool in ("Edit", "Write"):
        return hunks(string(mapping(one, "resultDisplay"), "fileDiff")) or said
    return lines_read(said) if tool == "Read" else said
