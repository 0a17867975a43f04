"""What of a draft may be written: redacted, then capped, then hashed. Fails closed. Standard library only."""

from __future__ import annotations

import json
from functools import lru_cache

from tui_memory.light import TYPE_CHECKING, cast, dataclass, field, sha256
from tui_memory.model import JSON, Draft, Drop, Kind
from tui_memory.private import CUT
from tui_memory.store.ignored import is_ignored, may_name
from tui_memory.store.text import storable

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from tui_memory.config import CaptureSettings
    from tui_memory.redact import RedactedValue, Redactor

    class Masks(Protocol):
        """What masks a draft's values."""

        def value(self, value: JSON) -> RedactedValue:
            """The value without secrets, and counts; whatever it raises, nothing of the value is kept."""

    Own = Callable[[tuple[str, ...], tuple[str, ...]], Masks]

UNSCANNED = "unscanned"
"""The reason of an observation whose text could not be redacted: only metadata is kept."""
OVERSIZE = "oversize"
"""The reason of an observation whose payload was over the limit: only metadata is kept."""

_FACT = 1_000  # characters of one detail that is kept where all of them together are too much


@dataclass(slots=True)
class Kept:
    """What is written of an observation, or why nothing is."""

    text: str = ""
    tool: str = ""
    branch: str = ""
    files: list[str] = field(default_factory=list)
    detail: dict[str, Any] = field(default_factory=dict)
    size: int = 0
    """Characters of the text before the cap."""
    hash: str = ""
    """SHA-256 of the redacted whole, hexadecimal."""
    redactions: dict[str, int] = field(default_factory=dict)
    reason: str = ""
    dropped: Drop | None = None


def guard(
    draft: Draft,
    settings: CaptureSettings | None,
    key: bytes,
    known: tuple[str, ...],
    identity: tuple[str, ...],
    payload_size: int,
    own: Own | None = None,
) -> Kept:
    """Redact, cap and hash a draft. Without settings, or where redaction fails, only metadata is kept.

    `own`: gives the redactor with the user's own rules, for known values (`NAME=value`) and own addresses.
    """
    if settings is not None and draft.files and all(is_ignored(path, settings.ignore) for path in draft.files):
        return Kept(dropped=Drop.IGNORED)
    if settings is None:
        return _metadata(draft, UNSCANNED)
    if payload_size > settings.max_payload or len(draft.text) > settings.max_payload:
        return _metadata(draft, OVERSIZE)
    try:
        if may_name(draft.text, settings.ignore):
            from tui_memory.store.left_out import leave_out

            leave_out(draft, settings.ignore)
        redactor = own(known, identity) if own else _redactor(key, known, settings.kinds_off, identity)
        value, counts = _redacted(draft, redactor)
    except Exception:  # any failure of a scan means that nothing of the text may be kept
        return _metadata(draft, UNSCANNED)
    if draft.kind == Kind.PROMPT and draft.text and not value["text"].replace(CUT, "").strip():
        return Kept(dropped=Drop.PRIVATE)
    if draft.private:
        counts = counts | {"private": counts.get("private", 0) + draft.private}
    return _capped(draft, value, counts, settings)


@lru_cache(maxsize=8)
def _redactor(key: bytes, known: tuple[str, ...], kinds_off: frozenset[str], identity: tuple[str, ...]) -> Redactor:
    from tui_memory.redact import Redactor

    values = [entry.partition("=")[2] for entry in known]
    return Redactor(key, known=values, kinds_off=kinds_off, identity=identity)


def _redacted(draft: Draft, redactor: Masks) -> tuple[dict[str, Any], dict[str, int]]:
    """Text, tool, branch, files and detail without secrets; counts by kind."""
    whole = {
        "text": draft.text, "tool": draft.tool, "branch": draft.branch, "files": draft.files, "detail": draft.detail,
    }  # fmt: skip
    masked = redactor.value(cast(JSON, whole))
    value: Any = masked.value
    return value, masked.counts


def _capped(draft: Draft, value: dict[str, Any], counts: dict[str, int], settings: CaptureSettings) -> Kept:
    text = storable(value["text"])
    limit = settings.max_body
    if draft.tool in settings.light_tools and not draft.light and draft.kind not in (Kind.PROMPT, Kind.RESPONSE):
        limit = min(limit, _FACT)
    return Kept(
        text=cap(text, limit),
        tool=storable(value["tool"]),
        branch=storable(value["branch"]),
        files=value["files"],
        detail=_capped_detail(value["detail"], settings.max_body),
        size=len(text),
        hash=digest(text),
        redactions=counts,
    )


def _metadata(draft: Draft, reason: str) -> Kept:
    """What kind of thing happened and how large it was; no text, no name that could hold any."""
    facts: dict[str, Any] = {name: fact for name, fact in draft.detail.items() if isinstance(fact, bool | int | float)}
    event = draft.detail.get("event")
    if isinstance(event, str) and event.isidentifier():
        facts["event"] = event
    tool = draft.tool if draft.tool.replace("-", "_").isidentifier() and len(draft.tool) < 100 else ""
    text = f"[{reason}: {len(draft.text)} characters not kept]" if draft.text else ""
    return Kept(text=text, tool=tool, detail=facts, size=len(draft.text), hash=digest(""), reason=reason)


def digest(text: str) -> str:
    """SHA-256 of a text, hexadecimal."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def cap(text: str, limit: int) -> str:
    """About `limit` characters: head (two thirds) and tail, cut at line ends, and a line saying what is gone."""
    if len(text) <= limit:
        return text
    head = text[: limit * 2 // 3]
    tail = text[len(text) - (limit - len(head)) :]
    if (end := head.rfind("\n")) > len(head) // 2:
        head = head[:end]
    if 0 <= (start := tail.find("\n")) < len(tail) // 2:
        tail = tail[start + 1 :]
    gone = len(text) - len(head) - len(tail)
    return f"{head}\n[… {gone} of {len(text)} characters left out, sha256 {digest(text)[:16]} …]\n{tail}"


def _capped_detail(detail: dict[str, Any], limit: int) -> dict[str, Any]:
    """The details with every long text capped; where all of them are still too much, only the small ones."""
    capped = {name: _capped_value(value, limit) for name, value in detail.items()}
    if _length(capped) <= 2 * limit:
        return capped
    small = {name: value for name, value in capped.items() if _length(value) <= _FACT}
    return small | {"left_out": sorted(set(capped) - set(small))}


def _capped_value(value: Any, limit: int) -> Any:
    if isinstance(value, str):
        return cap(value, limit)
    if isinstance(value, list):
        return [_capped_value(item, limit) for item in value]
    if isinstance(value, dict):
        return {name: _capped_value(item, limit) for name, item in value.items()}
    return value


def _length(value: Any) -> int:
    return len(json.dumps(value, default=str))
