"""Codex's hook events: Claude's dialect, but results are text, failures say so only there, edits are patches."""

from __future__ import annotations

from tui_memory.capture import claude_code, diffs, failures, tools
from tui_memory.capture.paths import shorten
from tui_memory.capture.shapes import mapping, string, text_of
from tui_memory.light import TYPE_CHECKING
from tui_memory.model import Draft, Kind

if TYPE_CHECKING:
    from typing import Any


def draft(payload: dict[str, Any], cwd: str, project_dir: str) -> Draft | None:
    """The draft of one event; None where it carries nothing to keep."""
    event = string(payload, "hook_event_name")
    if event in claude_code.IGNORED:
        return None
    made = Draft(
        kind=Kind.LIFECYCLE,
        agent="codex",
        session=string(payload, "session_id", "thread-id"),
        text=event,
        cwd=string(payload, "cwd") or cwd,
        project_dir=project_dir,
        parent=string(payload, "agent_id"),
        detail={"event": event} if event else {},
    )
    if model := string(payload, "model"):
        made.detail["model"] = model
    if string(payload, "type") == "agent-turn-complete":
        return _notified(made, payload)
    if event == "PostToolUse":
        return _tool(made, payload)
    turn = string(payload, "turn_id")
    return claude_code.fill(made, event, payload | {"prompt_id": turn} if turn else payload)


def _tool(made: Draft, payload: dict[str, Any]) -> Draft:
    made.tool = string(payload, "tool_name")
    given, result = mapping(payload, "tool_input"), payload.get("tool_response")
    call = tools.Call(made.tool, given, result, made.project_dir or made.cwd)
    if made.tool == "apply_patch":
        found = patched(call)
    elif made.tool in ("Bash", "shell", "exec_command"):
        found = _command(call)
    else:
        found = tools.seen(call)
    return claude_code.apply(made, "PostToolUse", payload, found)


def _command(call: tools.Call) -> tools.Seen:
    command, output = string(call.given, "command", "cmd"), text_of(call.result)
    if error := failures.seems_failed(command, output):
        found = tools.failed(call, output)
        return found._replace(detail=found.detail | {"error": error, "inferred": True})
    found = tools.seen(call._replace(tool="Bash", given=call.given | {"command": command}))
    if failures.exit_code(output) is None:
        found.detail.pop("exit_code", None)  # unknown is not success
    return found


def patched(call: tools.Call) -> tools.Seen:
    """What an `apply_patch` text changes; a result that is no success is an error."""
    changed = diffs.patch_files(string(call.given, "command", "input"))
    said = text_of(call.result)
    files = [shorten(path, call.base) for _, path, _ in changed]
    if not said.lstrip().startswith("Success") and (error := failures.error_line(said)):
        return tools.Seen(Kind.ERROR, f"apply_patch {', '.join(files)}\n{said}", files, {"error": error})
    parts = [diffs.described(path, lines) for path, (_, _, lines) in zip(files, changed, strict=True)]
    added, removed = diffs.counts([line for _, _, lines in changed for line in lines])
    deleted = [path for path, (done, _, _) in zip(files, changed, strict=True) if done == "delete"]
    detail: dict[str, Any] = {"added": added, "removed": removed}
    if deleted:
        detail["deleted"] = deleted
    return tools.Seen(Kind.EDIT, "\n".join(parts) or said, files, detail)


def _notified(made: Draft, payload: dict[str, Any]) -> Draft | None:
    """The older `notify` program's one event: a turn's closing message."""
    return claude_code.fill(
        made,
        "Stop",
        {
            "last_assistant_message": string(payload, "last-assistant-message"),
            "turn_id": string(payload, "turn-id"),
        },
    )
