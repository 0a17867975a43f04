"""The embedding model, loaded once in the background; until then everything goes on without it."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from logging import Logger

from tui_memory.errors import ModelError, TuiMemoryError
from tui_memory.index.embedders import Embedder, Vectors
from tui_memory.surfaces.worker.logs import what
from tui_memory.surfaces.worker.settings import Watched


class Model:
    """The worker's embedder. `name` is '' until it is there, `trouble` says why it is not."""

    def __init__(self, settings: Watched, log: Logger) -> None:
        self._settings = settings
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
        from tui_memory.index.embedders import open_embedder

        wanted = self._settings.all.embed
        with self._lock:
            if self._tried == repr(wanted) and not again:
                return self._embedder
            if self._embedder is not None and self._tried == repr(wanted):
                return self._embedder
            self._tried = repr(wanted)
            try:
                loaded = open_embedder(wanted, self._settings.all.remote.allowed_hosts)
                loaded.encode(["ready"], query=True)  # the first call allocates: not in somebody's query
            except (ModelError, OSError, ImportError) as error:
                self._embedder, self.trouble = None, what(error)
                self._log.error("model: %s", self.trouble)
                return None
            self._embedder, self.trouble = loaded, ""
            self._log.info("model: %s, dimension %d", loaded.name, loaded.dimension)
            return loaded

    def vectors(self, texts: Sequence[str], query: bool) -> Vectors | None:
        """Vectors of texts, None while there is no model."""
        embedder = self._embedder
        return embedder.encode(texts, query=query) if embedder is not None and texts else None

    def answer(self, body: bytes, *, query: bool) -> bytes:
        """What the `embed` operation answers: rows and dimension, then little-endian float32."""
        texts = json.loads(body)
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise TuiMemoryError("`embed` takes a list of texts. Nothing was changed.")
        embedder = self._embedder
        if embedder is None:
            raise ModelError("The embedding model is not loaded (yet); search works by words until it is.")
        if not texts:
            return (0).to_bytes(4, "big") + embedder.dimension.to_bytes(4, "big")
        vectors = embedder.encode(texts, query=query)
        rows, dimension = vectors.shape
        head = int(rows).to_bytes(4, "big") + int(dimension).to_bytes(4, "big")
        return head + bytes(vectors.astype("<f4").tobytes())
