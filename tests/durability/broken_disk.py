"""Run inside a mount namespace of its own: `python -m tests.durability.broken_disk DISK full|readonly [worker]`.

DISK is a small file system; it breaks in the middle of a session and is mended again. Prints what was found as JSON.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.durability.looking import accounted, stored
from tests.hook.running import event, no_worker, run, silent
from tui_memory.engine import worker_client


@contextlib.contextmanager
def full(disk: Path) -> Iterator[None]:
    """No byte left on the disk."""
    ballast = disk / "ballast"
    with open(ballast, "wb", buffering=0) as file:
        for size in (1 << 16, 1 << 10, 1):
            try:
                while file.write(b"x" * size):
                    continue
            except OSError as error:
                assert error.errno == errno.ENOSPC
    yield
    ballast.unlink()


@contextlib.contextmanager
def readonly(disk: Path) -> Iterator[None]:
    """A disk that takes no more writes; the system allows that only while nobody has a file open for them."""
    worker_client.stop(disk / "store")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    yield
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)


@contextlib.contextmanager
def surroundings(home: Path, *, worker: bool) -> Iterator[None]:
    """With a worker that is up, or with none that could start."""
    if not worker:
        with no_worker(home):
            yield
        return
    worker_client.start(home, idle=60)
    try:
        yield
    finally:
        worker_client.stop(home)


def main(disk: Path, broken: str, *, worker: bool) -> None:
    """Events before, while and after the disk is broken."""
    os.environ |= {"HOME": str(disk.parent), "TUI_MEMORY_CONFIG": str(disk.parent / "config.yaml")}
    home = disk / "store"
    quiet = []
    with surroundings(home, worker=worker):
        for number in range(4):
            quiet.append(silent(run(home, event(tool_use_id=f"before_{number}"))))
        with {"full": full, "readonly": readonly}[broken](disk):
            for number in range(3):
                body = {"stdout": "".join(f"line {line}\n" for line in range(1500))}
                quiet.append(silent(run(home, event(tool_use_id=f"while_{number}", tool_response=body))))
        for number in range(4):
            quiet.append(silent(run(home, event(tool_use_id=f"after_{number}"))))
    print(json.dumps({"silent": all(quiet), "stored": stored(home), "accounted": accounted(home)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], worker=sys.argv[3:] == ["worker"])
