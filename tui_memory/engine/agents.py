"""What is known of each agent's hooks: where they are installed, when they last spoke, how fast, what failed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tui_memory import places
from tui_memory.model import iso, now_ms

RECENT = 1_000  # deliveries that latency and failures are taken from
DAY_MS = 86_400_000
LOG_TAIL = 64_000  # bytes of the hooks' log that are looked at

Check = tuple[str, bool, str, str]
"""(id, whether it is well, what was found, the command that mends it)."""


@dataclass(frozen=True, slots=True)
class Installed:
    """One configuration file of an agent that runs our hook, as whoever can read such files found it."""

    agent: str
    scope: str
    path: Path
    current: bool
    """Whether it is what an installation by this program would write."""
    command: tuple[str, ...] = ()
    """The program and its arguments as they stand there; empty where they cannot be told."""


class Heard(NamedTuple):
    """What the store knows of one agent; times in ms, durations in µs of the last deliveries, sorted."""

    agent: str
    events: int
    last: int
    took: list[int]
    errors: int


def checks(
    connection: sqlite3.Connection, home: Path, installed: Sequence[Installed] | None, fired: str = ""
) -> list[Check]:
    """A check for every agent that is installed or has spoken; `fired`: the one whose hook was just proved.

    `installed` None: nobody looked, and nothing is said of it.
    """
    heard = {one.agent: one for one in _heard(connection)}
    places_of: dict[str, list[Installed]] = {}
    for one in installed or ():
        places_of.setdefault(one.agent, []).append(one)
    agents = sorted(heard.keys() | places_of.keys())
    if not agents:
        return [("agents", False, "no agent has spoken yet", "tui-memory install claude-code")]
    where = {agent: places_of.get(agent, []) if installed is not None else None for agent in agents}
    return [_check(agent, heard.get(agent), where[agent], _unstored(home, agent), fired) for agent in agents]


def _check(agent: str, heard: Heard | None, installed: list[Installed] | None, unstored: int, fired: str) -> Check:
    name, fix, ok = f"agent:{agent}", "", True
    told = []
    if installed is not None:
        files = ", ".join(f"{one.path} ({one.scope})" for one in installed)
        told.append(files or "no configuration here or of the user runs its hook")
    if any(not one.current for one in installed or ()):
        ok, fix = False, f"tui-memory install {agent}"
        told.append("written by another version, or changed since")
    if heard is None:
        told.append("it has never spoken")
        proved = fired == agent
        return name, ok and proved, f"{agent}: {'; '.join(told)}", fix or f"tui-memory doctor --fire {agent}"
    half, most = (_quantile(heard.took, share) / 1000 for share in (0.5, 0.95))
    told.append(f"{heard.events} events, the last at {iso(heard.last)}")
    told.append(f"taken in within {half:.1f} ms (half of them), {most:.1f} ms (95 %)")
    bad = heard.errors + unstored
    if bad:
        told.append(f"{heard.errors} of the last {len(heard.took)} could not be read, {unstored} today not be stored")
    if bad * 10 > len(heard.took):
        ok, fix = False, fix or f"tui-memory doctor --fire {agent}"
    return name, ok, f"{agent}: {'; '.join(told)}", fix


def _heard(connection: sqlite3.Connection) -> Iterator[Heard]:
    """What came through hooks; what was imported says nothing of them."""
    live = "delivery NOT LIKE 'import:%'"
    rows = connection.execute(
        f"SELECT agent, COUNT(*) AS events, MAX(time) AS last FROM deliveries WHERE {live} GROUP BY agent"
    ).fetchall()
    for row in rows:
        recent = connection.execute(
            f"SELECT took_us, outcome FROM deliveries WHERE agent = ? AND {live} ORDER BY time DESC LIMIT ?",
            (row["agent"], RECENT),
        ).fetchall()
        took = sorted(int(one["took_us"]) for one in recent)
        errors = sum(one["outcome"] == "error" for one in recent)
        yield Heard(str(row["agent"]), int(row["events"]), int(row["last"]), took, errors)


def _quantile(values: list[int], share: float) -> int:
    """The value that this share of sorted values does not exceed."""
    return values[min(len(values) - 1, int(share * len(values)))]


def _unstored(home: Path, agent: str) -> int:
    """How many of an agent's events its hook could not store within the last day, by the hooks' own log."""
    try:
        with open(places.log_dir(home) / "hook.log", "rb") as log:
            log.seek(max(0, log.seek(0, 2) - LOG_TAIL))
            lines = log.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return 0
    since = iso(now_ms() - DAY_MS)
    return sum(line[:20] >= since[:19] and f" '{agent}" in line for line in lines)
