"""Every change to a memory, journaled: the one door to the memories' tables for people, agents, worker and upkeep."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from tui_memory.clock import now_ms
from tui_memory.errors import ConflictError, NotFoundError, RefusedError, UsageError
from tui_memory.model import Body, Entry, MemoryState, NewMemory
from tui_memory.store import combine, journal, reach, rows, rules
from tui_memory.store.db import Store
from tui_memory.store.reach import Reverted


class Unset:
    """The type of UNSET: leave this as it is (None says something else: all projects)."""


UNSET: Final = Unset()


class _Local(threading.local):
    """The group that this thread has open: its action, and its row once something has changed."""

    action = ""
    group: int | None = None


class Changes:
    """What somebody (`actor`: person, agent:NAME, worker, upkeep) does to memories. Safe to share between threads.

    Each method is one journal group, or part of the one that `group` opened, in one transaction. NotFoundError where
    a memory does not exist; StoreError where the store cannot be written; then nothing was changed.
    """

    def __init__(self, store: Store, actor: str = journal.PERSON) -> None:
        self._store, self._actor = store, actor
        self._local = _Local()

    @contextmanager
    def group(self, action: str) -> Iterator[None]:
        """All changes inside are one group named `action`, undone in one step; the outermost name counts."""
        local = self._local
        if local.action:
            yield
            return
        with self._store.transaction():
            local.action, local.group = action, None
            try:
                yield
            finally:
                local.action, local.group = "", None

    def add(self, news: Sequence[NewMemory]) -> list[int]:
        """Store new memories; their ids, in order."""
        if not news:
            return []
        with self.group("add"):
            now = now_ms()
            ids = rows.insert_memories(self._connection, news, now)
            states = rows.states_of(self._connection, ids)
            self._write([(id_, None, states[id_]) for id_ in ids])
        return ids

    def edit(
        self,
        memory: int,
        body: Body | None = None,
        *,
        project_id: int | Unset | None = UNSET,
        branch: str | Unset = UNSET,
        base: int | None = None,
    ) -> None:
        """Give a memory a new body, project or branch. `base`: the version it was made from, else ConflictError."""
        with self.group("edit"):
            before = self._listed(memory)
            if base is not None:
                _check(memory, before, base)
            after = dict(before)
            if body is not None and not rows.is_version(self._connection, before["version_id"], body):
                after["version_id"] = rows.insert_versions(self._connection, [(memory, body)], now_ms())[0]
            if not isinstance(project_id, Unset):
                after["project_id"] = project_id
            if not isinstance(branch, Unset):
                after["branch"] = branch
            self._set(memory, before, after)

    def set_state(self, ids: Sequence[int], state: str, action: str) -> None:
        """Set the state of memories (delete: trash; restore: active; hold, accept …).

        What comes back from the trash goes where it stood: superseded or merged where something replaced it; merged
        only where what it was merged into is no more in the trash itself.
        """

        def change(before: journal.State) -> journal.State:
            after = before | {"state": str(state)}
            returns = state == MemoryState.ACTIVE and before["state"] == MemoryState.TRASH
            if returns and combine.stands(self._connection, before["merged_into"]):
                after["state"] = str(MemoryState.MERGED)
            elif returns and before["superseded_by"]:
                after |= {"state": str(MemoryState.SUPERSEDED), "merged_into": None}
            elif state in (MemoryState.ACTIVE, MemoryState.HELD):
                after |= {"superseded_by": None, "merged_into": None}
            return after

        self._each(ids, action, change)

    def pin(self, ids: int | Sequence[int], pinned: bool = True) -> None:
        """Pin or unpin memories: a pinned one is shown first and never evicted."""
        each = [ids] if isinstance(ids, int) else ids
        self._each(each, "pin" if pinned else "unpin", lambda before: before | {"pinned": int(pinned)})

    def supersede(self, old: int, new: int) -> None:
        """Say that `new` replaced `old`: the older leaves what agents are shown and stays findable."""
        if old == new:
            raise UsageError(f"#{old} cannot replace itself. Nothing was changed.")
        with self.group("supersede"):
            before = self._listed(old)
            if self._listed(new)["superseded_by"] == old:
                raise RefusedError(f"#{new} was itself replaced by #{old}. Nothing was changed; restore #{new} first.")
            self._set(old, before, before | {"state": str(MemoryState.SUPERSEDED), "superseded_by": new})

    def merge(
        self, ids: Sequence[int], body: Body, *, project_id: int | Unset | None = UNSET,
        base: Mapping[int, int] | None = None,
    ) -> int:  # fmt: skip
        """Make one memory of several, which become `merged` into it; its id. Several projects need `project_id`.

        `base`: the versions, by memory, that `body` was made of, else ConflictError: a newer text is not left out.
        """
        with self.group("merge"):
            before = {id_: self._listed(id_) for id_ in dict.fromkeys(ids)}
            for id_, version in (base or {}).items():
                _check(id_, before[id_], version)
            given = () if isinstance(project_id, Unset) else (project_id,)
            new = combine.merged(self._connection, before, body, given)
            made = rows.insert_memories(self._connection, [new], now_ms())[0]
            combine.take_over(self._connection, made, list(before))
            self._write([(made, None, rows.state_of(self._connection, made))])
            for id_, state in before.items():
                self._set(id_, state, state | {"state": str(MemoryState.MERGED), "merged_into": made})
        return made

    def split(self, memory: int) -> list[int]:
        """Take a merge apart: the originals are what they were before it, the merged memory goes to the trash.

        What a limit has put into the trash comes back with them; what somebody deleted stays there. ConflictError where
        an original is there no more, for the merged memory alone says what it said, or where all were deleted.
        """
        with self.group("split"):
            before = self._listed(memory)
            combine.check_whole(self._connection, memory)
            parts = combine.parts(self._connection, memory, evicted=True)
            for id_ in combine.originals(self._connection, memory):
                present = self._listed(id_)
                self._set(id_, present, present | {"state": parts.get(id_, present["state"]), "merged_into": None})
            self._set(memory, before, before | {"state": str(MemoryState.TRASH)})
        return list(parts)

    def note(self, ids: Sequence[int], action: str = "note") -> None:
        """Record a decision on memories that leaves them as they are, so that it can be seen and taken back."""
        with self.group(action):
            states = {id_: self._listed(id_) for id_ in dict.fromkeys(ids)}
            self._write([(id_, state, state) for id_, state in states.items()])

    @property
    def current(self) -> int | None:
        """The journal's group that this thread has open, once something is in it."""
        return self._local.group

    def undo(self, n: int = 1, entry: int | None = None) -> Reverted:
        """Take back the person's last `n` groups, or the group of an entry; what was taken back, latest first.

        What nothing brings back (what was purged since, or masked for good) is passed over, and said. It ends before a
        change whose earlier text is no longer kept. ConflictError where a row has changed since, where the first is
        such a change, or where there is nothing else than what nothing brings back; then nothing of it is done.
        """
        with self._shown(), self._store.transaction() as connection:
            if entry is not None:
                group, again = journal.group_of(connection, entry)
                done = Reverted()
                self._reverse(group, again, done)
            else:
                until = reach.undone_from(connection)
                done = self._repeat(n, reach.last_done, again=False)
                over = reach.passed_over(connection, min((one.group for one in done), default=0), until)
                if over and not done:
                    raise ConflictError(f"Nothing brings back {over}, and there is nothing else. Nothing was changed.")
                done.skipped[:0] = [f"Passed over, for nothing brings it back: {over}."] if over else []
            return Reverted(rules.titles(self._store, done), done.skipped)

    def redo(self, n: int = 1) -> Reverted:
        """Bring again what undo took back last, `n` groups; nothing where a person has changed something since."""
        with self._shown(), self._store.transaction():
            done = self._repeat(n, reach.last_undone, again=True)
            return Reverted(rules.titles(self._store, done), done.skipped)

    def ahead(self, *, again: bool = False) -> reach.Ahead | None:
        """What `undo`, or with `again` `redo`, would do next; None where there is nothing."""
        found = reach.ahead(self._store.connection, self._store.groups_made, again=again)
        return found and replace(found, entries=rules.titles(self._store, found.entries))

    def history(self, memory: int | None = None, limit: int = 100) -> list[Entry]:
        """Journal entries, newest first: of one memory, or of all."""
        where = "WHERE j.memory_id = ?1" if memory is not None else "WHERE ?1 IS NULL"
        found = journal.entries(self._store.connection, f"{where} ORDER BY j.id DESC LIMIT ?2", (memory, limit))
        return rules.titles(self._store, found)

    def _repeat(self, n: int, choose: Callable[[sqlite3.Connection], int | None], *, again: bool) -> Reverted:
        done = Reverted()
        connection = self._connection
        for _ in range(n):
            group = choose(connection)
            if group is None or (done and reach.is_beyond(connection, group, again=again)):
                break  # what can be done is done; asked alone, the next one says why it cannot
            try:
                self._reverse(group, again, done)
            except ConflictError as error:
                if again or not reach.is_beyond(connection, group, again=again):
                    raise
                raise ConflictError(error.message + reach.before(connection, group)) from None
        return done

    def _reverse(self, group: int, again: bool, done: Reverted) -> None:
        purged, torn = reach.purged_of(self._connection, group), journal.torn(self._connection, group)
        done += journal.reverse(self._connection, self._store.device, self._actor, group, again=again)
        made = self._connection.execute("SELECT max(id) FROM journal_groups").fetchone()[0]
        self._store.groups_made.add(made)
        if purged:
            done.skipped.append(f"{reach.listed(purged)}: purged since, and stays gone.")
        if kept := torn.keys() - set(purged):
            done.skipped.append(f"{reach.listed(sorted(kept))}: without its originals it stays as it is.")

    @contextmanager
    def _shown(self) -> Iterator[None]:
        """A refusal quotes titles: as they may be shown."""
        try:
            yield
        except ConflictError as error:
            mask = rules.reading(self._store)
            raise (ConflictError(mask(error.message)) if mask else error) from None

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._store.connection

    def _listed(self, memory: int) -> journal.State:
        state = rows.state_of(self._connection, memory)
        if not rows.is_listed(state):
            raise NotFoundError(f"There is no memory #{memory}: its creation was taken back. Nothing was changed.")
        return state

    def _each(self, ids: Sequence[int], action: str, change: Callable[[journal.State], journal.State]) -> None:
        with self.group(action):
            for id_ in dict.fromkeys(ids):
                before = self._listed(id_)
                self._set(id_, before, change(before))

    def _set(self, memory: int, before: dict[str, Any], after: dict[str, Any]) -> None:
        """Write a row and its journal entry; what changes nothing is no change."""
        if after == before:
            return
        after = after | {"updated": max(now_ms(), before["updated"])}
        rows.put_state(self._connection, memory, after)
        self._write([(memory, before, after)])

    def _write(self, items: list[tuple[int, journal.State | None, journal.State | None]]) -> None:
        local = self._local
        if local.group is None:
            local.group = journal.open_group(self._connection, self._store.device, self._actor, local.action)
            self._store.groups_made.add(local.group)
        journal.write(self._connection, local.group, items)


def _check(memory: int, present: journal.State, base: int) -> None:
    """ConflictError where a memory's text is no longer the version that a change was made from."""
    if base != present["version_id"]:
        raise ConflictError(
            f"#{memory} has been edited since you opened it (version {base}, now {present['version_id']})."
            " Nothing was changed; look at it again and repeat your change."
        )
