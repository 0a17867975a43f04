"""Two of a team edit one memory, and neither knows of the other: the later is current, the other waits for an answer.

Whoever's store first meets both texts has the case, whichever of the two was the later and whether it pulls or pushes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hub.conftest import Query
from tests.hub.test_sharing import TOKEN, shared, titles
from tui_memory.engine.memory import Memory
from tui_memory.model import MemoryState
from tui_memory.store.taking_in import Taken, TakingIn
from tui_memory.upkeep.audit.cases import Case


def conflicts(memory: Memory) -> list[Case]:
    return memory.auditing.cases("conflict")


def texts(case: Case) -> list[str]:
    """The other one, then the current one."""
    return [one.title for one in case.rows]


@pytest.fixture
def both(ana: Memory, ben: Memory) -> None:
    """One memory that both have."""
    shared(ana, "First")
    ben.hub.pull(every=True)
    ben.hub.share("orderly")


@pytest.fixture
def met(ana: Memory, ben: Memory, both: None) -> None:
    """Both have edited it, ben last, and his text is in the hub."""
    ana.edit(1, title="Of ana, earlier")
    ben.edit(1, title="Of ben, later")
    ben.hub.push()


def test_of_a_later_text_that_is_pulled_the_one_here_is_kept(ana: Memory, met: None) -> None:
    assert ana.hub.pull().conflicts == 1
    (case,) = conflicts(ana)
    assert titles(ana) == ["Of ben, later"] and texts(case) == ["Of ana, earlier", "Of ben, later"]
    assert "on this device" in case.evidence["says"][0] and "by ben of the team" in case.evidence["says"][0]
    assert ana.hub.pull().conflicts == 0 and len(conflicts(ana)) == 1


def test_of_an_earlier_text_that_is_pulled_theirs_is_kept(ana: Memory, ben: Memory, both: None) -> None:
    ana.edit(1, title="Of ana, earlier")
    ana.hub.push()
    ben.edit(1, title="Of ben, later")
    done = ben.hub.pull()
    assert (done.conflicts, done.later_here) == (1, 1)
    (case,) = conflicts(ben)
    assert titles(ben) == ["Of ben, later"] and texts(case) == ["Of ana, earlier", "Of ben, later"]
    assert [one["writer"] for one in case.evidence["written"]] == ["ana", ""]
    pushed = ben.hub.push()
    assert (pushed.changed, pushed.conflicts) == (1, 0)


def test_who_pushes_over_a_text_that_they_never_saw_has_the_case(ana: Memory, ben: Memory, both: None) -> None:
    ana.edit(1, title="Of ana, earlier")
    ana.hub.push()
    ben.edit(1, title="Of ben, later")
    pushed = ben.hub.push()
    assert (pushed.changed, pushed.conflicts) == (1, 1)
    assert texts(conflicts(ben)[0]) == ["Of ana, earlier", "Of ben, later"]
    assert ana.hub.pull().conflicts == 0  # it is settled by one; ana's own is among its versions
    assert titles(ana) == ["Of ben, later"] and conflicts(ana) == []


def test_who_knows_what_they_write_over_makes_none(ana: Memory, ben: Memory, both: None) -> None:
    for writer, other in ((ben, ana), (ana, ben), (ben, ana)):
        writer.edit(1, title=f"Turn of {'ben' if writer is ben else 'ana'}")
        assert writer.hub.push().conflicts == 0 and other.hub.pull().conflicts == 0
    assert conflicts(ana) == conflicts(ben) == []


def test_two_who_write_the_same_make_none(ana: Memory, ben: Memory, both: None) -> None:
    ana.edit(1, title="The same")
    ben.edit(1, title="The same")
    ben.hub.push()
    assert ana.hub.pull().conflicts == 0 and conflicts(ana) == []


def test_one_that_both_have_from_elsewhere_is_one_too(ana: Memory, ben: Memory, tmp_path: Path) -> None:
    """Never shared before, but the same memory: by an export."""
    ana.add(title="First", project="orderly")
    ana.exporting.export(tmp_path / "out.jsonl")
    ben.importing.file(tmp_path / "out.jsonl")
    ana.edit(1, title="Of ana, earlier")
    ben.edit(1, title="Of ben, later")
    for one in (ana, ben):
        one.hub.share("orderly")
    ana.hub.push()
    assert ben.hub.pull().conflicts == 1


@pytest.mark.parametrize(("answer", "stays"), [("keep", "Of ben, later"), ("take", "Of ana, earlier")])
def test_an_answer_settles_it_for_the_team(ana: Memory, ben: Memory, met: None, answer: str, stays: str) -> None:
    ana.hub.pull()
    ana.auditing.settle(conflicts(ana)[0].id, answer)
    assert ana.hub.push().conflicts == 0 and ben.hub.pull().conflicts == 0
    assert titles(ana) == titles(ben) == [stays]
    assert conflicts(ana) == conflicts(ben) == []


def test_it_stays_when_another_edits_on(ana: Memory, ben: Memory, met: None) -> None:
    """The later text of theirs did not know of the one here either."""
    ana.hub.pull()
    ben.edit(1, title="Of ben, once more")
    ben.hub.push()
    ana.hub.pull()
    assert texts(conflicts(ana)[0]) == ["Of ana, earlier", "Of ben, once more"]


def test_an_edit_here_settles_it(ana: Memory, ben: Memory, met: None) -> None:
    ana.hub.pull()
    ana.edit(1, title="Of both")
    assert conflicts(ana) == []
    ana.hub.push()
    assert ben.hub.pull().conflicts == 0 and titles(ben) == ["Of both"]


def test_undo_of_the_pull_brings_back_what_was_and_no_case(ana: Memory, ben: Memory, met: None) -> None:
    ana.hub.pull()
    ana.undo(entry=ana.history(1)[0].id)
    assert titles(ana) == ["Of ana, earlier"] and conflicts(ana) == []
    assert ana.hub.push().changed == 1 and ben.hub.pull().changed == 1
    assert titles(ben) == ["Of ana, earlier"]


def test_an_edit_here_of_what_they_delete_is_kept(ana: Memory, ben: Memory, both: None) -> None:
    ben.edit(1, title="Of ben, earlier")
    ana.delete(1)
    ana.hub.push()
    done = ben.hub.pull()
    assert (done.changed, done.conflicts) == (1, 1)
    assert ben.get(1)[0].state == MemoryState.TRASH
    ben.restore(1)
    assert texts(conflicts(ben)[0]) == ["Of ben, earlier", "First"]


def test_a_secret_in_a_text_that_is_kept_is_masked(ana: Memory, ben: Memory, both: None, sql: Query) -> None:
    ana.edit(1, title="Of ana, earlier")
    ana.hub.push()
    sql("keeper", "ALTER TABLE tui_memory.memories DISABLE TRIGGER settle")  # as an older version sent it
    sql("keeper", "UPDATE tui_memory.memories SET title = %s, changed = changed + 1", (f"Use {TOKEN}",))
    sql("keeper", "ALTER TABLE tui_memory.memories ENABLE TRIGGER settle")
    ben.edit(1, title="Of ben, later")
    assert ben.hub.pull().conflicts == 1
    assert "redacted" in texts(conflicts(ben)[0])[0]
    assert TOKEN not in str([tuple(row) for row in ben.store.rows("SELECT * FROM versions")])


def test_a_purge_takes_the_other_text_with_it(ana: Memory, ben: Memory, met: None) -> None:
    ana.hub.pull()
    ana.purge(ids=[1], yes=True)
    assert ana.store.rows("SELECT 1 FROM hub_texts") == [] == ana.store.rows("SELECT 1 FROM hub_memories")
    assert conflicts(ana) == []


def test_a_text_that_is_purged_while_theirs_is_taken_in_is_no_other_one(
    ana: Memory, met: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle = TakingIn.settle

    def purged_then(taking: TakingIn) -> Taken:
        taken = settle(taking)
        ana.purge(match="Of ana, earlier", yes=True)
        return taken

    monkeypatch.setattr(TakingIn, "settle", purged_then)
    assert ana.hub.pull().conflicts == 0 and titles(ana) == ["Of ben, later"] and conflicts(ana) == []
