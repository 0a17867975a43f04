"""Cursor's hook events; a result is a JSON string, and the folder is the workspace's, not the process's."""

from __future__ import annotations

from tui_memory.capture import claude_code
from tui_memory.capture.dialect import begin, call, parsed
from tui_memory.capture.shapes import compact, fingerprint, items, number, string, text_of
from tui_memory.light import TYPE_CHECKING, late
from tui_memory.model import Draft, Kind

if TYPE_CHECKING:
    from typing import Any

_EVENTS = {
    "sessionStart": "SessionStart", "sessionEnd": "SessionEnd", "beforeSubmitPrompt": "UserPromptSubmit",
    "postToolUse": "PostToolUse", "postToolUseFailure": "PostToolUseFailure", "afterAgentResponse": "Response",
    "stop": "Stop", "subagentStop": "SubagentStop", "preCompact": "PreCompact",
}  # fmt: skip
_IGNORED_NAMES = """
preToolUse beforeShellExecution beforeMCPExecution beforeReadFile beforeTabFileRead afterTabFileEdit
afterAgentThought subagentStart workspaceOpen
"""
_IGNORED = frozenset(_IGNORED_NAMES.split())
# What versions without postToolUse tell of one action. Our configuration asks for one family only.
_SPECIFIC = frozenset({"afterShellExecution", "afterFileEdit", "afterMCPExecution"})
_WINDOWS = late(r"/([A-Za-z]):/")


def draft(payload: dict[str, Any], cwd: str, project_dir: str) -> Draft | None:
    """The draft of one event; None where it carries nothing to keep."""
    named = string(payload, "hook_event_name")
    event = _EVENTS.get(named, named)
    if named in _IGNORED or event in claude_code.IGNORED:
        return None
    root = _root(payload)
    folder = (string(payload, "cwd") or root or project_dir or cwd, project_dir or root)
    session = string(payload, "conversation_id", "session_id")
    parent = string(payload, "agent_id")
    if event == "SubagentStop":
        parent = parent or string(payload, "subagent_id", "tool_call_id", "subagent_type")
    made = begin("cursor", named, payload, session, folder, parent=parent)
    if event in ("PostToolUse", "PostToolUseFailure"):
        return _tool(made, event, payload)
    if named in _SPECIFIC:
        return _specific(made, named, payload)
    return _told(made, event, payload)


def _root(payload: dict[str, Any]) -> str:
    """The workspace's folder; `/c:/Users/…` as Windows writes it."""
    roots = [root for root in items(payload, "workspace_roots") if isinstance(root, str)]
    root = roots[0] if roots else ""
    return root[1:].replace("/", "\\") if _WINDOWS.match(root) else root


def _told(made: Draft, event: str, payload: dict[str, Any]) -> Draft | None:
    """Everything but tools."""
    turn = string(payload, "generation_id")
    if event == "Response":
        made.kind, made.text = Kind.RESPONSE, string(payload, "text")
        found: Draft | None = made if made.text else None
    elif event == "SubagentStop":
        found = claude_code.fill(made, event, {"last_assistant_message": string(payload, "summary")})
    else:
        found = claude_code.fill(made, event, payload | {"prompt_id": ""})
        made.wants_context = "start" if event == "SessionStart" else ""  # it takes none with a prompt
    if event == "UserPromptSubmit" and (attached := _attached(payload)):
        made.detail["attached"] = attached
    if event == "Stop":
        made.text = f"Turn ended ({string(payload, 'status') or 'completed'})"
    if event == "SessionEnd" and (error := string(payload, "error_message")):
        made.text = f"{made.text}: {error}"
    told = string(payload, "prompt", "text", "summary", "reason", "trigger"), string(payload, "loop_count")
    made.key = _key(made, event, turn, *told)
    return found


def _attached(payload: dict[str, Any]) -> list[str]:
    """The files that came with a prompt. Not the draft's own files: a prompt is not ignored with them."""
    paths = [string(one, "file_path", "filePath") for one in items(payload, "attachments")]
    return [path for path in paths if path]


def _tool(made: Draft, event: str, payload: dict[str, Any]) -> Draft | None:
    raw = parsed(payload.get("tool_input"))
    tool, given = call(string(payload, "tool_name"), raw if isinstance(raw, dict) else {})
    result = parsed(payload.get("tool_output", payload.get("tool_response")))
    code = number(result, "exitCode")
    fields: dict[str, Any] = {"tool_name": tool, "tool_input": given, "tool_use_id": string(payload, "tool_use_id")}
    fields["duration_ms"] = payload.get("duration", payload.get("duration_ms"))
    if event == "PostToolUseFailure":
        fields["error"] = string(payload, "error_message", "error")
        refused = string(payload, "failure_type") == "permission_denied"
        fields["is_interrupt"] = payload.get("is_interrupt") is True or refused
    elif code:
        event, fields["error"] = "PostToolUseFailure", f"Exit code {code}\n{text_of(result)}"
    else:
        fields["tool_response"] = {} if tool in ("Edit", "Write") else result
    found = claude_code.fill(made, event, fields)
    if tool == "Bash" and code is None:
        made.detail.pop("exit_code", None)  # unknown is not success
    if made.key:  # a failure that only the result tells is the same event in every configuration
        made.key = "\x1f".join((made.agent, made.session, "tool", string(payload, "tool_use_id")))
    return found


def _specific(made: Draft, named: str, payload: dict[str, Any]) -> Draft | None:
    fields: dict[str, Any] = {"duration_ms": payload.get("duration")}
    if named == "afterShellExecution":
        fields |= {"tool_name": "Bash", "tool_input": {"command": string(payload, "command")}}
        fields["tool_response"] = string(payload, "output")
    elif named == "afterFileEdit":
        fields |= {"tool_name": "Edit", "tool_input": {"file_path": string(payload, "file_path")}}
        fields["tool_input"]["edits"] = items(payload, "edits")
    else:
        tool, given = string(payload, "tool_name"), parsed(payload.get("tool_input"))
        fields |= {"tool_name": call(f"MCP:{tool}", {})[0], "tool_input": given if isinstance(given, dict) else {}}
        fields["tool_response"] = parsed(payload.get("result_json"))
    found = claude_code.fill(made, "PostToolUse", fields)
    made.detail.pop("exit_code", None)
    told = compact({name: payload.get(name) for name in ("command", "output", "edits", "file_path", "result_json")})
    told += compact([payload.get("tool_input"), payload.get("duration")])
    made.key = _key(made, named, string(payload, "generation_id"), told)
    return found


def _key(made: Draft, event: str, turn: str, *told: str) -> str:
    """An identity by the turn's id and what was said: a prompt has no id of its own."""
    texts = fingerprint("\x1f".join(told))
    return "\x1f".join((made.agent, made.session, event, made.parent, turn, texts)) if turn else ""
