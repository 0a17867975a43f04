"""What doctor says of privacy: who can read the store, what is not forgotten yet, what older rules kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tui_memory.store import erasing, filesystems, rules

if TYPE_CHECKING:
    from tui_memory.config import Settings
    from tui_memory.store.db import Store

Check = tuple[str, bool, str, str]
"""id, whether it is well, what it is, the command that mends it."""


def checks(store: Store, settings: Settings) -> Iterator[Check]:
    """Modes, file system, unfinished purges, rules."""
    yield _modes(store)
    if kind := filesystems.doubtful(store.home):
        what = f"the store is on a {kind} file system, where it is slow and may lose its locks"
        yield "filesystem", False, what, "export TUI_MEMORY_HOME=~/.local/share/tui-memory"
    pending = erasing.pending(store)
    what = "what was purged may still be in the files: a program reads them" if pending else "no purge is unfinished"
    yield "purge", not pending, what, "tui-memory worker start"
    behind = rules.is_behind(store, rules.today(settings.redact))
    what = "everything stored was masked by today's rules"
    if behind:
        what = "older rules masked some of what is stored: it is masked again whenever it is read"
    yield "redaction", not behind, what, "tui-memory scrub"


def _modes(store: Store) -> Check:
    """Only the owner may read anything below the store's directory, or look into it."""
    wide = [path for path in [store.home, *store.home.rglob("*")] if not path.is_symlink() and _is_wide(path)]
    if not wide and store.narrowed:
        named = ", ".join(str(path.relative_to(store.home.parent)) for path in store.narrowed[:3])
        return "modes", True, f"others could read {named}; now only you can", ""
    if not wide:
        return "modes", True, "only you can read the store's files", ""
    named = ", ".join(str(path.relative_to(store.home.parent)) for path in wide[:3])
    return "modes", False, f"others may read {named}", f"chmod -R go= {store.home}"


def _is_wide(path: os.PathLike[str]) -> bool:
    try:
        return bool(os.lstat(path).st_mode & 0o077)
    except FileNotFoundError:
        return False  # gone since it was listed
