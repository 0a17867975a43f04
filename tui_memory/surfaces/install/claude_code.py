"""Claude Code's settings.json: which events run the hook, and how."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from tui_memory.surfaces.install import hooks_file

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


def settings_path(scope: str, project: Path) -> Path:
    """The settings file of a scope: the user's (CLAUDE_CONFIG_DIR counts) or the project's shared one."""
    if scope == "project":
        return project / ".claude" / "settings.json"
    given = os.environ.get("CLAUDE_CONFIG_DIR", "")
    return (Path(given) if given else Path.home() / ".claude") / "settings.json"


def handler(_event: str = "") -> dict[str, Any]:
    """How the hook is run: this interpreter, no shell, no site-packages."""
    hook = Path(__file__).resolve().parent.parent.parent / "hook.py"
    return {
        "type": "command",
        "command": sys.executable,
        "args": ["-I", "-S", str(hook), "claude-code"],
        "timeout": TIMEOUT,
    }


FORM = hooks_file.Form(
    "Claude Code", {event: {"matcher": matcher} if matcher else {} for event, matcher in EVENTS.items()}, handler
)


def with_hooks(text: str, path: Path) -> str:
    """A settings file's text with our hooks; unchanged where they are there as they should be."""
    return hooks_file.with_hooks(FORM, text, path)


def without_hooks(text: str, path: Path) -> str:
    """A settings file's text without our handlers, and without the groups and events that are empty then."""
    return hooks_file.without_hooks(FORM, text, path)
