"""Asking the person at the terminal before something is changed."""

from __future__ import annotations

import sys

import click

from tui_memory.errors import RefusedError


def ask(yes: bool, question: str = "Make this change?") -> None:
    """Go on where `yes` or the person says so; RefusedError where not, or where there is nobody to ask."""
    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise RefusedError(f"Nothing was changed: there is nobody to ask. --yes makes the change{_shown()}.")
    if not click.confirm(question, err=True):
        raise RefusedError("Nothing was changed.")


def _shown() -> str:
    """What shows the change without making it, where the command that runs has such an option."""
    running = click.get_current_context(silent=True)
    has = running is not None and any("--dry-run" in one.opts for one in running.command.params)
    return ", --dry-run shows it" if has else ""
