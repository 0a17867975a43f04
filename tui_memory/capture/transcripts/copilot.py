"""Copilot CLI's events.jsonl: one event a line; its many other kinds are passed over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tui_memory.capture.copilot import without_status
from tui_memory.capture.shapes import items, mapping, number, string
from tui_memory.capture.transcripts.dialect import Scene, call
from tui_memory.capture.transcripts.records import records
from tui_memory.capture.transcripts.steps import NO_CALL, NOTHING, Calls, Step, Tally, moment
from tui_memory.model import Draft

_HEAD_RECORDS = 20


def read(path: Path, start: int, tally: Tally) -> Iterator[Step]:
    """The steps of one session's events."""
    reading = _Reading(path, start, tally)
    if start:
        for count, (_, record) in enumerate(records(path, 0, Tally())):
            if count == _HEAD_RECORDS or reading.remember(record):
                break
    for at, record in records(path, start, tally):
        yield from reading.record(at, record)
    yield from reading.finish()


class _Reading:
    def __init__(self, path: Path, start: int, tally: Tally) -> None:
        self._tally = tally
        self._scene = Scene("copilot", path.parent.name)
        self._began = start
        self._ended = True
        self._prompt = ""
        self._calls = Calls()
        self._said: tuple[str, str, int] = ("", "", 0)

    def remember(self, record: dict[str, Any]) -> bool:
        """Take who and where from the session's first event; False where it is another."""
        data = mapping(record, "data")
        if string(record, "type") != "session.start":
            return False
        context = mapping(data, "context")
        scene = self._scene
        scene.session = string(data, "sessionId") or scene.session
        scene.cwd, scene.branch = string(context, "cwd"), string(context, "branch")
        scene.model = string(data, "selectedModel")
        return True

    def record(self, at: int, record: dict[str, Any]) -> Iterator[Step]:
        """The steps that one event completes."""
        kind, data, time = string(record, "type"), mapping(record, "data"), moment(record.get("timestamp"))
        identity = string(record, "id") or f"{at}"
        self._scene.parent = string(record, "agentId")
        if self.remember(record):
            return
        if kind == "user.message" and not self._scene.parent:
            yield from self._closing()
            self._began, self._ended, self._prompt = at, False, identity
            self._calls.clear()
            made = self._scene.draft("UserPromptSubmit", time, prompt=string(data, "content"), prompt_id=identity)
            yield from self._step(made, identity)
        elif kind == "assistant.message":
            self._heard(data, identity, time)
        elif kind == "tool.execution_start":
            tool, given = call(string(data, "toolName"), mapping(data, "arguments"))
            self._calls.put(string(data, "toolCallId"), tool, given, self._tally.length)
        elif kind == "tool.execution_complete":
            yield from self._result(data, identity, time)
        elif kind == "session.compaction_complete":
            made = self._scene.draft(
                "PostCompact", time, trigger="auto", compact_summary=string(data, "summaryContent")
            )
            yield from self._step(made, identity)
        elif kind == "session.shutdown":
            yield from self._closing()
            self._ended = True
        else:
            self._tally.skipped[NOTHING] += 1

    def finish(self) -> Iterator[Step]:
        """What was said last, and where a later reading may start."""
        self._tally.resume = self._tally.end if self._ended else self._began
        yield from self._closing()

    def _heard(self, data: dict[str, Any], identity: str, time: int) -> None:
        if self._scene.parent:
            self._tally.skipped[NOTHING] += 1
            return
        text = string(data, "content").strip()
        self._said = ("", "", 0) if items(data, "toolRequests") or not text else (text, identity, time)

    def _result(self, data: dict[str, Any], identity: str, time: int) -> Iterator[Step]:
        use = string(data, "toolCallId")
        if use not in self._calls:
            self._tally.skipped[NO_CALL] += 1
            return
        tool, given = self._calls.take(use)
        fields: dict[str, Any] = {"tool_name": tool, "tool_input": given, "tool_use_id": use}
        said = string(mapping(data, "result"), "content")
        text, code = without_status(said)
        told = number(mapping(data, "shellExecution"), "exitCode")
        code = told if told is not None else code
        if data.get("success") is not True or code:
            error = string(mapping(data, "error"), "message") or text
            fields["error"] = f"Exit code {code}\n{error}" if code else error
            made = self._scene.draft("PostToolUseFailure", time, **fields)
        else:
            file = {"type": "text", "file": {"numLines": len(text.splitlines())}}
            made = self._scene.draft("PostToolUse", time, **fields, tool_response=file if tool == "Read" else text)
        yield from self._step(made, identity)

    def _closing(self) -> Iterator[Step]:
        text, identity, time = self._said
        self._said = ("", "", 0)
        if text:
            self._scene.parent = ""
            made = self._scene.draft("Stop", time, last_assistant_message=text, prompt_id=self._prompt)
            yield from self._step(made, f"{identity}:stop")

    def _step(self, made: Draft | None, identity: str) -> Iterator[Step]:
        if made is None:
            self._tally.skipped[NOTHING] += 1
        else:
            yield Step(made, f"{self._scene.session}:{identity}", self._began)
