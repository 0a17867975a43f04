"""Gemini CLI's settings.json (comments are allowed there): which events run the hook, and how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tui_memory.surfaces.install import hooks_file, running, servers, switches

TIMEOUT = 10_000  # milliseconds
# Not PreCompress: it comes before every request, whether or not anything is compressed.
EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {},
    "BeforeAgent": {},
    "AfterTool": {"matcher": ".*"},
    "AfterAgent": {},
    "SessionEnd": {},
}


def path(scope: str, project: Path) -> Path:
    """The settings file of a scope."""
    return (project if scope == "project" else Path.home()) / ".gemini" / "settings.json"


def handler(_event: str) -> dict[str, Any]:
    """How the hook is run."""
    return {"name": "tui-memory", "type": "command", "command": running.line("gemini-cli"), "timeout": TIMEOUT}


def shared(event: str) -> dict[str, Any]:
    """The same in a repository's file."""
    return handler(event) | {"command": running.guarded("gemini-cli")}


_OWN = hooks_file.Form("Gemini CLI", EVENTS, handler, comments=True)
_SHARED = hooks_file.Form("Gemini CLI", EVENTS, shared, comments=True)
SERVERS = servers.Listing("Gemini CLI", servers.standard, comments=True)


def form(file: Path) -> hooks_file.Form:
    """How our hooks are written in a file: others may read a repository's."""
    return _OWN if running.is_home(file.parent.parent) else _SHARED


def with_hooks(text: str, file: Path) -> str:
    """The file's text with our hooks; unchanged where they are there as they should be."""
    return hooks_file.with_hooks(form(file), text, file)


def without_hooks(text: str, file: Path) -> str:
    """The file's text without our hooks."""
    return hooks_file.without_hooks(form(file), text, file)


def advice(file: Path, *, changed: bool) -> str:
    """What a person must know after an installation."""
    if said := off(file):
        return said
    project = "runs a project's hooks only in a folder that it trusts, and shows a warning once for " + str(file)
    told = "starts MCP servers only in a folder that it trusts" if form(file) is _OWN else project
    return f"Gemini CLI {told}." if changed else ""


def off(file: Path) -> str:
    """Where hooks are switched off, in a sentence; '' where they are not."""
    for settings in (file, path("user", file)):
        said = switches.value(settings, "hooksConfig")
        listed = said.get("disabled") if isinstance(said, dict) else None
        if isinstance(said, dict) and (
            said.get("enabled") is False or (isinstance(listed, list) and "tui-memory" in listed)
        ):
            return f"Hooks are switched off in {settings}: hooksConfig. Nothing is captured until that is gone."
    return ""
