"""Persons, agents and upkeep change memories in any order: rows, versions, words, vectors and journal agree throughout.

At the end every change that is in force is taken back, latest first, whoever made it: then all is as at first.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.index.fakes import WordEmbedder
from tests.store.test_journal_properties import BODIES, check_journal, check_rows, everything
from tui_memory.errors import RefusedError, UsageError
from tui_memory.index import work
from tui_memory.index.faiss_index import FaissIndex
from tui_memory.model import Body, MemoryState, NewMemory
from tui_memory.store import reach, vectors
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

WHO = st.sampled_from(["person", "agent:codex", "upkeep"])
PICK = st.integers(0, 30)
EMBEDDER = WordEmbedder(dimension=8)


class Machine(RuleBasedStateMachine):
    """One store, opened twice as two processes would, and everybody who changes it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.stores = [Store(Path(self.folder.name) / "s") for _ in range(2)]
        self.store, self.turn = self.stores[0], 0
        Changes(self.store, "worker").add([NewMemory(Body(f"m{n}", labels=["x"], files=["f.py"])) for n in range(3)])
        work.embed_missing(self.store, EMBEDDER)
        self.index = FaissIndex(self.stores[1], vectors.model(self.stores[1], EMBEDDER.name, EMBEDDER.dimension))
        self.first, self.since = everything(self.store), self._last_group()

    def teardown(self) -> None:
        self._take_all_back()
        assert everything(self.store) == self.first
        check_journal(self.store)
        self._embed()
        for store in self.stores:
            store.close()
        self.folder.cleanup()

    def _last_group(self) -> int:
        return int(self.store.rows("SELECT max(id) FROM journal_groups")[0][0])

    def _take_all_back(self) -> None:
        """What is in force, the one that was done (or done again) last first."""
        sql = (
            "SELECT (SELECT max(j.id) FROM journal j WHERE j.group_id = g.id) FROM journal_groups g WHERE g.undone = 0"
            " AND g.id > ? AND g.action NOT IN ('undo', 'redo') ORDER BY max(g.id,"
            " coalesce((SELECT max(u.id) FROM journal_groups u WHERE u.undoes = g.id), 0)) DESC"
        )
        for (entry,) in self.store.rows(sql, (self.since,)):
            Changes(self.store).undo(entry=entry)

    def _do(self, who: str, deed: Callable[[Changes], Any]) -> None:
        """By turns in the one process and in the other; what makes no sense is refused, and changes nothing."""
        self.turn += 1
        store = self.stores[self.turn % 2]
        before = store.rows("SELECT count(*), max(id) FROM journal")[0]
        try:
            deed(Changes(store, who))
        except (UsageError, RefusedError):
            assert tuple(store.rows("SELECT count(*), max(id) FROM journal")[0]) == tuple(before)

    def _pick(self, number: int) -> int:
        ids = [row[0] for row in self.store.rows("SELECT id FROM memories WHERE state <> 'undone' ORDER BY id")]
        return int(ids[number % len(ids)])

    @rule(who=WHO, body=BODIES)
    def add(self, who: str, body: Body) -> None:
        self._do(who, lambda changes: changes.add([NewMemory(body)]))

    @rule(who=WHO, which=PICK, body=BODIES)
    def edit(self, who: str, which: int, body: Body) -> None:
        self._do(who, lambda changes: changes.edit(self._pick(which), body))

    @rule(who=WHO, one=PICK, other=PICK, body=BODIES)
    def merge(self, who: str, one: int, other: int, body: Body) -> None:
        self._do(who, lambda changes: changes.merge([self._pick(one), self._pick(other)], body))

    @rule(who=WHO, which=PICK)
    def split(self, who: str, which: int) -> None:
        self._do(who, lambda changes: changes.split(self._pick(which)))

    @rule(who=WHO, one=PICK, other=PICK)
    def delete(self, who: str, one: int, other: int) -> None:
        ids = [self._pick(one), self._pick(other)]
        self._do(who, lambda changes: changes.set_state(ids, MemoryState.TRASH, "delete"))

    @rule(which=PICK)
    def evict(self, which: int) -> None:
        self._do("upkeep", lambda changes: changes.set_state([self._pick(which)], MemoryState.TRASH, "evict"))

    @rule(who=WHO, which=PICK)
    def restore(self, who: str, which: int) -> None:
        self._do(who, lambda changes: changes.set_state([self._pick(which)], MemoryState.ACTIVE, "restore"))

    @rule(who=WHO, old=PICK, new=PICK)
    def supersede(self, who: str, old: int, new: int) -> None:
        self._do(who, lambda changes: changes.supersede(self._pick(old), self._pick(new)))

    @rule(which=PICK, pinned=st.booleans())
    def pin(self, which: int, pinned: bool) -> None:
        self._do("person", lambda changes: changes.pin(self._pick(which), pinned))

    @rule(n=st.integers(1, 3))
    def undo(self, n: int) -> None:
        self._do("person", lambda changes: changes.undo(n))

    @rule(n=st.integers(1, 3))
    def redo(self, n: int) -> None:
        self._do("person", lambda changes: changes.redo(n))

    @rule(which=PICK)
    def undo_an_entry(self, which: int) -> None:
        """Of anybody's, as `undo --entry` does."""
        entries = [row[0] for row in self.store.rows("SELECT id FROM journal WHERE group_id > ?", (self.since,))]
        if entries:
            self._do("person", lambda changes: changes.undo(entry=entries[which % len(entries)]))

    @rule()
    def embed(self) -> None:
        """The worker catches up."""
        self._embed()

    def _embed(self) -> None:
        """Each version has its words, and chunks with vectors, also in another's index."""
        work.embed_missing(self.store, EMBEDDER)
        check_rows(self.store)
        expected = {row[0] for row in self.store.rows("SELECT id FROM versions")}
        layout = self.index.refresh()
        assert set(layout.versions.tolist()) == expected
        lost = "SELECT count(*) FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk_id = c.id)"
        assert self.store.rows(lost)[0][0] == 0
        texts = self.store.rows("SELECT id, text FROM chunks ORDER BY id")
        held = dict(zip(layout.chunks.tolist(), self.index.vectors(np.arange(len(layout.chunks))), strict=True))
        for id_, text in texts:
            assert float(held[id_] @ EMBEDDER.encode([text])[0]) > 0.99

    @invariant()
    def everything_agrees(self) -> None:
        """The journal leads to what is, rows and words are its versions, both processes would take back the same."""
        check_journal(self.store)
        check_rows(self.store)
        last = reach.last_done(self.stores[1].connection)
        assert last == reach.last_done(self.store.connection)


Machine.TestCase.settings = settings(
    max_examples=30, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
TestMachine = Machine.TestCase
