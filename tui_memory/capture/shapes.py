"""Reading values of any shape an agent may send, without ever failing: small total functions."""

from __future__ import annotations

import json
import zlib

from tui_memory.capture import fence
from tui_memory.light import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

# Whatever holds a picture or another file's bytes, or repeats a whole file: large, and of no use as text.
_BULKY = frozenset({"base64", "originalFile", "original_file", "originalFileContents", "updated_file"})
_MAX_DEPTH = 40


def clean(text: str) -> str:
    """Text that a database and UTF-8 can hold: surrogate pairs joined, lone ones and NULs shown as �, our own
    fenced context gone."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return fence.strip(text)


def string(source: Any, *keys: str) -> str:
    """The first non-empty string among the keys of a mapping, cleaned; a number as its digits; else ''."""
    if isinstance(source, dict):
        for key in keys:
            value = source.get(key)
            if isinstance(value, str) and value:
                return clean(value)
            if isinstance(value, int | float) and not isinstance(value, bool):
                return str(value)
    return ""


def mapping(source: Any, key: str) -> dict[str, Any]:
    """The mapping under a key, empty where there is none."""
    value = source.get(key) if isinstance(source, dict) else None
    return value if isinstance(value, dict) else {}


def items(source: Any, key: str) -> list[Any]:
    """The list under a key, empty where there is none."""
    value = source.get(key) if isinstance(source, dict) else None
    return value if isinstance(value, list) else []


def number(source: Any, key: str) -> int | None:
    """The whole number under a key, None where there is none."""
    value = source.get(key) if isinstance(source, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if abs(value) < 1 << 62 else None


def compact(value: Any) -> str:
    """A value as short JSON text, bulky parts dropped with a note; '' for nothing."""
    if value in (None, "", {}, []):
        return ""
    return clean(json.dumps(without_bulk(value), ensure_ascii=False, separators=(", ", ": "), default=str))


def without_bulk(value: Any, depth: int = 0) -> Any:
    """A copy without whole files and pictures; deeper than 40 levels becomes a note."""
    if depth > _MAX_DEPTH:
        return "[nested deeper than is kept]"
    if isinstance(value, list):
        return [without_bulk(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") in ("image", "audio", "document") and not isinstance(value.get("text"), str):
        return f"[{value['type']} dropped]"
    return {key: _dropped(item) if key in _BULKY else without_bulk(item, depth + 1) for key, item in value.items()}


def _dropped(value: Any) -> Any:
    return f"[{len(value)} characters dropped]" if isinstance(value, str) else None


def text_of(value: Any) -> str:
    """The text in a tool's result, whatever its shape: string, blocks, stdout and stderr, content, result …"""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return "\n".join(filter(None, map(_block, value)))
    if not isinstance(value, dict):
        return compact(value)
    if "stdout" in value or "stderr" in value:
        return "\n".join(filter(None, (string(value, "stdout").rstrip(), string(value, "stderr").rstrip())))
    for key in ("content", "result", "llmContent", "output", "text"):
        if isinstance(value.get(key), str | list) and value[key]:
            return text_of(value[key])
    return compact(value)


def _block(block: Any) -> str:
    """One content block: its text, or a note of what it was."""
    if isinstance(block, dict) and isinstance(block.get("text"), str):
        return clean(block["text"])
    return clean(block) if isinstance(block, str) else compact(block)


def fingerprint(text: str) -> str:
    """A short digest that tells two texts apart within one session's events; not for security."""
    data = text.encode("utf-8", "replace")
    return f"{len(data):x}.{zlib.crc32(data):08x}"
