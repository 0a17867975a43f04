"""The working tree at hand: its branch, and which of its files are being worked on."""

from __future__ import annotations

from typing import NamedTuple

from tui_memory.capture import git_run

_MOST = 200  # files: beyond that, what is changed says nothing of what is worked on
_CHANGED = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules")


class Tree(NamedTuple):
    """Where a session stands."""

    branch: str = ""
    files: tuple[str, ...] = ()
    """Paths below the tree's top that differ from the last commit."""


NOWHERE = Tree()


def changed(top: str, *, timeout: float = 1.0) -> tuple[str, ...] | None:
    """The changed and new files of a working tree, none where they are many; None where git fails or is too slow.

    `timeout`: seconds that git has.
    """
    told = git_run.output(top, *_CHANGED, timeout=timeout) if top else None
    if told is None:
        return None
    files = tuple(entry[3:] for entry in told.split("\0") if entry[3:])
    return files if len(files) <= _MOST else ()
