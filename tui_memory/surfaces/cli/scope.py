"""Which projects a command looks at: those named, else that of the current directory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory


def chosen(memory: Memory, named: tuple[str, ...], every: bool) -> tuple[str, ...] | None:
    """The uids to filter by, for two projects may share a name; None: every project.

    NotFoundError where one that was named does not exist. A current directory of no project means every project.
    """
    if named and every:
        raise click.UsageError("--project and --all-projects exclude each other.")
    if named:
        return tuple(memory.project(name).uid for name in named)
    here = None if every else current(memory)
    return (here,) if here else None


def current(memory: Memory) -> str | None:
    """What to filter by in the current directory: its project's uid, its path where no project is known yet.

    None where it can belong to none (the home directory), or is gone.
    """
    from tui_memory.store import projects  # not for --help

    try:
        folder = os.getcwd()
    except FileNotFoundError:
        return None
    here = memory.project_of(folder)
    if here is not None:
        return here.uid
    return None if projects.is_no_project(folder) else folder


def written(memory: Memory) -> str | None:
    """The uid of the project that something written in the current directory belongs to; None: to all projects."""
    try:
        here = memory.project_of(os.getcwd(), make=True)
    except FileNotFoundError:
        return None
    return here.uid if here else None
