"""What is known of each agent's hooks: where they are installed, when they last spoke, how fast, what failed."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tui_memory import capture, places
from tui_memory.clock import iso, local, now_ms, parse_iso

RECENT = 1_000  # deliveries that latency and failures are taken from
DAY_MS = 86_400_000
KNOWN = ", ".join(f"'{agent}'" for agent in capture.AGENTS)
"""The agents there are, as SQL lists them."""
FIRED = "fired:"
"""The key, with the agent's name, under which `meta` says when an agent's hook was proved (ms)."""

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
    trouble: str = ""
    """Why it cannot run, as a sentence; '' where it can."""
    beside: str = ""
    """What else is known of it."""


class Heard(NamedTuple):
    """What the store knows of one agent; times in ms, durations in µs of the last deliveries, sorted."""

    agent: str
    events: int
    last: int
    took: list[int]
    errors: int


def checks(connection: sqlite3.Connection, home: Path, installed: Sequence[Installed] | None) -> list[Check]:
    """A check for every agent that is installed or has spoken; `installed` None: nobody looked where."""
    heard = {one.agent: one for one in _heard(connection)}
    places_of: dict[str, list[Installed]] = {}
    for one in installed or ():
        places_of.setdefault(one.agent, []).append(one)
    agents = sorted(heard.keys() | places_of.keys())
    lost = refused(home)
    found = [refused_check(lost, max((one.last for one in heard.values()), default=0)), *_strangers(connection)]
    if not agents:
        return [*found, ("agents", False, "no agent has spoken yet", "tui-memory install claude-code")]
    where = {agent: places_of.get(agent, []) if installed is not None else None for agent in agents}
    proved = dict(connection.execute("SELECT key, value FROM meta WHERE key LIKE ?", (f"{FIRED}%",)).fetchall())
    unstored = Counter(agent for _, agent in lost)
    return found + [
        _silent(agent, where[agent] or [], int(proved.get(FIRED + agent, 0)))
        if agent not in heard
        else _check(heard[agent], where[agent], unstored[agent])
        for agent in agents
    ]


def _strangers(connection: sqlite3.Connection) -> Iterator[Check]:
    """What came from hooks that name no agent there is: their names are anybody's, and are shown nowhere."""
    count = connection.execute(
        f"SELECT COUNT(*) FROM deliveries WHERE agent NOT IN ({KNOWN}) AND time > ?", (now_ms() - DAY_MS,)
    ).fetchone()[0]
    if count:
        what = f"{_events(count)} of the last day came from a hook that names no known agent: none was kept"
        yield "unknown", False, what, "tui-memory install claude-code"


def _silent(agent: str, installed: list[Installed], proved: int) -> Check:
    """An agent that is installed and has never spoken: well where its hook was fired, and arrived."""
    told, stale = _files(installed)
    if agent == "git":
        return f"agent:{agent}", not stale, f"git: {told}; no commit was told yet", "tui-memory install git"
    told += f"; its hook was proved at {local(proved)}" if proved else "; it has never spoken"
    fix = f"tui-memory install {agent}" if stale else f"tui-memory doctor --fire {agent}"
    return f"agent:{agent}", bool(proved) and not stale, f"{agent}: {told}", fix


def _files(installed: list[Installed]) -> tuple[str, bool]:
    """Where an agent runs our hook, and whether any of it is not as it would be written now."""
    by_path = {str(one.path): one.scope for one in reversed(installed)}  # at home, the project's file is the user's
    told = ", ".join(f"{path} ({scope})" for path, scope in reversed(by_path.items()))
    told += "".join(dict.fromkeys(f"; {one.beside}" for one in installed if one.beside))
    troubles = list(dict.fromkeys(one.trouble.rstrip(".") for one in installed if one.trouble))
    changed = any(not one.current for one in installed)
    told += "; written by another version, or changed since" if changed and not troubles else ""
    told += "".join(f"; {trouble}" for trouble in troubles)
    return told or "no configuration here or of the user runs its hook", changed or bool(troubles)


def _check(heard: Heard, installed: list[Installed] | None, unstored: int) -> Check:
    agent, told, stale = heard.agent, [], False
    if installed is not None:
        files, stale = _files(installed)
        told.append(files)
    half, most = (_quantile(heard.took, share) / 1000 for share in (0.5, 0.95))
    told.append(f"{_events(heard.events)}, the last at {local(heard.last)}")
    told.append(f"taken in within {half:.1f} ms (half of them), {most:.1f} ms (95 %)")
    bad = heard.errors + unstored
    if bad:
        told.append(f"{heard.errors} of the last {len(heard.took)} could not be read")
        told.append(f"{unstored} today could not be stored")
    fix = f"tui-memory install {agent}" if stale else f"tui-memory doctor --fire {agent}"
    return f"agent:{agent}", not stale and bad * 10 <= len(heard.took), f"{agent}: {'; '.join(told)}", fix


def _heard(connection: sqlite3.Connection) -> Iterator[Heard]:
    """What came through hooks; what was imported says nothing of them."""
    live = f"delivery NOT LIKE 'import:%' AND agent IN ({KNOWN})"
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


def _events(count: int) -> str:
    return f"{count:,} {'event' if count == 1 else 'events'}"


def _quantile(values: list[int], share: float) -> int:
    """The value that this share of sorted values does not exceed."""
    return values[min(len(values) - 1, int(share * len(values)))]


def refused(home: Path) -> list[tuple[str, str]]:
    """(when, agent) of the last day's events that no hook could store, oldest first, by the hooks' own log."""
    found: list[tuple[str, str]] = []
    since = iso(now_ms() - DAY_MS)[:19]
    for name in ("hook.log.1", "hook.log"):
        try:
            lines = (places.log_dir(home) / name).read_text("utf-8", "replace").splitlines()
        except OSError:
            continue  # there is none: nothing was refused
        found += [(line[:20], line.split("'")[1]) for line in lines if line[:19] >= since and line.count("'") > 1]
    found = sorted([*found, *(one for one in _found_no_room(home) if one[0][:19] >= since)])
    return [(when, agent if agent in capture.AGENTS else "an unknown agent") for when, agent in found]


def _found_no_room(home: Path) -> list[tuple[str, str]]:
    """(when, agent) of the events for which a full disk had no room, not even for a line: files by their names."""
    parts = [path.name.split("-", 3) for path in places.log_dir(home).glob("lost-*-*-*")]
    return [(iso(int(when))[:19] + "Z", agent) for _, when, _, agent in parts if when.isdigit()]


def refused_check(lost: list[tuple[str, str]], stored: int) -> Check:
    """What doctor says of events that were lost; well where one was stored after them (`stored`: when, ms)."""
    if not lost:
        return "refused", True, "every event of the last day could be stored", ""
    by_agent = ", ".join(f"{agent} {count}" for agent, count in Counter(agent for _, agent in lost).items())
    what = f"{_events(len(lost))} of the last day could not be stored ({by_agent}), the last at {_said(lost[-1][0])}"
    over = iso(stored)[:19] > lost[-1][0][:19]
    what += "; the store takes events again" if over else "; the store takes none"
    return "refused", over, what, "tui-memory import-transcripts"


def _said(when: str) -> str:
    """The moment of a line in the hooks' log, for people; as it stands there where it is none."""
    try:
        return local(parse_iso(when))
    except ValueError:
        return when
