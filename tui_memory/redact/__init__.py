"""Nothing secret gets in: text and JSON values are masked before anything is cut, hashed, logged or written.

Rules are data (`providers`, `grammar`, `commands`, `names`, `personal`), the engine is one (`engine`), and it
changes text once, by span. Fail closed is the caller's: on an error or at a deadline only `unscanned()` is kept.
"""

from __future__ import annotations

from tui_memory.private import private_cut
from tui_memory.redact.engine import Redacted, RedactedValue, Redactor
from tui_memory.redact.names import secret_name

__all__ = ["Redacted", "RedactedValue", "Redactor", "private_cut", "redact", "secret_name", "unscanned"]

_redactors: dict[bytes, Redactor] = {}


def redact(text: str) -> str:
    """The text without its secrets, suffixes made with the key of the store that TUI_MEMORY_HOME names."""
    return _for_key(_stored_key()).text(text).text


def unscanned(size: int) -> str:
    """What stands for a text of `size` bytes that could not be scanned: nothing of it is kept."""
    return f"[redacted:unscanned, {max(1, round(size / 1024)) if size else 0} KB]"


def _for_key(key: bytes) -> Redactor:
    redactor = _redactors.get(key)
    if redactor is None:
        _redactors.clear()
        redactor = _redactors[key] = Redactor(key)
    return redactor


def _stored_key() -> bytes:
    """The store's key; none where there is no store yet: a random one would make suffixes that mean nothing."""
    from tui_memory import places

    try:
        return places.key_file(places.home()).read_bytes()
    except OSError:
        return b""
