"""What a store must hold after anything: each event once, every capture accounted for, a sound file."""

from __future__ import annotations

import os
import signal
from collections import Counter
from pathlib import Path

from tests.hook.running import counters, rows


def stored(home: Path) -> Counter[str]:
    """How often each tool use's own id is among the observations."""
    found = rows(home, "SELECT d.key FROM observations o JOIN deliveries d ON d.observation_id = o.id")
    return Counter(str(key).rsplit("\x1f", 1)[-1] for (key,) in found)


def accounted(home: Path) -> bool:
    """captured = stored + dropped by reason, stored = the rows that are there, and the file is sound."""
    counted = counters(home)
    dropped = sum(value for name, value in counted.items() if name.startswith("dropped:"))
    there = rows(home, "SELECT count(*) FROM observations")[0][0]
    sound = rows(home, "PRAGMA integrity_check") == [("ok",)]
    return sound and counted["captured"] == counted["stored"] + dropped and counted["stored"] == there


def workers(home: Path) -> list[int]:
    """The processes that are (or are becoming) this store's worker."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # gone meanwhile
        if b"--home" in words and words[words.index(b"--home") + 1] == os.fsencode(home):
            found.append(int(process.name))
    return found


def kill_workers(home: Path) -> int:
    """Kill whatever is this store's worker now; how many there were."""
    found = workers(home)
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue  # it left by itself
    return len(found)
