"""What undo reaches: what was purged is passed over with a sentence, and where it stops the next change is named."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tui_memory.errors import ConflictError
from tui_memory.model import Body, MemoryState, NewMemory
from tui_memory.store import ageing, memories, purging, reach
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store
from tui_memory.store.purging import Scope

Add = Callable[..., int]


def purge(store: Store, *ids: int, actor: str = "person") -> None:
    scope = Scope(ids=ids)
    purging.purge(store, scope, purging.plan(store.connection, scope), actor, lambda _: None)


def states(store: Store, *ids: int) -> list[str]:
    return [row.state for row in memories.get(store, list(ids))]


def test_a_purge_is_passed_over_with_all_that_was_done_to_what_is_gone(
    store: Store, changes: Changes, add: Add
) -> None:
    gone, stays = add("gone"), add("stays")
    changes.pin(stays)
    changes.edit(gone, Body("still gone"))
    purge(store, gone)
    done = changes.undo()
    assert [(entry.action, entry.memory) for entry in done] == [("pin", stays)]
    assert done.skipped == [f"Passed over, for nothing brings it back: the purge of #{gone}, the edit of #{gone}."]
    again = changes.undo()
    assert [entry.action for entry in again] == ["add"] and again.skipped == []  # it was said


def test_several_steps_name_all_that_lies_between_them(store: Store, changes: Changes, add: Add) -> None:
    ids = [add(f"m{n}") for n in range(6)]
    changes.pin(ids[0])
    for id_ in ids[1:5]:
        purge(store, id_)
    changes.pin(ids[5])
    done = changes.undo(2)
    assert [entry.memory for entry in done] == [ids[5], ids[0]]
    assert done.skipped == [
        "Passed over, for nothing brings it back: the purge of #5, the purge of #4, the purge of #3 and 1 more."
    ]


def test_of_a_change_that_was_purged_in_part_the_rest_is_taken_back(store: Store, changes: Changes, add: Add) -> None:
    gone, stays = add("gone"), add("stays")
    changes.set_state([gone, stays], MemoryState.TRASH, "delete")
    purge(store, gone)
    done = changes.undo()
    assert states(store, stays) == ["active"] and [entry.memory for entry in done] == [stays]
    assert done.skipped[-1] == f"#{gone}: purged since, and stays gone."
    assert [entry.memory for entry in changes.redo()] == [stays] and states(store, stays) == ["trash"]


def test_nothing_but_what_is_gone_is_a_refusal_that_names_it(store: Store, changes: Changes, add: Add) -> None:
    purge(store, add("gone"))
    with pytest.raises(ConflictError, match=r"Nothing brings back the purge of #1, the add of #1.*Nothing was changed"):
        changes.undo()
    assert changes.redo() == []


def test_what_replaced_it_being_purged_is_no_change_of_what_was_replaced(
    store: Store, changes: Changes, add: Add
) -> None:
    old, new = add("old"), add("new")
    changes.supersede(old, new)
    purge(store, new)
    assert [entry.action for entry in changes.undo()] == ["supersede"] and states(store, old) == ["active"]
    changes.redo()
    assert states(store, old) == ["superseded"]
    assert memories.get(store, [old])[0].superseded_by is None


class TestAMergeOfWhichSomethingIsGoneForGood:
    """Limits put originals into the trash before what they became, and delete them when their days are over."""

    @pytest.fixture
    def merged(self, store: Store, changes: Changes, add: Add) -> tuple[int, int, int]:
        one, other = add("one"), add("other")
        return one, other, changes.merge([one, other], Body("both"))

    def test_undo_leaves_the_only_text_that_says_it(
        self, store: Store, changes: Changes, merged: tuple[int, int, int]
    ) -> None:
        one, other, made = merged
        ageing.delete(store, [one], lambda: [one])
        entry = changes.history(made)[-1]
        with pytest.raises(ConflictError, match=f"merge that made #{made} cannot be reversed: #{one} purged since"):
            changes.undo(entry=entry.id)
        assert states(store, other, made) == ["merged", "active"]
        ageing.delete(store, [other], lambda: [other])
        with pytest.raises(ConflictError, match=f"Nothing brings back the merge of #{made}, #{one}, #{other}"):
            changes.undo()
        assert states(store, made) == ["active"]

    def test_the_rest_of_its_group_is_taken_back(self, store: Store, changes: Changes, add: Add) -> None:
        ids = [add(f"m{n}") for n in range(4)]
        with changes.group("audit accept"):
            torn, whole = changes.merge(ids[:2], Body("both")), changes.merge(ids[2:], Body("both"))
        ageing.delete(store, [ids[0]], lambda: [ids[0]])
        done = changes.undo()
        assert states(store, torn, ids[2], ids[3]) == ["active"] * 3 and whole in {entry.memory for entry in done}
        assert f"#{torn}: without its originals it stays as it is." in done.skipped
        changes.redo()
        assert states(store, torn, whole, ids[2]) == ["active", "active", "merged"]

    def test_a_family_of_which_all_is_gone_is_passed_over_at_once(self, store: Store, changes: Changes) -> None:
        ids = changes.add([NewMemory(Body(f"m{n}")) for n in range(2_000)])
        with changes.group("audit accept"):
            for at in range(0, len(ids), 2):
                changes.merge(ids[at : at + 2], Body("both"))
        ageing.delete(store, ids, lambda: ids)
        began = time.process_time()
        assert reach.last_done(store.connection) is None
        assert time.process_time() - began < 1  # each beside each other one took three

    def test_redo_hides_nothing_in_what_is_no_more(
        self, store: Store, changes: Changes, merged: tuple[int, int, int]
    ) -> None:
        one, other, made = merged
        changes.undo()
        ageing.delete(store, [made], lambda: [made])
        assert changes.redo() == [] and states(store, one, other) == ["active", "active"]

    def test_split_says_so(self, store: Store, changes: Changes, merged: tuple[int, int, int]) -> None:
        one, other, made = merged
        ageing.delete(store, [one], lambda: [one])
        with pytest.raises(ConflictError, match=rf"#{made} cannot be taken apart: #{one}.*Nothing was changed"):
            changes.split(made)
        ageing.delete(store, [other], lambda: [other])
        ageing.drop_records(store, ageing.FOR_EVER)
        with pytest.raises(ConflictError, match=rf"#{one}, #{other}, which it was made of, are deleted"):
            changes.split(made)
        assert states(store, made) == ["active"]


def test_what_upkeep_deletes_by_itself_is_no_step_of_a_persons(store: Store, changes: Changes, add: Add) -> None:
    stays, gone = add("stays"), add("gone")
    changes.pin(stays)
    purge(store, gone, actor="upkeep")
    assert changes.undo().skipped == []
    assert not memories.get(store, [stays])[0].pinned


def test_where_a_text_is_no_longer_kept_the_change_before_is_named(store: Store, changes: Changes, add: Add) -> None:
    other, edited = add("other"), add("first")
    changes.pin(other)
    old = memories.get(store, [edited])[0].version
    changes.edit(edited, Body("second"))
    with store.transaction() as connection:
        connection.execute("DELETE FROM versions WHERE id = ?", (old,))
    pinned = next(entry for entry in changes.history() if entry.action == "pin")
    with pytest.raises(ConflictError, match=f"Before it comes the pin of #{other}.*--entry {pinned.id}"):
        changes.undo()
    assert [entry.action for entry in changes.undo(entry=pinned.id)] == ["pin"]


def test_what_comes_next_is_told_with_who_did_it(store: Store, changes: Changes, add: Add) -> None:
    first = add("first")
    changes.pin(first)
    here = changes.ahead()
    assert here is not None and here.here and [entry.action for entry in here.entries] == ["pin"]
    with Store(store.home) as other:
        Changes(other).set_state([first], MemoryState.TRASH, "delete")
        theirs = changes.ahead()
        assert theirs is not None and not theirs.here and theirs.entries[0].action == "delete"
        assert changes.ahead(again=True) is None
        Changes(other).undo()
        again = changes.ahead(again=True)
        assert again is not None and not again.here and again.entries[0].action == "delete"
        assert Changes(other).ahead(again=True).here  # type: ignore[union-attr]
    changes.undo(entry=again.entry)
    assert states(store, first) == ["trash"], "undoing an undo brings it again"
    done = changes.ahead()
    assert done is not None and done.here, "who brought it again did it"


def test_where_nothing_is_left_nothing_comes_next(store: Store, changes: Changes) -> None:
    assert changes.ahead() is None and changes.ahead(again=True) is None
