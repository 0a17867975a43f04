"""Writing agents' configurations so that they run the hook, and taking that back to the byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tui_memory.errors import UsageError
from tui_memory.surfaces.install import claude_code, codex, copilot, cursor, gemini_cli, opencode
from tui_memory.surfaces.install.plan import Edit, Plan, apply, apply_removal


class _Agent(NamedTuple):
    """Where an agent's configuration is (scope, project), and how our hooks come in and out."""

    path: Callable[[str, Path], Path]
    with_hooks: Edit
    without_hooks: Edit
    advice: Callable[..., str] | None = None


_AGENTS = {
    "claude-code": _Agent(claude_code.settings_path, claude_code.with_hooks, claude_code.without_hooks),
    "codex": _Agent(codex.path, codex.with_hooks, codex.without_hooks, codex.advice),
    "gemini-cli": _Agent(gemini_cli.path, gemini_cli.with_hooks, gemini_cli.without_hooks, gemini_cli.advice),
    "cursor": _Agent(cursor.path, cursor.with_hooks, cursor.without_hooks, cursor.advice),
    "copilot": _Agent(copilot.path, copilot.with_hooks, copilot.without_hooks, copilot.advice),
    "opencode": _Agent(opencode.path, opencode.with_hooks, opencode.without_hooks, opencode.advice),
}
AGENTS = tuple(_AGENTS)
SCOPES = ("user", "project")

__all__ = ["AGENTS", "SCOPES", "Plan", "advice", "install", "uninstall"]


def install(agent: str, scope: str = "user", project: Path | None = None, dry_run: bool = False) -> Plan:
    """Add our hooks to the agent's configuration; what changes. `dry_run`: nothing is written.

    Idempotent. ConfigError where the file that is there is not valid (with its line); UsageError for an agent or
    scope that is unknown.
    """
    known, path = _place(agent, scope, project)
    plan = Plan.of(path, known.with_hooks)
    if not dry_run:
        apply(plan, known.without_hooks)
    return plan


def uninstall(agent: str, scope: str = "user", project: Path | None = None, dry_run: bool = False) -> Plan:
    """Take our hooks out again: the very bytes from before where nothing else was changed since, else only ours."""
    known, path = _place(agent, scope, project)
    plan = Plan.of_removal(path, known.without_hooks)
    if plan.before and plan.after == b"":
        plan = replace(plan, after=None)  # nothing but ours was in it
    if not dry_run:
        apply_removal(plan)
    return plan


def advice(agent: str, plan: Plan) -> str:
    """What a person must know or do after an installation; '' where it is nothing."""
    known = _AGENTS.get(agent)
    return known.advice(plan.path, changed=plan.changed) if known and known.advice else ""


def _place(agent: str, scope: str, project: Path | None) -> tuple[_Agent, Path]:
    if agent not in _AGENTS:
        raise UsageError(f"{agent!r} cannot be installed; known: {', '.join(AGENTS)}, git. Nothing was changed.")
    if scope not in SCOPES:
        raise UsageError(f"A scope is one of {', '.join(SCOPES)}, not {scope!r}. Nothing was changed.")
    return _AGENTS[agent], _AGENTS[agent].path(scope, project or Path.cwd())
