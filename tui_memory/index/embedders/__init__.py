"""Text to vectors, whatever model does it: one interface, chosen by the settings."""

from __future__ import annotations

from tui_memory.index.embedders.base import Embedder, Vectors
from tui_memory.index.embedders.choose import open_embedder

__all__ = ["Embedder", "Vectors", "open_embedder"]
