"""What can be made anew from the store's own rows: the search text, and the files of the vector index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tui_memory.index import work
from tui_memory.store import search_text

if TYPE_CHECKING:
    from tui_memory.store.db import Store

OnProgress = Callable[[str, int, int], None]
"""Called with what is made (`search` or `index`), how much of it is done and how much there is."""


@dataclass(slots=True)
class Rebuilt:
    """What was made anew; None: that was not asked for, or not finished."""

    search: int | None = None
    """Rows of search text."""
    index: int | None = None
    """Vectors in the index's files."""
    cancelled: bool = False
    busy: bool = False
    """Another process was writing the index's files: they are its, and new."""

    def public(self) -> dict[str, Any]:
        """The JSON shape."""
        return asdict(self)


class Rebuilding:
    """Works on one store while everything else goes on: rows in short steps, files aside and then put in place."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def run(
        self,
        *,
        search: bool = True,
        index: bool = True,
        on_progress: OnProgress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Rebuilt:
        """Make anew what is asked for; a run that was cancelled leaves what it has not reached as it was.

        Raises StoreError, and OSError where the index's files cannot be written: the old ones stay then.
        """
        tell = on_progress or (lambda _what, _done, _all: None)
        made = Rebuilt()
        if search:
            made.search = search_text.rebuild(self._store, lambda done, of: tell("search", done, of), cancelled)
            made.cancelled = made.search is None
        if index and not made.cancelled:
            made.index = work.rebuild_index(self._store, lambda done, of: tell("index", done, of))
            made.busy = made.index is None
        return made
