"""Writing agents' configurations so that they run the hook, and taking that back to the byte."""

from __future__ import annotations

from pathlib import Path

from tui_memory.errors import UsageError
from tui_memory.surfaces.install import claude_code
from tui_memory.surfaces.install.plan import Plan, apply, apply_removal

AGENTS = ("claude-code",)
SCOPES = ("user", "project")

__all__ = ["AGENTS", "SCOPES", "Plan", "install", "uninstall"]


def install(agent: str, scope: str = "user", project: Path | None = None, dry_run: bool = False) -> Plan:
    """Add our hooks to the agent's configuration; what changes. `dry_run`: nothing is written.

    Idempotent. ConfigError where the file that is there is no valid JSON (with its line); UsageError for an agent or
    scope that is unknown.
    """
    path = _path(agent, scope, project)
    plan = Plan.of(path, claude_code.with_hooks)
    if not dry_run:
        apply(plan, claude_code.without_hooks)
    return plan


def uninstall(agent: str, scope: str = "user", project: Path | None = None, dry_run: bool = False) -> Plan:
    """Take our hooks out again: the very bytes from before where nothing else was changed since, else only ours."""
    path = _path(agent, scope, project)
    plan = Plan.of_removal(path, claude_code.without_hooks)
    if not dry_run:
        apply_removal(plan)
    return plan


def _path(agent: str, scope: str, project: Path | None) -> Path:
    if agent not in AGENTS:
        raise UsageError(f"{agent!r} cannot be installed yet; known: {', '.join(AGENTS)}. Nothing was changed.")
    if scope not in SCOPES:
        raise UsageError(f"A scope is one of {', '.join(SCOPES)}, not {scope!r}. Nothing was changed.")
    return claude_code.settings_path(scope, project or Path.cwd())
