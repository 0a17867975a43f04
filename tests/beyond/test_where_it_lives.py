"""Lists say and filter by where a memory lives: here alone, on one's other devices; and doctor's word becomes rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tui_memory.engine import reaching
from tui_memory.engine.memory import Memory
from tui_memory.errors import RemoteError, StoreError, UsageError
from tui_memory.model import Filters


def places(memory: Memory) -> dict[str, list[str]]:
    """Where each memory lives, by title."""
    return {row.title: row.where for row in memory.memories()}


def titles(memory: Memory, *where: str) -> set[str]:
    """What the filter lists."""
    return {row.title for row in memory.memories(Filters(where=where))}


def test_all_is_here_alone_where_nothing_was_ever_synced(memory: Memory) -> None:
    assert set(map(tuple, places(memory).values())) == {("here",)}
    assert len(titles(memory, "here")) == 3 and not titles(memory, "sync", "hub", "shared")
    assert memory.facets()["where"] == {}, "a facet that says nothing is not shown"


def test_what_was_sent_and_what_came_is_on_ones_devices(memory: Memory, other: Memory, tmp_path: Path) -> None:
    memory.syncing.sync(str(tmp_path / "place"))
    other.add(title="Made on the other device")
    other.syncing.sync(str(tmp_path / "place"))
    memory.syncing.sync(str(tmp_path / "place"))
    memory.add(title="Not synced yet")
    assert titles(memory, "here") == {"Not synced yet"} and len(titles(memory, "sync")) == 4
    assert memory.facets()["where"] == {"sync": 4, "here": 1}
    by_title = {row.title: row for row in memory.memories()}
    theirs = other.store.device.replace("-", "")[-8:]
    assert by_title["Made on the other device"].device == theirs and by_title["Not synced yet"].device is None
    assert by_title["Money is Decimal, rule 0"].device is None, "it was made here"


def test_a_search_keeps_to_it_too(memory: Memory, tmp_path: Path) -> None:
    memory.syncing.sync(str(tmp_path / "place"))
    memory.add(title="Money is never a float")
    found = memory.search_result("money", filters=Filters(where=("here",))).results
    assert [hit.memory.title for hit in found] == ["Money is never a float"]
    assert len(memory.search_result("money", filters=Filters(where=("sync", "here"))).results) == 4


def test_a_place_that_is_none_is_a_sentence(memory: Memory) -> None:
    with pytest.raises(UsageError, match=r"There is no place 'moon'; there are here, sync, hub, shared"):
        memory.memories(Filters(where=("moon",)))


def test_the_commands_take_the_same_word(memory: Memory, shell: Shell, tmp_path: Path, home: Path,
                                         monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("TUI_MEMORY_HOME", str(home))
    memory.syncing.sync(str(tmp_path / "place"))
    memory.add(title="Not synced yet")
    assert "Not synced yet" in shell("list", "--all-projects", "--where", "here").out
    assert "Not synced yet" not in shell("list", "--all-projects", "--where", "sync").out
    assert "on your other devices too" in shell("show", "1").out


def test_health_knows_what_was_never_asked_for_and_what_failed_why(memory: Memory, tmp_path: Path) -> None:
    assert [(one.id, one.begun, one.ok) for one in reaching.every(memory.store)] == [
        ("backup", False, True), ("sync", False, True), ("hub", False, True),
    ]  # fmt: skip
    (tmp_path / "file").write_text("no folder")
    for deed in (memory.backing_up.make, memory.syncing.sync):
        with pytest.raises((RemoteError, StoreError)):
            deed(str(tmp_path / "file"))
    for one in reaching.every(memory.store)[:2]:
        assert one.begun and not one.ok and one.failed and one.error and one.error in one.what
    assert reaching.every(memory.store) == list(memory.observing.health().beyond)
    memory.purge(ids=[1], yes=True)
    assert [one.error for one in reaching.every(memory.store)] == ["", "", ""], "it may name what was to be forgotten"
