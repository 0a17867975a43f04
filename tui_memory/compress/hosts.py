"""Where the program may go, for a model or else: this machine, and hosts that the settings name."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Sequence
from urllib.parse import urlsplit

from tui_memory.errors import ModelError

_DEFAULT = "http://127.0.0.1:11434"
_EVERYWHERE = {"0.0.0.0", "::"}


def ollama_url(value: str | None = None) -> str:
    """Ollama's address, read as its own client reads OLLAMA_HOST; one that listens everywhere is this machine."""
    given = (os.environ.get("OLLAMA_HOST", "") if value is None else value).strip()
    if not given:
        return _DEFAULT
    scheme, separator, rest = given.partition("://")
    if not separator:
        scheme, rest = "http", given
    ports = {"http": 80, "https": 443} if separator else {}
    try:
        parts = urlsplit(f"{scheme}://{rest}")
        port = parts.port or ports.get(scheme, 11434)
    except ValueError:
        raise ModelError(
            f"OLLAMA_HOST is “{given}”, which is no address. `unset OLLAMA_HOST` asks this machine."
        ) from None
    host = parts.hostname or "127.0.0.1"
    host = "127.0.0.1" if host in _EVERYWHERE else host
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}:{port}{parts.path.rstrip('/')}"


def check(url: str, allowed: Sequence[str]) -> None:
    """ModelError where an address is neither this machine nor a host that is allowed by name."""
    host = (urlsplit(url).hostname or "").lower()
    if permitted(host, allowed):
        return
    raise ModelError(
        f"The model's address {url} is not on this machine, so nothing was sent there."
        f" To allow it, add “{host}” to remote.allowed_hosts in the settings."
    )


def permitted(host: str, allowed: Sequence[str]) -> bool:
    """Whether a host is this machine, or allowed by name."""
    return is_loopback(host) or host in {name.strip().lower() for name in allowed}


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, without asking any name service."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)
