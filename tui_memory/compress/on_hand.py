"""What an Ollama has on hand: its models, and which are loaded. The standard library alone: a look must be quick."""

from __future__ import annotations

import http.client
import json
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tui_memory.compress import hosts
from tui_memory.errors import ModelError

_PATIENCE_S = 2.0
_MOST = 4 << 20
"""Bytes of an answer that are read."""


class Model(NamedTuple):
    """A model that Ollama has; bytes."""

    name: str
    size: int
    loaded: bool
    """Whether it is in memory now."""


def models(allowed: Sequence[str], *, host: str | None = None) -> list[Model]:
    """The models, by name. `allowed`: hosts beside this machine; `host`: an address instead of OLLAMA_HOST's.

    ModelError where no Ollama answers, or not as one.
    """
    url = hosts.ollama_url(host)
    hosts.check(url, allowed)
    try:
        loaded = {str(one.get("name")) for one in _listed(url, "/api/ps")}
        found = [
            Model(name, size if isinstance(size := one.get("size"), int) else 0, name in loaded)
            for one in _listed(url, "/api/tags")
            if (name := str(one.get("name") or ""))
        ]
    except (OSError, http.client.HTTPException):
        raise ModelError(f"No Ollama answers at {url}; nothing was asked of it. `ollama serve` starts it.") from None
    except ValueError:
        raise ModelError(f"What answers at {url} is no Ollama. `unset OLLAMA_HOST` asks this machine.") from None
    return sorted(found)


def _listed(url: str, path: str) -> list[dict[str, Any]]:
    """The models of one answer. ValueError where it is none; neither a proxy nor a redirect leads elsewhere."""
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=_PATIENCE_S)
    try:
        connection.request("GET", parts.path + path)
        answer = connection.getresponse()
        value = json.loads(answer.read(_MOST)) if answer.status == 200 else None
    finally:
        connection.close()
    listed = value.get("models") if isinstance(value, dict) else None
    if not isinstance(listed, list):
        raise ValueError(path)
    return [one for one in listed if isinstance(one, dict)]
