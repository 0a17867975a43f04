"""Matching a repository or folder with the projects that are known, by every key they were ever seen under.

Keys (kind, value): `path` a folder, `git_dir` a common git directory, `root` first commits and remote together
(`-`: none), `trunk` the same for the main line's first commit, `remote` a normalised address, `name`; `placed` a
folder or git directory that a person gave to a project; `merged` the uid of a project that became part of this one;
`uid` what it is called on another device of its owner's.
A key belongs to one project.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from tui_memory.clock import now_ms, uuid7
from tui_memory.store import folders
from tui_memory.store.git_facts import GitFacts

IS_MERGED = (
    "(EXISTS (SELECT 1 FROM project_aliases a WHERE a.kind = 'merged' AND a.value = p.uid)"
    " AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.project_id = p.id AND m.state <> 'undone'))"
)
"""SQL: the project `p` became part of another one, and no undo has given it anything back."""


_HOMELESS = (
    f"NOT {IS_MERGED} AND NOT EXISTS (SELECT 1 FROM project_aliases a WHERE a.project_id = p.id"
    " AND a.kind IN ('path', 'git_dir', 'placed', 'remote', 'root', 'trunk'))"
)


class Seen(NamedTuple):
    """A project's id, and why it is this one."""

    project: int
    why: str


def by_path(connection: sqlite3.Connection, path: str) -> int | None:
    """The project a folder, or one above it, was seen in."""
    while path:
        known = _by_key(connection, "path", path)
        above = os.path.dirname(path)
        if known is not None or above == path:
            return known
        path = above
    return None


def by_name(connection: sqlite3.Connection, name: str) -> int | None:
    """The project of a name, uid, or any other key."""
    row = connection.execute(
        f"SELECT id FROM projects p WHERE (uid = ?1 OR name = ?1 COLLATE NOCASE) AND NOT {IS_MERGED}"
        " ORDER BY name = ?1 DESC LIMIT 1",
        (folders.stored(connection, name),),
    ).fetchone()
    if row is None:
        row = connection.execute(
            "SELECT project_id FROM project_aliases WHERE value = ? LIMIT 1", (folders.stored(connection, name),)
        ).fetchone()
    return int(row[0]) if row else None


def of_repository(connection: sqlite3.Connection, found: GitFacts) -> Seen:
    """The project of a repository, made where no key of it is known."""
    seen = _known(connection, found)
    if seen is None:
        remote, top = (folders.stored(connection, place) for place in (found.remote, found.top))
        name = os.path.basename(remote) or _folder_name(found)
        owner = os.path.basename(os.path.dirname(remote or top))
        seen = Seen(make(connection, name, owner), "first seen here")
    remember(connection, seen.project, ("path", found.top), ("git_dir", found.common_dir), *_keys(connection, found))
    return seen


def known(connection: sqlite3.Connection, folder: str, found: GitFacts | None) -> Seen | None:
    """The project of a folder (in a repository or not) where a key of it is known."""
    seen = placed(connection, folder, found) or (_known(connection, found) if found else None)
    if seen or found:
        return seen
    project = by_path(connection, folder)
    return None if project is None else Seen(project, "this folder, or one above it, was seen there before")


def placed(connection: sqlite3.Connection, folder: str, found: GitFacts | None) -> Seen | None:
    """The project that a person gave a folder to, or one above it up to its repository's top, or the repository."""
    top = found.top if found else ""
    path = folder
    while path:
        if (project := _by_key(connection, "placed", path)) is not None:
            return Seen(project, f"`project reassign` put {path} here")
        above = os.path.dirname(path)
        if path == top or above == path:
            break
        path = above
    project = _by_key(connection, "placed", found.common_dir) if found else None
    return None if project is None else Seen(project, f"`project reassign` put the repository {top} here")


def of_folder(connection: sqlite3.Connection, folder: str, *, is_there: bool) -> Seen:
    """The project of a folder outside of any repository: the folder itself. One that is there takes its name's over."""
    known = _by_key(connection, "path", folder)
    if known is not None:
        return Seen(known, f"the folder {folder}")
    if is_there and (homeless := of_name(connection, folder)) is not None:
        return homeless
    above, last = os.path.split(folders.stored(connection, folder))
    return Seen(make(connection, last, os.path.basename(above)), "first seen here")


def of_name(connection: sqlite3.Connection, folder: str) -> Seen | None:
    """The project of exactly the folder's name that is no repository and was seen in no folder of this machine.

    It came by an import or a sync, or was made by its name alone. None where the folder is known as a project's.
    For a folder outside of any repository that is no home or the like: the caller looks.
    """
    if _by_key(connection, "path", folder) is not None:
        return None
    name = os.path.basename(folders.stored(connection, folder))
    row = connection.execute(f"SELECT id FROM projects p WHERE name = ? AND {_HOMELESS}", (name,)).fetchone()
    return None if row is None else Seen(int(row[0]), f"the same name as the folder {folder}; it was seen in no other")


def remember(connection: sqlite3.Connection, project: int, *keys: tuple[str, str]) -> None:
    """Keep keys for ever; one that belonged to another project now belongs to this one (a folder used anew)."""
    connection.executemany(
        "INSERT INTO project_aliases (kind, value, project_id, created) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (kind, value) DO UPDATE SET project_id = excluded.project_id"
        " WHERE project_id <> excluded.project_id",
        [(kind, folders.stored(connection, value), project, now_ms()) for kind, value in keys if value],
    )


def make(connection: sqlite3.Connection, name: str, owner: str = "") -> int:
    """A new project; a name that is taken gets its owner or folder added, else a number."""
    name, owner = folders.stored(connection, name) or "project", folders.stored(connection, owner)
    candidates = [name, *([f"{name} ({owner})"] if owner else []), *(f"{name}-{n}" for n in range(2, 1000))]
    taken = {row[0] for row in connection.execute("SELECT name FROM projects")}
    free = next((candidate for candidate in candidates if candidate not in taken), f"{name}-{uuid7()[-8:]}")
    cursor = connection.execute("INSERT INTO projects (uid, name, created) VALUES (?, ?, ?)", (uuid7(), free, now_ms()))
    return int(cursor.lastrowid or 0)


def _known(connection: sqlite3.Connection, found: GitFacts) -> Seen | None:
    own = _by_key(connection, "git_dir", found.common_dir)
    if own is not None and _may_be(connection, own, found):
        return Seen(own, f"the same git repository, {found.common_dir}")
    if found.remote and (known := _by_key(connection, "remote", found.remote)) is not None:
        return Seen(known, f"the same remote, {found.remote}")
    origin = _by_key(connection, "path", found.local_remote) if found.local_remote else None
    if origin is not None and _may_be(connection, origin, found):
        return Seen(origin, f"a clone of {found.local_remote}")
    if not found.roots:
        return None
    known = _by_history(connection, found, "root", _roots(found))
    known = known or _by_history(connection, found, "trunk", found.trunk)
    return None if known is None else Seen(known, f"the same first commit, {found.roots[0][:12]}")


def _by_history(connection: sqlite3.Connection, found: GitFacts, kind: str, commits: str) -> int | None:
    return _of_history(connection, kind, commits, bool(found.remote))


def _of_history(connection: sqlite3.Connection, kind: str, commits: str, has_remote: bool) -> int | None:
    """A copy of the same history; under two different remotes it is a fork, which is a project of its own."""
    rows = connection.execute(
        "SELECT DISTINCT a.project_id, EXISTS (SELECT 1 FROM project_aliases r WHERE r.project_id = a.project_id"
        " AND r.kind = 'remote') AS remote FROM project_aliases a WHERE a.kind = ? AND a.value BETWEEN ? AND ?"
        " ORDER BY remote, a.project_id",
        (kind, commits + " ", commits + "!"),  # "!" follows the space that parts commits and remote
    ).fetchall()
    return next((int(row[0]) for row in rows if not (has_remote and row[1])), None)


def elsewhere(connection: sqlite3.Connection, uid: str, keys: Sequence[tuple[str, str]]) -> int | None:
    """The project that is known by this uid on another device, or by one of its keys there (remote, root, trunk).

    As with a clone on this machine: the same remote is the same project, the same first commit too unless both have
    remotes. None where it was never seen here.
    """
    row = connection.execute("SELECT id FROM projects WHERE uid = ?", (uid,)).fetchone()
    known = _by_key(connection, "merged", uid) or _by_key(connection, "uid", uid) or (int(row[0]) if row else None)
    known = known or next((found for kind, value in keys if (found := _by_key(connection, kind, value))), None)
    if known:
        return known
    remote = next((value for kind, value in keys if kind == "remote"), "")
    return next((
        found for kind, value in keys
        if kind != "remote" and (found := _of_history(connection, kind, value.split(" ")[0], bool(remote)))
    ), None)  # fmt: skip


def _may_be(connection: sqlite3.Connection, project: int, found: GitFacts) -> bool:
    """False where the folder now holds another repository than the project's: no first commit in common."""
    rows = connection.execute("SELECT value FROM project_aliases WHERE project_id = ? AND kind = 'root'", (project,))
    known = {root for row in rows for root in row[0].split()[0].split(",")}
    return not known or not found.roots or not known.isdisjoint(found.roots)


def _keys(connection: sqlite3.Connection, found: GitFacts) -> list[tuple[str, str]]:
    if not found.roots:
        return [("remote", found.remote)]
    remote = folders.stored(connection, found.remote) or "-"
    return [("remote", found.remote), ("root", f"{_roots(found)} {remote}"), ("trunk", f"{found.trunk} {remote}")]


def _roots(found: GitFacts) -> str:
    return ",".join(found.roots)


def _by_key(connection: sqlite3.Connection, kind: str, value: str) -> int | None:
    row = connection.execute(
        "SELECT project_id FROM project_aliases WHERE kind = ? AND value = ?", (kind, folders.stored(connection, value))
    ).fetchone()
    return int(row[0]) if row else None


def _folder_name(found: GitFacts) -> str:
    """The main working tree's name, also where this is a linked one."""
    above, last = os.path.split(found.common_dir)
    return os.path.basename(above if last == ".git" else found.top)
