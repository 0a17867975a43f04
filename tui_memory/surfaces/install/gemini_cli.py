"""Gemini CLI's settings.json (comments are allowed there): which events run the hook, and how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tui_memory.surfaces.install import hooks_file, running

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


FORM = hooks_file.Form("Gemini CLI", EVENTS, handler, comments=True)


def with_hooks(text: str, file: Path) -> str:
    """The file's text with our hooks; unchanged where they are there as they should be."""
    return hooks_file.with_hooks(FORM, text, file)


def without_hooks(text: str, file: Path) -> str:
    """The file's text without our hooks."""
    return hooks_file.without_hooks(FORM, text, file)


def advice(file: Path, *, changed: bool) -> str:
    """What a person must know after an installation."""
    return (
        f"Gemini CLI runs a project's hooks only in a folder that it trusts, and shows a warning once for {file}."
        if changed and file.parent.parent != Path.home()
        else ""
    )
