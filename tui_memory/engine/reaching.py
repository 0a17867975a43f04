"""What goes beyond this machine: back-ups, syncs and a hub. How old the last one is, and what was wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tui_memory.beyond.hub import health, link
from tui_memory.clock import local, now_ms
from tui_memory.errors import StoreError
from tui_memory.safetext import one_line
from tui_memory.store import marks, rules

if TYPE_CHECKING:
    from tui_memory.engine.agents import Check
    from tui_memory.store.db import Store

DAY_MS = 86_400_000
BACKUP_OLD = 30 * DAY_MS
"""Age in ms from which the last back-up is said to be old, where any was ever made."""
SYNC_OLD = 30 * DAY_MS
"""The same of the last sync with other devices."""


@dataclass(frozen=True, slots=True)
class Reach:
    """One way beyond this machine. `id`, `ok`, `what` and `fix` are doctor's; times are ms, 0: it never was.

    Where nobody ever asked for it (`begun` is false), `what` says so, `fix` begins it, and nothing is wrong.
    """

    id: str
    begun: bool
    ok: bool
    what: str
    fix: str
    last: dict[str, int]
    """When it last went well, by what was done: made, synced, pushed, pulled."""
    failed: int = 0
    error: str = ""
    """What was wrong the last time; empty after one that went well."""

    @property
    def check(self) -> Check:
        """As `doctor` says it."""
        return self.id, self.ok, self.what, self.fix


def every(store: Store) -> list[Reach]:
    """All three, begun or not."""
    return [backup(store), sync(store), hub(store)]


def checks(store: Store) -> Iterator[Check]:
    """As `doctor` says them: of a hub nothing where none is connected."""
    yield from (one.check for one in every(store) if one.begun or one.id != "hub")


class _Words(NamedTuple):
    """What is said of one of them; `at`: when it last went well."""

    deed: str
    never: str
    not_yet: str
    last: str


_BACKUP = _Words(
    "made", "no back-up was ever made; `{fix}` makes one", "no back-up could be made yet",
    "the last back-up was made at {at}",
)  # fmt: skip
_SYNC = _Words(
    "synced", "not synced with other devices; `{fix}` does it", "no sync came to its end yet", "last synced at {at}"
)


def backup(store: Store) -> Reach:
    """The last back-up."""
    return _reach(store, "backup", _BACKUP, BACKUP_OLD, DAY_MS)


def sync(store: Store) -> Reach:
    """The last sync with other devices."""
    return _reach(store, "sync", _SYNC, SYNC_OLD, 0)


def _reach(store: Store, name: str, words: _Words, old: int, fresh: int) -> Reach:
    """One that leaves marks of when it was done and when it failed, and what was wrong.

    `old`: ms after which it is to be done again; `fresh`: ms for which one that went well is enough, whatever failed
    since (a mistyped address is told to who typed it).
    """
    done, failed = (marks.get(store, f"{name}_{mark}") for mark in ("done", "failed"))
    fix = f"tui-memory {name} URL"
    if not done and not failed:
        return Reach(name, False, True, words.never.format(fix=fix), fix, {})
    age = now_ms() - done
    error = _said(store, f"{name}_said") if failed > done else ""
    what = words.last.format(at=local(done)) if done else words.not_yet
    if failed > done:
        what += f"; the one at {local(failed)} failed" + (f": {error}" if error else "")
    elif age > old:
        what += f", {age // DAY_MS} days ago"
    well = age <= old and (failed <= done or age < fresh)
    return Reach(name, True, well, what, fix, {words.deed: done}, failed, error)


def hub(store: Store) -> Reach:
    """The team's hub; it is not asked."""
    told = next(health.checks(store), None)
    if told is None:
        fix = "tui-memory hub connect DSN"
        return Reach("hub", False, True, f"no team's hub is connected; `{fix}` connects one", fix, {})
    pushed, pulled, failed = (marks.get(store, f"hub_{name}") for name in ("pushed", "pulled", "failed"))
    error = ""
    with suppress(StoreError):  # a damaged link: its check says so
        known = link.read(store.home)
        error = known.error if known and failed > max(pushed, pulled) else ""
    return Reach("hub", True, *told[1:], {"pushed": pushed, "pulled": pulled}, failed, error)


def _said(store: Store, key: str) -> str:
    """What the last one that failed said, masked by today's rules."""
    row = store.rows("SELECT value FROM meta WHERE key = ?", (key,))
    return one_line(rules.plain(store, row[0][0]), 300) if row else ""
