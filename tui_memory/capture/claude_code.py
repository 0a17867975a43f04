"""Claude Code's hook events; other adapters tell theirs in the same dialect."""

from __future__ import annotations

from tui_memory.capture import prompts, tools
from tui_memory.capture.failures import error_line, first_line
from tui_memory.capture.shapes import fingerprint, mapping, number, string
from tui_memory.light import TYPE_CHECKING
from tui_memory.model import Draft, Kind

if TYPE_CHECKING:
    from typing import Any

# Known, and nothing in them that other events do not tell: they come many times a minute.
_IGNORED = """
PreToolUse PostToolBatch PermissionRequest PermissionDenied Notification MessageDisplay UserPromptExpansion
PreModelSwitch PreSkillShellCommand TeammateIdle Elicitation ElicitationResult ConfigChange InstructionsLoaded
FileChanged
"""
IGNORED = frozenset(_IGNORED.split())
_BY_PROGRAM = frozenset({"system", "loop_wakeup", "schedule_wakeup", "poll_event"})


def draft(payload: dict[str, Any], cwd: str, project_dir: str) -> Draft | None:
    """The draft of one event; None where it carries nothing to keep."""
    event = string(payload, "hook_event_name")
    if event in IGNORED:
        return None
    made = Draft(
        kind=Kind.LIFECYCLE,
        agent="claude-code",
        session=string(payload, "session_id"),
        text=event,
        cwd=string(payload, "cwd") or cwd,
        project_dir=project_dir,
        parent=string(payload, "agent_id"),
        detail={"event": event} if event else {},
    )
    if model := string(payload, "model"):
        made.detail["model"] = model
    return fill(made, event, payload)


def fill(made: Draft, event: str, payload: dict[str, Any]) -> Draft | None:
    """The draft completed by its event; what is not known stays a light lifecycle observation."""
    match event:
        case "UserPromptSubmit":
            return _prompt(made, payload)
        case "PostToolUse" | "PostToolUseFailure":
            return _tool(made, event, payload)
        case "Stop" | "SubagentStop":
            return _response(made, event, payload)
        case "StopFailure":
            return _broken(made, payload)
        case "SessionStart":
            return _start(made, payload)
        case "SessionEnd":
            made.ends_turn = made.ends_session = True
            made.text = f"Session ended ({string(payload, 'reason') or 'other'})"
        case "PreCompact" | "PostCompact":
            said = string(payload, "custom_instructions", "compact_summary")
            trigger = string(payload, "trigger")
            made.text = f"{event} ({trigger})\n{said}".rstrip()
            made.detail["trigger"] = trigger
        case _:
            made.light = True
            made.text = f"{event or 'An event without a name'} {_short(payload)}".rstrip()
    return made


def _start(made: Draft, payload: dict[str, Any]) -> Draft:
    source = string(payload, "source")
    made.starts_session, made.wants_context = True, "start"
    made.detail["source"] = source
    made.text = f"Session started ({source or 'startup'})"
    return made


def _prompt(made: Draft, payload: dict[str, Any]) -> Draft | None:
    text, command = prompts.asked(string(payload, "prompt"))
    source = string(payload, "source")
    if not text and payload.get("prompt"):
        return None  # wholly our own context, or a local command's output
    made.text = text
    made.key = _key(made, "UserPromptSubmit", string(payload, "prompt_id"), text)
    made.detail |= {"source": source} if source else {}
    made.detail |= {"command": command} if command else {}
    if source in _BY_PROGRAM or prompts.is_scaffolding(text):
        made.light = True
        return made
    made.kind = Kind.PROMPT
    if not made.parent:
        made.starts_turn, made.wants_context = True, "prompt"
    return made


def _tool(made: Draft, event: str, payload: dict[str, Any]) -> Draft:
    made.tool = string(payload, "tool_name")
    call = tools.Call(
        made.tool, mapping(payload, "tool_input"), payload.get("tool_response"), made.project_dir or made.cwd
    )
    if event == "PostToolUseFailure":
        found = tools.failed(call, string(payload, "error"), interrupted=payload.get("is_interrupt") is True)
    else:
        found = tools.seen(call)
    return apply(made, event, payload, found)


def apply(made: Draft, event: str, payload: dict[str, Any], found: tools.Seen) -> Draft:
    """The draft with what a tool call was seen to be."""
    made.kind, made.text, made.files, made.light = found.kind, found.text, found.files, found.light
    made.detail |= found.detail
    made.branch = string(found.detail, "branch")
    if (took := number(payload, "duration_ms")) is not None:
        made.detail["ms"] = took
    if use := string(payload, "tool_use_id"):
        made.key = "\x1f".join((made.agent, made.session, event, use))
    return made


def _response(made: Draft, event: str, payload: dict[str, Any]) -> Draft:
    message = string(payload, "last_assistant_message")
    made.ends_turn = event == "Stop" and not made.parent
    if message:
        made.kind, made.text = Kind.RESPONSE, message
    else:
        made.light = True
    made.key = _key(made, event, string(payload, "prompt_id", "turn_id"), message)
    return made


def _broken(made: Draft, payload: dict[str, Any]) -> Draft:
    error, details = string(payload, "error"), string(payload, "error_details")
    said = string(payload, "last_assistant_message")
    made.kind, made.ends_turn = Kind.ERROR, True
    made.text = "\n".join(filter(None, (f"The turn broke off: {error or 'unknown'}", details, said)))
    made.detail["error"] = error_line(details) or first_line(details) or error
    return made


def _key(made: Draft, event: str, turn: str, text: str) -> str:
    """An identity for events without an id of their own: one prompt can be stopped twice, with two messages."""
    return "\x1f".join((made.agent, made.session, event, made.parent, turn, fingerprint(text))) if turn else ""


def _short(payload: dict[str, Any]) -> str:
    """The few words an unknown event brings: its own short strings."""
    common = {"session_id", "transcript_path", "cwd", "hook_event_name", "prompt_id", "permission_mode", "model"}
    pairs = [f"{key}={value}" for key in payload if key not in common and (value := string(payload, key))]
    return " ".join(pairs)[:500]
