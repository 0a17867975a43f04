"""Cursor's hooks.json: which events run the hook, and how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tui_memory.surfaces.install import hooks_file, running, servers

TIMEOUT = 10  # seconds
# One family only: of one action both postToolUse and afterShellExecution (afterFileEdit, …) would tell.
EVENTS: dict[str, dict[str, Any]] = {
    "sessionStart": {},
    "beforeSubmitPrompt": {},
    "postToolUse": {},
    "postToolUseFailure": {},
    "afterAgentResponse": {},
    "subagentStop": {},
    "preCompact": {},
    "stop": {},
    "sessionEnd": {},
}


def path(scope: str, project: Path) -> Path:
    """The hooks file of a scope."""
    return (project if scope == "project" else Path.home()) / ".cursor" / "hooks.json"


def handler(_event: str) -> dict[str, Any]:
    """How the hook is run."""
    return {"command": running.line("cursor"), "timeout": TIMEOUT}


def shared(event: str) -> dict[str, Any]:
    """The same in a repository's file."""
    return handler(event) | {"command": running.guarded("cursor")}


def server_path(scope: str, project: Path) -> Path:
    """The file in which a scope's MCP servers are listed."""
    return path(scope, project).with_name("mcp.json")


_OWN = hooks_file.Form("Cursor", EVENTS, handler, nested=False, head={"version": 1}, comments=True, commas=True)
_SHARED = hooks_file.Form("Cursor", EVENTS, shared, nested=False, head={"version": 1}, comments=True, commas=True)
SERVERS = servers.Listing("Cursor", servers.standard, comments=True, commas=True)


def form(file: Path) -> hooks_file.Form:
    """How our hooks are written in a file: others may read a repository's."""
    return _OWN if running.is_home(file.parent.parent) else _SHARED


def with_hooks(text: str, file: Path) -> str:
    """The file's text with our hooks; unchanged where they are there as they should be."""
    return hooks_file.with_hooks(form(file), text, file)


def without_hooks(text: str, file: Path) -> str:
    """The file's text without our hooks."""
    return hooks_file.without_hooks(form(file), text, file)


def advice(_file: Path, *, changed: bool) -> str:
    """What a person must know after an installation."""
    return "" if not changed else "Cursor reads its hooks when the file is saved; Settings → Hooks shows them."
