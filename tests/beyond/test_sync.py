"""Two devices of one person meet in a folder or a bucket: what each learned, changed and deleted holds on both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.beyond.looking import files, meet, says, the
from tests.cli.shell import Shell
from tests.repositories import Repository
from tui_memory.clock import now_ms
from tui_memory.engine.memory import Memory
from tui_memory.engine.syncing import Syncing
from tui_memory.store import marks, projects

RULE = "Money is Decimal, rule 0"


def test_what_one_learned_the_other_knows(memory: Memory, other: Memory, url: str) -> None:
    projects.find_or_add(memory.store, "orderly")
    memory.edit(1, labels=["money"], project="orderly")
    memory.pin(1)
    other.add(title="Retries back off", facts=["twice"])
    assert memory.syncing.sync(url).sent == 3
    done = other.syncing.sync(url)
    assert len(done.added) == 3 and done.sent == 1
    assert memory.syncing.sync(url).added == [4]
    assert says(memory) == says(other) and len(says(memory)) == 4
    assert other.search("Decimal")[0].memory.title.startswith("Money")


def test_a_second_sync_has_nothing_to_do_and_writes_nothing(memory: Memory, other: Memory, url: str) -> None:
    meet(url, memory, other)
    there = files(url)
    for one in (memory, other):
        done = one.syncing.sync(url)
        assert not (done.sent or done.added or done.changed or done.read or done.written)
    assert files(url) == there


def test_edits_and_deletions_travel_and_undo_travels_too(memory: Memory, other: Memory, url: str) -> None:
    meet(url, memory, other)
    memory.edit(1, text="Decimal, always.")
    memory.delete(2)
    meet(url, memory, other)
    assert says(memory) == says(other) and len(says(other)) == 2
    memory.undo(2)
    meet(url, memory, other)
    assert says(memory) == says(other) and (RULE, "Never float 0.") in [row[:2] for row in says(other)]


def test_a_text_here_and_a_pin_there_are_both_kept(memory: Memory, other: Memory, url: str) -> None:
    meet(url, memory, other)
    memory.edit(1, text="Decimal, always.")
    other.pin(the(other, RULE))
    meet(url, memory, other)
    assert says(memory) == says(other) and (RULE, "Decimal, always.", True) in [row[:3] for row in says(other)]
    assert not memory.auditing.cases("conflict") and not other.auditing.cases("conflict")


def apart(memory: Memory, other: Memory, url: str) -> None:
    """One memory edited on both at once."""
    meet(url, memory, other)
    memory.edit(1, text="Decimal with two places.")
    other.edit(the(other, RULE), text="Decimal with four places.")
    meet(url, memory, other)


def test_of_two_edits_at_once_the_later_is_current_and_the_other_is_a_case(
    memory: Memory, other: Memory, url: str
) -> None:
    apart(memory, other, url)
    for one in (memory, other):
        assert one.get(the(one, RULE))[0].text == "Decimal with four places."
        (case,) = one.auditing.cases("conflict")
        assert case.memories == [the(one, RULE)] and case.evidence["other"]["text"] == "Decimal with two places."
        kept = one.store.rows("SELECT text FROM versions WHERE memory_id = ?", (the(one, RULE),))
        assert "Decimal with two places." in [row[0] for row in kept]
    assert "this device" in memory.auditing.cases("conflict")[0].evidence["says"][0]


@pytest.mark.parametrize(("answer", "text"), [("keep", "four"), ("take", "two")])
def test_a_conflict_is_settled_on_one_device_for_all(
    memory: Memory, other: Memory, url: str, answer: str, text: str
) -> None:
    apart(memory, other, url)
    other.auditing.settle(other.auditing.cases("conflict")[0].id, answer)
    meet(url, other, memory)
    for one in (memory, other):
        assert one.get(the(one, RULE))[0].text == f"Decimal with {text} places."
        assert one.auditing.cases("conflict") == []


def test_it_is_one_group_of_the_journal_by_sync(memory: Memory, other: Memory, url: str) -> None:
    other.add(title="Mine")
    meet(url, memory, other)
    entries = other.history()[:3]
    assert {(entry.action, entry.actor) for entry in entries} == {("sync", "sync")}
    assert len({entry.group for entry in entries}) == 1
    assert other.undo()[0].action == "add"  # what the person did here is what u takes back
    assert len(other.undo(entry=entries[0].id)) == 3 and other.memories() == []
    meet(url, other, memory)
    assert memory.memories() == []  # a change like any other: here it is taken back in the same way
    memory.undo(entry=memory.history()[0].id)
    meet(url, memory, other)
    assert len(says(memory)) == 4 and says(memory) == says(other)


def test_projects_meet_by_what_they_are_and_not_by_their_folders(memory: Memory, other: Memory, tmp_path: Path) -> None:
    url = str(tmp_path / "place")
    first = Repository.make(tmp_path / "here" / "orders")
    first.commit("begin")
    first.git("clone", "--quiet", str(first.folder), str(tmp_path / "there" / "work"))
    second = Repository(tmp_path / "there" / "work")
    first.git("remote", "add", "origin", "https://git.example.com/acme/orders.git")
    second.git("remote", "set-url", "origin", "git@git.example.com:acme/orders.git")
    for one, repository in ((memory, first), (other, second)):
        project = projects.resolve(one.store, str(repository.folder))
        assert project is not None
        one.edit(one.add(title=f"Of {project.name}"), project=str(repository.folder))
    meet(url, memory, other)
    for one in (memory, other):
        found = [row.project for row in one.memories() if row.title.startswith("Of ")]
        assert len(found) == 2 and len({*found}) == 1 and len(projects.list_all(one.store)) == 1


def seen(memory: Memory) -> int:
    """A memory with an observation that it comes from: the observation's id."""
    memory.capturing  # noqa: B018  (opened, with its settings)
    with memory.store.transaction() as connection:
        connection.execute("INSERT INTO sessions (agent, session, started, last_seen) VALUES ('codex', 's', 1, 1)")
        connection.execute(
            "INSERT INTO observations (uid, session_id, turn, agent, kind, time, text, size, hash)"
            " VALUES ('o-1', 1, 1, 'codex', 'prompt', 1, 'what was said', 13, 'h')"
        )
    memory.add(title="Made of it", sources=[1])
    return 1


def test_observations_stay_at_home_unless_asked(memory: Memory, other: Memory, url: str) -> None:
    seen(memory)
    meet(url, memory, other)
    assert other.get(the(other, "Made of it"))[0].sources == []
    memory.syncing.sync(url, observations=True)
    assert other.syncing.sync(url).observations == 1
    assert other.observation(other.get(the(other, "Made of it"))[0].sources)[0].text == "what was said"


def test_secrets_are_masked_on_the_way_out_and_in(
    memory: Memory, other: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    with memory.store.transaction() as connection:  # as older rules may have let it through
        connection.execute("UPDATE versions SET text = ? WHERE memory_id = 1", (f"It signs in with {token}.",))
    for name in ("careful", "careless"):
        if name == "careless":
            monkeypatch.setattr(Syncing, "_masked", lambda _self, records: iter(records))
        memory.syncing.sync(str(tmp_path / name))
        monkeypatch.undo()
        with Memory(tmp_path / f"device-{name}", embedding="none") as device:
            device.syncing.sync(str(tmp_path / name))
            assert token not in str(says(device)) and "[redacted:github-token" in str(says(device))


def test_a_device_between_two_places_carries_on_what_it_got(memory: Memory, other: Memory, tmp_path: Path) -> None:
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    with Memory(tmp_path / "third", embedding="none") as third:
        memory.syncing.sync(one)
        other.syncing.sync(one)
        other.syncing.sync(two)
        third.syncing.sync(two)
        assert says(third) == says(memory)


def test_a_device_that_was_away_catches_up(memory: Memory, other: Memory, url: str) -> None:
    meet(url, memory, other)
    for number in range(12):
        memory.edit(1, text=f"Version {number}.")
        memory.add(title=f"Learned in month {number}")
        memory.syncing.sync(url)
    other.add(title="Learned far away")
    meet(url, other, memory)
    assert says(memory) == says(other) and len(says(other)) == 16
    assert other.auditing.cases("conflict") == []


def test_doctor_and_metrics_say_when_the_last_one_was_and_what_failed(
    memory: Memory, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check() -> dict[str, Any]:
        return next(one for one in memory.status.health()["checks"] if one["id"] == "sync")

    assert check()["ok"] and "not synced" in check()["what"]
    memory.syncing.sync(str(tmp_path / "place"))
    assert check()["ok"] and memory.measuring.measures().sync.keys() == {"done"}
    marks.put(memory.store, {"sync_done": now_ms() - 40 * 86_400_000})
    assert not check()["ok"] and "40 days ago" in check()["what"]
    (tmp_path / "file").write_text("in the way")
    answer = shell("sync", str(tmp_path / "file"))
    assert answer.code == 1 and "could not be" in answer.err
    assert not check()["ok"] and "could not be" in check()["what"] and check()["fix"] == "tui-memory sync URL"


def test_the_command_says_what_went_and_came(
    memory: Memory, other: Memory, shell: Shell, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.close()
    assert "not encrypted): sent 3 memories, received nothing" in shell("sync", url).out
    monkeypatch.setenv("TUI_MEMORY_HOME", str(other.home))
    found = shell("sync", url, "--json").json
    assert len(found["added"]) == 3 and found["segments"] == {"read": 1, "written": 0, "cleaned": 0}
