"""Codex's hooks: in hooks.json, or in config.toml where a person keeps hooks there already."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from tui_memory.surfaces.install import codex_toml, hooks_file, running

TIMEOUT = 10  # seconds
_END_TIMEOUT = 3  # the most that Codex gives a session's end
EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {},
    "UserPromptSubmit": {},
    "PostToolUse": {"matcher": ".*"},
    "PreCompact": {},
    "SubagentStop": {},
    "Stop": {},
    "SessionEnd": {},
}


def path(scope: str, project: Path) -> Path:
    """The file our hooks are in or go to: hooks.json, unless only config.toml has hooks (two places are warned of)."""
    folder = project / ".codex" if scope == "project" else home()
    listed, settings = folder / "hooks.json", folder / "config.toml"
    if listed.exists() or not settings.exists():
        return listed
    try:
        hooks = tomllib.loads(settings.read_text(encoding="utf-8")).get("hooks")
    except (OSError, ValueError):
        return listed  # whoever reads config.toml next says what is wrong with it
    return settings if isinstance(hooks, dict) and set(hooks) - {"state"} else listed


def home() -> Path:
    """Codex's own folder (CODEX_HOME counts)."""
    given = os.environ.get("CODEX_HOME", "")
    return Path(given) if given else Path.home() / ".codex"


def handler(event: str) -> dict[str, Any]:
    """How the hook is run; waited for, as its end would not be otherwise."""
    timeout = _END_TIMEOUT if event == "SessionEnd" else TIMEOUT
    return {"type": "command", "command": running.line("codex"), "timeout": timeout}


def shared(event: str) -> dict[str, Any]:
    """The same in a repository's file."""
    return handler(event) | {"command": running.guarded("codex")}


_OWN = hooks_file.Form("Codex", EVENTS, handler)
_SHARED = hooks_file.Form("Codex", EVENTS, shared)


def form(file: Path) -> hooks_file.Form:
    """How our hooks are written in a file: others may read a repository's."""
    return _OWN if file.parent == home() or running.is_home(file.parent.parent) else _SHARED


def with_hooks(text: str, file: Path) -> str:
    """The file's text with our hooks; unchanged where they are there as they should be."""
    known = form(file)
    return (
        codex_toml.with_hooks(known, text, file) if file.suffix == ".toml" else hooks_file.with_hooks(known, text, file)
    )


def without_hooks(text: str, file: Path) -> str:
    """The file's text without our hooks."""
    if file.suffix == ".toml":
        return codex_toml.without_hooks(text, file)
    return hooks_file.without_hooks(form(file), text, file)


def server_path(scope: str, project: Path) -> Path:
    """The settings in which a scope's MCP servers are listed."""
    return (project / ".codex" if scope == "project" else home()) / "config.toml"


def advice(file: Path, *, changed: bool) -> str:
    """What a person must know after an installation: Codex asks for trust, or has hooks switched off."""
    said = off(file)
    if not changed:
        return said
    asked = (
        "Codex runs a new or changed hook only once you trust it: start codex, type /hooks, and trust those of"
        f" {file}. Until then nothing is captured, and Codex does not say so. Upgrades keep the command as it is,"
        " so that this is asked once."
    )
    return f"{said} {asked}".strip()


def off(_file: Path) -> str:
    """Where hooks are switched off, in a sentence; '' where they are not."""
    try:
        features = tomllib.loads((home() / "config.toml").read_text(encoding="utf-8")).get("features")
    except (OSError, ValueError):
        return ""  # no settings, or none that can be read: Codex will say so itself
    if isinstance(features, dict) and (features.get("hooks") is False or features.get("codex_hooks") is False):
        return f"Hooks are switched off in {home() / 'config.toml'}: [features] hooks = false."
    return ""
