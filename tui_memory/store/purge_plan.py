"""What a purge takes: what was named, and everything else in the store that holds the same text."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tui_memory.errors import UsageError
from tui_memory.model import MemoryKind
from tui_memory.store import leaves

_FRAGMENT = 24  # characters from which a line of a memory is its own, and not one that anybody might write
_MOST = 2_000  # fragments looked for


@dataclass(frozen=True, slots=True)
class Scope:
    """What is to be forgotten: exactly one of these."""

    ids: tuple[int, ...] = ()
    """Memories."""
    session: str = ""
    """An agent's own session id."""
    project_id: int | None = None
    match: str = ""
    """A regular expression: whatever holds a match."""
    before: int | None = None
    """Milliseconds since the epoch."""
    said_elsewhere: bool = False
    """Another device named these `ids`, all of them: of a merge the originals only where it named them too."""


@dataclass(slots=True)
class Plan:
    """Ids of the rows that go. `versions`: older texts of memories that stay; `seen`: the newest rows looked at."""

    memories: set[int] = field(default_factory=set)
    versions: set[int] = field(default_factory=set)
    observations: set[int] = field(default_factory=set)
    sessions: set[int] = field(default_factory=set)
    """Sessions that were named; those of which nothing is left go as well."""
    projects: set[int] = field(default_factory=set)
    pattern: re.Pattern[str] | None = None
    """What the texts of the smaller tables are looked through for."""
    seen: tuple[int, int] = (0, 0)

    @property
    def count(self) -> int:
        """The number that a dry run says and `--expect` repeats."""
        return len(self.memories) + len(self.versions) + len(self.observations)


def plan(connection: sqlite3.Connection, scope: Scope, known: Plan | None = None) -> Plan:
    """What goes, now. `known`: what was found before, so that only newer rows are looked through once more."""
    found = _named(connection, scope)
    if known is not None:
        found.pattern, found.seen = known.pattern, known.seen
        for name in ("memories", "versions", "observations"):
            getattr(found, name).update(getattr(known, name))
    if not scope.match:
        _follow(connection, scope, found)
    if scope.ids and found.pattern is None:
        found.pattern = _fragments(connection, found)
    if scope.match and found.pattern is None:
        found.pattern = compiled(scope.match)
    if found.pattern is not None:
        _look_through(connection, found)
    return found


def compiled(pattern: str) -> re.Pattern[str]:
    """A person's regular expression; UsageError where it is none, or matches everything."""
    try:
        found = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"--match {pattern!r} is no regular expression: {error}. Nothing was purged.") from error
    if found.search(""):
        raise UsageError(f"--match {pattern!r} matches any text at all. Nothing was purged; say what to forget.")
    return found


def _named(connection: sqlite3.Connection, scope: Scope) -> Plan:
    """The rows that a scope names by itself."""
    found = Plan(set(scope.ids))
    if scope.session:
        found.sessions = _ids(connection, "SELECT id FROM sessions WHERE session = ?", (scope.session,))
        listed = (_listed(found.sessions),)
        found.observations = _ids(connection, f"SELECT id FROM observations WHERE session_id {_IN}", listed)
        found.memories = _ids(connection, f"SELECT id FROM memories WHERE session_id {_IN}", listed)
    elif scope.project_id is not None:
        own = (scope.project_id,)
        found.projects = {scope.project_id}
        found.sessions = _ids(connection, "SELECT id FROM sessions WHERE project_id = ?", own)
        found.observations = _ids(
            connection,
            "SELECT o.id FROM observations o JOIN sessions s ON s.id = o.session_id"
            " WHERE coalesce(o.project_id, s.project_id) = ?",
            own,
        )
        found.memories = _ids(connection, "SELECT id FROM memories WHERE project_id = ?", own)
    elif scope.before is not None:
        until = (scope.before,)
        found.observations = _ids(connection, "SELECT id FROM observations WHERE time < ?", until)
        found.memories = _ids(connection, "SELECT id FROM memories WHERE created < ?", until)
    return found


_IN = "IN (SELECT value FROM json_each(?))"


def _follow(connection: sqlite3.Connection, scope: Scope, found: Plan) -> None:
    """What was made of what goes goes too: merges of it, memories whose sources are among it; until nothing is new.

    A memory that was named takes its sources, and if it is a merge its originals: they hold the same text.
    """
    before = -1
    while before != found.count:
        before = found.count
        mine = (_listed(found.memories),)
        found.memories |= _ids(
            connection, f"SELECT merged_into FROM memories WHERE merged_into IS NOT NULL AND id {_IN}", mine
        )
        if scope.ids and not scope.said_elsewhere:
            found.memories |= _ids(connection, f"SELECT id FROM memories WHERE merged_into {_IN}", mine)
        if scope.ids:
            found.observations |= _ids(
                connection, f"SELECT observation_id FROM memory_sources WHERE memory_id {_IN}", mine
            )
        else:
            found.memories |= _ids(
                connection,
                f"SELECT memory_id FROM memory_sources WHERE observation_id {_IN}",
                (_listed(found.observations),),
            )


def _fragments(connection: sqlite3.Connection, found: Plan) -> re.Pattern[str] | None:
    """The lines of the memories that go, as a pattern: another session may have shown them, a digest quotes them."""
    rows = connection.execute(
        f"SELECT title, summary, text, facts, labels, files, flagged FROM versions WHERE memory_id {_IN}",
        (_listed(found.memories),),
    ).fetchall()
    own = {row["title"].strip() for row in rows}
    for row in rows:
        own.update(line.strip() for text in (row["summary"], row["text"], *json.loads(row["facts"]))
                   for line in text.splitlines())  # fmt: skip
    lines = sorted((line for line in own if len(line) >= _FRAGMENT), key=len, reverse=True)[:_MOST]
    _add_digests(connection, found, [row["title"] for row in rows])
    return re.compile("|".join(map(re.escape, lines))) if lines else None


def _add_digests(connection: sqlite3.Connection, found: Plan, titles: list[str]) -> None:
    """The digests of the same sessions that name what goes, however short its title is."""
    rows = connection.execute(
        "SELECT DISTINCT v.memory_id, v.title, v.summary, v.text, v.facts, v.labels, v.files, v.flagged FROM versions v"
        " JOIN memories m ON m.id = v.memory_id WHERE v.kind = ? AND m.session_id IN"
        f" (SELECT session_id FROM memories WHERE id {_IN})",
        (MemoryKind.DIGEST, _listed(found.memories)),
    ).fetchall()
    named = [title.rstrip("…").strip() for title in titles]
    for row in rows:
        whole = "\n".join(leaves.of(row, leaves.VERSION))
        if any(title and title in whole for title in named):
            found.memories.add(row["memory_id"])


def _look_through(connection: sqlite3.Connection, found: Plan) -> None:
    """Add every observation and version that matches; a memory whose present text does goes whole."""
    assert found.pattern is not None
    search, (observation, version) = found.pattern.search, found.seen
    for rows in leaves.batches(connection, "observations", list(leaves.OBSERVATION), observation):
        found.observations.update(row["id"] for row in rows if any(map(search, leaves.of(row, leaves.OBSERVATION))))
        observation = rows[-1]["id"]
    hits: list[int] = []
    for rows in leaves.batches(connection, "versions", list(leaves.VERSION), version):
        hits += [row["id"] for row in rows if any(map(search, leaves.of(row, leaves.VERSION)))]
        version = rows[-1]["id"]
    branches = connection.execute("SELECT DISTINCT branch FROM memories WHERE branch <> ''").fetchall()
    on = [row[0] for row in branches if search(row[0])]
    found.memories |= _ids(connection, f"SELECT id FROM memories WHERE branch {_IN}", (json.dumps(on),))
    found.memories |= _ids(connection, f"SELECT id FROM memories WHERE version_id {_IN}", (json.dumps(hits),))
    found.versions |= set(hits)
    found.versions -= _ids(connection, f"SELECT id FROM versions WHERE memory_id {_IN}", (_listed(found.memories),))
    found.seen = (observation, version)


def _ids(connection: sqlite3.Connection, sql: str, values: tuple[Any, ...]) -> set[int]:
    return {row[0] for row in connection.execute(sql, values)}


def _listed(ids: Iterable[int]) -> str:
    return json.dumps(sorted(ids))
