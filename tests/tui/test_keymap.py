"""A person's own keys: what is wrong with them is said with file and id, and never takes another key away."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.conftest import make, settle
from tests.tui.fake import FakeMemory
from tests.tui.reading import toasts
from tui_memory.tui import bindings, keymap


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"memories.delet": "x"}, "ui.keys: there is no memories.delet; did you mean memories.delete?"),
        ({"live.follow": "hyper-f"}, "ui.keys: live.follow: no terminal sends the key hyper-f"),
        ({"live.follow": ""}, "ui.keys: live.follow: no terminal sends the key of an empty name"),
        ({"memories.delete": "p"}, "ui.keys: memories.delete: p is taken by memories.pin; the default stays"),
        ({"memories.delete": "j"}, "ui.keys: memories.delete: j is taken by list.down; the default stays"),
        ({"memories.delete": "x, q"}, "ui.keys: memories.delete: x,q is taken by app.quit; the default stays"),
        ({"app.help": "space"}, "ui.keys: app.help: space is taken by marks.toggle; the default stays"),
        ({"confirm.yes": "n"}, "ui.keys: confirm.yes: n is taken by confirm.no; the default stays"),
        ({"live.follow": "x", "live.kind": "x"}, "ui.keys: live.kind: x is taken by live.follow; the default stays"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_by_id(keys: dict[str, str], said: str) -> None:
    good, wrong = keymap.check(keys)
    assert wrong == [said] and len(good) == len(keys) - 1


def test_keys_that_change_places_and_keys_of_screens_that_are_never_together_are_no_clash() -> None:
    for keys in (
        {"memories.delete": "p", "memories.pin": "d"}, {"live.follow": "d"}, {"audit.undo": "u"},
        {"memories.delete": "x,delete"},
    ):  # fmt: skip
        assert keymap.check(keys) == (keys, [])


def test_every_default_passes_its_own_check() -> None:
    assert keymap.check({identity: binding.key for identity, binding in bindings.table().items()})[1] == []


def test_every_scope_is_known_to_work_beside_some_other() -> None:
    assert set(bindings.SCOPES) - {scope for group in keymap.TOGETHER for scope in group} == {"anywhere", "search"}


async def test_the_message_at_the_start_names_the_file(fake: FakeMemory, tmp_path: Path) -> None:
    app = make(fake, tmp_path, keys={"memories.delet": "x"}, theme="none-such")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await settle(pilot)
        assert toasts(pilot).count("config.yaml: ui.") == 2
