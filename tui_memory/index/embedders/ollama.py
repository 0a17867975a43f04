"""Embedding models that Ollama serves: `/api/embed` on this machine, or on a host that the settings allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tui_memory.compress import hosts
from tui_memory.errors import ModelError
from tui_memory.index.embedders.base import Vectors, in_batches, prefixes

PREFIX = "ollama:"
_BATCH = 32
_TIMEOUT = 120.0  # seconds for one batch; the first one loads the model
_KEEP_ALIVE = "10m"


class OllamaEmbedder:
    """One model of an Ollama server; `name` is `ollama:MODEL`. Safe from several threads."""

    def __init__(self, model: str, *, allowed: Sequence[str] = (), host: str | None = None) -> None:
        """Ask the model for one vector, which tells its dimension. Raises ModelError; nothing is ever pulled."""
        import httpx

        self._url = hosts.ollama_url(host)
        hosts.check(self._url, allowed)
        self.name, self._model = f"{PREFIX}{model}", model
        self._query, self._passage = prefixes(model)
        # No proxy and no redirect may lead the texts elsewhere.
        self._client = httpx.Client(trust_env=False, follow_redirects=False, timeout=_TIMEOUT)
        self.dimension = len(self._asked(["one"])[0])

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit vectors of the texts, with the prefix the model's family wants."""
        prefix = self._query if query else self._passage
        return in_batches([prefix + text for text in texts], _BATCH, self._run, self.dimension)

    def _run(self, texts: list[str]) -> Vectors:
        import numpy as np

        vectors = self._asked(texts)
        if {len(vector) for vector in vectors} != {self.dimension}:
            raise ModelError(f"{self.name} answered with vectors of another length than before. {_STAYS}")
        found: Vectors = np.array(vectors, dtype=np.float32)
        if not np.isfinite(found).all():
            raise ModelError(f"{self.name} answered with numbers that are none. {_STAYS}")
        return found

    def _asked(self, texts: list[str]) -> list[list[float]]:
        """The server's vectors, one a text; a text longer than the model's window is cut by the server."""
        import httpx

        body = {"model": self._model, "input": texts, "truncate": True, "keep_alive": _KEEP_ALIVE}
        try:
            answer = self._client.post(f"{self._url}/api/embed", json=body)
        except httpx.ConnectError:
            raise ModelError(f"No Ollama answers at {self._url}. {_STAYS} `ollama serve` starts it.") from None
        except httpx.HTTPError as error:
            raise ModelError(f"Ollama did not answer ({type(error).__name__}). {_STAYS}") from None
        if answer.status_code == 404:
            raise ModelError(f"Ollama has no model {self._model}. {_STAYS} `ollama pull {self._model}` fetches it.")
        if answer.status_code != 200:
            raise ModelError(f"Ollama refused to embed ({answer.status_code}). {_STAYS}")
        return self._vectors(answer, len(texts))

    def _vectors(self, answer: Any, count: int) -> list[list[float]]:
        try:
            vectors = answer.json()["embeddings"]
            if len(vectors) == count and all(vectors):
                return [[float(number) for number in vector] for vector in vectors]
        except (ValueError, TypeError, LookupError):
            pass  # told below, like an answer of another shape
        raise ModelError(f"Ollama's answer holds no vectors; is {self._model} an embedding model? {_STAYS}")


_STAYS = "What was stored stays stored; search works by words until it answers."
