"""Where our hooks are installed now, and by which command: what `doctor` shows and proves."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tui_memory.engine.agents import Installed
from tui_memory.errors import TuiMemoryError
from tui_memory.surfaces import install
from tui_memory.surfaces.install import hooks_file, jsontext, running

_MARK = "tui_memory/hook.py"


def installed(project: Path | None = None) -> list[Installed]:
    """Every configuration file, of the user and of a project (None: the working directory), that runs our hook."""
    return [one for agent in install.AGENTS for scope in install.SCOPES for one in _of(agent, scope, project)]


def _of(agent: str, scope: str, project: Path | None) -> Iterator[Installed]:
    try:
        plan = install.install(agent, scope, project, dry_run=True)
    except TuiMemoryError:
        return  # not valid, or not to be read: the agent does not run it either
    text = (plan.before or b"").decode("utf-8", "replace")
    if not plan.changed or _MARK in text:
        yield Installed(agent, scope, plan.path, not plan.changed, tuple(_command(agent, text)))


def _command(agent: str, text: str) -> list[str]:
    """The command of the first of our handlers in a file; for a program that is no list of hooks, what it was given."""
    try:
        value = json.loads(jsontext.bare(text).removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return running.command(agent)
    handler = next((one for one in _objects(value) if hooks_file.is_ours(one)), {})
    arguments = handler.get("args")
    if isinstance(arguments, list):
        return [str(handler.get("command") or handler.get("exec", "")), *map(str, arguments)]
    line = next((handler[name] for name in ("command", "exec", "bash") if isinstance(handler.get(name), str)), "")
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(part)
