"""A file outside of the store, written aside and renamed: it is whole, or what was there before, also after a kill."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from tui_memory.clock import uuid7
from tui_memory.errors import TuiMemoryError
from tui_memory.store import filelock

_PART = ".part"


@contextmanager
def aside(target: Path) -> Iterator[tuple[IO[bytes], Callable[[], object]]]:
    """(a private file beside the target, what makes it the target at the end); without that it is removed again.

    It is held while it is written: what a run that was killed left is nobody's, and goes with the next one.
    """
    stem = f".{target.name[:100]}."
    part = target.with_name(f"{stem}{uuid7()[-12:]}{_PART}")
    kept: list[bool] = []
    try:
        _tidy(target.parent, stem)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield file, lambda: kept.append(True)
            file.flush()
            os.fsync(file.fileno())
        if kept:
            os.replace(part, target)
    except OSError as error:
        raise TuiMemoryError(
            f"{target} could not be written: {error.strerror or error}. The store was not changed, and a file that was"
            " there before is as it was."
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _tidy(folder: Path, stem: str) -> None:
    """Remove what runs left that were killed: parts of the same file that no process holds."""
    for left in folder.iterdir():
        if left.name.startswith(stem) and left.name.endswith(_PART) and left.is_file() and not left.is_symlink():
            with filelock.held(left) as mine:
                if mine:
                    left.unlink(missing_ok=True)
