"""Which back-ups stay: of the last days, weeks and months the last one each; days, weeks and months are UTC's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from tui_memory.beyond.manifest import Manifest
from tui_memory.config import BackupSettings

_SPANS: tuple[tuple[str, Callable[[datetime], tuple[int, ...]]], ...] = (
    ("keep_daily", lambda when: (when.year, when.month, when.day)),
    ("keep_weekly", lambda when: when.isocalendar()[:2]),
    ("keep_monthly", lambda when: (when.year, when.month)),
)


def kept(found: Iterable[Manifest], rules: BackupSettings) -> set[str]:
    """The names of those that stay. The newest always does."""
    newest_first = sorted(found, key=lambda one: (one.made, one.name), reverse=True)
    stay = {one.name for one in newest_first[:1]}
    for setting, span in _SPANS:
        seen: set[tuple[int, ...]] = set()
        for one in newest_first:
            mark = span(datetime.fromtimestamp(one.made / 1000, UTC))
            if mark not in seen and len(seen) < getattr(rules, setting):
                seen.add(mark)
                stay.add(one.name)
    return stay
