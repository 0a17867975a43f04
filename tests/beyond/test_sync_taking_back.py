"""Taking back on one device what is on another: nothing vanishes there, whoever made it and however it came."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.beyond.devices import records
from tests.beyond.looking import meet, says, the
from tests.cli.shell import Shell
from tui_memory.engine.importing import Importing
from tui_memory.engine.memory import Memory
from tui_memory.errors import ConflictError
from tui_memory.store import projects, sync_in, tombs

RULE = "Money is Decimal, rule 0"


@pytest.fixture
def place(tmp_path: Path) -> str:
    """A folder that both reach."""
    return str(tmp_path / "place")


@pytest.fixture
def file(memory: Memory, tmp_path: Path) -> Path:
    """All of the first device's memories, exported."""
    made = tmp_path / "memories.jsonl"
    memory.exporting.export(made)
    return made


def trash(memory: Memory) -> list[str]:
    """The titles in the trash."""
    return sorted(row.title for row in memory.memories(state="trash"))


@pytest.mark.parametrize(
    "steps",
    ["a import undo b a", "import undo b a b", "import a b undo b a", "a import b undo b a", "import b undo b a b",
     "import b a undo b a b"],
)  # fmt: skip
def test_an_import_that_is_taken_back_takes_nothing_from_who_made_it(
    memory: Memory, other: Memory, place: str, file: Path, steps: str
) -> None:
    before = says(memory)
    deeds: dict[str, Callable[[], object]] = {
        "a": lambda: memory.syncing.sync(place), "b": lambda: other.syncing.sync(place),
        "import": lambda: Importing(other).file(file), "undo": other.undo,
    }  # fmt: skip
    for step in steps.split():
        deeds[step]()
        assert says(memory) == before
    meet(place, memory, other)
    assert says(memory) == says(other) == before and not trash(memory)


def test_an_edit_made_elsewhere_meanwhile_is_what_both_have(
    memory: Memory, other: Memory, place: str, file: Path
) -> None:
    meet(place, memory)
    Importing(other).file(file)
    other.undo()
    memory.edit(1, text="Decimal, always.")
    meet(place, other, memory)
    assert says(memory) == says(other) and "Decimal, always." in [row[1] for row in says(other)]


def test_what_another_masked_meanwhile_is_in_no_version_of_an_import_that_was_taken_back(
    memory: Memory, other: Memory, place: str, file: Path
) -> None:
    Importing(other).file(file)
    meet(place, other, memory)
    other.undo()
    with memory.store.transaction() as connection:
        version = connection.execute("SELECT version_id FROM memories WHERE id = 1").fetchone()[0]
        tombs.masked(connection, memory.store.device, [version])
        connection.execute("UPDATE versions SET text = 'Masked.' WHERE id = ?", (version,))
    meet(place, memory, other)
    kept = {row[0] for row in other.store.rows("SELECT text FROM versions")}
    assert "Never float 0." not in kept and "Masked." in kept


def test_what_was_made_here_and_taken_back_is_in_the_others_trash(memory: Memory, other: Memory, place: str) -> None:
    made = memory.add(title="Made here")
    meet(place, memory, other)
    memory.undo()
    meet(place, memory)
    done = other.syncing.sync(place)
    assert (done.trashed, done.changed) == ([the(other, "Made here")],) * 2
    assert trash(other) == ["Made here"] and trash(memory) == []
    memory.redo()
    meet(place, memory, other)
    assert says(memory) == says(other) and the(memory, "Made here") == made and trash(other) == []


def test_it_is_there_with_the_text_that_was_edited_meanwhile_and_restoring_brings_it_to_both(
    memory: Memory, other: Memory, place: str
) -> None:
    memory.add(title="Made here")
    meet(place, memory, other)
    memory.undo()
    other.edit(the(other, "Made here"), text="Edited there.")
    meet(place, memory, other)
    assert trash(memory) == trash(other) == ["Made here"]
    other.restore(the(other, "Made here"))
    meet(place, other, memory)
    assert says(memory) == says(other) and "Edited there." in [row[1] for row in says(memory)]


def test_a_merge_that_is_taken_back_leaves_its_originals(memory: Memory, other: Memory, place: str) -> None:
    merged = memory.merge([1, 2])
    meet(place, memory, other)
    title = memory.get(merged)[0].title
    memory.undo()
    meet(place, memory, other)
    assert says(memory) == says(other) and len(says(other)) == 3 and trash(other) == [title]


def test_what_nobody_was_told_of_is_not_told_of_when_it_was_taken_back(
    memory: Memory, other: Memory, place: str
) -> None:
    meet(place, memory, other)
    memory.add(title="Made here")
    memory.undo()
    assert memory.syncing.sync(place).sent == 0


def test_the_command_says_what_went_to_the_trash(
    memory: Memory, other: Memory, shell: Shell, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    meet(place, memory, other)
    memory.delete([1, 2])
    memory.pin(3)
    memory.syncing.sync(place)
    monkeypatch.setenv("TUI_MEMORY_HOME", str(other.home))
    other.close()
    assert "received 1 changed, 2 to the trash\n" in shell("sync", place).out


def test_a_conflict_is_shown_by_the_command_that_the_sync_names(
    memory: Memory, other: Memory, shell: Shell, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever one stands: here in the folder of another project."""
    projects.find_or_add(memory.store, "orderly")
    memory.edit(1, project="orderly")
    meet(place, memory, other)
    memory.edit(1, text="Decimal with two places.")
    other.edit(the(other, RULE), text="Decimal with four places.")
    memory.syncing.sync(place)
    other.close()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("TUI_MEMORY_HOME", str(other.home))
    command = shell("sync", place).out.partition("`tui-memory ")[2].partition("`")[0]
    assert RULE in shell(*command.split()).out


def test_what_is_in_the_trash_is_called_a_conflict_when_it_is_restored(
    memory: Memory, other: Memory, place: str
) -> None:
    meet(place, memory, other)
    memory.edit(1, text="Decimal with two places.")
    other.edit(the(other, RULE), text="Decimal with four places.")
    other.delete(the(other, RULE))
    memory.syncing.sync(place)
    for one in (other, memory):
        assert one.syncing.sync(place).conflicts == 0 and one.auditing.cases("conflict") == []
    memory.restore(1)
    assert len(memory.auditing.cases("conflict")) == 1


def test_an_undo_that_a_sync_is_in_the_way_of_names_what_takes_the_sync_back(
    memory: Memory, other: Memory, place: str
) -> None:
    meet(place, memory, other)
    other.delete([the(other, row.title) for row in other.memories()])
    meet(place, other, memory)
    with pytest.raises(ConflictError, match=r"undo --entry \d+` takes back its sync") as refused:
        memory.undo()
    entry = int(str(refused.value).partition("--entry ")[2].partition("`")[0])
    assert len(memory.undo(entry=entry)) == 3 and len(says(memory)) == 3


def test_what_an_older_version_tells_as_undone_goes_to_the_trash(memory: Memory, other: Memory, place: str) -> None:
    meet(place, memory, other)
    memory.delete(1)
    memory.syncing.sync(place)
    (told,) = [one for one in records(Path(place), "memory") if one["standing"][1] == "trash"]
    receiving = sync_in.Receiving(other.store, 1)
    with other.store.transaction():
        told["standing"][1] = "undone"
        receiving.begin([told])
        receiving.memories([told])
    assert len(receiving.taken.trashed) == 1 and trash(other) == [RULE]
