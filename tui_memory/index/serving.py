"""Which model's vectors serve while another one embeds everything anew, and who can embed a query for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tui_memory.index.embedders import Embedder
    from tui_memory.store.db import Store

# The mark says up to which chunk a model has seen all; of two that have seen the same, the newer one serves.
_SERVING = """
SELECT m.id, m.name, m.dimension FROM models m
    LEFT JOIN meta ON key = 'embedded_to:' || m.id
WHERE EXISTS (SELECT 1 FROM vectors v WHERE v.model_id = m.id)
ORDER BY coalesce(CAST(value AS INTEGER), 0) DESC, m.id DESC LIMIT 1
"""


class Vectors(NamedTuple):
    """A model as the store knows it."""

    id: int
    name: str
    dimension: int


def model(store: Store) -> Vectors | None:
    """The model whose vectors a search compares with; None where there are no vectors."""
    rows = store.rows(_SERVING)
    return Vectors(*rows[0]) if rows else None


class Serving:
    """The embedder of queries: the one of the vectors that serve. Safe between threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._old: Embedder | None = None

    def embedder(self, wanted: Embedder, open_named: Callable[[str], Embedder]) -> Embedder:
        """The wanted model's own, unless an older one's vectors still serve: then that one, opened by its name.

        Raises ModelError where it cannot be opened: a query of another space would find anything.
        """
        found = model(self._store)
        with self._lock:
            if found is None or found.name == wanted.name:
                self._old = None
                return wanted
            if self._old is None or self._old.name != found.name:
                self._old = open_named(found.name)
            return self._old
