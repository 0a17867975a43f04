"""The embedding model, loaded once in the background; until then everything goes on without it."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from logging import Logger

from tui_memory.errors import ModelError, TuiMemoryError
from tui_memory.index.embedders import Embedder, Vectors
from tui_memory.index.serving import Serving
from tui_memory.store.db import Store
from tui_memory.surfaces.worker.logs import what
from tui_memory.surfaces.worker.settings import Watched


class Model:
    """The worker's embedder. `name` is '' until it is there, `trouble` says why it is not."""

    def __init__(self, store: Store, settings: Watched, log: Logger) -> None:
        self._settings = settings
        self._serving = Serving(store)
        self._log = log
        self._embedder: Embedder | None = None
        self._tried = ""
        self._lock = threading.Lock()
        self.trouble = ""

    @property
    def name(self) -> str:
        """The loaded model's name, '' while there is none."""
        return self._embedder.name if self._embedder else ""

    def load(self, *, again: bool = False) -> Embedder | None:
        """The embedder of the settings, loaded on this thread if need be; None where it cannot be."""
        wanted = self._settings.all.embed
        with self._lock:
            if self._tried == repr(wanted) and not again:
                return self._embedder
            if self._embedder is not None and self._tried == repr(wanted):
                return self._embedder
            self._tried = repr(wanted)
            try:
                loaded = self._open(wanted.model)
                loaded.encode(["ready"], query=True)  # the first call allocates: not in somebody's query
            except (ModelError, OSError, ImportError) as error:
                self.trouble = what(error)  # one that was loaded before goes on: its vectors are there
                self._log.error("model: %s", self.trouble)
                return None
            self._embedder, self.trouble = loaded, ""
            self._log.info("model: %s, dimension %d", loaded.name, loaded.dimension)
            return loaded

    def _open(self, name: str) -> Embedder:
        from tui_memory.index.embedders import open_embedder

        return open_embedder(replace(self._settings.all.embed, model=name), self._settings.all.remote.allowed_hosts)

    def vectors(self, texts: Sequence[str], query: bool) -> Vectors | None:
        """Vectors of texts, None while there is no model; a query's are of the model whose vectors serve."""
        embedder = self._embedder
        if embedder is None or not texts:
            return None
        try:
            return self._of(embedder, query).encode(texts, query=query)
        except ModelError as error:
            self._log.error("model: %s", what(error))
            return None

    def _of(self, embedder: Embedder, query: bool) -> Embedder:
        return self._serving.embedder(embedder, self._open) if query else embedder

    def answer(self, body: bytes, *, query: bool) -> bytes:
        """What the `embed` operation answers: rows and dimension, then little-endian float32."""
        texts = json.loads(body)
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise TuiMemoryError("`embed` takes a list of texts. Nothing was changed.")
        loaded = self._embedder
        if loaded is None:
            raise ModelError("The embedding model is not loaded (yet); search works by words until it is.")
        embedder = self._of(loaded, query)
        if not texts:
            return (0).to_bytes(4, "big") + embedder.dimension.to_bytes(4, "big")
        vectors = embedder.encode(texts, query=query)
        rows, dimension = vectors.shape
        head = int(rows).to_bytes(4, "big") + int(dimension).to_bytes(4, "big")
        return head + bytes(vectors.astype("<f4").tobytes())
