"""What a git hook delivers, completed with what its commits say. Standard library only."""

from __future__ import annotations

from tui_memory.light import TYPE_CHECKING, replace
from tui_memory.store.ignored import is_ignored

if TYPE_CHECKING:
    from typing import Any

    from tui_memory.config import CaptureSettings
    from tui_memory.store.ingest import Delivery

Payload = bytes | dict[str, "Any"]


def expanded(delivery: Delivery, payload: Payload, settings: CaptureSettings | None) -> list[tuple[Delivery, Payload]]:
    """The deliveries to take in for one: itself, or what a git hook's event becomes once its commits are read.

    It runs git (some milliseconds), which nobody who waits for a commit should wait for. Without settings nothing is
    read: only metadata would be kept.
    """
    if delivery.agent != "git" or settings is None:
        return [(delivery, payload)]
    from tui_memory.capture import git_events  # subprocess is slow to import, and an agent waits

    ignore = settings.ignore
    events = git_events.expand(payload, delivery.cwd, lambda path: is_ignored(path, ignore))
    ids = [delivery.id, *(f"{delivery.id}:{number}" for number in range(1, len(events)))]
    return [(replace(delivery, id=id_), event) for id_, event in zip(ids, events, strict=True)]
