"""What settling a case does to memories and to the case, in one transaction and one group of the journal."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui_memory.clock import local, now_ms
from tui_memory.engine import bodies
from tui_memory.engine.receipt import Receipt
from tui_memory.errors import ConflictError, RefusedError, UsageError
from tui_memory.model import EVERYTHING, Body, Filters, MemoryState
from tui_memory.store import (
    audit_cases,
    conflicts,
    gone,
    journal,
    memories,
    scrubbing,
    sweeping,
    tombs,
    verdicts,
)
from tui_memory.store.changes import Changes
from tui_memory.store.connection import make_directory
from tui_memory.upkeep.audit import cases, families, finding, looking
from tui_memory.upkeep.audit.families import SNOOZE, Family
from tui_memory.upkeep.audit.renaming import renamed
from tui_memory.upkeep.audit.shorten import shortened

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.store.audit_cases import Row

PREFIX = "audit "
"""How the journal names what was settled: `audit merge`, `audit keep` …"""
WEEK = 7 * 86_400_000
"""How long a case sleeps where nobody says until when."""


def settle(memory: Memory, case: int, action: str, *, until: int | None, seen: int | None, yes: bool) -> Receipt:
    """Settle one case; what may be raised is in `Auditing.settle`."""
    row = audit_cases.get(memory.store, case)
    wanted = _action(families.find(row.family), action, _proposed(memory, row))
    sleeps = _until(wanted, until)
    if wanted == "purge":
        return _purge(memory, row, seen, yes)
    if wanted == "mask":
        _check(memory, row, seen)
        return _mask(memory, [row])
    changes = Changes(memory.store, memory.actor)
    with memory.store.transaction():
        _check(memory, audit_cases.get(memory.store, case), seen)
        touched = _in_group(memory, changes, [row], wanted, sleeps)
    return Receipt(f"{PREFIX}{wanted}", touched)


def settle_family(memory: Memory, family: Family, action: str | None, filters: Filters = EVERYTHING) -> Receipt:
    """Settle all open cases of a family in one group."""
    wanted = _action(family, action or families.ACCEPT)
    if wanted == "purge":
        raise RefusedError("Forgetting for good is done case by case. Nothing was changed.")
    if wanted == "mask":
        return _mask(memory, audit_cases.listed(memory.store, filters, family=family.name))
    each = action in (None, families.ACCEPT)
    changes = Changes(memory.store, memory.actor)
    with memory.store.transaction():
        rows = audit_cases.listed(memory.store, filters, family=family.name)
        deeds = [_proposed(memory, row) if each else wanted for row in rows]
        if len(set(deeds)) > 1:
            wanted = families.ACCEPT
        touched = _in_group(memory, changes, rows, wanted, _until(wanted, None), deeds) if rows else []
    return Receipt(f"{PREFIX}{wanted}", touched)


def changed(row: Row) -> ConflictError:
    """What to say where a case is no longer what was shown."""
    which = " and ".join(f"#{memory}" for memory in row.memories)
    return ConflictError(
        f"Case {row.id} was found in what {which} said before: that has changed since. Nothing was changed now;"
        " `tui-memory audit` looks again."
    )


def write_whole(place: Path, text: str) -> None:
    """Write a file for its owner alone, whole or not at all. OSError."""
    make_directory(place.parent)
    aside = place.with_name(f".{place.name}.{os.getpid()}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            os.fchmod(descriptor, 0o600)
            file.write(text)
        os.replace(aside, place)
    except OSError:
        aside.unlink(missing_ok=True)
        raise


def _proposed(memory: Memory, row: Row) -> str:
    """What `accept` means of this case."""
    key = row.low_version, row.high_version or 0
    said = verdicts.of(memory.store, [key]).get(key) if row.family == "contradiction" else None
    names = gone.of(memory.store, [row.low]) if row.family == "stale" else []
    moved = bool(names) and all(name.renamed_to for name in names)
    return families.proposed(row.family, said.holds if said else "", renamed=moved)


def _action(family: Family, action: str, proposed: str = "") -> str:
    named = families.named(family, action, proposed)
    if named not in (*family.actions, SNOOZE):
        known = ", ".join((*family.actions, SNOOZE, families.ACCEPT, families.REJECT))
        raise UsageError(f"A case of {family.title} has no action {action!r}; it has {known}. Nothing was changed.")
    return named


def _until(action: str, until: int | None) -> int:
    """Until when a case sleeps; 0: it does not."""
    if action != SNOOZE:
        if until is not None:
            raise UsageError("Only snooze takes a time. Nothing was changed.")
        return 0
    if until is not None and until <= now_ms():
        raise UsageError(f"{local(until)} is not to come: a case sleeps until later. Nothing was changed.")
    return now_ms() + WEEK if until is None else until


def _check(memory: Memory, row: Row, seen: int | None) -> None:
    """RefusedError where it was settled, ConflictError where it is no longer what was seen."""
    if row.state == audit_cases.SETTLED:
        raise RefusedError(
            f"Case {row.id} is settled already ({row.action}, {local(row.settled or 0)}). Nothing was changed;"
            " `tui-memory undo` takes back what was settled last."
        )
    if (seen is not None and seen != row.evidence) or not audit_cases.is_alive(memory.store, row.id):
        raise changed(row)


def _in_group(
    memory: Memory, changes: Changes, rows: Sequence[Row], action: str, until: int, deeds: Sequence[str] = ()
) -> list[int]:
    """Do it, note it with the cases, in the caller's transaction; the memories that were touched.

    `deeds`: the action of each row, where they are not all `action`.
    """
    touched: list[int] = []
    settled: dict[str, list[int]] = {}
    with changes.group(f"{PREFIX}{action}"):
        for row, deed in zip(rows, deeds or [action] * len(rows), strict=True):
            if len(rows) > 1 and not audit_cases.is_alive(memory.store, row.id):
                continue  # an earlier case of this group has taken one of its memories
            touched += _DEEDS.get(deed, _nothing)(memory, changes, row)
            settled.setdefault(deed, []).append(row.id)
        if changes.current is None:  # nothing had to change: that is a decision as well
            changes.note(touched)
        for deed, cases in settled.items():
            audit_cases.settle(memory.store.connection, cases, deed, changes.current or 0, until)
    return list(dict.fromkeys(touched))


def _nothing(_memory: Memory, changes: Changes, row: Row) -> list[int]:
    changes.note(row.memories)
    return row.memories


def _supersede(_memory: Memory, changes: Changes, row: Row) -> list[int]:
    changes.supersede(row.low, row.high or 0)
    return row.memories


def _reverse(_memory: Memory, changes: Changes, row: Row) -> list[int]:
    changes.supersede(row.high or 0, row.low)
    return row.memories


def _merge(memory: Memory, changes: Changes, row: Row) -> list[int]:
    made = changes.merge(row.memories, memory.merge_preview(row.memories))
    return [*row.memories, made]


def _state(state: MemoryState, action: str) -> Callable[[Memory, Changes, Row], list[int]]:
    def deed(_memory: Memory, changes: Changes, row: Row) -> list[int]:
        changes.set_state([row.low], state, action)
        return [row.low]

    return deed


def _pin(_memory: Memory, changes: Changes, row: Row) -> list[int]:
    changes.pin(row.low)
    return [row.low]


def _body(change: Callable[[Body], Body]) -> Callable[[Memory, Changes, Row], list[int]]:
    def deed(memory: Memory, changes: Changes, row: Row) -> list[int]:
        current = memories.get(memory.store, [row.low])[0]
        changes.edit(row.low, change(bodies.of(current)), base=row.low_version)
        return [row.low]

    return deed


def _rename(memory: Memory, changes: Changes, row: Row) -> list[int]:
    names = {name.name: name.renamed_to for name in gone.of(memory.store, [row.low]) if name.renamed_to}
    if not names:
        raise RefusedError(f"Nothing that #{row.low} names is called otherwise now. Nothing was changed.")
    return _body(lambda body: renamed(body, names))(memory, changes, row)


def _take(memory: Memory, changes: Changes, row: Row) -> list[int]:
    changes.edit(row.low, conflicts.body(memory.store, row.high_version or 0), base=row.low_version)
    return [row.low]


_DEEDS: dict[str, Callable[[Memory, Changes, Row], list[int]]] = {
    "supersede": _supersede,
    "reverse": _reverse,
    "merge": _merge,
    "delete": _state(MemoryState.TRASH, "delete"),
    "restore": _state(MemoryState.ACTIVE, "restore"),
    "pin": _pin,
    "shorten": _body(shortened),
    "rename": _rename,
    "take": _take,
}


def _mask(memory: Memory, rows: Sequence[Row]) -> Receipt:
    """Mask what was found wherever it is stored, then note it: a kill in between leaves nothing unmasked.

    What the rules know (they are newer than what the store is masked by) goes from the memory's versions and sources
    at once, and from the rest as the worker scrubs it.
    """
    found = [looking.leak(raw, memory.auditing.rules) for row in rows if (raw := cases.version(memory.store, row))]
    changed: list[int] = []
    if values := [value for leak in found for value in leak.values]:
        changed += scrubbing.mask(memory.store, values)
    if any(leak.kinds for leak in found):
        changed += scrubbing.mask_rows(memory.store, memory.redactor, *_of(memory, [row.low for row in rows]))
    changes = Changes(memory.store, memory.actor)
    with memory.store.transaction():
        touched = _in_group(memory, changes, rows, "mask", 0) if rows else []
        tombs.masked(memory.store.connection, memory.store.device, changed)
        finding.again(memory.store, changed)
    return Receipt(journal.MASK, touched, tuple(sweeping.copies_outside(memory.store.connection)) if changed else ())


def _of(memory: Memory, ids: Sequence[int]) -> tuple[set[int], set[int]]:
    """All versions of memories, and the observations they come from."""
    known = (json.dumps(list(ids)),)
    these = "IN (SELECT value FROM json_each(?))"
    versions = memory.store.rows(f"SELECT id FROM versions WHERE memory_id {these}", known)
    seen = memory.store.rows(f"SELECT observation_id FROM memory_sources WHERE memory_id {these}", known)
    return {row[0] for row in versions}, {row[0] for row in seen}


def _purge(memory: Memory, row: Row, seen: int | None, yes: bool) -> Receipt:
    """Forget the memory for good, and the case with it: nothing takes that back."""
    _check(memory, row, seen)
    if not yes:
        raise RefusedError(
            f"This would forget #{row.low} for good, with its sources and every older version; nothing brings it back."
            " Nothing was changed; repeat it with --yes."
        )
    done = memory.purge(ids=[row.low], yes=True)
    return Receipt(f"{PREFIX}purge", [row.low], tuple(done.outside))
