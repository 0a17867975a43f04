"""Every agent's tools, told in Claude's dialect, so that one set of rules says what a call was and what came of it.

The keys are those of the live hooks (agent, session, event, the call's own id): a transcript's record and the
hook's event of one call are one observation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tui_memory import capture
from tui_memory.capture import claude_code
from tui_memory.capture.shapes import string
from tui_memory.errors import TuiMemoryError
from tui_memory.model import Draft, Kind

_NAMES = {
    "read_file": "Read", "view": "Read", "read": "Read",
    "write_file": "Write", "create": "Write", "write": "Write",
    "replace": "Edit", "edit": "Edit",
    "run_shell_command": "Bash", "bash": "Bash", "powershell": "PowerShell",
    "glob": "Glob", "list_directory": "LS", "list": "LS",
    "grep_search": "Grep", "search_file_content": "Grep", "grep": "Grep",
    "web_fetch": "WebFetch", "webfetch": "WebFetch", "google_web_search": "WebSearch", "web_search": "WebSearch",
    "write_todos": "TodoWrite", "todowrite": "TodoWrite", "task": "Task",
}  # fmt: skip
_FIELDS = {
    "filePath": "file_path", "path": "file_path", "file_text": "content",
    "oldString": "old_string", "old_str": "old_string", "newString": "new_string", "new_str": "new_string",
    "include_pattern": "glob", "include": "glob", "dir_path": "path",
}  # fmt: skip
_FOLDER_TOOLS = frozenset({"Grep", "Glob", "LS"})  # their path is where they look, not what they read


@dataclass(slots=True)
class Scene:
    """Where a session stands while its transcript is read."""

    agent: str
    session: str = ""
    cwd: str = ""
    branch: str = ""
    model: str = ""
    parent: str = ""
    """The sub-agent whose own transcript this is; empty for the session itself."""
    common: dict[str, Any] = field(default_factory=dict)
    """What every payload of this transcript carries beside that."""

    def draft(self, event: str, time: int, **fields: Any) -> Draft | None:
        """The draft of a payload in Claude's dialect, as the live adapter makes it; None: nothing to keep."""
        payload: dict[str, Any] = {"hook_event_name": event, "session_id": self.session, "cwd": self.cwd}
        payload |= self.common | fields
        if self.parent:
            payload["agent_id"] = self.parent
        if self.model:
            payload["model"] = self.model
        try:
            made = self._adapted(event, payload, time)
        except (TuiMemoryError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return None  # one odd record is passed over, as a live one is; its reader counts it
        if made is None or not made.text.strip():
            return None
        made.time = time
        made.branch = self.branch or made.branch
        made.detail["transcript"] = True
        made.wants_context = ""
        return made

    def _adapted(self, event: str, payload: dict[str, Any], time: int) -> Draft | None:
        if self.agent in ("claude-code", "codex"):
            return capture.normalise(self.agent, payload, time)
        made = Draft(Kind.LIFECYCLE, self.agent, self.session, event, cwd=self.cwd, parent=self.parent)
        made.detail = {"event": event} | ({"model": self.model} if self.model else {})
        return claude_code.fill(made, event, payload)


def call(tool: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """(tool, input) as Claude would name them; what it has no name for stays as it is."""
    name = _NAMES.get(tool, tool)
    if name == tool:
        return _mcp(tool), given
    renamed = {
        (key if key == "path" and name in _FOLDER_TOOLS else _FIELDS.get(key, key)): value
        for key, value in given.items()
    }
    if name in ("WebFetch", "WebSearch") and "query" not in renamed and not string(renamed, "url"):
        renamed["query" if name == "WebSearch" else "url"] = string(given, "prompt")
    return name, renamed


def _mcp(tool: str) -> str:
    """`mcp_server_tool` and `server__tool` as `mcp__server__tool`."""
    if tool.startswith("mcp__"):
        return tool
    if tool.startswith("mcp_"):
        server, _, name = tool[4:].partition("_")
        return f"mcp__{server}__{name}" if name else tool
    server, separator, name = tool.partition("__")
    return f"mcp__{server}__{name}" if separator and server and name else tool
