"""Where our hooks are installed now, and by which command: what `doctor` shows and proves."""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tui_memory.engine.agents import Installed
from tui_memory.errors import TuiMemoryError
from tui_memory.surfaces import install
from tui_memory.surfaces.install import git, hooks_file, jsontext

_MARK = "tui_memory/hook.py"
_PLUGINS = re.compile(r"^const COMMAND = (\[.*\])$", re.MULTILINE)


def installed(project: Path | None = None) -> list[Installed]:
    """Every configuration file, of the user and of a project (None: the working directory), that runs our hook."""
    found = [one for agent in install.AGENTS for scope in install.SCOPES for one in _of(agent, scope, project)]
    return [*found, *_git(project or Path.cwd())]


def _of(agent: str, scope: str, project: Path | None) -> Iterator[Installed]:
    hooks, path, server, server_path = install.parts(agent, scope, project)
    try:
        text = path.read_text(encoding="utf-8")
        current = hooks.into(text, path) == text
    except (OSError, ValueError, TuiMemoryError):
        return  # not there, not valid, or not to be read: the agent does not run it either
    if current or _MARK in text:
        words = tuple(_command(text))
        trouble = _gone(words[0] if words else "", agent) or install.switched_off(agent, path)
        listed = f"its MCP server is listed in {server_path}" if _is_listed(server, server_path) else ""
        yield Installed(agent, scope, path, current, words, trouble, listed)


def _is_listed(server: install.Part, path: Path) -> bool:
    try:
        text = path.read_text(encoding="utf-8")
        return server.out(text, path) != text
    except (OSError, ValueError, TuiMemoryError):
        return False


def _git(folder: Path) -> Iterator[Installed]:
    """The hooks of the repository of a folder."""
    try:
        state = git.state(folder)
    except TuiMemoryError:
        return  # no repository, or none that can be read
    if state.events:
        beside = f"in {', '.join(state.events)}{', with what else is there' if state.chained else ''}"
        current = state.events == git.EVENTS and not state.outdated
        yield Installed("git", "repository", state.hooks, current, (), _gone(state.python, "git"), beside)


def _gone(program: str, agent: str) -> str:
    """What to say of a program that is not there any more: whoever runs it is silent about that."""
    if not program or os.access(program, os.X_OK):
        return ""
    return f"the Python that {agent}'s hook names is gone ({program}), so that nothing is captured"


def _command(text: str) -> list[str]:
    """The command of the first of our handlers in a file; [] where it cannot be told."""
    value = _value(text)
    if isinstance(value, list):
        return [str(word) for word in value]
    handler = next((one for one in _objects(value) if hooks_file.is_ours(one)), {})
    arguments = handler.get("args")
    if isinstance(arguments, list):
        return [str(handler.get("command") or handler.get("exec", "")), *map(str, arguments)]
    line = next((handler[name] for name in ("command", "exec", "bash") if isinstance(handler.get(name), str)), "")
    return _split(line.partition("; then ")[2].removesuffix("; fi") if line.startswith("if ") else line)


def _value(text: str) -> Any:
    """What a file lists: JSON, TOML, or the command in OpenCode's plugin."""
    if found := _PLUGINS.search(text):
        text = found.group(1)
    for read in (lambda: json.loads(jsontext.loose(text).removeprefix("\ufeff")), lambda: tomllib.loads(text)):
        try:
            return read()
        except (ValueError, RecursionError):
            continue
    return {}


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(part)
