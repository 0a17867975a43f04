"""Claude Code's settings.json: which events run the hook, and how."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from tui_memory.surfaces.install import hooks_file, running, servers, switches

# Seconds, though the hook ends itself within one. All are waited for: at the end of a `-p` run Claude Code kills
# hooks that still run in the background, and the closing message is the last event of all.
TIMEOUT = 10
EVENTS: dict[str, str | None] = {
    "SessionStart": "startup|resume|clear|compact|fork",
    "UserPromptSubmit": None,
    "PostToolUse": "*",
    "PostToolUseFailure": "*",
    "PreCompact": None,
    "SubagentStop": None,
    "Stop": None,
    "SessionEnd": None,
}
"""The events that are captured, and what each one's matcher is."""
_MANAGED = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)


def settings_path(scope: str, project: Path) -> Path:
    """The settings file of a scope: the user's (CLAUDE_CONFIG_DIR counts) or the project's shared one."""
    if scope == "project":
        return project / ".claude" / "settings.json"
    given = os.environ.get("CLAUDE_CONFIG_DIR", "")
    return (Path(given) if given else Path.home() / ".claude") / "settings.json"


def server_path(scope: str, project: Path) -> Path:
    """The file in which a scope's MCP servers are listed."""
    if scope == "project":
        return project / ".mcp.json"
    given = os.environ.get("CLAUDE_CONFIG_DIR", "")
    return (Path(given) if given else Path.home()) / ".claude.json"


def handler(_event: str = "") -> dict[str, Any]:
    """How the hook is run: this interpreter, no shell, no site-packages."""
    hook = Path(__file__).resolve().parent.parent.parent / "hook.py"
    return {
        "type": "command",
        "command": sys.executable,
        "args": ["-I", "-S", str(hook), "claude-code"],
        "timeout": TIMEOUT,
    }


def shared(_event: str = "") -> dict[str, Any]:
    """How it is run from a repository's file: by a shell, as Copilot CLI runs that file too, and looks at no `args`."""
    return {"type": "command", "command": running.guarded("claude-code"), "timeout": TIMEOUT}


_GROUPS = {event: {"matcher": matcher} if matcher else {} for event, matcher in EVENTS.items()}
_OWN = hooks_file.Form("Claude Code", _GROUPS, handler)
_SHARED = hooks_file.Form("Claude Code", _GROUPS, shared)
SERVERS = servers.Listing("Claude Code", lambda: {"type": "stdio"} | servers.standard())


def form(file: Path) -> hooks_file.Form:
    """How our hooks are written in a file: other people, and other agents, may read a repository's."""
    return _OWN if file == settings_path("user", file) or running.is_home(file.parent.parent) else _SHARED


def with_hooks(text: str, path: Path) -> str:
    """A settings file's text with our hooks; unchanged where they are there as they should be."""
    return hooks_file.with_hooks(form(path), text, path)


def without_hooks(text: str, path: Path) -> str:
    """A settings file's text without our handlers, and without the groups and events that are empty then."""
    return hooks_file.without_hooks(form(path), text, path)


def advice(path: Path, *, changed: bool) -> str:
    """What a person must know after an installation: hooks may be switched off, by a file that wins."""
    del changed
    return off(path)


def off(path: Path) -> str:
    """Where hooks are switched off, in a sentence; '' where they are not."""
    beside = [settings_path("user", path), path, path.with_name("settings.local.json")]
    for file in beside:
        if switches.value(file, "disableAllHooks") is True:
            return f"Hooks are switched off in {file}: disableAllHooks. Nothing is captured until that is gone."
    for file in _MANAGED:
        if switches.value(file, "disableAllHooks") is True or switches.value(file, "allowManagedHooksOnly") is True:
            return f"Hooks are switched off by whoever manages this machine, in {file}. Nothing is captured."
    return ""
