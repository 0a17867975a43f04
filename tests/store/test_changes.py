"""Changes to memories, and what the journal makes of them: undo, redo, history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tui_memory.clock import now_ms
from tui_memory.errors import ConflictError, NotFoundError, RefusedError, UsageError
from tui_memory.model import Body, Entry, Filters, MadeBy, Memory, MemoryState, NewMemory
from tui_memory.store import journal, memories
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

Add = Callable[..., int]


def one(store: Store, id_: int) -> Memory:
    return memories.get(store, [id_])[0]


def titles(store: Store, state: str = "active") -> set[str]:
    return {memory.title for memory in memories.page(store, state=state)}


def actions(entries: list[Entry]) -> list[tuple[str, int]]:
    return [(entry.action, entry.memory) for entry in entries]


def test_a_memory_comes_back_as_it_was_given(store: Store, changes: Changes) -> None:
    body = Body(
        "Title",
        "summary",
        "text",
        ["fact"],
        "semantic",
        "decision",
        ["a", "b", "a"],
        ["src/x.py"],
        MadeBy("ollama", "m", 3),
    )
    (id_,) = changes.add([NewMemory(body, branch="main", created=5)])
    found = one(store, id_)
    assert (found.title, found.summary, found.text, found.facts) == ("Title", "summary", "text", ["fact"])
    assert (found.tier, found.kind, found.labels, found.files) == ("semantic", "decision", ["a", "b"], ["src/x.py"])
    assert (found.made_by, found.branch, found.created, found.state) == (MadeBy("ollama", "m", 3), "main", 5, "active")
    assert found.tokens > 0


def test_text_that_sqlite_cannot_hold_is_mended(store: Store, add: Add) -> None:
    found = one(store, add("bad \ud800 half", text="nul \0 here", labels=["\udfff"], facts=["\ud83d\ude00"]))
    assert (found.title, found.text, found.labels, found.facts) == (
        "bad \ufffd half",
        "nul \ufffd here",
        ["\ufffd"],
        ["😀"],
    )


def test_an_edit_is_a_version_of_its_own(store: Store, changes: Changes, add: Add) -> None:
    id_ = add("old", labels=["x"], files=["a.py"])
    first = one(store, id_).version
    changes.edit(id_, Body("new", labels=["y"]))
    assert (one(store, id_).title, one(store, id_).labels, one(store, id_).files) == ("new", ["y"], [])
    assert [memory.id for memory in memories.page(store, Filters(label=("y",)))] == [id_]
    assert memories.page(store, Filters(label=("x",))) == []
    changes.undo()
    assert one(store, id_).version == first
    assert [memory.id for memory in memories.page(store, Filters(path=("a.py",)))] == [id_]


def test_an_edit_that_says_the_same_is_none(store: Store, changes: Changes, add: Add) -> None:
    id_ = add("same", text="text")
    changes.edit(id_, Body("same", text="text"))
    changes.pin(id_, False)
    assert actions(changes.history()) == [("add", id_)]


def test_an_edit_of_what_someone_else_edited_is_refused(store: Store, changes: Changes, add: Add) -> None:
    id_ = add("first")
    seen = one(store, id_).version
    Changes(store, "agent:codex").edit(id_, Body("second"))
    with pytest.raises(ConflictError, match="edited since you opened it"):
        changes.edit(id_, Body("third"), base=seen)
    assert one(store, id_).title == "second"


def test_project_and_branch_can_change_alone(store: Store, changes: Changes, add: Add) -> None:
    with store.transaction() as connection:
        connection.execute("INSERT INTO projects (id, uid, name, created) VALUES (7, 'u', 'orderly', 1)")
    id_ = add("a", project_id=7)
    version = one(store, id_).version
    changes.edit(id_, branch="main")
    assert (one(store, id_).project, one(store, id_).branch) == ("orderly", "main")
    changes.edit(id_, project_id=None)
    assert (one(store, id_).project, one(store, id_).version) == (None, version)


def test_delete_is_trash_and_restore_brings_back(store: Store, changes: Changes, add: Add) -> None:
    id_ = add("a")
    changes.set_state([id_], MemoryState.TRASH, "delete")
    assert (titles(store), titles(store, "trash")) == (set(), {"a"})
    changes.set_state([id_], MemoryState.ACTIVE, "restore")
    assert titles(store) == {"a"}


def test_what_was_replaced_comes_back_from_the_trash_as_replaced(store: Store, changes: Changes, add: Add) -> None:
    old, new = add("old"), add("new")
    changes.supersede(old, new)
    changes.set_state([old], MemoryState.TRASH, "delete")
    changes.set_state([old], MemoryState.ACTIVE, "restore")
    assert (one(store, old).state, one(store, old).superseded_by) == ("superseded", new)
    changes.set_state([old], MemoryState.ACTIVE, "restore")
    assert (one(store, old).state, one(store, old).superseded_by) == ("active", None)


def test_nothing_replaces_itself_or_what_replaced_it(changes: Changes, add: Add) -> None:
    old, new = add("old"), add("new")
    with pytest.raises(UsageError):
        changes.supersede(old, old)
    changes.supersede(old, new)
    with pytest.raises(RefusedError):
        changes.supersede(new, old)


def test_what_does_not_exist_is_named(changes: Changes, add: Add) -> None:
    id_ = add("a")
    with pytest.raises(NotFoundError, match="#99"):
        changes.set_state([id_, 99], MemoryState.TRASH, "delete")
    assert actions(changes.history()) == [("add", id_)]


class TestMerge:
    def test_it_takes_over_sources_uses_pin_and_the_earliest_time(
        self, store: Store, changes: Changes, add: Add
    ) -> None:
        first, second = add("first", created=100), add("second", created=50)
        changes.pin(first)
        with store.transaction() as connection:
            connection.execute("UPDATE memories SET uses = id, last_used = id")
        merged = changes.merge([first, second], Body("both"))
        found = one(store, merged)
        assert (found.merged_from, found.uses, found.last_used) == ([first, second], first + second, second)
        assert (found.pinned, found.created, found.made_by.route) == (True, 50, "merge")
        assert {one(store, id_).state for id_ in (first, second)} == {"merged"}
        assert titles(store) == {"both"}

    def test_undo_is_one_step_and_redo_gives_the_same_id(self, store: Store, changes: Changes, add: Add) -> None:
        first, second = add("first"), add("second")
        before = memories.get(store, [first, second])
        merged = changes.merge([first, second], Body("both"))
        changes.undo()
        assert memories.get(store, [first, second]) == before
        assert titles(store, "all") == {"first", "second"}
        with pytest.raises(NotFoundError):
            memories.get(store, [merged])
        changes.redo()
        assert (titles(store), one(store, merged).merged_from) == ({"both"}, [first, second])

    def test_split_gives_the_originals_back_and_can_be_undone(self, store: Store, changes: Changes, add: Add) -> None:
        active, held = add("active"), add("held", state=MemoryState.HELD)
        merged = changes.merge([active, held], Body("both"))
        changes.pin(merged)
        assert changes.split(merged) == [active, held]
        assert [one(store, id_).state for id_ in (active, held, merged)] == ["active", "held", "trash"]
        assert one(store, merged).merged_from == []
        changes.undo()
        assert [one(store, id_).state for id_ in (active, held, merged)] == ["merged", "merged", "active"]

    def test_split_gives_back_what_a_limit_put_away_and_leaves_what_somebody_deleted(
        self, store: Store, changes: Changes, add: Add
    ) -> None:
        evicted, deleted = add("evicted"), add("deleted")
        merged = changes.merge([evicted, deleted], Body("both"))
        Changes(store, "upkeep").set_state([evicted], MemoryState.TRASH, "evict")
        changes.set_state([deleted], MemoryState.TRASH, "delete")
        assert changes.split(merged) == [evicted]
        assert [one(store, id_).state for id_ in (evicted, deleted, merged)] == ["active", "trash", "trash"]
        changes.set_state([deleted], MemoryState.ACTIVE, "restore")
        assert one(store, deleted).state == "active"  # not merged into what is in the trash

    def test_it_is_not_split_into_nothing(self, store: Store, changes: Changes, add: Add) -> None:
        first, second = add("first"), add("second")
        merged = changes.merge([first, second], Body("both"))
        changes.set_state([first, second], MemoryState.TRASH, "delete")
        with pytest.raises(ConflictError, match=f"in the trash. Nothing was changed; restore #{first}, #{second}"):
            changes.split(merged)
        assert one(store, merged).state == "active"

    def test_split_gives_them_back_exactly_after_the_merged_one_was_edited_and_undone(
        self, store: Store, changes: Changes, add: Add
    ) -> None:
        first, second = add("first", text="one", labels=["x"], files=["a.py"]), add("second", facts=["two"])
        changes.pin(first)
        before = memories.get(store, [first, second])
        merged = changes.merge([first, second], Body("both"))
        changes.edit(merged, Body("edited"))
        changes.undo()
        changes.edit(merged, Body("edited again"))
        changes.split(merged)
        after = memories.get(store, [first, second])
        assert [replace(row, updated=0) for row in after] == [replace(row, updated=0) for row in before]

    def test_what_comes_out_of_the_trash_is_merged_only_into_what_is_there(
        self, store: Store, changes: Changes, add: Add
    ) -> None:
        first, second = add("first"), add("second")
        merged = changes.merge([first, second], Body("both"))
        for id_ in (first, second, merged):
            changes.set_state([id_], MemoryState.TRASH, "delete")
        changes.set_state([first], MemoryState.ACTIVE, "restore")
        changes.set_state([merged], MemoryState.ACTIVE, "restore")
        changes.set_state([second], MemoryState.ACTIVE, "restore")
        assert [one(store, id_).state for id_ in (first, merged, second)] == ["active", "active", "merged"]

    def test_an_edit_that_came_after_the_preview_is_not_left_out(
        self, store: Store, changes: Changes, add: Add
    ) -> None:
        first, second = add("first"), add("second")
        read = {row.id: row.version for row in memories.get(store, [first, second])}
        Changes(store, "agent:codex").edit(first, Body("first, corrected"))
        with pytest.raises(ConflictError, match=f"#{first} has been edited since.*Nothing was changed"):
            changes.merge([first, second], Body("both"), base=read)
        assert titles(store) == {"first, corrected", "second"}

    def test_it_wants_two_that_are_there_and_of_one_project(self, store: Store, changes: Changes, add: Add) -> None:
        with store.transaction() as connection:
            connection.execute("INSERT INTO projects (id, uid, name, created) VALUES (7, 'u', 'orderly', 1)")
        here, everywhere = add("here", project_id=7), add("everywhere")
        with pytest.raises(UsageError):
            changes.merge([here, here], Body("both"))
        with pytest.raises(RefusedError, match="several projects"):
            changes.merge([here, everywhere], Body("both"))
        merged = changes.merge([here, everywhere], Body("both"), project_id=7)
        assert one(store, merged).project == "orderly"
        with pytest.raises(RefusedError, match="state merged"):
            changes.merge([here, merged], Body("again"), project_id=7)

    def test_only_a_merge_can_be_split(self, changes: Changes, add: Add) -> None:
        with pytest.raises(UsageError, match="not made by a merge"):
            changes.split(add("a"))


class TestUndo:
    def test_an_undone_creation_is_in_no_list_and_redo_gives_the_same_id(
        self, store: Store, changes: Changes, add: Add
    ) -> None:
        id_ = add("a")
        assert actions(changes.undo()) == [("add", id_)]
        assert memories.count(store, state="all") == 0
        with pytest.raises(NotFoundError):
            memories.resolve(store, id_)
        with pytest.raises(NotFoundError, match="taken back"):
            changes.pin(id_)
        changes.redo()
        assert one(store, id_).title == "a"

    def test_it_goes_back_group_by_group(self, store: Store, changes: Changes, add: Add) -> None:
        a, b = add("a"), add("b")
        changes.set_state([a, b], MemoryState.TRASH, "delete")
        changes.pin(a)
        assert actions(changes.undo(2)) == [("pin", a), ("delete", a), ("delete", b)]
        assert (titles(store), one(store, a).pinned) == ({"a", "b"}, False)
        assert actions(changes.redo(2)) == [("delete", a), ("delete", b), ("pin", a)]

    def test_more_than_there_is_takes_back_what_there_is(self, changes: Changes, add: Add) -> None:
        id_ = add("a")
        assert actions(changes.undo(5)) == [("add", id_)]
        assert changes.undo() == []

    def test_it_works_across_processes_and_restarts(self, tmp_path: Path) -> None:
        for step in ("add", "undo", "redo"):
            with Store(tmp_path / "s") as store:
                changes = Changes(store)
                done = changes.add([NewMemory(Body("a"))]) if step == "add" else getattr(changes, step)()
                assert done
        with Store(tmp_path / "s") as store:
            assert titles(store) == {"a"}

    def test_a_new_change_by_a_person_ends_what_redo_could_bring(
        self, store: Store, changes: Changes, add: Add
    ) -> None:
        id_ = add("a")
        changes.pin(id_)
        changes.undo()
        Changes(store, "worker").add([NewMemory(Body("by the worker"))])
        assert actions(changes.redo()) == [("pin", id_)]
        changes.undo()
        add("b")
        assert changes.redo() == []

    def test_only_what_a_person_did_is_taken_back(self, store: Store, changes: Changes, add: Add) -> None:
        mine = add("mine")
        Changes(store, "agent:codex").pin(mine)
        theirs = Changes(store, "upkeep").add([NewMemory(Body("theirs"))])[0]
        with pytest.raises(ConflictError):
            changes.undo()
        Changes(store, "agent:codex").pin(mine, False)
        assert actions(changes.undo()) == [("add", mine)]
        assert titles(store) == {"theirs"}
        entry = changes.history(theirs)[0]
        assert actions(changes.undo(entry=entry.id)) == [("add", theirs)]

    def test_a_conflict_shows_both_and_changes_nothing(self, store: Store, changes: Changes, add: Add) -> None:
        id_ = add("first")
        changes.edit(id_, Body("mine"))
        Changes(store, "agent:codex").edit(id_, Body("theirs"))
        with pytest.raises(ConflictError, match=r"(?s)Nothing was changed.*“mine”.*“theirs”"):
            changes.undo()
        assert one(store, id_).title == "theirs"
        assert [entry.action for entry in changes.history()] == ["edit", "edit", "add"]

    def test_a_conflict_further_back_changes_nothing_either(self, store: Store, changes: Changes, add: Add) -> None:
        contested, free = add("contested"), add("free")
        changes.pin(contested)
        changes.pin(free)
        Changes(store, "upkeep").set_state([contested], MemoryState.TRASH, "evict")
        with pytest.raises(ConflictError):
            changes.undo(2)
        assert one(store, free).pinned

    def test_an_entry_by_its_id_and_the_entry_of_that_undo(self, store: Store, changes: Changes, add: Add) -> None:
        first, second = add("first"), add("second")
        changes.pin(first)
        changes.pin(second)
        changes.undo(entry=changes.history(first)[0].id)
        assert [one(store, id_).pinned for id_ in (first, second)] == [False, True]
        undone = changes.history(first)[0]
        assert undone.action == "undo"
        changes.undo(entry=undone.id)
        assert one(store, first).pinned

    def test_the_same_twice_is_refused(self, changes: Changes, add: Add) -> None:
        entry = changes.history(add("a"))[0]
        changes.undo(entry=entry.id)
        with pytest.raises(ConflictError, match="taken back already"):
            changes.undo(entry=entry.id)
        with pytest.raises(NotFoundError):
            changes.undo(entry=999)

    def test_it_says_where_the_text_was_purged(self, store: Store, changes: Changes, add: Add) -> None:
        id_ = add("first")
        old = one(store, id_).version
        changes.edit(id_, Body("second"))
        with store.transaction() as connection:
            connection.execute("DELETE FROM versions WHERE id = ?", (old,))
        with pytest.raises(ConflictError, match="as far back as undo reaches"):
            changes.undo()
        with store.transaction() as connection:
            connection.execute("DELETE FROM memories WHERE id = ?", (id_,))
        with pytest.raises(ConflictError, match="Nothing brings back the edit of #1, the add of #1"):
            changes.undo()


class TestJournal:
    def test_an_entry_says_who_when_what_before_and_after(self, store: Store, changes: Changes, add: Add) -> None:
        id_ = add("a")
        Changes(store, "agent:codex").pin(id_)
        pinned, added = changes.history(id_)
        assert (pinned.actor, pinned.action, pinned.title, pinned.undone) == ("agent:codex", "pin", "a", False)
        assert pinned.before and pinned.after
        assert (pinned.before["pinned"], pinned.after["pinned"]) == (0, 1)
        assert (added.actor, added.before, abs(added.time - now_ms()) < 60_000) == ("person", None, True)

    def test_several_changes_can_be_one_group(self, store: Store, changes: Changes, add: Add) -> None:
        id_ = add("a")
        with changes.group("tidy"):
            changes.pin(id_)
            changes.edit(id_, Body("b"))
        assert actions(changes.undo()) == [("tidy", id_), ("tidy", id_)]
        assert (one(store, id_).title, one(store, id_).pinned) == ("a", False)

    def test_a_group_that_fails_leaves_nothing(self, store: Store, changes: Changes, add: Add) -> None:
        id_ = add("a")
        with pytest.raises(NotFoundError), changes.group("tidy"):
            changes.pin(id_)
            changes.pin(99)
        assert (one(store, id_).pinned, len(changes.history())) == (False, 1)
        changes.pin(id_)
        assert changes.history()[0].action == "pin"

    def test_the_clock_never_goes_back(self, store: Store, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
        for moment in (5_000, 1_000, 1_000, 6_000):
            monkeypatch.setattr(journal, "now_ms", lambda moment=moment: moment)
            add(str(moment))
        rows = store.rows("SELECT clock, device FROM journal_groups ORDER BY id")
        clocks = [row[0] for row in rows]
        assert clocks == sorted(set(clocks))
        assert clocks[-1].endswith("6000-000000")
        assert {row[1] for row in rows} == {store.device}
