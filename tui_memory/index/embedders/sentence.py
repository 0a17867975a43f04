"""Any sentence-transformers model from a local directory: the packaged one, or the user's own. Never a hub."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tui_memory.errors import ModelError
from tui_memory.index.embedders.base import Vectors, in_batches, prefixes, stay_here

_BATCH = 32


class SentenceTransformersEmbedder:
    """A model directory read by sentence-transformers; `name` is the vector space it serves."""

    def __init__(self, directory: Path, *, name: str = "", device: str = "cpu") -> None:
        """Load the model; raises ModelError where the directory does not hold one."""
        if not directory.is_dir():
            raise ModelError(
                f"There is no model directory at {directory}; nothing is ever downloaded. Put a "
                "sentence-transformers model there, or set embed.model to all-MiniLM-L6-v2."
            )
        self.name = name or str(directory)
        self._query, self._passage = prefixes(self.name)
        self._model = _load(directory, device)
        self.dimension = int(self._model.encode(["one"], show_progress_bar=False).shape[1])

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit vectors of the texts, with the prefix the model's family wants."""
        prefix = self._query if query else self._passage
        return in_batches([prefix + text for text in texts], _BATCH, self._run, self.dimension)

    def _run(self, texts: list[str]) -> Vectors:
        vectors: Vectors = self._model.encode(texts, batch_size=_BATCH, show_progress_bar=False)
        return vectors


def _load(directory: Path, device: str) -> Any:
    stay_here()
    try:
        import numpy as np  # noqa: F401  (first: a library that loads a part of it by itself meets other threads)
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar

        quiet: Callable[[], None] = disable_progress_bar
        quiet()  # it would draw over the application
        return SentenceTransformer(str(directory), device=device, local_files_only=True)
    except Exception as error:  # whatever a foreign model's files make the libraries raise
        raise ModelError(
            f"The model in {directory} could not be loaded on {device}: {error}. "
            "Nothing was changed; search works by words."
        ) from error
