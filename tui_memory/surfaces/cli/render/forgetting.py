"""What a purge or a scrub took, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_memory.clock import local
from tui_memory.safetext import one_line

if TYPE_CHECKING:
    from tui_memory.engine.forgetting import Purged
    from tui_memory.store.scrubbing import Scrubbed


def purged(found: Purged) -> list[str]:
    """The count first, then of what, by project, then what outside of the store may still hold it."""
    counts = found.counts
    verb = "would be purged" if found.dry_run else "purged"
    lines = [f"{counts.count:,} {verb}: {counts.words()}"]
    if counts.pinned:
        lines.append(f"  of these {counts.pinned:,} pinned")
    for share in counts.shares:
        name = one_line(share.project) or "(all projects)"
        lines.append(
            f"  {name}: {share.memories:,} of {share.of_memories:,} memories,"
            f" {share.observations:,} of {share.of_observations:,} observations"
        )
    if not found.dry_run and (counts.count or found.resumed):
        lines.append("Nothing of it is left in the store; this cannot be undone.")
    if found.outside:
        lines.append("Outside of the store these may still hold it:")
        lines += [f"  {one_line(place)}" for place in found.outside]
    return lines


def scrubbed(found: Scrubbed, *, dry_run: bool) -> list[str]:
    """Rows by table, secrets by kind."""
    rows = sum(found.changed.values())
    if not rows and not found.unscanned:
        return [f"{found.total:,} rows hold nothing that today's rules would mask"]
    lines = [f"{rows:,} rows {'would be' if dry_run else 'were'} masked, of {found.total:,} looked at"]
    lines += [f"  {name}: {number:,}" for name, number in found.changed.most_common() if number]
    lines += [f"  [{kind}] {number:,}" for kind, number in found.kinds.most_common()]
    if found.unscanned:
        lines.append(f"  {found.unscanned:,} rows took your own rules too long: they are masked whole when read")
    return lines


def paused(until: int, for_ever: int, project: str | None) -> str:
    """What a pause does, and the way back."""
    what = f"of {one_line(project)} " if project else ""
    end = "" if until >= for_ever else f" until {local(until)}"
    more = f" --project {one_line(project)}" if project else ""
    return f"Nothing {what}is captured{end} · tui-memory resume{more} takes it back"
