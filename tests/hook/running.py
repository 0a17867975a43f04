"""Starting the real hook process in tests, and looking at what it left in the store."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
HOOK = ROOT / "tui_memory" / "hook.py"
HANDOVER = HOOK.with_name("handover.py")
FIXTURES = ROOT / "tests" / "fixtures"


def command(agent: str = "claude-code", *more: str) -> list[str]:
    """How an agent starts the hook."""
    return [sys.executable, "-I", "-S", str(HOOK), agent, *more]


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """An agent's environment whose store is `home` and whose settings file does not exist."""
    ours = {"TUI_MEMORY_HOME": str(home), "TUI_MEMORY_CONFIG": str(home.parent / "config.yaml")}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TUI_MEMORY", "CLAUDE"))}
    return kept | ours | dict(more or {})


def run(
    home: Path,
    given: bytes | dict[str, Any],
    *more: str,
    agent: str = "claude-code",
    env: Mapping[str, str] | None = None,
    wait: bool = True,
) -> subprocess.CompletedProcess[bytes]:
    """The hook with an event on stdin, to its end, and, unless told otherwise, to that of its child.

    The child outlives a hook that had to leave: on a busy machine it may still be storing.
    """
    data = given if isinstance(given, bytes) else json.dumps(given).encode()
    done = subprocess.run(
        command(agent, *more), input=data, env=environment(home, env), capture_output=True, timeout=60, cwd=home.parent
    )
    if wait:
        until(lambda: not storing(home))
    return done


def storing(home: Path) -> bool:
    """Whether a hook or its child is still at work on this store (where /proc tells)."""
    return bool(hooks(home))


def hooks(home: Path) -> list[int]:
    """The hooks that are at work on this store, and what goes on for them (where /proc tells)."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # gone meanwhile
            ours = any(os.fsencode(path) in (process / "cmdline").read_bytes() for path in (HOOK, HANDOVER))
            if ours and b"TUI_MEMORY_HOME=" + os.fsencode(home) in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
    return found


def silent(done: subprocess.CompletedProcess[bytes]) -> bool:
    """Whether the agent saw nothing at all."""
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def event(name: str = "PostToolUse.Bash", **changes: Any) -> dict[str, Any]:
    """A documented Claude Code payload with some fields changed."""
    value: dict[str, Any] = json.loads((FIXTURES / "claude-code" / f"{name}.json").read_text())
    return value | changes


def rows(home: Path, sql: str) -> list[tuple[Any, ...]]:
    """A query on the store's file; nothing where there is no store, or it is only being made."""
    if not (home / "memory.db").exists():
        return []
    connection = sqlite3.connect(home / "memory.db")
    try:
        made = connection.execute("PRAGMA user_version").fetchone()[0]
        return connection.execute(sql).fetchall() if made else []
    finally:
        connection.close()


def counters(home: Path) -> dict[str, int]:
    """The store's counters, but for how long things took."""
    return dict(rows(home, "SELECT name, value FROM counters WHERE name NOT LIKE 'time:%'"))


@contextlib.contextmanager
def no_worker(home: Path) -> Iterator[None]:
    """Hold the worker's lock, so that no hook starts one; until the last hook's child is done."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(home / "worker.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            until(lambda: not storing(home))


def patience() -> float:
    """Seconds the hook may take, whatever is broken: its own limit, and what processes cost here and now."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return 1.2 + 10 * (time.monotonic() - began)


def until(condition: Any, seconds: float = 40.0) -> bool:
    """Wait for a condition, looking every few milliseconds; whether it came."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False
