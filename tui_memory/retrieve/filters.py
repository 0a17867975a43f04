"""Filters as a mask over the columns: comparisons where a column has it, SQL where a table beside it does."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from tui_memory.model import Filters, MemoryState
from tui_memory.store import filters as sql
from tui_memory.store import projects

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.retrieve.columns import Columns
    from tui_memory.store.db import Store

    Mask = NDArray[np.bool_]

_KEPT = 64  # masks kept: those of one screen's facets, an eighth of a byte a memory each
SEARCHED = (MemoryState.ACTIVE, MemoryState.SUPERSEDED)
"""The states a search finds: what is in the trash, merged, held or taken back is never found."""


class FilterCache:
    """Masks by filters, with what labels and files match kept while the memories stay as they are."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._columns: Columns | None = None
        self._beside: dict[str, NDArray[np.uint8]] = {}

    def allowed(self, columns: Columns, filters: Filters) -> Mask:
        """As the function of that name."""
        beside = Filters(label=filters.label, path=filters.path, ext=filters.ext)
        having = self._having(columns, beside) if beside != Filters() else None
        return allowed(self._store, columns, filters, having)

    def _having(self, columns: Columns, beside: Filters) -> Mask:
        import numpy as np

        with self._lock:
            if self._columns is not columns:
                self._columns, self._beside = columns, {}
            packed = self._beside.get(str(beside))
        if packed is not None:
            return np.unpackbits(packed, count=len(columns)).view(bool)
        mask = among(columns, _beside(self._store, beside))
        with self._lock:
            if self._columns is columns and len(self._beside) < _KEPT:
                self._beside[str(beside)] = np.packbits(mask)
        return mask


def allowed(store: Store, columns: Columns, filters: Filters, having: Mask | None) -> Mask:
    """Which rows the filters let through: several values of one field any of, different fields all of.

    `having`: which rows have the labels and files asked for; None where none are.
    """
    import numpy as np

    mask = _any(columns, "state", tuple(map(str, SEARCHED)))
    for column, values in (("tier", filters.tier), ("kind", filters.kind), ("branch", filters.branch)):
        if values:
            mask &= _any(columns, column, values)
    created = columns.numbers["created"]
    if filters.since is not None:
        mask &= created >= filters.since
    if filters.until is not None:
        mask &= created < filters.until
    if filters.project is not None:
        projects = columns.numbers["project_id"]
        mask &= (projects == 0) | np.isin(projects, _project_ids(store, filters.project))
    if filters.agent or filters.session:
        mask &= np.isin(columns.numbers["session_id"], _session_ids(store, filters))
    if filters.where:  # asked anew: what is shared changes without any memory
        mask &= among(columns, _beside(store, Filters(where=filters.where)))
    return mask if having is None else mask & having


def among(columns: Columns, ids: NDArray[np.int64]) -> Mask:
    """Which rows are of these memories."""
    import numpy as np

    rows = columns.rows_of_ids(ids)
    mask = np.zeros(len(columns), dtype=bool)
    mask[rows[rows >= 0]] = True
    return mask


def _any(columns: Columns, column: str, values: tuple[str, ...]) -> Mask:
    import numpy as np

    words = columns.words[column]
    mask = np.zeros(len(columns), dtype=bool)
    for value in values:
        mask |= words == columns.code(column, value)
    return mask


def _project_ids(store: Store, project: str | tuple[str, ...]) -> NDArray[np.int64]:
    """Ids of the named projects; what looks like a path is also looked for as the folder it means from here."""
    import numpy as np

    names = (project,) if isinstance(project, str) else project
    folders = [os.path.abspath(os.path.expanduser(name)) for name in names if os.sep in name or name in (".", "..")]
    known = numbers(store, *sql.project_ids((*names, *folders)), column="id")
    inside = [found.id for folder in folders if (found := projects.lookup(store, folder)) is not None]
    return np.union1d(known, np.array(inside, dtype=np.int64))


def _session_ids(store: Store, filters: Filters) -> NDArray[np.int64]:
    parts, values = [], list[object]()
    for column, wanted in (("agent", filters.agent), ("session", filters.session)):
        if wanted:
            parts.append(f"{column} IN ({', '.join('?' * len(wanted))})")
            values += wanted
    return numbers(store, f"SELECT id FROM sessions WHERE {' AND '.join(parts)}", values, column="id")


def _beside(store: Store, filters: Filters) -> NDArray[np.int64]:
    """Ids of the memories that have the labels and files asked for, or live where they are to."""
    condition, values = sql.where(filters, sql.ALL)
    return numbers(store, f"SELECT m.id FROM memories m WHERE {condition}", values, column="id")


def numbers(store: Store, query: str, values: list[object], *, column: str) -> NDArray[np.int64]:
    """One column of whole numbers of a query, joined by SQLite: a row at a time costs ten times as much."""
    import numpy as np

    row = store.rows(f"SELECT group_concat({column}) FROM ({query})", values)[0]
    return np.fromstring(row[0] or "", dtype=np.int64, sep=",") if row[0] else np.zeros(0, dtype=np.int64)
