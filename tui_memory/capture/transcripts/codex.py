"""Codex's rollouts, old and new: the model's own items, and events only for where turns begin and end."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tui_memory.capture.prompts import is_scaffolding
from tui_memory.capture.shapes import fingerprint, items, mapping, string, text_of
from tui_memory.capture.transcripts.dialect import Scene
from tui_memory.capture.transcripts.records import records
from tui_memory.capture.transcripts.steps import BY_PROGRAM, NO_CALL, NOTHING, UNKNOWN, Calls, Step, Tally, moment
from tui_memory.model import Draft, Kind

_KNOWN = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_NOISE = frozenset({"world_state", "token_usage_record", "ghost_snapshot"})
# The lines that Codex puts before a command's own output; the hook hands the output alone.
_HEADER = re.compile(
    r"(?:(?:Chunk ID|Wall time|Original token count|Total output lines): [^\n]*\n"
    r"|Process exited with code (-?\d{1,10})\n|Process running with session ID [^\n]*\n)+(?:Output:\n)?"
)
_SHELLS = frozenset({"exec_command", "shell", "shell_command", "local_shell_call", "container.exec"})
_HEAD_RECORDS = 20


def read(path: Path, start: int, tally: Tally) -> Iterator[Step]:
    """The steps of one rollout; records of any kind it does not know are counted."""
    reading = _Reading(start, tally)
    if start:
        for number, (_, record) in enumerate(records(path, 0, Tally())):
            if number == _HEAD_RECORDS or reading.remember(record):
                break
    for at, record in records(path, start, tally):
        yield from reading.record(at, record)
    yield from reading.finish()


class _Reading:
    def __init__(self, start: int, tally: Tally) -> None:
        self._tally = tally
        self._scene = Scene("codex")
        self._began = start
        self._turn = ""
        self._open = False
        self._recorded = False
        """Whether records say where turns begin and end: then a second prompt may be part of one."""
        self._calls = Calls()
        self._said: tuple[str, int] = ("", 0)

    def remember(self, meta: dict[str, Any]) -> bool:
        """Take who and where from a rollout's first record; False where it is another kind."""
        payload = mapping(meta, "payload")
        if string(meta, "type") != "session_meta" or self._scene.session:
            return False
        scene = self._scene
        own, above = string(payload, "id", "session_id"), parent_of(payload)
        scene.session, scene.parent = (above, own) if above else (own, "")
        scene.cwd = string(payload, "cwd")
        scene.branch = string(mapping(payload, "git"), "branch")
        return True

    def record(self, at: int, record: dict[str, Any]) -> Iterator[Step]:
        """The steps that one record completes."""
        kind, time = string(record, "type"), moment(record.get("timestamp"))
        payload = mapping(record, "payload") if "payload" in record else record
        if "payload" not in record and kind not in ("", *_KNOWN):
            kind = "response_item"  # the oldest rollouts have bare items
        if kind == "session_meta":
            self.remember(record)
        elif kind == "turn_context":
            self._scene.cwd = string(payload, "cwd") or self._scene.cwd
            self._scene.model = string(payload, "model") or self._scene.model
            self._turn = string(payload, "turn_id") or self._turn
        elif kind == "event_msg":
            yield from self._event(at, time, payload)
        elif kind == "response_item":
            yield from self._item(at, time, payload)
        elif kind == "compacted":
            yield from self._closing()
            made = self._scene.draft("PostCompact", time, trigger="auto", compact_summary=string(payload, "message"))
            yield from self._step(made, f"{time}:compacted")
        else:
            self._tally.skipped[NOTHING if kind in _NOISE else UNKNOWN] += 1

    def finish(self) -> Iterator[Step]:
        """What was said last, and where a later reading may start."""
        self._tally.resume = self._began if self._open or self._calls else self._tally.end
        yield from self._closing()

    def _event(self, at: int, time: int, payload: dict[str, Any]) -> Iterator[Step]:
        kind, turn = string(payload, "type"), string(payload, "turn_id")
        if kind == "task_started":
            yield from self._closing()
            self._begin(at, turn)
            self._recorded = True
        elif kind == "task_complete":
            self._said = (string(payload, "last_agent_message") or self._said[0], time)
            self._turn = turn or self._turn
            yield from self._closing()
            self._open, self._turn = False, ""
        elif kind == "turn_aborted":
            self._said, self._open, self._turn = ("", 0), False, ""
            self._calls.clear()
        else:
            self._tally.skipped[NOTHING] += 1

    def _begin(self, at: int, turn: str) -> None:
        self._began, self._turn, self._open = at, turn, True
        self._calls.clear()

    def _item(self, at: int, time: int, payload: dict[str, Any]) -> Iterator[Step]:
        kind, use = string(payload, "type"), string(payload, "call_id", "id")
        if kind == "message":
            yield from self._message(at, time, payload)
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            self._calls.put(use, *_called(kind, payload), self._tally.length)
            self._said = ("", 0)
        elif kind in ("function_call_output", "custom_tool_call_output", "local_shell_call_output"):
            if use in self._calls:
                yield from self._result(time, use, payload.get("output"))
            else:
                self._tally.skipped[NO_CALL] += 1
        elif kind == "web_search_call":
            yield from self._web_search(time, mapping(payload, "action"))
        else:
            self._tally.skipped[NOTHING] += 1

    def _message(self, at: int, time: int, payload: dict[str, Any]) -> Iterator[Step]:
        role = string(payload, "role")
        text = "\n".join(filter(None, (string(part, "text") for part in items(payload, "content")))).strip()
        if role == "assistant":
            self._said = (text, time) if string(payload, "phase") != "commentary" else self._said
        elif role != "user" or is_scaffolding(text) or _is_injected(payload) or self._scene.parent:
            self._tally.skipped[BY_PROGRAM] += 1
        else:
            yield from self._prompt(at, time, text, payload)

    def _prompt(self, at: int, time: int, text: str, payload: dict[str, Any]) -> Iterator[Step]:
        turn = string(mapping(payload, "internal_chat_message_metadata_passthrough"), "turn_id")
        if not (self._open and self._recorded):
            yield from self._closing()
            self._begin(at, turn)
        made = self._scene.draft("UserPromptSubmit", time, prompt=text, turn_id=turn or self._turn)
        yield from self._step(made, string(payload, "id") or f"{time}:{fingerprint(text)}")

    def _result(self, time: int, use: str, output: Any) -> Iterator[Step]:
        tool, given = self._calls.take(use)
        said, code = _output(output)
        if tool == "Bash" and code:
            said = f"Process exited with code {code}\n{said}"
        made = self._scene.draft(
            "PostToolUse", time, tool_name=tool, tool_input=given, tool_response=said, tool_use_id=use,
            turn_id=self._turn,
        )  # fmt: skip
        if made is not None and code is not None and tool == "Bash":
            made.detail["exit_code"] = code
            if not code and made.kind == Kind.ERROR and made.detail.pop("inferred", None):
                made.kind = Kind.COMMAND  # the output looked like a failure, the exit code says it was none
                made.detail.pop("error", None)
        yield from self._step(made, use)

    def _web_search(self, time: int, action: dict[str, Any]) -> Iterator[Step]:
        query = string(action, "query", "url")
        if not query:
            self._tally.skipped[NOTHING] += 1
            return
        made = self._scene.draft("PostToolUse", time, tool_name="WebSearch", tool_input={"query": query})
        yield from self._step(made, f"{time}:search:{fingerprint(query)}")

    def _closing(self) -> Iterator[Step]:
        text, time = self._said
        self._said = ("", 0)
        if text:
            event = "SubagentStop" if self._scene.parent else "Stop"
            made = self._scene.draft(event, time, last_assistant_message=text, turn_id=self._turn)
            yield from self._step(made, f"{self._turn or time}:stop:{fingerprint(text)}")

    def _step(self, made: Draft | None, identity: str) -> Iterator[Step]:
        if made is None:
            self._tally.skipped[NOTHING] += 1
        else:
            yield Step(made, f"{self._scene.session}:{self._scene.parent}:{identity}", self._began)


def parent_of(meta: dict[str, Any]) -> str:
    """The session that started this one as a sub-agent; '' for one that a person started."""
    spawned = mapping(mapping(mapping(meta, "source"), "subagent"), "thread_spawn")
    return string(meta, "parent_thread_id") or string(spawned, "parent_thread_id")


def _is_injected(payload: dict[str, Any]) -> bool:
    """Whether Codex itself, or a hook, put the message there."""
    passed = mapping(payload, "internal_chat_message_metadata_passthrough")
    kinds = [kind for kind in items(passed, "content_item_kinds") if isinstance(kind, str)]
    return bool(kinds) and not any(kind.startswith("user.") or kind == "unknown" for kind in kinds)


def _called(kind: str, payload: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """(tool, input) of a call, as the hooks name them."""
    if kind == "custom_tool_call":
        name = string(payload, "name") or "apply_patch"
        return name, {"command" if name == "apply_patch" else "input": string(payload, "input")}
    if kind == "local_shell_call":
        return "Bash", {"command": _command(mapping(payload, "action"))}
    try:
        given = json.loads(string(payload, "arguments") or "{}")
    except (ValueError, RecursionError):
        given = {}
    given = given if isinstance(given, dict) else {}
    name = string(payload, "name")
    if name in _SHELLS:
        command = _command(given)
        patch = command.partition("*** Begin Patch")
        if patch[1] and patch[0].strip().startswith("apply_patch"):
            return "apply_patch", {"command": "".join(patch[1:])}
        return "Bash", {"command": command}
    return string(payload, "namespace") + name, given


def _command(given: dict[str, Any]) -> str:
    words = given.get("command") or given.get("cmd")
    if not isinstance(words, list):
        return string(given, "command", "cmd")
    parts = [word for word in words if isinstance(word, str)]
    if len(parts) == 3 and parts[1] in ("-c", "-lc"):
        return parts[2]
    return shlex.join(parts)


def _output(output: Any) -> tuple[str, int | None]:
    """(what was said, the exit code where there is one) without the lines that Codex adds."""
    if isinstance(output, str) and output.startswith("{"):
        try:
            value = json.loads(output)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and isinstance(value.get("output"), str):
            code = mapping(value, "metadata").get("exit_code")
            return string(value, "output"), code if isinstance(code, int) else None
    text = text_of(output)
    header = _HEADER.match(text)
    if header is None:
        return text, None
    return text[header.end() :], int(header.group(1)) if header.group(1) else None
