"""Which rules everything in a store was masked by, and masking on reading where those are not today's.

One row in `meta` holds for the whole store: a mark on every row would have to be read with every row. While the mark
is today's, reading costs nothing. Where it is older (the program or the settings know more than when it was written),
every text is masked as it is read: about a millisecond for two kilobytes, so some tens for a page of a list; and the
worker scrubs the store meanwhile (`scrubbing`), after which the mark is today's.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import tui_memory
from tui_memory.errors import TuiMemoryError
from tui_memory.model import Entry, Memory, Observation

if TYPE_CHECKING:
    from tui_memory.config import RedactSettings
    from tui_memory.redact import Redactor
    from tui_memory.redact.custom import Guarded
    from tui_memory.store.db import Store

    Redacting = Callable[[], Redactor | Guarded]
    Shown = TypeVar("Shown", Memory, Observation)

RULES = "rules"
_LOOK_AGAIN = 2.0  # seconds


@dataclass(frozen=True, slots=True)
class RuleSet:
    """What masks: the program's rules, the kinds that are left alone, the user's own rules (all as digests)."""

    code: str
    off: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The same for the same rules, in every process."""
        return ":".join((self.code, *self.off, *self.extra))

    def covers(self, today: RuleSet) -> bool:
        """Whether what these have masked needs no look by today's: the same program, no kind and no rule more."""
        return self.code == today.code and set(self.off) <= set(today.off) and set(self.extra) >= set(today.extra)


def today(settings: RedactSettings) -> RuleSet:
    """The rules of this program and these settings."""
    extra = sorted(_digest(f"{rule.kind}:{rule.pattern}".encode()) for rule in settings.extra)
    return RuleSet(_code(), tuple(sorted(settings.kinds_off)), tuple(extra))


@cache
def _code() -> str:
    """A digest of the rules' own source: whatever changes in them changes it."""
    whole = b"".join(path.read_bytes() for path in sorted((Path(tui_memory.__file__).parent / "redact").glob("*.py")))
    return _digest(whole or tui_memory.__version__.encode())


def _digest(value: bytes) -> str:
    return hashlib.sha256(value).hexdigest()[:16]


def recorded(store: Store) -> RuleSet | None:
    """The rules that everything stored was masked by; None where nobody has said."""
    row = store.rows("SELECT value FROM meta WHERE key = ?", (RULES,))
    if not row:
        return None
    value = json.loads(row[0][0])
    return RuleSet(value["code"], tuple(value["off"]), tuple(value["extra"]))


def record(store: Store, rules: RuleSet) -> None:
    """Say that everything stored is masked by these rules."""
    with store.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (RULES, json.dumps(asdict(rules))))


def is_behind(store: Store, rules: RuleSet) -> bool:
    """Whether something stored may be masked by older rules; an empty store is taken to be masked by these."""
    found = recorded(store)
    if found is not None and found.covers(rules):
        return False
    if found is None and not store.rows("SELECT 1 WHERE EXISTS (SELECT 1 FROM observations) OR EXISTS"
                                        " (SELECT 1 FROM versions)"):  # fmt: skip
        record(store, rules)
        return False
    return True


class Mask:
    """Today's rules over what is read, until the store is scrubbed."""

    def __init__(self, store: Store, rules: RuleSet, redacting: Redacting) -> None:
        self._store, self._rules, self._redacting = store, rules, redacting
        self._looked = time.monotonic()

    def __call__(self, text: str) -> str:
        """The text as it may be shown; nothing of it where it cannot be scanned."""
        if not text:
            return text
        from tui_memory.redact import unscanned

        try:
            return self._redacting().text(text).text
        except TuiMemoryError:  # the user's own rules took too long
            return unscanned(len(text))

    def is_needed(self) -> bool:
        """Whether the store is still behind."""
        if time.monotonic() - self._looked > _LOOK_AGAIN:
            self._looked = time.monotonic()
            return is_behind(self._store, self._rules)
        return True


def watch(store: Store, settings: RedactSettings, redacting: Redacting) -> None:
    """Have the store's texts masked on reading while they were masked by older rules than these.

    `redacting` gives today's redactor: asked only where one is needed, for loading it takes its time.
    """
    rules = today(settings)
    store.mask = Mask(store, rules, redacting) if is_behind(store, rules) else None


def reading(store: Store) -> Callable[[str], str] | None:
    """What masks a text on its way out of the store; None where nothing needs to."""
    mask = store.mask
    if mask is not None and not mask.is_needed():
        store.mask = mask = None
    return mask


def shown(store: Store, rows: list[Shown]) -> list[Shown]:
    """Memories or observations as they may be shown."""
    mask = reading(store)
    return rows if mask is None else [_masked(row, mask) for row in rows]


def titles(store: Store, entries: list[Entry]) -> list[Entry]:
    """Journal entries as they may be shown."""
    mask = reading(store)
    return entries if mask is None else [_entry(entry, mask) for entry in entries]


def plain(store: Store, text: str) -> str:
    """One text of a smaller table as it may be shown."""
    mask = reading(store)
    return text if mask is None else mask(text)


def _entry(entry: Entry, mask: Callable[[str], str]) -> Entry:
    states: list[Any] = [
        state | {"branch": mask(str(state["branch"]))} if state and state.get("branch") else state
        for state in (entry.before, entry.after)
    ]
    return replace(entry, title=mask(entry.title), before=states[0], after=states[1])


def _masked(row: Shown, mask: Callable[[str], str]) -> Shown:
    """The same with every text that is not an id or a word of ours masked."""
    names = _MEMORY if isinstance(row, Memory) else _OBSERVATION
    changed: dict[str, Any] = {name: _inside(getattr(row, name), mask) for name in names}
    if isinstance(row, Memory):
        changed["grounding"] = replace(row.grounding, flagged=list(map(mask, row.grounding.flagged)))
    return replace(row, **changed)


_MEMORY = ("title", "summary", "text", "facts", "labels", "files", "branch", "project", "session", "gone",
           "promoted_from", "shared_by")  # fmt: skip
_OBSERVATION = ("text", "tool", "branch", "files", "detail", "project", "session", "parent")


def _inside(value: object, mask: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [_inside(item, mask) for item in value]
    if isinstance(value, dict):
        return {mask(name): _inside(item, mask) for name, item in value.items()}
    return value
