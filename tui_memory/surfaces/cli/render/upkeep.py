"""What upkeep found and did, for people."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from tui_memory.surfaces.cli.render.paint import dim
from tui_memory.surfaces.cli.render.status import size

if TYPE_CHECKING:
    from tui_memory.upkeep.findings import Evicted, Forecast, Refreshed, Upkept, Value


def upkept(found: Upkept) -> list[str]:
    """What stands, what went or would go, and the forecast."""
    return [*_refreshed(found.refreshed), *_evicted(found.evicted), forecast(found.forecast)]


def _refreshed(found: Refreshed) -> list[str]:
    lines = [
        f"{_count(found.examined, 'memory', 'memories')} compared: {_count(found.duplicates, 'pair', 'pairs')} of"
        f" duplicates, {_count(found.contradictions, 'contradiction', 'contradictions')},"
        f" {found.stale:,} naming what is gone" + (dim(" · tui-memory audit") if found.duplicates else "")
    ]
    lines += [f"{_ids(found.merged)} made of duplicates, as the settings say"] if found.merged else []
    return lines


def _evicted(found: Evicted) -> list[str]:
    would = "would " if found.dry_run else ""
    lines = []
    if found.purged:
        lines.append(f"{_ids(found.purged)} {would}go for good: the days in the trash are over")
    if found.observations:
        lines.append(f"{_count(found.observations, 'raw observation', 'raw observations')} {would}go, oldest first")
    if found.versions:
        texts = _count(found.versions, "older text", "older texts")
        lines.append(f"{texts} {would}go: undo reaches back to what is left")
    if found.trashed:
        lines.append(f"{_ids(found.trashed)} {would}go to the trash, lowest value first")
    if not lines:
        lines.append(f"Nothing {'would go' if found.dry_run else 'went'}: the store is within its limits")
    if found.over:
        lines.append("The store is over a limit: what is left is pinned, or waits for its days in the trash")
    return lines


def forecast(found: Forecast) -> str:
    """`12,000 of 200,000 memories, 310.2 MB of 2.0 GB; max_bytes is reached on 14 Mar 2027`."""
    full = (
        f"{found.memories:,} of {found.max_memories:,} memories, {size(found.bytes)} of {size(found.max_bytes)}"
        f" (a day adds {found.memories_per_day:,.1f} and {size(found.bytes_per_day)})"
    )
    if found.reached_on is None:
        return f"{full}: no limit is reached at this pace"
    day = datetime.fromtimestamp(found.reached_on / 1000)
    return f"{full}: {found.reached} is reached on {day.day} {day:%b %Y}"


def value(found: Value) -> str:
    """`0.525 = kind 0.175 + age 0.350 + use 0.000 + pin 0`."""
    return f"{found.total:.3f} = " + " + ".join(f"{name} {part:.3f}" for name, part in found.parts.items())


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _ids(ids: list[int]) -> str:
    shown = ", ".join(f"#{id_}" for id_ in ids[:8])
    return shown + (f" and {len(ids) - 8:,} more" if len(ids) > 8 else "")
