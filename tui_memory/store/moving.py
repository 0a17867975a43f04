"""Giving folders, and what was learned in them, to another project; making one project of two.

What becomes of memories is journaled and undone like every change; folders and observations go by saying it again.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from tui_memory.capture import git_run
from tui_memory.errors import NotFoundError, UsageError
from tui_memory.store import git_facts, identity, projects, rules
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store
from tui_memory.store.folders import stored

_FOLDER = "coalesce(o.detail ->> 'project_dir', o.cwd)"
_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class Alias:
    """A key that a project was ever seen under; `created`: when first, in ms."""

    kind: str
    value: str
    created: int


@dataclass(frozen=True, slots=True)
class Move:
    """What goes, or went, from one project to another: keys, and how many rows of each sort."""

    source: str
    target: str
    keys: tuple[Alias, ...]
    sessions: int = 0
    observations: int = 0
    memories: tuple[int, ...] = ()


def aliases(store: Store, project: int) -> list[Alias]:
    """Every key of a project, the oldest first."""
    rows = store.rows(
        "SELECT kind, value, created FROM project_aliases WHERE project_id = ? ORDER BY created, kind, value",
        (project,),
    )
    show = rules.reading(store) is not None
    return [Alias(row[0], stored(store.connection, row[1]) if show else row[1], row[2]) for row in rows]


def counts(store: Store, project: int) -> dict[str, int]:
    """How many sessions, observations and (listed) memories a project has."""
    tables = {"sessions": "1", "observations": "1", "memories": "state <> 'undone'"}
    return {
        name: int(store.rows(f"SELECT count(*) FROM {name} WHERE project_id = ? AND {which}", (project,))[0][0])
        for name, which in tables.items()
    }


def reassign(
    store: Store, what: str, target: str, *, contents: bool = False, dry_run: bool = False, actor: str = "person"
) -> Move:
    """Give an absolute folder (or another key, such as a remote) to a project, made where there is none of that name.

    `contents`: what was seen and learned in the folder goes with it. NotFoundError where nothing is known of it;
    UsageError for a folder that can be no project.
    """
    if not os.path.isabs(what):
        return _reassign_key(store, what, target, dry_run)
    folder = os.path.realpath(what)
    if folder in projects.never():
        raise UsageError(f"{folder} holds everything you have: it can be no project. Nothing was changed.")
    present = projects.lookup(store, folder)
    found = git_facts.facts(folder) if os.path.isdir(folder) else None
    folders = _folders(folder, found)
    placed = [("placed", path) for path in folders] + ([("placed", found.common_dir)] if found and folders[1:] else [])
    with store.transaction() as connection:
        new = _target(store, target, dry_run)
        source = present.id if present else None
        folders = [stored(connection, path) for path in folders]
        keys = _keys_in(store, source, folders, found) if source is not None else []
        move = Move(present.name if present else "", _name(store, new, target), tuple(keys))
        if source is not None and source != new:
            move = _contents(store, move, source, new, folders, actor, contents, dry_run)
        if not dry_run and new is not None:
            moved = [(key.kind, key.value) for key in keys]
            identity.remember(connection, new, *placed, ("path", folder), *moved)
    projects.forget(store)
    return move


def merge(store: Store, source: str, target: str, *, dry_run: bool = False, actor: str = "person") -> Move:
    """Make one project a part of another: its keys, sessions, observations and memories are the other's then."""
    old, new = projects.named(store, source), projects.named(store, target)
    if old.id == new.id:
        raise UsageError(f"{old.name} cannot be merged with itself. Nothing was changed.")
    memories = _ids(store, "SELECT id FROM memories WHERE project_id = ? AND state <> 'undone'", old.id)
    total = counts(store, old.id)
    move = Move(
        old.name, new.name, tuple(aliases(store, old.id)), total["sessions"], total["observations"], tuple(memories)
    )
    if dry_run:
        return move
    changes = Changes(store, actor)
    with store.transaction() as connection, changes.group("merge projects"):
        for memory in memories:
            changes.edit(memory, project_id=new.id)
        for table in ("sessions", "observations", "judgments", "project_aliases"):
            connection.execute(f"UPDATE {table} SET project_id = ? WHERE project_id = ?", (new.id, old.id))
        connection.execute("DELETE FROM start_index WHERE project_id = ?", (old.id,))
        identity.remember(connection, new.id, ("merged", old.uid), ("name", old.name))
    projects.forget(store)
    return move


def is_key(store: Store, value: str) -> bool:
    """Whether a project was ever seen under a key of this value."""
    return bool(store.rows("SELECT 1 FROM project_aliases WHERE value = ? LIMIT 1", (stored(store.connection, value),)))


def _reassign_key(store: Store, value: str, target: str, dry_run: bool) -> Move:
    rows = store.rows(
        "SELECT a.kind, a.value, a.created, p.name FROM project_aliases a JOIN projects p ON p.id = a.project_id"
        " WHERE a.value = ?",
        (stored(store.connection, value),),
    )
    if not rows:
        raise NotFoundError(
            f"No project was ever seen as “{value}”: name a folder, or a key that `tui-memory project show` lists."
            " Nothing was changed."
        )
    keys = tuple(Alias(*row[:3]) for row in rows)
    with store.transaction() as connection:
        new = _target(store, target, dry_run)
        if new is not None and not dry_run:
            identity.remember(connection, new, *((key.kind, key.value) for key in keys))
    projects.forget(store)
    return Move(rows[0][3], _name(store, new, target), keys)


def _target(store: Store, target: str, dry_run: bool) -> int | None:
    """The project that is named, made where there is none; None for one that a dry run would make."""
    if not dry_run:
        return projects.find_or_add(store, target)
    try:
        return projects.find(store, target)
    except NotFoundError:
        return None


def _name(store: Store, project: int | None, target: str) -> str:
    return target if project is None else str(store.rows("SELECT name FROM projects WHERE id = ?", (project,))[0][0])


def _folders(folder: str, found: git_facts.GitFacts | None) -> list[str]:
    """The folder; for a repository's top also its other working trees."""
    if found is None or found.top != folder:
        return [folder]
    told = git_run.output(folder, "worktree", "list", "--porcelain", timeout=_TIMEOUT_S) or ""
    trees = [os.path.realpath(line[9:]) for line in told.splitlines() if line.startswith("worktree ")]
    return list(dict.fromkeys([folder, *trees, found.top]))


def _keys_in(store: Store, project: int, folders: list[str], found: git_facts.GitFacts | None) -> list[Alias]:
    """The keys of a project that lie in some folders, and the repository's own where its top is one."""
    own = stored(store.connection, found.common_dir) if found and stored(store.connection, found.top) in folders else ""
    return [
        key
        for key in aliases(store, project)
        if (key.kind in ("path", "placed") and any(_inside(key.value, folder) for folder in folders))
        or (key.kind in ("git_dir", "placed") and key.value == own)
    ]


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _contents(
    store: Store, move: Move, old: int, new: int | None, folders: list[str], actor: str, contents: bool, dry_run: bool
) -> Move:
    """Count, and with `contents` move, what was seen and learned in the folders."""
    here = " OR ".join(f"{_FOLDER} = ? OR substr({_FOLDER}, 1, ?) = ?" for _ in folders)
    values = [value for folder in folders for value in (folder, len(folder) + 1, folder + "/")]
    seen = _ids(store, f"SELECT o.id FROM observations o WHERE o.project_id = ? AND ({here})", old, *values)
    marks = ",".join(map(str, seen)) or "NULL"
    sessions = _ids(
        store,
        f"SELECT s.id FROM sessions s WHERE s.project_id = ? AND s.id IN (SELECT session_id FROM observations"
        f" WHERE id IN ({marks}))",
        old,
    )
    memories = _ids(
        store,
        "SELECT m.id FROM memories m WHERE m.project_id = ? AND m.state <> 'undone' AND EXISTS (SELECT 1"
        f" FROM memory_sources s WHERE s.memory_id = m.id AND s.observation_id IN ({marks}))",
        old,
    )
    if contents and not dry_run and new is not None:
        changes = Changes(store, actor)
        with store.transaction() as connection, changes.group("reassign project"):
            for memory in memories:
                changes.edit(memory, project_id=new)
            connection.execute(f"UPDATE observations SET project_id = ? WHERE id IN ({marks})", (new,))
            ids = ",".join(map(str, sessions)) or "NULL"
            connection.execute(f"UPDATE sessions SET project_id = ? WHERE id IN ({ids})", (new,))
    return Move(move.source, move.target, move.keys, len(sessions), len(seen), tuple(memories))


def _ids(store: Store, sql: str, *values: object) -> list[int]:
    return [int(row[0]) for row in store.rows(sql, values)]
