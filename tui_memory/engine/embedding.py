"""Vectors of texts, from whoever has the model: the running worker, else this process where that is allowed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from tui_memory.engine import worker_client
from tui_memory.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.config import Settings
    from tui_memory.index.embedders import Embedder
    from tui_memory.store.db import Store


class Embedding:
    """One place that knows whether to ask the worker or to load the model here."""

    def __init__(self, store: Store, settings: Settings, mode: Literal["auto", "worker", "none"]) -> None:
        self._store = store
        self._settings = settings
        self._mode = mode
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None

    def encode(self, texts: Sequence[str], query: bool) -> NDArray[np.float32] | None:
        """Normalised vectors, shape (len(texts), dimension); None where no model can be had now."""
        if self._mode == "none":
            return None
        if self._embedder is None:
            vectors = worker_client.embed(self._store.home, list(texts), query=query)
            if vectors is not None or self._mode == "worker":
                return vectors
        try:
            return self._own().encode(texts, query=query)
        except ModelError:
            return None

    def embed_missing(self) -> int:
        """Embed every version that has no vectors yet, here or by telling the worker: how many were done here."""
        if self._mode == "none":
            return 0
        if self._mode == "worker":
            worker_client.refresh(self._store.home)
            return 0
        from tui_memory.index import work

        return work.embed_missing(self._store, self._own())

    def _own(self) -> Embedder:
        with self._lock:
            if self._embedder is None:
                from tui_memory.index.embedders import open_embedder

                self._embedder = open_embedder(self._settings.embed)
            return self._embedder
