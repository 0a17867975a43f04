"""Vectors of texts, from whoever has the model: the running worker, else this process where it may load one."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tui_memory.engine import worker_client
from tui_memory.errors import ModelError
from tui_memory.index.serving import Serving
from tui_memory.store.text import storable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.config import Settings
    from tui_memory.index.embedders import Embedder
    from tui_memory.store.db import Store


class WorkerEmbedder:
    """The worker's model behind the embedders' interface, so that a second one need not be loaded."""

    def __init__(self, home: Path, name: str, dimension: int) -> None:
        self._home = home
        self.name = name
        self.dimension = dimension

    def encode(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Normalised vectors, shape (len(texts), dimension); ModelError where the worker has left meanwhile."""
        vectors = worker_client.embed(self._home, texts, query=query)
        if vectors is None:
            raise ModelError("The worker left while it was embedding. What was stored stays stored; try again.")
        return vectors


CALL_AGAIN = 10.0
"""Seconds from one call for a worker to the next: one that cannot start is not called for by every search."""


class Embedding:
    """One place that knows whether to ask the worker or to load the model here."""

    def __init__(self, store: Store, settings: Settings, mode: Literal["auto", "worker", "none"]) -> None:
        self._store = store
        self._settings = settings
        self._mode = mode
        self._lock = threading.Lock()
        self._own: Embedder | None = None
        self._serving = Serving(store)
        self._called = -CALL_AGAIN

    def encode(self, texts: Sequence[str], query: bool) -> NDArray[np.float32] | None:
        """Normalised vectors, shape (len(texts), dimension); None where no model can be had now."""
        if self._mode == "none":
            return None
        texts = [storable(text) for text in texts]  # no model takes half a character
        if self._own is None:
            vectors = worker_client.embed(self._store.home, texts, query=query)
            if vectors is None and self._mode == "worker" and query:
                self._call_worker()
            if vectors is not None or self._mode == "worker":
                return vectors
        try:
            wanted = self._loaded()
            return (self._serving.embedder(wanted, self._open) if query else wanted).encode(texts, query=query)
        except ModelError:
            return None

    def _call_worker(self) -> None:
        """Start the worker that a search lacks, without waiting: this search is by words, the next by meaning."""
        now = time.monotonic()
        if now - self._called > CALL_AGAIN and not worker_client.running(self._store.home):
            self._called = now
            os.close(worker_client.spawn(self._store.home))

    def embed_missing(self) -> int:
        """Embed every version that has no vectors yet: how many were done here.

        Where no model can be had, or where the application leaves it to the worker, none are: words find the
        versions meanwhile, and the worker embeds them when it next runs.
        """
        if self._mode == "none":
            return 0
        if self._mode == "worker":
            worker_client.refresh(self._store.home)
            return 0
        from tui_memory.index import work

        try:
            return work.embed_missing(self._store, self._nearest())
        except ModelError:
            return 0

    def _nearest(self) -> Embedder:
        """The model that is loaded: here, else in the worker, else it is loaded here."""
        if self._own is None:
            model = worker_client.status(self._store.home).get("model")
            probe = worker_client.embed(self._store.home, ["probe"]) if model else None
            if probe is not None:
                return WorkerEmbedder(self._store.home, str(model), probe.shape[1])
        return self._loaded()

    def _loaded(self) -> Embedder:
        with self._lock:
            if self._own is None:
                self._own = self._open(self._settings.embed.model)
            return self._own

    def _open(self, name: str) -> Embedder:
        from tui_memory.index.embedders import open_embedder

        return open_embedder(replace(self._settings.embed, model=name), self._settings.remote.allowed_hosts)
