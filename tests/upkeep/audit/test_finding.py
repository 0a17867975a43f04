"""Cases are found as memories come, ranked by risk, each once; what changes is looked at again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from tests.upkeep.audit.cases import MAKE, SECRET, add, age, every_family, leak, pair
from tui_memory import Memory
from tui_memory.errors import NotFoundError
from tui_memory.model import Filters
from tui_memory.store import audit_cases, pairs
from tui_memory.upkeep.audit import families, finding


def listed(memory: Memory) -> list[tuple[str, list[int]]]:
    """Family and memories of every open case."""
    return [(case.family, case.memories) for case in memory.auditing.cases()]


def test_every_family_is_found_and_ranked_as_the_design_names_them(memory: Memory) -> None:
    made = every_family(memory)
    found = memory.auditing.cases()
    assert [(case.family, case.memories) for case in found] == list(made.items())
    assert [case.risk for case in found] == sorted((case.risk for case in found), reverse=True)
    assert all(case.evidence["says"] and case.proposed in case.actions for case in found)
    assert {case.family for case in found if case.actions[0] != case.proposed} == {"stale"}  # its file was only renamed
    assert memory.auditing.overview().counts == dict.fromkeys(families.NAMES, 1)


@pytest.mark.parametrize("family", MAKE)
def test_a_family_alone(memory: Memory, family: str) -> None:
    made = MAKE[family](memory)
    assert listed(memory) == [(family, made)]
    assert [case.memories for case in memory.auditing.cases(family)] == [made]
    assert memory.auditing.cases(families.find(family).title.upper())[0].family == family


def test_nothing_is_found_where_all_is_well(memory: Memory) -> None:
    for number in range(20):
        add(memory, f"Decision number {number}", f"It was decided in sprint {number}.", facts=["it holds"])
    assert listed(memory) == []
    assert memory.auditing.overview().minutes == 0


def test_an_unknown_family_is_named_with_those_there_are(memory: Memory) -> None:
    with pytest.raises(NotFoundError, match="oversized"):
        memory.auditing.cases("colours")


def test_what_a_case_shows_never_holds_the_value(memory: Memory) -> None:
    add(memory, f"Key {SECRET}", SECRET, facts=[SECRET], labels=[SECRET], files=[f"keys/{SECRET} "], summary=SECRET)
    (case,) = memory.auditing.cases()
    assert case.family == "leak"
    assert SECRET not in str(case.public()) + str(case.rows)
    assert SECRET not in str(memory.auditing.titles(memory.auditing.queue()))


def test_todays_rules_find_what_older_ones_let_through(memory: Memory) -> None:
    add(memory, "How it signs in", "It signs in as orderly-access-1234 there.")
    assert listed(memory) == []
    with memory.store.transaction() as connection:  # as an older program would have written it
        connection.execute("UPDATE versions SET text = ?", ("password = " + "hunter2" + "hunter2x",))
        connection.execute("UPDATE meta SET value = json_set(value, '$.code', 'older') WHERE key = 'rules'")
        connection.execute("DELETE FROM meta WHERE key = 'audited'")
    with Memory(memory.home, embedding="none", settings=memory.settings) as again:
        (case,) = again.auditing.cases()
        assert case.family == "leak" and case.evidence["kinds"]
        assert "hunter2" not in str(case.public()) + str(case.rows)


def test_a_text_is_looked_through_once_and_in_slices(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "BATCH", 2)
    for _ in range(5):
        leak(memory)
    told: list[tuple[int, int]] = []
    first = memory.auditing.look(seconds=0.0)
    assert (first.done, first.finished) == (2, False) and finding.is_behind(memory.store)
    rest = memory.auditing.look(on_progress=lambda done, total: told.append((done, total)))
    assert (rest.done, rest.finished) == (3, True)
    assert told == [(5, 10), (10, 10), (2, 3), (3, 3)]  # the pairs, then what was left of the texts
    assert memory.auditing.look().done == 0 and not finding.is_behind(memory.store)
    assert len(memory.auditing.queue("leak")) == 5


def test_a_look_that_is_cancelled_goes_on_where_it_was(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "BATCH", 1)
    for _ in range(3):
        leak(memory)
    assert not memory.auditing.look(cancelled=lambda: True).finished
    with Memory(memory.home, embedding="none", settings=memory.settings) as other:  # another process
        assert other.auditing.look().done == 2
    assert len(memory.auditing.queue("leak")) == 3


def test_other_rules_mean_looking_at_every_text_again(memory: Memory) -> None:
    leak(memory)
    finding.look(memory.store, "monday's")
    assert finding.look(memory.store, "monday's").done == 0
    assert finding.look(memory.store, "tuesday's").done == 1
    assert len(memory.auditing.queue()) == 1


def test_a_changed_memory_is_no_case_until_it_was_looked_at_again(memory: Memory) -> None:
    (number,) = leak(memory)
    memory.auditing.look()
    memory.edit(number, text=f"Now it is {SECRET} twice: {SECRET}.")
    assert memory.auditing.queue() == []
    assert listed(memory) == [("leak", [number])]
    memory.edit(number, text="Nothing of it is left.")
    assert listed(memory) == []
    memory.undo()
    assert listed(memory) == [("leak", [number])]


def test_what_is_in_the_trash_is_no_case(memory: Memory) -> None:
    made = every_family(memory)
    memory.auditing.look()
    memory.delete([number for ids in made.values() for number in ids])
    assert listed(memory) == []


def test_a_proposal_that_does_not_stand_any_more_is_no_case(memory: Memory) -> None:
    first, second = MAKE["duplicate"](memory)
    assert listed(memory) == [("duplicate", [first, second])]
    pairs.put(memory.store, [], [first])
    assert listed(memory) == []


def test_families_without_urgency_are_a_weeks_worth(memory: Memory) -> None:
    for number in range(finding.A_WEEK + 5):
        age(memory, add(memory, f"The host number {number} was renamed once"))
    found = memory.auditing.cases("unused")
    assert len(found) == finding.A_WEEK
    memory.auditing.settle(found[0].id, "keep")
    kept = {tuple(case.memories) for case in memory.auditing.cases("unused")}
    assert len(kept) == finding.A_WEEK and tuple(found[0].memories) not in kept


def test_what_is_used_or_pinned_is_not_unused(memory: Memory) -> None:
    first, second = MAKE["unused"](memory), MAKE["unused"](memory)
    memory.auditing.look()
    memory.fetch(first)
    memory.pin(second)
    assert memory.auditing.cases("unused") == []


def test_filters_choose_cases_by_their_memories(memory: Memory) -> None:
    leak(memory)
    assert memory.auditing.cases(filters=Filters(project="orderly"))
    memory.add(title="Elsewhere", text="x", project="elsewhere", embed=False)
    assert memory.auditing.cases(filters=Filters(project="elsewhere")) == []
    assert memory.auditing.overview(Filters(project="elsewhere")).open == 0


def test_cases_go_with_what_is_purged_and_with_them_the_saved_reports(memory: Memory) -> None:
    first, second = MAKE["contradiction"](memory)
    memory.auditing.look()
    place = memory.auditing.save_report()
    assert place.stat().st_mode & 0o777 == 0o600
    memory.purge(ids=[second], yes=True)
    assert memory.store.rows("SELECT * FROM audit_cases") == []
    assert not place.exists()
    assert memory.get(first)[0].id == first


def test_a_scrub_leaves_cases_alone(memory: Memory) -> None:
    every_family(memory)
    memory.auditing.look()
    before = [tuple(row) for row in memory.store.rows("SELECT * FROM audit_cases")]
    memory.scrub()
    assert [tuple(row) for row in memory.store.rows("SELECT * FROM audit_cases")] == before


def test_a_pair_of_a_purged_memory_is_left_out_of_what_is_read(memory: Memory) -> None:
    first = add(memory, "One thing")
    second = add(memory, "Another thing")
    pair(memory, first, second, contradicts=False, score=0.9)
    memory.auditing.look()
    (row,) = memory.auditing.queue()
    assert audit_cases.get(memory.store, row.id).memories == [first, second]
    memory.purge(ids=[first], yes=True)
    with pytest.raises(NotFoundError):
        memory.auditing.case(row.id)


@pytest.mark.parametrize("family", MAKE)
def test_what_is_purged_while_it_is_looked_at_is_no_case(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    made = MAKE[family](memory)
    memory.upkeep.refresh()
    transaction, left = memory.store.transaction, [made]

    def later() -> AbstractContextManager[sqlite3.Connection]:
        if left:
            with Memory(memory.home, embedding="none", settings=memory.settings) as other:
                other.purge(ids=left.pop(), yes=True, expect=len(made))
        return transaction()

    monkeypatch.setattr(memory.store, "transaction", later)
    finding.look(memory.store, "rules")
    assert not left and memory.store.rows("SELECT * FROM audit_cases") == []


@pytest.mark.parametrize("asked", ["keep_up", "look", "overview", "queue", "cases", "refresh", "doctor"])
def test_what_finds_nothing_new_commits_nothing(memory: Memory, asked: str) -> None:
    """Whoever watches the store would ask again at each commit, and so without an end."""
    deeds: dict[str, Callable[[], object]] = {
        "keep_up": lambda: memory.auditing.keep_up(5), "look": memory.auditing.look,
        "overview": memory.auditing.overview, "queue": memory.auditing.queue, "cases": memory.auditing.cases,
        "refresh": memory.upkeep.refresh, "doctor": memory.doctor,
    }  # fmt: skip
    every_family(memory)
    deeds[asked]()
    with Memory(memory.home, embedding="none") as watching:
        before = memory.change_stamp(), watching.change_stamp()
        deeds[asked]()
        assert (memory.change_stamp(), watching.change_stamp()) == before
