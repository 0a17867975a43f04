"""Whose addresses git writes into commits: the person's own, which masking leaves alone. Standard library only."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from tui_memory.capture import git_run

TIMEOUT_S = 0.3
_FRESH_S = 600.0
_MOST = 256  # folders that are remembered
_NAMES = r"^(user|author|committer)\.email$"
_found: dict[str, tuple[float, tuple[str, ...]]] = {}


def addresses(folder: str) -> tuple[str, ...]:
    """E-mail addresses of the global and the folder's own settings; none where git says none or is too slow.

    Asks git at most once in ten minutes for a folder.
    """
    known = _found.get(folder)
    if known and time.monotonic() - known[0] < _FRESH_S:
        return known[1]
    place = folder if os.path.isdir(folder) else os.path.expanduser("~")
    told = git_run.output(place, "config", "--get-regexp", _NAMES, timeout=TIMEOUT_S)
    own = {line.partition(" ")[2].strip() for line in (told or "").splitlines()}
    found = tuple(sorted(address for address in own if "@" in address))
    if len(_found) >= _MOST:
        _found.clear()
    _found[folder] = (time.monotonic(), found)
    return found


def addresses_of(folders: Iterable[str]) -> tuple[str, ...]:
    """The addresses of all of these folders, and the global ones."""
    return tuple(sorted({address for folder in ("", *folders) for address in addresses(folder)}))
