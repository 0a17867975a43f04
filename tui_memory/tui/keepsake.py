"""What the application remembers of its screens from run to run: gathered now and then, written with the changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tui_memory.store.ui_state import Kept

if TYPE_CHECKING:
    from tui_memory.tui.screens.room import Room

APP = "app"
"""Under which name the application keeps its own; the others are screens'."""


def gather(before: Kept, own: dict[str, Any], rooms: Iterable[Room], purged: frozenset[str] = frozenset()) -> Kept:
    """What is to be written; `own`: the application's own. Of screens that were not shown now, what they left before.

    Texts in `purged` stood on a screen when something was purged, and may quote it: none of them is written.
    """
    plain, texts = dict(before.plain), dict(before.texts)
    plain[APP] = own
    for room in rooms:
        if room.begun:
            plain[room.ROOM], given = room.keepsake()
            texts[room.ROOM] = _without(given, purged) if purged else given
    return Kept(plain, texts, before.purged)


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


def _without(value: Any, gone: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {name: _without(item, gone) for name, item in value.items() if not _is_gone(item, gone)}
    return [item for item in value if not _is_gone(item, gone)] if isinstance(value, list) else value


def _is_gone(item: Any, gone: frozenset[str]) -> bool:
    return isinstance(item, str) and item in gone


def screen(kept: Kept, known: Iterable[str], otherwise: str) -> str:
    """The screen that was on show last; `otherwise` where there is none of that name."""
    name = kept.plain.get(APP, {}).get("screen")
    return name if isinstance(name, str) and name in known else otherwise


def number(values: dict[str, Any], name: str, least: int, most: int) -> int | None:
    """A whole number that was kept, where it is one and lies in its bounds."""
    value = values.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most else None


def text(values: dict[str, Any], name: str, most: int = 500) -> str:
    """A text that was kept; empty where there is none, or it is no text."""
    value = values.get(name)
    return value[:most] if isinstance(value, str) else ""


def listed(values: dict[str, Any], name: str, most: int) -> list[str]:
    """Texts that were kept, the last `most` of them."""
    value = values.get(name)
    return [item for item in value if isinstance(item, str)][-most:] if isinstance(value, list) else []
