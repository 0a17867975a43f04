"""What a monitoring system asks of a store, in numbers; and whether it is well, as `doctor` says it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_memory import capture, places
from tui_memory.clock import now_ms
from tui_memory.engine import agents, worker_client
from tui_memory.store import counters, marks, timings
from tui_memory.store.timings import Durations

if TYPE_CHECKING:
    from tui_memory.engine.services import Services

_COPIED = ("backup_done", "backup_failed", "backup_bytes")
_SHARED = ("hub_pushed", "hub_pulled", "hub_failed")
_SYNCED = ("sync_done", "sync_failed")


@dataclass(slots=True)
class Measures:
    """Numbers of one moment; times are ms since the epoch, sizes bytes."""

    stats: Mapping[str, Any]
    worker: Mapping[str, Any]
    checks: Mapping[str, bool]
    """Whether each of doctor's checks is well."""
    durations: dict[str, dict[str, Durations]]
    last_events: dict[str, int]
    """When each agent last spoke."""
    refused: int
    """Events of the last day that no hook could store."""
    oldest_waiting: int | None
    """Since when the oldest turn waits that could be compressed now; None where none does."""
    sizes: dict[str, int]
    disk: tuple[int, int]
    """(free, size) of the file system that the store is on."""
    limits: tuple[int, int]
    """(memories, bytes) that upkeep keeps to."""
    backup: dict[str, int] = field(default_factory=dict)
    """When the last back-up was made (`done`), when one failed (`failed`), and `bytes`; what never was is left out."""
    hub: dict[str, int] = field(default_factory=dict)
    """When the team's hub was last `pushed` to and `pulled` from, and when it `failed`; what never was is left out."""
    sync: dict[str, int] = field(default_factory=dict)
    """When the last sync came to its end (`done`) and when one did not (`failed`); what never was is left out."""
    now: int = 0


class Measuring:
    """Of one open memory; reads only, but for durations that waited in memory."""

    def __init__(self, memory: Services) -> None:
        self._memory, self._store = memory, memory.store

    def measures(self) -> Measures:
        """Everything, now. StoreError where the store cannot be read."""
        self._memory.finding.searcher().took.flush(self._store)
        counted, settings = counters.all(self._store), self._memory.settings.upkeep
        kept, shared = (
            {name.partition("_")[2]: moment for name in names if (moment := marks.get(self._store, name))}
            for names in (_COPIED, _SHARED)
        )
        return Measures(
            stats=self._memory.status.stats(),
            worker=worker_client.status(self._store.home),
            checks={check["id"]: check["ok"] for check in self.health()["checks"]},
            durations=timings.read(counted),
            last_events=self._last_events(),
            refused=len(agents.refused(self._store.home)),
            oldest_waiting=self._oldest_waiting(),
            sizes=_sizes(self._store.home),
            disk=disk(self._store.home),
            limits=(settings.max_memories, settings.max_bytes),
            backup=kept,
            hub=shared,
            sync={name.removeprefix("sync_"): at for name in _SYNCED if (at := marks.get(self._store, name))},
            now=now_ms(),
        )

    def health(self) -> dict[str, Any]:
        """`{ok, checks: [{id, ok, what, fix}]}`: those of doctor's checks that take no time."""
        return self._memory.status.health()

    def _last_events(self) -> dict[str, int]:
        rows = self._store.rows(
            "SELECT agent, MAX(time) FROM deliveries WHERE delivery NOT LIKE 'import:%' GROUP BY agent"
        )
        found: dict[str, int] = {}
        for agent, time in rows:
            name = agent if agent in capture.AGENTS else timings.OTHER
            found[name] = max(found.get(name, 0), int(time))
        return found

    def _oldest_waiting(self) -> int | None:
        rows = self._store.rows(
            "SELECT MIN(MAX(created, not_before)) FROM queue WHERE state IN ('waiting', 'leased') AND not_before <= ?",
            (now_ms(),),
        )
        return None if rows[0][0] is None else int(rows[0][0])


def _sizes(home: Path) -> dict[str, int]:
    """Bytes by part of the store."""
    database = places.database(home)
    parts = {"database": [database], "log": [Path(f"{database}-wal")]}
    found = {name: sum(map(_size, files)) for name, files in parts.items()}
    folders = {"vectors": places.vectors_dir(home), "backups": home / "backups", "logs": places.log_dir(home)}
    for name, folder in folders.items():
        found[name] = sum(map(_size, folder.rglob("*"))) if folder.is_dir() else 0
    return found


def _size(file: Path) -> int:
    try:
        return file.stat().st_size if file.is_file() else 0
    except OSError:
        return 0  # gone since it was listed


def disk(home: Path) -> tuple[int, int]:
    """(bytes left, bytes in all) of the store's file system."""
    found = os.statvfs(home)
    return found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize
