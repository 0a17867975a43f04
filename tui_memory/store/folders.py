"""A folder, a remote or a session's id as it may be stored: secrets in it masked, and still one text for one place.

Identity is compared in this form, so every text that a project, a session or an observation is found by passes here.
A part that holds a secret becomes a placeholder with twelve hexadecimal digits that the store's key makes of it: two
folders stay two, one stays one, and what lies in a folder still begins with it. Standard library only.
"""

from __future__ import annotations

import os
import sqlite3
from functools import lru_cache
from itertools import islice
from pathlib import Path

from tui_memory.store.text import storable

_MOST = 500  # real folders remembered
_ENTRIES = 1_000  # names of a folder looked through
_MASKED = "[redacted:"

_real: dict[str, str] = {}


def stored(connection: sqlite3.Connection, place: str, known: tuple[str, ...] = ()) -> str:
    """The text that stands for a place in the store; the place itself where it holds no secret.

    `known`: `NAME=value` of secret-named environment variables.
    """
    place = storable(place)
    kinds = _kinds(place, known) if place else ()
    if not any(kinds):
        return place
    parts = place.split("/")
    key = _key(connection)
    masked = "/".join(_placeholder(key, part, kind) if kind else part for part, kind in zip(parts, kinds, strict=True))
    if len(_real) >= _MOST:
        _real.clear()
    _real[masked] = place
    return masked


def real(connection: sqlite3.Connection, place: str) -> str:
    """The folder on this machine that a stored text stands for; the text itself where there is none.

    Another process may have masked it: then the folder is looked for by its placeholder among its neighbours' names.
    """
    if _MASKED not in place:
        return place
    if place in _real:
        return _real[place]
    found = ""
    for part in place.split("/"):
        whole = f"{found}/{_entry(connection, found, part) if _MASKED in part else part}" if part else found
        if _MASKED in whole:
            return place
        found = whole
    return found


def _entry(connection: sqlite3.Connection, folder: str, masked: str) -> str:
    """The name in a folder that is stored so; the placeholder where none is."""
    try:
        with os.scandir(folder or "/") as entries:
            names = [entry.name for entry in islice(entries, _ENTRIES)]
    except OSError:
        return masked
    return next((name for name in names if stored(connection, f"{folder}/{name}").endswith(f"/{masked}")), masked)


@lru_cache(maxsize=2_000)
def _kinds(place: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """For each part between slashes the kind of secret that ends in it; '' for most.

    Looked at from the start up to each part, so that the same folder is masked alike whatever lies below it.
    """
    from tui_memory.redact import Redactor

    redactor = Redactor(known=[entry.partition("=")[2] for entry in known])
    kinds: list[str] = []
    before = ""
    for part in place.split("/"):
        found = _found(redactor, before + part) or _found(redactor, part) if part else {}
        kinds.append(next(iter(found), ""))
        before += ("…" if found else part) + "/"
    return tuple(kinds)


def _found(redactor: object, text: str) -> dict[str, int]:
    counts: dict[str, int] = redactor.text(text).counts  # type: ignore[attr-defined]
    return counts


def _placeholder(key: bytes, part: str, kind: str) -> str:
    import hashlib
    import hmac

    digest = hmac.new(key, part.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
    return f"[redacted:{kind[:31]}-{digest[:8]}#{digest[8:12]}]"


def _key(connection: sqlite3.Connection) -> bytes:
    """The key of the store that a connection is open to."""
    from tui_memory.store.connection import store_key

    file = next(row[2] for row in connection.execute("PRAGMA database_list") if row[1] == "main")
    return store_key(Path(file).parent)
