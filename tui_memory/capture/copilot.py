"""Copilot CLI's hook events, in its own camelCase (named on the command line) or in Claude's names; without ids."""

from __future__ import annotations

import os
import stat
import time

from tui_memory.capture import claude_code
from tui_memory.capture.dialect import begin, call, lines_read, milliseconds, parsed, stamped
from tui_memory.capture.shapes import mapping, string
from tui_memory.clock import now_ms
from tui_memory.light import TYPE_CHECKING, late
from tui_memory.model import Draft, Drop, Kind

if TYPE_CHECKING:
    from typing import Any

_EVENTS = {
    "sessionStart": "SessionStart", "sessionEnd": "SessionEnd", "userPromptSubmitted": "UserPromptSubmit",
    "postToolUse": "PostToolUse", "postToolUseFailure": "PostToolUseFailure", "agentStop": "Stop",
    "subagentStop": "SubagentStop", "preCompact": "PreCompact", "errorOccurred": "ErrorOccurred",
}  # fmt: skip
_IGNORED = frozenset({"preToolUse", "preMcpToolCall", "permissionRequest", "notification", "subagentStart"})
_REFUSED = frozenset({"rejected", "denied"})
_SHELL_END = late(r"\n?<(?:shellId: [^<>\n]{1,80} completed|exited|command exited) with exit code (-?\d{1,10})>\s*$")
_TAIL = 512 << 10  # bytes at a session file's end in which the closing message is looked for
_PATIENCE = 0.3  # seconds, of the half that the hook waits for whoever stores its event
_STEP = 0.01
_JUST_NOW_MS = 2_000


def draft(payload: dict[str, Any], cwd: str, project_dir: str) -> Draft | None:
    """The draft of one event; None where it carries nothing to keep."""
    named = string(payload, "hook_event_name")
    event = _EVENTS.get(named, named)
    if named in _IGNORED or event in claude_code.IGNORED:
        return None
    session = string(payload, "sessionId", "session_id")
    parent = string(payload, "agentId", "agent_id", "agentName", "agent_name") if event == "SubagentStop" else ""
    made = begin("copilot", named, payload, session, (string(payload, "cwd") or cwd, project_dir), parent=parent)
    if event == "userPromptTransformed":
        return _transformed(made, payload)
    if event in ("PostToolUse", "PostToolUseFailure"):
        return _tool(made, event, payload)
    if event == "ErrorOccurred":
        return _error(made, payload)
    if event in ("Stop", "SubagentStop"):
        return _stop(made, event, payload)
    found = claude_code.fill(made, event, payload | {"custom_instructions": string(payload, "customInstructions")})
    made.wants_context = "start" if event == "SessionStart" else ""  # it takes none with a prompt
    stamped(made, event, payload.get("timestamp"), string(payload, "prompt", "source", "reason", "trigger"))
    return found


def _transformed(made: Draft, payload: dict[str, Any]) -> Draft:
    """The prompt again, as it is about to be sent: nothing new, but here it takes context."""
    made.dropped, made.wants_context = Drop.IGNORED, "prompt"
    stamped(made, "userPromptTransformed", payload.get("timestamp"), string(payload, "prompt"))
    return made


def _tool(made: Draft, event: str, payload: dict[str, Any]) -> Draft | None:
    args = parsed(payload.get("toolArgs", payload.get("tool_input")))
    tool, given = call(string(payload, "toolName", "tool_name"), args if isinstance(args, dict) else {})
    result = mapping(payload, "toolResult") or mapping(payload, "tool_result") or mapping(payload, "tool_response")
    text, code = without_status(string(result, "textResultForLlm", "text_result_for_llm"))
    kind = string(result, "resultType", "result_type")
    fields: dict[str, Any] = {"tool_name": tool, "tool_input": given}
    if event == "PostToolUseFailure":
        error = payload.get("error")
        fields["error"] = string(error, "message") if isinstance(error, dict) else string(payload, "error") or text
    elif code or kind not in ("success", ""):
        fields["error"] = f"Exit code {code}\n{text}" if code else text or kind
        fields["is_interrupt"] = kind in _REFUSED
        event = "PostToolUseFailure"
    else:
        fields["tool_response"] = _result(tool, text)
    found = claude_code.fill(made, event, fields)
    if tool in ("Bash", "PowerShell") and code is None:
        made.detail.pop("exit_code", None)  # unknown is not success
    stamped(made, event, payload.get("timestamp"), args, text or fields.get("error", ""))
    return found


def _result(tool: str, text: str) -> Any:
    """The result as Claude's tool gives it; of an edit the call says more than the result."""
    if tool == "Read":
        return lines_read(text)
    return {"Edit": {}, "Write": {"type": "create"}}.get(tool, text)


def _stop(made: Draft, event: str, payload: dict[str, Any]) -> Draft | None:
    path = string(payload, "transcriptPath", "transcript_path")
    said = (
        string(payload, "response")
        if event == "SubagentStop"
        else closing_message(path, made.session, milliseconds(payload.get("timestamp")))
    )
    found = claude_code.fill(made, event, {"last_assistant_message": said})
    stamped(made, event, payload.get("timestamp"), made.parent)
    return found


def _error(made: Draft, payload: dict[str, Any]) -> Draft:
    error = payload.get("error")
    said = string(error, "message") if isinstance(error, dict) else string(payload, "error")
    where = string(payload, "errorContext", "error_context")
    made.kind, made.text = Kind.ERROR, f"Copilot reports an error ({where or 'unknown'}): {said}"
    made.detail["error"] = said
    stamped(made, "ErrorOccurred", payload.get("timestamp"), said)
    return made


def without_status(said: str) -> tuple[str, int | None]:
    """(a command's output, its exit code) of a text that ends with Copilot's own line about it."""
    found = _SHELL_END.search(said)
    return (said[: found.start()], int(found.group(1))) if found else (said, None)


def closing_message(path: str, session: str, stamp: int) -> str:
    """What the agent said last: no event tells it, only the session's own file; '' where that is not to be had.

    Copilot writes that file a tenth of a second behind its events, this one among them, and in a short session begins
    it only then: an event of just now is waited for, for a moment.
    """
    if not session or not path.endswith(f"/session-state/{session}/events.jsonl"):
        return ""
    end = time.monotonic() + (_PATIENCE if abs(now_ms() - stamp) < _JUST_NOW_MS else 0)
    mark = b'"timestamp":%d' % stamp
    while mark not in (tail := _tail(path)) and (tail or _to_come(path)) and time.monotonic() < end:
        time.sleep(_STEP)
    return _last_said(tail.splitlines())


def _to_come(path: str) -> bool:
    """Whether a session's file is not begun yet: its folder is there, and nothing by its name, not even a link."""
    return os.path.isdir(os.path.dirname(path)) and not os.path.lexists(path)


def _tail(path: str) -> bytes:
    """The end of a session's file; nothing where it is a link, no file, or not the user's own."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return b""  # gone, or on another machine: the turn ends without its message
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.getuid():
            return b""
        file.seek(max(0, facts.st_size - _TAIL))
        return file.read(_TAIL)


def _last_said(lines: list[bytes]) -> str:
    for line in reversed(lines):
        if b'"user.message"' not in line and b'"assistant.message"' not in line:
            continue
        record = parsed(line.decode("utf-8", "replace"))
        kind = string(record, "type")
        if kind == "user.message":
            return ""
        said = string(mapping(record, "data"), "content").strip()
        if kind == "assistant.message" and said and not string(record, "agentId"):
            return said
    return ""
