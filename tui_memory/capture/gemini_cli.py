"""Gemini CLI's hook events: Claude's dialect with names of its own, results inside `llmContent`, and no ids."""

from __future__ import annotations

import re

from tui_memory.capture import claude_code
from tui_memory.capture.dialect import begin, call, hunks, lines_read, stamped
from tui_memory.capture.shapes import mapping, string, text_of
from tui_memory.light import TYPE_CHECKING, late
from tui_memory.model import Draft

if TYPE_CHECKING:
    from typing import Any

# A PreCompress comes before every request, whether or not anything is compressed.
_IGNORED = frozenset({"BeforeTool", "BeforeModel", "AfterModel", "BeforeToolSelection", "Notification", "PreCompress"})
_OPEN, _CLOSE = "<hook_context>", "</hook_context>"
_CODE = late(r"^Exit Code: (-?\d{1,10})$", re.MULTILINE)
_FACT = late(r"^(?:(?:Exit Code|Background PIDs|Process Group PGID): [\d, -]{1,500}|(?:Error|Signal): .{0,500})$")
_NOTHING = "(empty)"


def draft(payload: dict[str, Any], cwd: str, project_dir: str) -> Draft | None:
    """The draft of one event; None where it carries nothing to keep."""
    event = string(payload, "hook_event_name")
    if event in _IGNORED and string(payload, "trigger") != "manual":
        return None
    folder = (string(payload, "cwd") or cwd, project_dir)
    made = begin("gemini-cli", event, payload, string(payload, "session_id"), folder)
    if event == "AfterTool":
        return _tool(made, payload)
    if event == "BeforeAgent":
        told = without_context(string(payload, "prompt"))
        if not told:
            return None  # wholly another hook's context
        found = claude_code.fill(made, "UserPromptSubmit", {"prompt": told})
    elif event == "AfterAgent":
        told = string(payload, "prompt_response")
        found = claude_code.fill(made, "Stop", {"last_assistant_message": told})
    else:
        told = string(payload, "source", "reason", "trigger")
        found = claude_code.fill(made, "PreCompact" if event == "PreCompress" else event, payload)
    stamped(made, event, payload.get("timestamp"), told)
    return found


def _tool(made: Draft, payload: dict[str, Any]) -> Draft | None:
    tool, given = call(string(payload, "tool_name"), mapping(payload, "tool_input"))
    server = mapping(payload, "mcp_context")
    if string(server, "server_name"):
        tool = f"mcp__{string(server, 'server_name')}__{string(server, 'tool_name')}"
    response = mapping(payload, "tool_response")
    said = unwrapped(text_of(response.get("llmContent")))
    error = mapping(response, "error")
    code = exit_code(said) if tool == "Bash" else 0
    fields: dict[str, Any] = {"tool_name": tool, "tool_input": given}
    if error or code:
        told = output_of(said) if tool == "Bash" else said
        reason = "\n".join(filter(None, (f"Exit code {code}" if code else "", told or string(error, "message"))))
        found = claude_code.fill(made, "PostToolUseFailure", fields | {"error": reason})
    else:
        found = claude_code.fill(made, "PostToolUse", fields | {"tool_response": _result(tool, said, response)})
    stamped(made, "AfterTool", payload.get("timestamp"), tool, payload.get("tool_input"), said)
    return found


def _result(tool: str, said: str, response: dict[str, Any]) -> Any:
    """The result as Claude's tool gives it, for those that tell more than their text."""
    if tool == "Read":
        return lines_read(said)
    if tool in ("Edit", "Write"):
        shown = mapping(response, "returnDisplay")
        created = {"type": "create"} if shown.get("isNewFile") is True else {}
        return hunks(string(shown, "fileDiff")) | created
    return output_of(said) if tool == "Bash" else said


def without_context(prompt: str) -> str:
    """A prompt without the passages that hooks put before or after it; one that is not closed goes to the end."""
    text = prompt.strip()
    while text.startswith(_OPEN):
        text = text.partition(_CLOSE)[2].strip()
    at = text.find(f"\n{_OPEN}")
    return text if at < 0 else text[:at].strip()


def unwrapped(said: str) -> str:
    """A result without the tag around it that calls it untrusted."""
    return said.removeprefix("<untrusted_context>\n").removesuffix("\n</untrusted_context>")


def exit_code(said: str) -> int:
    """The exit code that a shell command's result names after its output; 0 where it names none."""
    found = _CODE.findall(said)
    return int(found[-1]) if found else 0


def output_of(said: str) -> str:
    """What a command printed, of the labelled lines that Gemini CLI makes of its result."""
    _, label, rest = said.partition("Output: ") if said.startswith(("Output: ", "Command: ")) else ("", "", said)
    if not label:
        return said
    lines = rest.splitlines()
    while lines and _FACT.match(lines[-1]):
        lines.pop()
    output = "\n".join(lines)
    return "" if output == _NOTHING else output
