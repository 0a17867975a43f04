"""Every key of every screen and dialog does something that is seen, or says in a sentence why it does not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest
from textual.binding import Binding
from textual.pilot import Pilot

from tests.tui.conftest import Drive, make, settle
from tests.tui.fake import FakeMemory, memory, observation
from tests.tui.reading import screen_text, toasts
from tests.tui.test_snapshots import audited
from tui_memory.tui import bindings, keymap, starting
from tui_memory.tui.app import TuiMemoryApp

SIZE = (170, 40)
PARTS = {
    "app": ["2", "j", "j"],
    "list": ["2", "g", "ctrl+d", "j"],
    "marks": ["2", "j"],
    "live": ["1", "G", *"kkkkkkkkkkkk"],
    "first": ["1"],
    "memories": ["2", "j"],
    "audit": ["3"],
    "evidence": ["3", "down"],
    "playground": ["4", "slash", "ctrl+u", *"number", "enter"],
    "weights": ["4", "p", "j"],
    "health": ["6", "j", "j", "j", "j", "right_square_bracket"],
    "search": ["2", "slash", "ctrl+u", *"number", "enter", "slash", "ctrl+u", "x"],
    "dialog": ["2", "question_mark", "j"],
    "merge": ["2", "g", "escape", "escape", "space", "space", "m"],
    "edit": ["2", "e"],
    "export": ["2", "w"],
    "confirm": ["2", "g", "space", "space", "N"],
}
"""The keys that lead to where the bindings of a scope work; the Lab's are in a test of their own."""
BEFORE = {
    "app.live": ["2"], "app.memories": ["1"], "app.undo": ["d"], "app.redo": ["d", "u"],
    "list.last": ["g"], "list.first": ["G"], "list.page_up": ["G"], "list.half_up": ["G"],
    "live.leave": ["e"], "live.lane_left": ["c", "l"], "live.lane_right": ["c"],
    "memories.restore": ["d"], "memories.leave": ["space"], "memories.newer": ["g", "space", "space"],
    "memories.merge": ["g", "space", "space"], "first.up": ["j"],
    "audit.leave": ["right_square_bracket"], "evidence.up": ["down", "down"], "evidence.page_up": ["pagedown"],
    "playground.by_query": ["e"], "playground.leave": ["p"], "playground.no_filter": ["f", "j", "enter", "j", "enter"],
    "weights.left": ["right"], "weights.reset": ["right"], "weights.far_left": ["shift+right"],
    "health.before": ["right_square_bracket"], "dialog.up": ["j", "j"], "dialog.help": ["escape", "e"],
}  # fmt: skip
"""What makes a key of use, beside being there."""
ELSEWHERE = {
    "app.stop": "test_first_run", "app.quit": "test_app", "anywhere": "test_frame",
    "tuning": "test_playground_measuring", "lab": "test_lab_keys",
    "lab_column": "test_lab_keys", "configs": "test_lab_keys", "memories.editor": "test_editing",
    "audit.report": "test_audit",
}  # fmt: skip
"""Whose keys are pressed in another module, for what they need: a child process, a model, an end."""


@dataclass(frozen=True)
class Seen:
    """What a person can see, and where the keys go."""

    text: str
    said: str
    focused: object
    depth: int


def seen(pilot: Pilot[Any]) -> Seen:
    """As it is now."""
    app = pilot.app
    return Seen(screen_text(pilot), toasts(pilot), app.focused, len(app.screen_stack))


def full() -> FakeMemory:
    """A store with enough of everything: sessions of two agents, memories of all states."""
    states = {3: "trash", 5: "held", 7: "superseded"}
    rows = [memory(n, state=states.get(n, "active"), merged_from=[1, 2] if n == 2 else []) for n in range(1, 81)]
    seen_ = [observation(n, agent="codex" if n > 40 else "claude-code") for n in range(1, 81)]
    return FakeMemory(rows, seen_)


def store_for(scope: str) -> FakeMemory:
    """What the keys of a scope work on."""
    if scope in ("audit", "evidence"):
        fake = audited(text="Outgoing calls go through httpx now. " * 60)
        case = fake.auditing.case
        fake.auditing.case = lambda number: replace(case(number), id=number, risk=number / 100)
        fake.auditing.settle = lambda *_, **__: fake.pin([1])
        fake.auditing.settled_by = lambda group: []
        return fake
    return FakeMemory() if scope == "first" else full()


Opened = Callable[[str], AbstractAsyncContextManager[Pilot[None]]]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """The application on what a scope needs."""
    monkeypatch.setattr(starting, "_lend", lambda: "")

    @asynccontextmanager
    async def run(scope: str) -> AsyncIterator[Pilot[None]]:
        size = (100, 24) if scope in ("evidence", "list", "dialog") else SIZE
        async with make(store_for(scope), tmp_path).run_test(size=size, notifications=True) as pilot:
            await settle(pilot)
            yield pilot

    return run


async def press(pilot: Pilot[None], keys: list[str]) -> None:
    """One after the other, each when the one before is done with."""
    for key in keys:
        await pilot.press(key)
    await settle(pilot)


async def prepare(pilot: Pilot[None], scope: str, identity: str) -> None:
    """To where a key is of use, nothing said."""
    app = cast(TuiMemoryApp, pilot.app)
    if scope == "first":
        app.action_first_steps()
        await settle(pilot)
    if identity == "health.leave":
        await press(pilot, ["1"])
        app.jump("health")
        await settle(pilot)
    else:
        await press(pilot, [*PARTS[scope], *BEFORE.get(identity, [])])
    app.clear_notifications()
    await pilot.pause()


async def home(pilot: Pilot[None]) -> None:
    """Out of every dialog, with nothing said and nothing chosen."""
    app = cast(TuiMemoryApp, pilot.app)
    while len(app.screen_stack) > 1:
        await app.pop_screen()
        await settle(pilot)
    await press(pilot, ["escape", "escape", "escape"])


def keys_of(scope: str) -> list[Binding]:
    """The bindings of a scope that are pressed here."""
    every = [binding for binding in bindings.SCOPES[scope] if isinstance(binding, Binding)]
    return [binding for binding in every if binding.id not in ELSEWHERE]


@pytest.mark.parametrize("scope", PARTS)
async def test_every_key_does_something_that_is_seen(opened: Opened, scope: str) -> None:
    silent = []
    async with opened(scope) as pilot:
        for binding in keys_of(scope):
            for key in binding.key.split(","):
                await prepare(pilot, scope, str(binding.id))
                before = seen(pilot)
                await press(pilot, [key])
                after = seen(pilot)
                if after == before:
                    silent.append(f"{binding.id} ({key})")
                assert "A defect" not in after.said, (binding.id, after.said)
                await home(pilot)
    assert not silent


def test_no_scope_is_forgotten() -> None:
    """A new screen's keys are pressed, too."""
    assert set(bindings.SCOPES) == {*PARTS, *(scope for scope in ELSEWHERE if "." not in scope)}


SENTENCES = {
    "1": ["m", "s", "left_square_bracket", "right_square_bracket", "l"],
    "2": ["d", "r", "a", "p", "m", "e", "o", "M", "N", "s", "h", "space", "v", "asterisk", "enter", "w"],
    "3": ["a", "k", "o", "z", "Z", "A", "F", "n", "p", "enter", "s", "m", "right_square_bracket", "less_than_sign"],
    "4": ["r", "i", "w", "E", "enter"],
}


@pytest.mark.parametrize("room", SENTENCES)
async def test_where_a_key_can_do_nothing_it_says_so_and_is_no_hint(drive: Drive, fake: FakeMemory, room: str) -> None:
    fake.rows.clear()
    fake.seen.clear()
    async with drive((100, 30), "escape", room, "escape") as pilot:
        for key in SENTENCES[room]:
            pilot.app.clear_notifications()
            await press(pilot, [key])
            assert toasts(pilot).rstrip().endswith((".", " it.", "is.")) or len(pilot.app.screen_stack) > 1, key
            assert "defect" not in toasts(pilot), key
        hints = screen_text(pilot).splitlines()[-1]
        assert all(word not in hints for word in ("delete", "merge", "snooze", "memories", "open")), hints


async def test_stopping_where_nothing_is_read_is_a_sentence(drive: Drive) -> None:
    async with drive((100, 30), "X") as pilot:
        assert "No past sessions are being read" in toasts(pilot)


@pytest.mark.parametrize("scope", PARTS)
async def test_a_key_of_ones_own_does_what_the_old_one_did(fake: FakeMemory, tmp_path: Path, scope: str) -> None:
    """Each binding of a scope on another key, all at once: the old one is free, help names the new one."""
    own = {str(binding.id): f"f{2 + number % 9}" for number, binding in enumerate(keys_of(scope)[:9])}
    good, wrong = keymap.check(own)
    assert good == own and not wrong
    app = make(store_for(scope), tmp_path, keys=own)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        for identity, key in own.items():
            assert app.keys_of(identity) == key
