"""Copilot CLI's hooks: a file of our own in its folder of hooks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tui_memory.surfaces.install import hooks_file, running, servers, switches

TIMEOUT = 10  # seconds
# Its own names: only with them does it tell what it means by a payload's fields.
EVENTS: dict[str, dict[str, Any]] = {
    "sessionStart": {},
    "userPromptSubmitted": {},
    "userPromptTransformed": {},
    "postToolUse": {},
    "postToolUseFailure": {},
    "subagentStop": {},
    "preCompact": {},
    "errorOccurred": {},
    "agentStop": {},
    "sessionEnd": {},
}


def path(scope: str, project: Path) -> Path:
    """Our file of a scope (COPILOT_HOME counts)."""
    if scope == "project":
        return project / ".github" / "hooks" / "tui-memory.json"
    return home() / "hooks" / "tui-memory.json"


def home() -> Path:
    """Copilot's own folder (COPILOT_HOME counts)."""
    given = os.environ.get("COPILOT_HOME", "")
    return Path(given) if given else Path.home() / ".copilot"


def server_path(scope: str, project: Path) -> Path:
    """The file in which a scope's MCP servers are listed."""
    return project / ".github" / "mcp.json" if scope == "project" else home() / "mcp-config.json"


def handler(event: str) -> dict[str, Any]:
    """How the hook is run: no shell."""
    program, *arguments = running.command("copilot", "--event", event)
    return {"type": "command", "exec": program, "args": arguments, "timeoutSec": TIMEOUT}


def shared(event: str) -> dict[str, Any]:
    """How it is run from a repository's file: quietly nothing on a machine where there is no tui-memory."""
    return {"type": "command", "bash": running.guarded("copilot", "--event", event), "timeoutSec": TIMEOUT}


_OWN = hooks_file.Form("Copilot CLI", EVENTS, handler, nested=False, head={"version": 1})
_SHARED = hooks_file.Form("Copilot CLI", EVENTS, shared, nested=False, head={"version": 1})

SERVERS = servers.Listing("Copilot CLI", lambda: {"type": "local"} | servers.standard() | {"tools": ["*"]})


def form(file: Path) -> hooks_file.Form:
    """How our hooks are written in a file: others may read a repository's."""
    return _SHARED if file.parent.parent.name == ".github" else _OWN


def with_hooks(text: str, file: Path) -> str:
    """The file's text with our hooks; unchanged where they are there as they should be."""
    return hooks_file.with_hooks(form(file), text, file)


def without_hooks(text: str, file: Path) -> str:
    """The file's text without our hooks."""
    return hooks_file.without_hooks(form(file), text, file)


def advice(file: Path, *, changed: bool) -> str:
    """What a person must know after an installation."""
    said = off(file)
    if not changed or form(file) is _OWN:
        return said
    told = f"{file} belongs to the repository: commit it, or ignore it. Copilot runs it in a folder that you trust."
    return f"{said} {told}".strip()


def off(file: Path) -> str:
    """Where hooks are switched off, in a sentence; '' where they are not."""
    folder = file.parent.parent  # .github or Copilot's home
    for settings in (home() / "settings.json", home() / "config.json", folder / "copilot" / "settings.json", file):
        if switches.value(settings, "disableAllHooks") is True:
            return f"Hooks are switched off in {settings}: disableAllHooks. Nothing is captured until that is gone."
    return ""
