"""Filters as SQL with bound values: over `memories m`, and the pieces that other lists share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tui_memory.errors import UsageError
from tui_memory.model import Filters, MemoryState
from tui_memory.store import whereabouts

Condition = tuple[str, list[object]]

_TIMES = ("since", "until")
_LISTS = ("branch", "tier", "kind", "label", "path", "ext", "agent", "session", "where")

ALL = "all"
"""Every state but a creation that was taken back."""


def where(filters: Filters, state: str = MemoryState.ACTIVE) -> Condition:
    """A condition over `memories m` and its values: several values of one field any of, different fields all of."""
    checked(filters)
    parts = [_state(state), _project(filters.project)]
    parts += [any_of("m.branch", filters.branch), any_of("m.tier", filters.tier), any_of("m.kind", filters.kind)]
    parts += [_labels(filters.label), _files([*filters.path, *(f"*.{ext.lstrip('.')}" for ext in filters.ext)])]
    parts += [_session("agent", filters.agent), _session("session", filters.session)]
    parts.append((whereabouts.condition(filters.where), []))
    if filters.since is not None:
        parts.append(("m.created >= ?", [filters.since]))
    if filters.until is not None:
        parts.append(("m.created < ?", [filters.until]))
    return joined(parts)


def checked(filters: Filters) -> Filters:
    """The filters; UsageError where one is of another type than it must be."""
    for name in _TIMES:
        value = getattr(filters, name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise UsageError(
                f"The filter {name} is milliseconds since the epoch, not {value!r}. Nothing was looked for."
            )
    for name in _LISTS:
        value = getattr(filters, name)
        if not isinstance(value, tuple | list) or not all(isinstance(item, str) for item in value):
            raise UsageError(f"The filter {name} is a tuple of texts, not {value!r}. Nothing was looked for.")
    return filters


def joined(parts: Iterable[Condition]) -> Condition:
    """All conditions together; empty ones count as true."""
    kept = [part for part in parts if part[0]]
    return " AND ".join(sql for sql, _ in kept) or "1", [value for _, values in kept for value in values]


def any_of(column: str, values: Sequence[str]) -> Condition:
    """The column is one of the values; true where there are none."""
    return (f"{column} IN ({marks(values)})", list(values)) if values else ("", [])


def path_globs(column: str, globs: Sequence[str]) -> Condition:
    """A glob matches a whole path or its end (`src/*.py` also `/home/me/orderly/src/a.py`); `*` crosses folders."""
    each = " OR ".join([f"{column} GLOB ? OR {column} GLOB ?"] * len(globs))
    return f"({each})" if globs else "", [value for glob in globs for value in (glob, f"*/{glob}")]


def project_ids(names: Sequence[str]) -> Condition:
    """A subquery of the ids of projects by name, uid or any path, folder or remote they were ever seen as."""
    each = marks(names)
    return (
        f"SELECT id FROM projects WHERE name IN ({each}) OR uid IN ({each})"
        f" UNION SELECT project_id FROM project_aliases WHERE value IN ({each})",
        [*names, *names, *names],
    )


def marks(values: Sequence[object]) -> str:
    """As many question marks as values."""
    return ", ".join("?" * len(values))


def _state(state: str) -> Condition:
    return ("m.state <> 'undone'", []) if state == ALL else ("m.state = ?", [str(state)])


def _project(project: str | tuple[str, ...] | None) -> Condition:
    if project is None:
        return ("", [])
    ids, values = project_ids((project,) if isinstance(project, str) else project)
    return (f"(m.project_id IN ({ids}) OR m.project_id IS NULL)", values)


def _labels(labels: Sequence[str]) -> Condition:
    sql, values = any_of("label", labels)
    return (f"m.id IN (SELECT memory_id FROM memory_labels WHERE {sql})", values) if sql else ("", [])


def _files(globs: Sequence[str]) -> Condition:
    sql, values = path_globs("path", globs)
    return (f"m.id IN (SELECT memory_id FROM memory_files WHERE {sql})", values) if sql else ("", [])


def _session(column: str, values: Sequence[str]) -> Condition:
    sql, bound = any_of(column, values)
    return (f"m.session_id IN (SELECT id FROM sessions WHERE {sql})", bound) if sql else ("", [])
