"""The memories' rows as arrays, kept in step with the store, so that a filter is a comparison and not a query."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.store.db import Store

_NUMBERS = ("id", "version_id", "project_id", "session_id", "pinned", "created", "superseded_by", "tokens")
_WORDS = ("state", "tier", "kind", "branch")
_PART = "\x1f"  # parts the values of a word column: no name holds it
_MOST = 0.2  # share of the rows that are read one by one; beyond, all are read at once


@dataclass(frozen=True)
class Columns:
    """One array a column, rows in the order of `id`; absent numbers are 0. Never changed in place."""

    numbers: dict[str, NDArray[np.int64]]
    words: dict[str, NDArray[np.int32]]
    """Codes into `codes`."""
    codes: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in _WORDS})

    @property
    def ids(self) -> NDArray[np.int64]:
        """The memories' ids, ascending."""
        return self.numbers["id"]

    def __len__(self) -> int:
        return len(self.ids)

    def code(self, column: str, word: str) -> int:
        """The code of a word in a column; -1 where no row has it."""
        return self.codes[column].get(word, -1)

    @cached_property
    def mean_tokens(self) -> float:
        """How long a memory is on the average; 0 where there is none."""
        return float(self.numbers["tokens"].mean()) if len(self) else 0.0

    @cached_property
    def row_of_version(self) -> NDArray[np.int32]:
        """By version id: the row of the memory whose current version it is, or -1."""
        import numpy as np

        versions = self.numbers["version_id"]
        rows = np.full(int(versions.max(initial=0)) + 1, -1, dtype=np.int32)
        rows[versions] = np.arange(len(versions), dtype=np.int32)
        rows[0] = -1
        return rows

    def rows_of_versions(self, versions: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.int32]:
        """The rows of these versions, -1 where a version is not a current one."""
        import numpy as np

        known = self.row_of_version
        inside = versions < len(known)
        return np.where(inside, known[np.where(inside, versions, 0)], -1).astype(np.int32)

    def rows_of_ids(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of these memories, -1 where there is none."""
        import numpy as np

        if not len(self.ids):
            return np.full(len(ids), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return np.where(self.ids[at] == ids, at, -1)

    @cached_property
    def beside(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For every row, the row before and the row after it in its session, or -1."""
        import numpy as np

        sessions = self.numbers["session_id"]
        order = np.argsort(sessions, kind="stable")
        ordered = sessions[order]
        same = (ordered[1:] == ordered[:-1]) & (ordered[1:] != 0)
        before, after = np.full(len(order), -1, dtype=np.int64), np.full(len(order), -1, dtype=np.int64)
        before[order[1:][same]] = order[:-1][same]
        after[order[:-1][same]] = order[1:][same]
        return before, after


class ColumnCache:
    """Columns that follow the store: by the journal, which has every change, and by counts for what was purged."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._columns: Columns | None = None
        self._seen: tuple[int, int] = (0, -1)
        self._mark: tuple[int, int, int] = (0, 0, 0)

    def refresh(self) -> Columns:
        """The columns as the store is now."""
        with self._lock:
            seen = (threading.get_ident(), self._store.data_version())  # a version means something in one thread
            if self._columns is None or seen != self._seen:
                self._columns = self._follow(self._columns)
                self._seen = seen
            return self._columns

    def _follow(self, columns: Columns | None) -> Columns:
        row = self._store.rows(
            "SELECT (SELECT MAX(id) FROM journal), (SELECT MAX(id) FROM memories), (SELECT COUNT(*) FROM memories)"
        )[0]
        mark = (row[0] or 0, row[1] or 0, row[2])
        if columns is None or mark[0] < self._mark[0]:
            columns = self._all()
        elif mark != self._mark:
            changed = self._store.rows("SELECT DISTINCT memory_id FROM journal WHERE id > ?", (self._mark[0],))
            small = len(changed) <= max(_MOST * len(columns), 100)
            columns = self._some(columns, [int(item[0]) for item in changed]) if small else self._all()
            if len(columns) != mark[2]:
                columns = self._all()
        self._mark = mark
        return columns

    def _all(self) -> Columns:
        """Every row, each column as one joined text: ten times quicker than a row at a time."""
        import numpy as np

        joined = [f"group_concat(COALESCE({name}, 0))" for name in _NUMBERS]
        joined += [f"group_concat(COALESCE({name}, ''), char(31))" for name in _WORDS]
        row = self._store.rows(f"SELECT {', '.join(joined)} FROM memories")[0]
        if row[0] is None:
            empty = np.zeros(0, dtype=np.int64)
            return Columns({name: empty for name in _NUMBERS}, {name: empty.astype(np.int32) for name in _WORDS})
        numbers = {name: np.fromstring(row[at], dtype=np.int64, sep=",") for at, name in enumerate(_NUMBERS)}
        codes: dict[str, dict[str, int]] = {name: {} for name in _WORDS}
        words = {name: _coded(row[at].split(_PART), codes[name]) for at, name in enumerate(_WORDS, len(_NUMBERS))}
        order = np.argsort(numbers["id"], kind="stable")
        return Columns(
            {name: values[order] for name, values in numbers.items()},
            {name: values[order] for name, values in words.items()},
            codes,
        )

    def _some(self, columns: Columns, ids: list[int]) -> Columns:
        """The columns with these memories' rows read anew."""
        import numpy as np

        names = [f"COALESCE({name}, 0)" for name in _NUMBERS] + list(_WORDS)
        found = self._store.rows(
            f"SELECT {', '.join(names)} FROM memories WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
            (json.dumps(ids),),
        )
        kept = ~np.isin(columns.ids, np.array(ids, dtype=np.int64))
        by_column: list[Any] = list(zip(*found, strict=True)) or [()] * len(names)
        codes = {name: dict(known) for name, known in columns.codes.items()}
        numbers = {
            name: np.concatenate([columns.numbers[name][kept], np.array(by_column[at], dtype=np.int64)])
            for at, name in enumerate(_NUMBERS)
        }
        words = {
            name: np.concatenate([columns.words[name][kept], _coded(by_column[at], codes[name])])
            for at, name in enumerate(_WORDS, len(_NUMBERS))
        }
        order = np.argsort(numbers["id"], kind="stable")
        return replace(
            columns,
            numbers={name: values[order] for name, values in numbers.items()},
            words={name: values[order] for name, values in words.items()},
            codes=codes,
        )


def _coded(values: Any, codes: dict[str, int]) -> NDArray[np.int32]:
    """Words as numbers; new ones get the next."""
    import numpy as np

    for value in dict.fromkeys(values):  # few, whatever there is of them
        codes.setdefault(value, len(codes))
    return np.fromiter(map(codes.__getitem__, values), dtype=np.int32, count=len(values))
