"""Filters as SQL over `memories m`, bound values only; shared by lists, counts, facets and retrieval."""

from __future__ import annotations

from tui_memory.model import Filters, MemoryState

Condition = tuple[str, list[object]]

ALL = "all"
"""Every state but a creation that was taken back."""


def where(filters: Filters, state: str = MemoryState.ACTIVE) -> Condition:
    """A condition over `memories m` and its values: several values of one field any of, different fields all of."""
    parts = [_state(state), *_project(filters.project)]
    parts += [_any("m.branch", filters.branch), _any("m.tier", filters.tier), _any("m.kind", filters.kind)]
    parts += [_labels(filters.label), _files([*filters.path, *(f"*.{ext.lstrip('.')}" for ext in filters.ext)])]
    parts += [_session("agent", filters.agent), _session("session", filters.session)]
    if filters.since is not None:
        parts.append(("m.created >= ?", [filters.since]))
    if filters.until is not None:
        parts.append(("m.created < ?", [filters.until]))
    kept = [part for part in parts if part[0]]
    return " AND ".join(sql for sql, _ in kept), [value for _, values in kept for value in values]


def _state(state: str) -> Condition:
    return ("m.state <> 'undone'", []) if state == ALL else ("m.state = ?", [str(state)])


def _any(column: str, values: tuple[str, ...]) -> Condition:
    return (f"{column} IN ({_marks(values)})", list(values)) if values else ("", [])


def project_ids(names: tuple[str, ...]) -> Condition:
    """A subquery of the ids of projects by name, uid or any path, folder or remote they were ever seen as."""
    marks = _marks(names)
    return (
        f"SELECT id FROM projects WHERE name IN ({marks}) OR uid IN ({marks})"
        f" UNION SELECT project_id FROM project_aliases WHERE value IN ({marks})",
        [*names, *names, *names],
    )


def _project(project: str | tuple[str, ...] | None) -> list[Condition]:
    if project is None:
        return []
    ids, values = project_ids((project,) if isinstance(project, str) else project)
    return [(f"(m.project_id IN ({ids}) OR m.project_id IS NULL)", values)]


def _labels(labels: tuple[str, ...]) -> Condition:
    return (
        (f"m.id IN (SELECT memory_id FROM memory_labels WHERE label IN ({_marks(labels)}))", list(labels))
        if labels
        else ("", [])
    )


def _files(globs: list[str]) -> Condition:
    """Globs match a whole path or its end (`src/*.py` also `/home/me/orderly/src/a.py`); `*` crosses folders."""
    if not globs:
        return ("", [])
    each = " OR ".join(["path GLOB ? OR path GLOB ?"] * len(globs))
    return (
        f"m.id IN (SELECT memory_id FROM memory_files WHERE {each})",
        [value for glob in globs for value in (glob, f"*/{glob}")],
    )


def _session(column: str, values: tuple[str, ...]) -> Condition:
    if not values:
        return ("", [])
    return (f"m.session_id IN (SELECT id FROM sessions WHERE {column} IN ({_marks(values)}))", list(values))


def _marks(values: tuple[str, ...] | list[str]) -> str:
    return ", ".join("?" * len(values))
