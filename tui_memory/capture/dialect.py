"""What agents with a dialect of their own call things, told in Claude's: one set of rules says what a call was."""

from __future__ import annotations

import json

from tui_memory.capture.shapes import compact, fingerprint, string
from tui_memory.clock import parse_iso
from tui_memory.light import TYPE_CHECKING, late
from tui_memory.model import Draft, Kind

if TYPE_CHECKING:
    from typing import Any

_NAMES = {
    "read_file": "Read", "view": "Read", "read": "Read",
    "write_file": "Write", "create": "Write", "write": "Write",
    "replace": "Edit", "edit": "Edit", "StrReplace": "Edit",
    "run_shell_command": "Bash", "bash": "Bash", "Shell": "Bash", "powershell": "PowerShell",
    "glob": "Glob", "list_directory": "LS", "list": "LS",
    "grep_search": "Grep", "search_file_content": "Grep", "grep": "Grep",
    "web_fetch": "WebFetch", "webfetch": "WebFetch", "google_web_search": "WebSearch", "web_search": "WebSearch",
    "write_todos": "TodoWrite", "todowrite": "TodoWrite", "task": "Task",
}  # fmt: skip
_FIELDS = {
    "filePath": "file_path", "path": "file_path", "file_text": "content", "contents": "content",
    "oldString": "old_string", "old_str": "old_string", "newString": "new_string", "new_str": "new_string",
    "include_pattern": "glob", "include": "glob", "dir_path": "path",
}  # fmt: skip
_FOLDER_TOOLS = frozenset({"Grep", "Glob", "LS"})  # their path is where they look, not what they read
_CLAUDES = frozenset({"Read", "Write", "Edit", "Grep", "Glob"})  # named like Claude's, with their own fields
_HUNK = late(r"@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})")


def call(tool: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """(tool, input) as Claude would name them; what it has no name for stays as it is."""
    name = _NAMES.get(tool, tool)
    if name == tool and name not in _CLAUDES:
        return _mcp(tool), given
    renamed = {
        (key if key == "path" and name in _FOLDER_TOOLS else _FIELDS.get(key, key)): value
        for key, value in given.items()
    }
    if name in ("WebFetch", "WebSearch") and "query" not in renamed and not string(renamed, "url"):
        renamed["query" if name == "WebSearch" else "url"] = string(given, "prompt")
    return name, renamed


def _mcp(tool: str) -> str:
    """`mcp_server_tool`, `MCP:server:tool` and `server__tool` as `mcp__server__tool`."""
    if tool.startswith("mcp__"):
        return tool
    if tool.startswith("MCP:"):
        server, _, name = tool[4:].rpartition(":")
        return f"mcp__{server or 'mcp'}__{name}"
    if tool.startswith("mcp_"):
        server, _, name = tool[4:].partition("_")
        return f"mcp__{server}__{name}" if name else tool
    server, separator, name = tool.partition("__")
    return f"mcp__{server}__{name}" if separator and server and name else tool


def begin(
    agent: str, event: str, payload: dict[str, Any], session: str, folder: tuple[str, str], *, parent: str = ""
) -> Draft:
    """A draft of an event about which nothing more is known yet; `folder`: working directory, project directory."""
    made = Draft(Kind.LIFECYCLE, agent, session, event, cwd=folder[0], project_dir=folder[1], parent=parent)
    made.detail = {"event": event} if event else {}
    if model := string(payload, "model"):
        made.detail["model"] = model
    return made


def stamped(made: Draft, event: str, stamp: Any, *told: Any) -> None:
    """An identity for events without ids: two of them that say the same differ in the agent's own millisecond.

    The same event through two configurations carries the same time, as a number or as ISO 8601.
    """
    moment = milliseconds(stamp)
    if moment:
        text = "\x1f".join(one if isinstance(one, str) else compact(one) for one in told)
        made.key = "\x1f".join((made.agent, made.session, event, str(moment), fingerprint(text)))


def milliseconds(stamp: Any) -> int:
    """Milliseconds since the epoch of a number or an ISO 8601 text; 0 for anything else."""
    if isinstance(stamp, int | float) and not isinstance(stamp, bool) and 0 < stamp < 1 << 52:
        return int(stamp)
    try:
        return parse_iso(stamp) if isinstance(stamp, str) else 0
    except (ValueError, OverflowError):
        return 0


def parsed(value: Any) -> Any:
    """The value inside a string that holds JSON; the string itself where it holds none."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def hunks(diff: str) -> dict[str, Any]:
    """A unified diff of one file as the result that Claude's edits have; {} where it changes nothing."""
    found: list[dict[str, Any]] = []
    for line in diff.splitlines():
        if head := _HUNK.match(line):
            found.append({"newStart": int(head.group(1)), "lines": []})
        elif found and line[:1] in ("+", "-", " "):
            found[-1]["lines"].append(line)
    return {"structuredPatch": found} if found else {}


def lines_read(text: str) -> dict[str, Any]:
    """A file's text as the result that Claude's reads have: only how many lines it was."""
    return {"type": "text", "file": {"numLines": len(text.splitlines())}}
