"""A file that one process at a time holds; the system takes it back when its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def take(file: Path) -> int | None:
    """The descriptor that holds the file as long as it is open; None where somebody else has it."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


@contextmanager
def held(file: Path) -> Iterator[bool]:
    """Whether this process has the file meanwhile; nobody waits for it."""
    descriptor = take(file)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            os.close(descriptor)
