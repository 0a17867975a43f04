"""An embedder that needs no model: words hashed into a few numbers, so that texts that share words are near."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class WordEmbedder:
    """Unit vectors of the words' hashes. `calls` counts the texts that were encoded."""

    def __init__(self, name: str = "words", dimension: int = 64) -> None:
        self.name, self.dimension = name, dimension
        self.calls = 0

    def encode(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """One vector a text."""
        self.calls += len(texts)
        return np.stack([self._one(text) for text in texts])

    def _one(self, text: str) -> NDArray[np.float32]:
        vector = np.full(self.dimension, 1e-3, dtype=np.float32)
        for word in text.lower().split():
            seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "big")
            vector += np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
        return vector / np.linalg.norm(vector)
