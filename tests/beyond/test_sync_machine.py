"""Three devices change memories in any order, apart or together, and syncs are cut off anywhere: all end up the same.

Nothing is lost, and what was forgotten for good is in no file of any of them.
More examples: `SYNC_EXAMPLES=300 pytest --timeout 0`.
"""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.beyond.devices import Device, clock, lines
from tests.store.erased import found
from tests.store.test_journal_properties import check_rows
from tui_memory.beyond.synced import Synced
from tui_memory.errors import ConflictError, NotFoundError, RefusedError, UsageError
from tui_memory.model import Body, MemoryState, NewMemory
from tui_memory.store import projects

WHICH = st.integers(0, 2)
PICK = st.integers(0, 30)
SKEWS = (0, 3_600_000, -86_400_000)
"""One clock is an hour ahead, one a day behind."""
WHO = st.sampled_from(["person", "agent:codex", "upkeep"])


class Machine(RuleBasedStateMachine):
    """Three stores and the folder between them."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.place = Path(self.folder.name) / "place"
        self.devices = [Device(Path(self.folder.name) / name, f"0000000{name}", SKEWS[at])
                        for at, name in enumerate("abc")]  # fmt: skip
        self.step, self.words = 0, count()
        self.said: dict[str, set[str]] = defaultdict(set)
        """Every text that was ever written of a memory, by uid."""
        for device in self.devices:
            projects.find_or_add(device.store, "orderly")

    def _body(self) -> Body:
        word = f"word{next(self.words)}quoted"  # so long that no checksum in a file is it by chance
        return Body(f"t {word}", text=word, facts=[f"f {word}"], labels=[word], files=[f"{word}.py"])

    def _at(self, which: int) -> Device:
        self.step += 1
        device = self.devices[which]
        clock(device, self.step)
        return device

    def _do(self, which: int, deed: Callable[[Device], Any]) -> None:
        """What makes no sense is refused, and changes nothing."""
        device = self._at(which)
        try:
            deed(device)
        except (UsageError, RefusedError, NotFoundError, ConflictError):
            return
        for uid, text in device.store.rows(
            "SELECT m.uid, v.text FROM memories m JOIN versions v ON v.memory_id = m.id"
        ):
            self.said[uid].add(text)

    @staticmethod
    def _pick(device: Device, number: int) -> int:
        ids = device.ids()
        if not ids:
            raise NotFoundError("none")
        return ids[number % len(ids)]

    @rule(which=WHICH, who=WHO)
    def add(self, which: int, who: str) -> None:
        project = projects.find(self.devices[which].store, "orderly") if which else None
        self._do(which, lambda device: device.changes(who).add([NewMemory(self._body(), project)]))

    @rule(which=WHICH, who=WHO, one=PICK)
    def edit(self, which: int, who: str, one: int) -> None:
        self._do(which, lambda device: device.changes(who).edit(self._pick(device, one), self._body()))

    @rule(which=WHICH, one=PICK, branch=st.sampled_from(["", "main"]))
    def move(self, which: int, one: int, branch: str) -> None:
        self._do(which, lambda device: device.changes().edit(self._pick(device, one), project_id=None, branch=branch))

    @rule(which=WHICH, one=PICK, state=st.sampled_from([MemoryState.TRASH, MemoryState.ACTIVE, MemoryState.HELD]))
    def set_state(self, which: int, one: int, state: MemoryState) -> None:
        self._do(which, lambda device: device.changes().set_state([self._pick(device, one)], state, "delete"))

    @rule(which=WHICH, one=PICK, pinned=st.booleans())
    def pin(self, which: int, one: int, pinned: bool) -> None:
        self._do(which, lambda device: device.changes().pin(self._pick(device, one), pinned))

    @rule(which=WHICH, one=PICK, other=PICK)
    def supersede(self, which: int, one: int, other: int) -> None:
        self._do(which, lambda dev: dev.changes().supersede(self._pick(dev, one), self._pick(dev, other)))

    @rule(which=WHICH, one=PICK, other=PICK)
    def merge(self, which: int, one: int, other: int) -> None:
        def deed(device: Device) -> None:
            device.changes().merge([self._pick(device, one), self._pick(device, other)], self._body(), project_id=None)

        self._do(which, deed)

    @rule(which=WHICH, one=PICK)
    def split(self, which: int, one: int) -> None:
        self._do(which, lambda device: device.changes().split(self._pick(device, one)))

    @rule(which=WHICH, other=WHICH)
    def take_in(self, which: int, other: int) -> None:
        self._do(which, lambda device: device.take_in(self.devices[other]))

    @rule(which=WHICH, n=st.integers(1, 2))
    def undo(self, which: int, n: int) -> None:
        self._do(which, lambda device: device.changes().undo(n))

    @rule(which=WHICH)
    def redo(self, which: int) -> None:
        self._do(which, lambda device: device.changes().redo())

    @rule(which=WHICH)
    def undo_a_sync(self, which: int) -> None:
        """What a sync brought is taken back as one group, and that is a change like any other."""
        sql = "SELECT max(j.id) FROM journal j JOIN journal_groups g ON g.id = j.group_id WHERE g.action = 'sync'"
        entry = self.devices[which].store.rows(sql)[0][0]
        if entry is not None:
            self._do(which, lambda device: device.changes().undo(entry=entry))

    @rule(which=WHICH, one=PICK)
    def purge(self, which: int, one: int) -> None:
        self._do(which, lambda device: device.purge(self._pick(device, one)))

    @rule(which=WHICH)
    def sync(self, which: int) -> None:
        assert self._synced(which)

    @rule(which=WHICH, uses=st.integers(0, 14))
    def sync_that_is_cut_off(self, which: int, uses: int) -> None:
        self._synced(which, uses)

    def _synced(self, which: int, uses: int | None = None) -> Synced | None:
        """Sync: whatever was done elsewhere, no memory vanishes by it but one that was forgotten for good."""
        device = self._at(which)
        before = device.says().keys()
        done = device.sync(self.place, uses)
        assert before - device.tombs() <= device.says().keys()
        return done

    def teardown(self) -> None:
        try:
            self._meet()
        finally:
            clock(None)
            for device in self.devices:
                device.close()
            self.folder.cleanup()

    def _meet(self) -> None:
        for _ in range(3):
            for which in range(3):
                assert self._synced(which)
        quiet = self._synced(0)
        assert quiet is not None and not (quiet.sent or quiet.added or quiet.changed or quiet.purged or quiet.cleaned)
        gone = self.devices[0].tombs()
        said = self.devices[0].says() | self.devices[1].says() | self.devices[2].says()
        heads = set().union(*(device.heads() for device in self.devices))
        for device in self.devices:
            own = device.says()
            assert own == {uid: said[uid] for uid in own}
            assert {said[uid][0] for uid in said.keys() - own.keys()} <= {
                MemoryState.TRASH
            }  # its making taken back here
            assert set(device.heads()) == {head for head in heads if head[0] in own}
            assert device.tombs() == gone
            check_rows(device.store)
            assert not gone & {row[0] for row in device.store.rows("SELECT uid FROM memories")}
        self._nothing_is_lost(gone)
        self._the_forgotten_is_gone(gone)

    def _nothing_is_lost(self, gone: set[str]) -> None:
        """Every memory is on some device, if only as one whose making was taken back; no text of one is on none."""
        kept = set().union(*(device.texts() for device in self.devices))
        for uid in self.said.keys() - gone:
            assert self.said[uid] <= kept

    def _the_forgotten_is_gone(self, gone: set[str]) -> None:
        words = [word for uid in gone for word in self.said[uid]]
        if words:
            held = "\n".join(lines(self.place))
            assert [word for word in words if f'"{word}"' in held] == []
            for device in self.devices:
                assert found(device.store.home, *words) == []


Machine.TestCase.settings = settings(
    max_examples=int(os.environ.get("SYNC_EXAMPLES", "50")), stateful_step_count=25, deadline=None,
    derandomize="SYNC_EXAMPLES" not in os.environ, suppress_health_check=list(HealthCheck),
)  # fmt: skip
TestMachine = Machine.TestCase
