"""Settling: what each answer does, that it is one step of the journal, and when a case comes back."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.upkeep.audit.cases import DAY, MAKE, SECRET, add, age, every_family
from tui_memory import Memory
from tui_memory.clock import now_ms
from tui_memory.errors import ConflictError, NotFoundError, RefusedError, UsageError
from tui_memory.store import gone, pairs
from tui_memory.upkeep.audit import families

ANSWERS = [
    (family.name, action)
    for family in families.FAMILIES
    for action in (*family.actions, "snooze")
    if action not in families.FINAL
]


def only(memory: Memory) -> int:
    """The one open case."""
    (case,) = memory.auditing.cases()
    return case.id


def rows(memory: Memory) -> list[tuple[object, ...]]:
    """What of memories the journal keeps, whole."""
    sql = (
        "SELECT id, version_id, state, pinned, superseded_by, merged_into FROM memories WHERE state <> 'undone'"
        " ORDER BY id"
    )
    return [tuple(row) for row in memory.store.rows(sql)]


@pytest.mark.parametrize(("family", "action"), ANSWERS)
def test_every_answer_is_one_step_that_undo_takes_back_and_the_case_is_open_again(
    memory: Memory, family: str, action: str
) -> None:
    made = MAKE[family](memory)
    before, case = rows(memory), only(memory)
    done = memory.auditing.settle(case, action)
    assert done.action == f"audit {action}" and set(made[:1]) <= set(done.memories)
    assert case not in [one.id for one in memory.auditing.cases()]
    assert (rows(memory) == before) is (action in ("keep", "snooze"))
    taken = memory.undo()
    assert {entry.action for entry in taken} == {f"audit {action}"} and {entry.actor for entry in taken} == {"person"}
    assert rows(memory) == before and only(memory) == case
    memory.redo()
    assert case not in [one.id for one in memory.auditing.cases()]


STATES: dict[tuple[str, str], Callable[[Memory, list[int]], bool]] = {
    ("leak", "mask"): lambda m, ids: SECRET not in m.get(ids)[0].text and "[redacted:" in m.get(ids)[0].text,
    ("leak", "delete"): lambda m, ids: m.get(ids)[0].state == "trash",
    ("instructions", "restore"): lambda m, ids: m.get(ids)[0].state == "active",
    ("instructions", "keep"): lambda m, ids: m.get(ids)[0].state == "held",
    ("contradiction", "supersede"): lambda m, ids: m.get(ids)[0].superseded_by == ids[1],
    ("contradiction", "reverse"): lambda m, ids: m.get(ids)[1].superseded_by == ids[0],
    ("contradiction", "keep"): lambda m, ids: {one.state for one in m.get(ids)} == {"active"},
    ("duplicate", "merge"): lambda m, ids: (
        {one.state for one in m.get(ids)} == {"merged"}
        and sorted(m.get(ids[1] + 1)[0].facts) == ["the key stays", "two retries"]
    ),
    ("superseded", "restore"): lambda m, ids: m.get(ids)[0].state == "active",
    ("unused", "pin"): lambda m, ids: m.get(ids)[0].pinned,
    ("stale", "rename"): lambda m, ids: (
        "config/loader.py" not in f"{m.get(ids)[0].title} {m.get(ids)[0].text}"
        and m.get(ids)[0].text.startswith("config/reading.py reads")
    ),
    ("oversized", "shorten"): lambda m, ids: m.get(ids)[0].tokens < 600 and m.get(ids)[0].facts == ["thirty steps"],
}


@pytest.mark.parametrize(("family", "action"), STATES)
def test_what_an_answer_does(memory: Memory, family: str, action: str) -> None:
    made = MAKE[family](memory)
    memory.auditing.settle(only(memory), action)
    assert STATES[family, action](memory, made)


@pytest.mark.parametrize("family", families.NAMES)
def test_accept_is_what_is_proposed_and_reject_keeps(memory: Memory, family: str) -> None:
    MAKE[family](memory)
    case = only(memory)
    assert memory.auditing.settle(case, "reject").action == "audit keep"
    memory.undo()
    proposed = "rename" if family == "stale" else families.find(family).proposed
    assert memory.auditing.case(case).proposed == proposed
    assert memory.auditing.settle(case, "accept").action == f"audit {proposed}"


def test_a_name_without_a_new_one_is_a_reason_to_delete_and_none_to_rename(memory: Memory) -> None:
    (number,) = MAKE["stale"](memory)
    version = memory.get(number)[0].version
    rows_ = [gone.GoneRow(number, version, name, 0, to, "77ab") for name, to in (("a.py", "b.py"), ("c.py", None))]
    gone.put(memory.store, rows_, [number])
    (case,) = memory.auditing.cases()
    assert case.proposed == "delete"
    gone.put(memory.store, rows_[1:], [number])
    with pytest.raises(RefusedError, match=f"Nothing that #{number} names is called otherwise.*Nothing was changed"):
        memory.auditing.settle(only(memory), "rename")


def test_what_was_settled_stays_settled_until_the_evidence_changes(memory: Memory) -> None:
    (number,) = MAKE["oversized"](memory)
    memory.auditing.settle(only(memory), "keep")
    memory.edit(number, labels=["migration"])
    assert memory.auditing.cases() == []
    with Memory(memory.home, embedding="none", settings=memory.settings) as other:
        assert other.auditing.cases() == []
    memory.edit(number, text=memory.get(number)[0].text + "\n\nAnd a step more.")
    assert [case.family for case in memory.auditing.cases()] == ["oversized"]


def test_a_snoozed_case_sleeps_and_wakes(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    MAKE["leak"](memory)
    case = only(memory)
    memory.auditing.settle(case, "snooze", until=now_ms() + 3 * DAY)
    assert memory.auditing.cases() == []
    (asleep,) = memory.auditing.cases(snoozed=True)
    assert (asleep.id, asleep.state) == (case, "snoozed") and asleep.public()["until"]
    later = now_ms() + 4 * DAY
    monkeypatch.setattr("tui_memory.store.audit_cases.now_ms", lambda: later)
    assert only(memory) == case and memory.auditing.cases(snoozed=True) == []


@pytest.mark.parametrize("answer", ["keep", "snooze"])
@pytest.mark.parametrize("family", ["stale", "duplicate", "contradiction"])
def test_an_answer_taken_back_or_a_sleep_that_is_over_does_not_outlive_the_evidence(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, family: str, answer: str
) -> None:
    made = MAKE[family](memory)
    memory.auditing.settle(only(memory), answer)
    if answer == "keep":
        memory.undo()
    gone.put(memory.store, [], made)
    pairs.put(memory.store, [], made)
    later = now_ms() + 8 * DAY
    monkeypatch.setattr("tui_memory.store.audit_cases.now_ms", lambda: later)
    assert memory.auditing.cases() == []  # a family accepted at once would have acted on it


def test_what_replaced_it_being_another_or_another_text_is_other_evidence(memory: Memory) -> None:
    older, newer = MAKE["superseded"](memory)
    memory.auditing.settle(only(memory), "keep")
    memory.edit(newer, labels=["workers"])
    assert memory.auditing.cases() == []
    newest = add(memory, "The queue has sixteen workers")
    memory.restore(older)
    memory.supersede(older, newest)
    age(memory, older)
    (case,) = memory.auditing.cases()
    assert case.memories == [older, newest]
    memory.edit(newest, text="Sixteen, on every host.")
    assert only(memory) != case.id  # an open one follows what replaced it, and is not lost


def test_a_sleeping_case_can_be_settled(memory: Memory) -> None:
    (number,) = MAKE["leak"](memory)
    case = only(memory)
    memory.auditing.settle(case, "snooze")
    memory.auditing.settle(case, "delete")
    assert memory.get(number)[0].state == "trash"


def test_what_is_settled_is_refused_a_second_time(memory: Memory) -> None:
    MAKE["leak"](memory)
    case = only(memory)
    memory.auditing.settle(case, "mask")
    with pytest.raises(RefusedError, match=r"settled already \(mask"):
        memory.auditing.settle(case, "delete")


def test_a_memory_that_changed_meanwhile_is_refused_with_a_sentence(memory: Memory) -> None:
    (number,) = MAKE["leak"](memory)
    case = only(memory)
    with Memory(memory.home, embedding="none", settings=memory.settings) as other:
        other.edit(number, text=f"Another text with {SECRET}.")
    before = rows(memory)
    with pytest.raises(ConflictError, match=f"#{number} said before.*Nothing was changed"):
        memory.auditing.settle(case, "mask")
    assert rows(memory) == before
    assert only(memory) != case


def test_evidence_that_is_not_what_was_seen_is_refused(memory: Memory) -> None:
    MAKE["leak"](memory)
    (case,) = memory.auditing.cases()
    with pytest.raises(ConflictError):
        memory.auditing.settle(case.id, "mask", seen=case.digest + 1)
    memory.auditing.settle(case.id, "mask", seen=case.digest)


@pytest.mark.parametrize(
    ("action", "until"), [("dance", None), ("merge", None), ("keep", 1 << 45), ("snooze", 1)], ids=str
)
def test_what_makes_no_sense_changes_nothing(memory: Memory, action: str, until: int | None) -> None:
    MAKE["leak"](memory)
    case, before = only(memory), rows(memory)
    with pytest.raises(UsageError, match="Nothing was changed"):
        memory.auditing.settle(case, action, until=until)
    assert rows(memory) == before and only(memory) == case


def test_a_case_that_does_not_exist(memory: Memory) -> None:
    with pytest.raises(NotFoundError, match="There is no case 7"):
        memory.auditing.settle(7, "accept")


def test_a_leak_is_forgotten_for_good_only_where_that_is_confirmed(memory: Memory) -> None:
    (number,) = MAKE["leak"](memory)
    case = only(memory)
    with pytest.raises(RefusedError, match="nothing brings it back"):
        memory.auditing.settle(case, "purge")
    assert memory.auditing.settle(case, "purge", yes=True).memories == [number]
    assert memory.auditing.cases() == []
    files = [path for path in memory.home.rglob("*") if path.is_file() and "memory.db" not in path.name]
    assert all(SECRET.encode() not in path.read_bytes() for path in files)
    assert memory.search(SECRET) == []


def test_a_family_is_settled_in_one_step(memory: Memory) -> None:
    MAKE["unused"](memory)
    MAKE["ungrounded"](memory)
    for number in range(3):
        memory.add(title=f"Key number {number}", text=f"{SECRET[number:]}{SECRET[:number]}", embed=False)
    before = rows(memory)
    assert len(memory.auditing.cases("leak")) == 3
    done = memory.auditing.settle_family("leak", "delete")
    assert len(done.memories) == 3 and [case.family for case in memory.auditing.cases()] == ["unused", "ungrounded"]
    assert memory.auditing.settled_by(memory.history()[0].group) != []
    assert len(memory.undo()) == 3
    assert rows(memory) == before and memory.auditing.overview().counts["leak"] == 3


def test_three_copies_leave_one_for_the_next_look(memory: Memory) -> None:
    for _ in range(3):
        memory.add(title="Payments are retried twice", text="With the same key.", project="orderly", embed=False)
    assert len(memory.auditing.cases("duplicate")) >= 2
    memory.auditing.settle_family("duplicate")
    assert [one.state for one in memory.get([1, 2, 3])].count("merged") == 2
    while memory.auditing.cases("duplicate"):
        memory.auditing.settle_family("duplicate")
    assert memory.count() == 1


def test_settling_a_family_without_cases_changes_nothing(memory: Memory) -> None:
    before = memory.history()
    assert memory.auditing.settle_family("leak").memories == []
    assert memory.history() == before
    with pytest.raises(RefusedError):
        memory.auditing.settle_family("leak", "purge")


def test_an_agent_settles_under_its_own_name_and_undo_leaves_it(memory: Memory) -> None:
    MAKE["leak"](memory)
    case = only(memory)
    with Memory(memory.home, embedding="none", actor="agent:codex", settings=memory.settings) as agent:
        agent.auditing.settle(case, "keep")
    assert memory.history()[0].actor == "agent:codex" and memory.undo() == []


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 4)), min_size=1, max_size=9))
def test_any_audit_taken_back_gives_the_first_state(
    tmp_path_factory: pytest.TempPathFactory, answers: list[tuple[int, int]]
) -> None:
    from tests.upkeep.conftest import RULES_ONLY

    home = tmp_path_factory.mktemp("audit") / "store"
    with Memory(home, embedding="none", settings=RULES_ONLY) as memory:
        every_family(memory)
        cases = memory.auditing.cases()
        first, settled = rows(memory), itertools.count()
        for number, choice in dict(answers).items():
            actions = [name for name in cases[number].actions if name not in families.FINAL]
            memory.auditing.settle(cases[number].id, actions[choice % len(actions)])
            next(settled)
        assert memory.auditing.overview().settled == len(dict(answers))
        memory.undo(next(settled))
        assert rows(memory) == first
        assert {case.id for case in memory.auditing.cases()} >= {case.id for case in cases}
