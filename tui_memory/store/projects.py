"""Which project a folder belongs to: one repository, whatever worktree, clone or path it is seen through."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from weakref import WeakKeyDictionary

from tui_memory.errors import NotFoundError
from tui_memory.store import folders, git_facts, identity, rules
from tui_memory.store.db import Store
from tui_memory.store.git_facts import GitFacts
from tui_memory.store.identity import Seen

_HOMES = frozenset({"/home", "/Users"})  # what stands directly in these is somebody's home, here or elsewhere
_REMEMBER_S = 60.0  # how long a folder's identity is taken for granted; its branch is read anew each time

_cache: WeakKeyDictionary[Store, dict[str, tuple[float, Project | None, GitFacts | None]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Project:
    """A project, and why a folder is part of it (empty in lists). `root`: the folder it was last seen in."""

    id: int
    name: str
    root: str = ""
    branch: str = ""
    why: str = ""
    uid: str = ""


def resolve(store: Store, cwd: str, project_dir: str = "") -> Project | None:
    """The project of a working directory (or of the folder the agent names), made at its first sight.

    None for the home directory, the file system's root, and a folder of several repositories.
    """
    folder = folders.real(store.connection, project_dir or cwd)
    if not folder or not os.path.isabs(folder):
        return None
    cached = _cache.setdefault(store, {})
    until, project, found = cached.get(folder, (0.0, None, None))
    if until < time.monotonic() or _was_moved(store, folder, project):
        project, found = _resolve(store, folder)
        cached[folder] = (time.monotonic() + _REMEMBER_S, project, found)
    if project is not None and found is not None:
        return replace(project, branch=folders.stored(store.connection, git_facts.branch(found)))
    return project


def lookup(store: Store, folder: str) -> Project | None:
    """The project of a folder as far as the store knows one; nothing is made: for those who only read."""
    path = os.path.abspath(os.path.expanduser(folder))
    real = os.path.realpath(path) if os.path.isdir(path) else path
    found = git_facts.facts(real) if os.path.isdir(path) else None
    seen = None if found else _of_name(store, real)
    seen = seen or identity.known(store.connection, real, found)
    if seen is None and found is None and real != path:
        seen = identity.known(store.connection, path, None)
    if seen is None:
        return None
    branch = folders.stored(store.connection, git_facts.branch(found)) if found else ""
    return replace(_project(store, seen.project, found.top if found else path, seen.why), branch=branch)


def named(store: Store, name: str) -> Project:
    """A project by name, uid, or a path in it; NotFoundError suggests near names."""
    here = lookup(store, name) if os.sep in name or name in (".", "..") else None
    if here is not None:
        return here
    project = find(store, name)
    return next(known for known in list_all(store) if known.id == project)


def _of_name(store: Store, folder: str) -> Seen | None:
    """The project that a folder takes over by its name at its first use."""
    if not os.path.isdir(folder) or identity.placed(store.connection, folder, None):
        return None
    seen = identity.of_name(store.connection, folder)
    return None if seen is None or is_too_much(folder) else seen


def _resolve(store: Store, folder: str) -> tuple[Project | None, GitFacts | None]:
    if not os.path.isdir(folder):
        return _of_gone(store, folder), None
    real = os.path.realpath(folder)
    found = git_facts.facts(real)
    said = identity.placed(store.connection, real, found)
    if said is None and (found.top in never() if found else is_too_much(real)):
        return None, None
    with store.transaction() as connection:
        seen = said or (
            identity.of_repository(connection, found) if found else identity.of_folder(connection, real, is_there=True)
        )
        identity.remember(connection, seen.project, ("path", folder), ("path", real))
    return _project(store, seen.project, found.top if found else real, seen.why), found


def _of_gone(store: Store, folder: str) -> Project | None:
    """A folder that is gone, or is another machine's (a container's): where it was seen before, else the folder.

    What was learned there is better kept under its name than under none.
    """
    said = identity.placed(store.connection, folder, None)
    known = said.project if said else identity.by_path(store.connection, folder)
    if known is not None:
        return _project(store, known, folder, "the folder is gone; it was seen there before")
    if os.path.dirname(folder) in _HOMES or is_too_much(folder):
        return None
    with store.transaction() as connection:
        seen = identity.of_folder(connection, folder, is_there=False)
        identity.remember(connection, seen.project, ("path", folder))
    return _project(store, seen.project, folder, "the folder is gone; it is known by its name alone")


def _was_moved(store: Store, folder: str, project: Project | None) -> bool:
    """Whether another process gave a folder to another project since it was looked at."""
    if project is None:
        return False
    key = folders.stored(store.connection, folder)
    row = store.rows("SELECT project_id FROM project_aliases WHERE kind = 'path' AND value = ?", (key,))
    return bool(row) and row[0][0] != project.id


def forget(store: Store) -> None:
    """Look at every folder anew: projects have been changed."""
    _cache.pop(store, None)


def place(store: Store, name: str, folders: Iterable[str]) -> int:
    """Say that folders belong to the project of this name, made where there is none: its id."""
    project = find_or_add(store, name)
    with store.transaction() as connection:
        identity.remember(connection, project, *(("path", folder) for folder in folders))
    forget(store)
    return project


def _project(store: Store, project: int, root: str, why: str) -> Project:
    row = store.rows("SELECT name, uid FROM projects WHERE id = ?", (project,))[0]
    return Project(project, _shown(store, row["name"]), root, "", why, row["uid"])


def _shown(store: Store, place: str) -> str:
    """A name or folder as it may be shown: in the form that a scrub gives it."""
    return folders.stored(store.connection, place) if rules.reading(store) else place


def never() -> set[str]:
    """Folders that hold everything a person has, and so are no project."""
    return {os.path.realpath(path) for path in ("/", os.path.expanduser("~"), tempfile.gettempdir())}


def is_no_project(folder: str) -> bool:
    """Whether a folder can be no project: the home directory and its like, or a folder of several repositories."""
    real = os.path.realpath(folder)
    found = git_facts.facts(real) if os.path.isdir(real) else None
    return found.top in never() if found else is_too_much(real)


def is_too_much(folder: str) -> bool:
    """The home directory and its like, whatever is above them, and a folder with several repositories in it."""
    if any(never == folder or never.startswith(folder.rstrip("/") + "/") for never in never()):
        return True
    repositories = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                repositories += entry.is_dir() and os.path.exists(os.path.join(entry.path, ".git"))
                if repositories > 1:
                    return True
    except OSError:
        return False  # a folder we may not read can still be worked in
    return False


def find(store: Store, name: str) -> int:
    """The id of a project by name, uid, or a path in it; NotFoundError suggests near names."""
    known = identity.by_name(store.connection, name)
    if known is None and _is_path(name):
        found = lookup(store, name)  # whoever only asks makes no project
        known = found.id if found else None
    if known is not None:
        return known
    names = [project.name for project in list_all(store)]
    near = get_close_matches(name, names, 3, 0.4) or names[:3]
    hint = f"; near it: {', '.join(near)}" if near else ": the store has no projects yet"
    raise NotFoundError(f"No project is called “{name}”{hint}. Nothing was changed.")


def _is_path(name: str) -> bool:
    return os.sep in name or name in (".", "..", "~")


def find_or_add(store: Store, name: str) -> int:
    """The id of a project by name, uid or path; one that does not exist is made: of the folder, else by that name."""
    try:
        return find(store, name)
    except NotFoundError:
        path = os.path.abspath(os.path.expanduser(name))
        if _is_path(name) and (os.path.isdir(path) or os.path.isabs(name)):
            found = resolve(store, path)
            if found is None:
                raise
            return found.id
        with store.transaction() as connection:
            project = identity.make(connection, name)
            identity.remember(connection, project, ("name", name))
        return project


def list_all(store: Store) -> list[Project]:
    """Every project, by name, with the folder it was last seen in."""
    rows = store.rows(
        "SELECT p.id, p.name, p.uid, coalesce((SELECT a.value FROM project_aliases a WHERE a.project_id = p.id"
        " AND a.kind = 'path' ORDER BY a.created DESC, a.value LIMIT 1), '') AS root FROM projects p"
        f" WHERE NOT {identity.IS_MERGED} ORDER BY p.name COLLATE NOCASE, p.id"
    )
    return [Project(row["id"], _shown(store, row["name"]), _shown(store, row["root"]), uid=row["uid"]) for row in rows]


def recent_folders(store: Store, limit: int = 40) -> list[str]:
    """Working folders of projects, the newest first."""
    rows = store.rows(
        "SELECT value FROM project_aliases WHERE kind = 'path' ORDER BY created DESC, value LIMIT ?", (limit,)
    )
    return [row["value"] for row in rows]


def assign(store: Store) -> int:
    """Give new observations (and their sessions) the project and branch of their folder; how many got a project."""
    last = store.rows("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'assigned_to'")
    after, end = last[0][0] if last else 0, store.rows("SELECT coalesce(max(id), 0) FROM observations")[0][0]
    folders = store.rows(
        "SELECT DISTINCT coalesce(detail ->> 'project_dir', cwd) FROM observations WHERE id > ? AND id <= ?"
        " AND (project_id IS NULL OR branch = '')",
        (after, end),
    )
    given = 0
    for (folder,) in folders:
        project = resolve(store, folder)
        if project is not None:
            given += _give(store, project, folder, after, end)
    if end > after:
        with store.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('assigned_to', ?)", (str(end),))
    return given


def _give(store: Store, project: Project, folder: str, after: int, end: int) -> int:
    values = {"project": project.id, "branch": project.branch, "folder": folder, "after": after, "end": end}
    here = "id > :after AND id <= :end AND coalesce(detail ->> 'project_dir', cwd) = :folder"
    with store.transaction() as connection:
        connection.execute(
            "UPDATE sessions SET project_id = coalesce(project_id, :project),"
            " branch = iif(:branch = '', branch, :branch)"
            f" WHERE id IN (SELECT session_id FROM observations WHERE {here})",
            values,
        )
        connection.execute(f"UPDATE observations SET branch = :branch WHERE {here} AND branch = ''", values)
        cursor = connection.execute(
            f"UPDATE observations SET project_id = :project WHERE {here} AND project_id IS NULL", values
        )
        return cursor.rowcount
