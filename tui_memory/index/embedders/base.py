"""What an embedder is, and what every embedder shares: prefixes, batches by length, unit length."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
else:  # numpy is loaded by the first encode, not by whoever imports the names
    Vectors = object

_STAYING = {
    "ORT_DISABLE_TELEMETRY": "1",  # ONNX Runtime from 1.29 on tells its maker of every session and keeps a device id
    "ORT_TELEMETRY_DISABLED": "1",  # what that was called at first
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}
_BGE = "Represent this sentence for searching relevant passages: "


class Embedder(Protocol):
    """A model that turns texts into vectors; two embedders of one name share one vector space."""

    @property
    def name(self) -> str:
        """What the store's models table calls this vector space."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit vectors (n, dimension), float32, in the order of the texts. Raises ModelError."""


def stay_here() -> None:
    """Keep the libraries that run models from speaking to anybody: they look at the environment when imported."""
    os.environ.update(_STAYING)


def prefixes(name: str) -> tuple[str, str]:
    """What a model wants before a query and before a passage, by the name of its family."""
    folder = name.rstrip("/").rpartition("/")[2].lower()
    if "e5" in folder.replace("_", "-").split("-"):
        return "query: ", "passage: "
    if folder.startswith("bge") and "-en" in folder and "m3" not in folder:
        return _BGE, ""
    return "", ""


def in_batches(texts: Sequence[str], size: int, run: Callable[[list[str]], Vectors], dimension: int) -> Vectors:
    """Encode in batches of like length (padding is work thrown away); rows come back in the texts' order."""
    import numpy as np

    vectors = np.zeros((len(texts), dimension), dtype=np.float32)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    for start in range(0, len(order), size):
        rows = order[start : start + size]
        vectors[rows] = run([texts[i] for i in rows])
    return unit(vectors)


def unit(vectors: Vectors) -> Vectors:
    """Rows scaled to length one; a row of zeros stays."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return scaled
