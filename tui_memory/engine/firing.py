"""Proof that an agent's hook works: one made-up event through the installed command, seen in the store, and removed."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tui_memory import places
from tui_memory.clock import now_ms, uuid7
from tui_memory.engine.agents import FIRED, Check, Installed
from tui_memory.errors import UsageError
from tui_memory.store import counters, pauses, timings
from tui_memory.store.guard import OVERSIZE, UNSCANNED

if TYPE_CHECKING:
    import sqlite3

    from tui_memory.store.db import Store

PROBE = "TuiMemoryDoctor"
"""The event's name: no agent has one like it, so that it is kept as a word about the session, and starts no turn."""
HOOK_PATIENCE = 5.0  # seconds; the hook itself leaves after one
STORE_PATIENCE = 15.0  # its child may have to wait for another writer


class Shot(NamedTuple):
    """What became of one: how long the agent would have waited (ms), and why it failed ('' where it did not)."""

    took_ms: float
    trouble: str = ""


def fire(store: Store, agent: str, installed: Sequence[Installed]) -> Check:
    """Send an event as `agent` would, see it stored, take every trace of it away; what `doctor` says of that.

    UsageError for an agent that is not installed: there is no command to prove.
    """
    if agent == "git":
        raise UsageError("Git's hooks have no event of their own to fire. Nothing was changed; make a commit instead.")
    command = next((list(one.command) for one in installed if one.agent == agent and one.command), None)
    if command is None:
        known = ", ".join(sorted({one.agent for one in installed if one.command})) or "none"
        raise UsageError(
            f"There is no hook of {agent!r} to fire (installed: {known}). Nothing was changed;"
            f" `tui-memory install {agent}` adds it."
        )
    session = f"doctor-{uuid7()}"
    name = f"fire:{agent}"
    if pauses.until(store.connection) > now_ms():
        return name, False, f"{agent}: capture is paused, so nothing was fired", "tui-memory resume"
    try:
        shot = _shoot(store, command, session)
    finally:
        _remove(store, session)
    if shot.trouble:
        return name, False, f"{agent}: {shot.trouble}", f"tui-memory install {agent}"
    with store.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (FIRED + agent, str(now_ms())))
    return name, True, f"{agent}: its hook took {shot.took_ms:.0f} ms; the event was stored, and removed again", ""


def _shoot(store: Store, command: list[str], session: str) -> Shot:
    """Run the hook as the agent does, and wait for its event."""
    payload = {
        "hook_event_name": PROBE, "hook": PROBE, "session_id": session, "sessionId": session,
        "conversation_id": session, "input": {"sessionID": session},
    }  # fmt: skip
    environment = dict(os.environ)
    if store.home != places.home():
        environment["TUI_MEMORY_HOME"] = str(store.home)
    began = time.perf_counter()
    try:
        done = subprocess.run(
            command, input=json.dumps(payload).encode(), env=environment, cwd=Path.home(), capture_output=True,
            timeout=HOOK_PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return Shot(0.0, f"its hook cannot be run: {error}")
    took = (time.perf_counter() - began) * 1000
    if done.returncode:
        return Shot(took, f"its hook ended with status {done.returncode}")
    until = time.monotonic() + STORE_PATIENCE
    while not _found(store.connection, session):
        if time.monotonic() > until:
            off = " (TUI_MEMORY_OFF is set)" if environment.get("TUI_MEMORY_OFF", "0") not in ("", "0") else ""
            return Shot(took, f"its hook ran for {took:.0f} ms, but nothing came into {store.home}{off}")
        time.sleep(0.02)
    return Shot(took)


def _found(connection: sqlite3.Connection, session: str) -> list[sqlite3.Row]:
    """What was stored under this session's name."""
    return connection.execute(
        "SELECT o.id, o.session_id, o.reason, o.redactions FROM sessions s JOIN observations o ON o.session_id = s.id"
        " WHERE s.session = ?",
        (session,),
    ).fetchall()


def _remove(store: Store, session: str) -> None:
    """Take back the event, its session and its counts: captured = stored + dropped as before."""
    with store.transaction() as connection:
        for row in _found(connection, session):
            timed = _durations(connection, row["id"])
            connection.execute("DELETE FROM deliveries WHERE observation_id = ?", (row["id"],))
            connection.execute("DELETE FROM observations WHERE id = ?", (row["id"],))
            connection.execute("DELETE FROM sessions WHERE id = ?", (row["session_id"],))
            counts = {f"redacted:{kind}": -count for kind, count in json.loads(row["redactions"]).items()}
            if row["reason"] in (UNSCANNED, OVERSIZE):  # where the settings are wrong
                counts[f"kept:{row['reason']}"] = -1
            counters.bump_many(connection, counts | timed | {"captured": -1, "stored": -1})


def _durations(connection: sqlite3.Connection, observation: int) -> dict[str, int]:
    """What taking it in was counted as, to be taken back."""
    rows = connection.execute("SELECT agent, took_us FROM deliveries WHERE observation_id = ?", (observation,))
    counts: dict[str, int] = {}
    for agent, took_us in rows.fetchall():
        for name, n in timings.counted(timings.HOOK, agent, took_us / 1e6).items():
            counts[name] = counts.get(name, 0) - n
    return counts
