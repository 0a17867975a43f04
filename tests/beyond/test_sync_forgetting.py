"""What one device forgot for good is forgotten by all, and is in no segment; nothing brings it back."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.beyond.looking import files, meet, says, the
from tests.store.erased import found
from tests.upkeep.audit.cases import SECRET
from tui_memory.beyond import sealing, segments
from tui_memory.beyond.place import opened
from tui_memory.engine.memory import Memory
from tui_memory.store import ageing
from tui_memory.store.changes import Changes

RULE, TEXT = "Money is Decimal, rule 0", "Never float 0."


def held(url: str) -> str:
    """All that the segments of a place say."""
    place, said = opened(url, ()), ""
    for name in place.names():
        if segments.named(name):
            target = io.BytesIO()
            sealing.unseal(io.BytesIO(place.get(name, 1 << 20)), target, (), 1 << 24, lambda _: None)
            said += target.getvalue().decode()
    return said


def test_a_purge_takes_it_from_every_device_and_every_segment(memory: Memory, other: Memory, url: str) -> None:
    meet(url, memory, other)
    other.edit(the(other, RULE), text="Edited far away, later.")
    meet(url, other, memory)
    memory.purge(ids=[1], yes=True)
    assert memory.syncing.sync(url).cleaned == 2  # of the other's as well
    assert TEXT not in held(url) and "Edited far away" not in held(url) and RULE not in held(url)
    assert other.syncing.sync(url).purged == 1
    assert len(says(memory)) == 2 and says(memory) == says(other)
    for one in (memory, other):
        one.close()
        assert found(one.home, TEXT, RULE, "Edited far away") == []
    meet(url, memory, other)
    assert len(says(memory)) == 2 and says(memory) == says(other)


def test_it_wins_over_whatever_was_done_elsewhere_meanwhile(memory: Memory, other: Memory, url: str) -> None:
    meet(url, memory, other)
    memory.purge(ids=[1], yes=True)
    other.edit(the(other, RULE), text="Written since, and later.")
    other.pin(the(other, RULE))
    meet(url, other, memory, other)
    assert says(memory) == says(other) and len(says(other)) == 2
    assert "Written since" not in held(url) and RULE not in held(url)


def test_what_another_device_made_of_it_goes_and_what_it_did_not_make_of_it_stays(
    memory: Memory, other: Memory, url: str
) -> None:
    meet(url, memory, other)
    mine = other.add(title="Rounding is half even")
    other.merge([the(other, RULE), mine], title="Both of them", text="Money and rounding.")
    memory.purge(ids=[1], yes=True)
    meet(url, memory, other, memory)
    assert says(memory) == says(other)
    assert [row[0] for row in says(other)] == [
        "Money is Decimal, rule 1", "Money is Decimal, rule 2", "Rounding is half even",
    ]  # fmt: skip


def test_a_place_it_may_still_be_in_is_named(memory: Memory, tmp_path: Path) -> None:
    url = str(tmp_path / "place")
    memory.syncing.sync(url)
    assert memory.purge(ids=[1], yes=True).outside == [url]


def test_older_texts_that_matched_go_from_the_others_too(memory: Memory, other: Memory, tmp_path: Path) -> None:
    url = str(tmp_path / "place")
    memory.edit(1, text="The word is quokkabolt.")
    meet(url, memory, other)
    memory.edit(1, text="The word is another.")
    meet(url, memory, other)
    memory.purge(match="quokkabolt", yes=True)
    meet(url, memory, other)
    assert "quokkabolt" not in held(url) and says(memory) == says(other) and len(says(other)) == 3
    other.close()
    assert found(other.home, "quokkabolt") == []


def test_a_value_that_the_audit_masked_goes_from_the_others_too(memory: Memory, other: Memory, tmp_path: Path) -> None:
    url = str(tmp_path / "place")
    memory.edit(1, text=f"The pipeline signs in with {SECRET} at the gateway.")
    meet(url, memory, other)
    (case,) = memory.auditing.cases("leak")
    memory.auditing.settle(case.id, "mask")
    meet(url, memory, other)
    assert SECRET not in held(url) and says(memory) == says(other)
    assert "[redacted:" in str(says(other)) and other.auditing.cases("conflict") == []
    other.close()
    assert found(other.home, SECRET) == []


def test_what_upkeep_deletes_for_room_stays_with_the_others(memory: Memory, other: Memory, tmp_path: Path) -> None:
    url = str(tmp_path / "place")
    meet(url, memory, other)
    Changes(memory.store, "upkeep").set_state([1], "trash", "evict")
    meet(url, memory, other)
    assert ageing.delete(memory.store, [1], lambda: [1]) == [1]
    meet(url, memory, other)
    assert memory.count(state="all") == 2 and other.count(state="trash") == 1
    other.restore(the(other, RULE))  # somebody wants it after all
    meet(url, other, memory)
    assert says(memory) == says(other) and len(says(memory)) == 3


def test_a_restored_back_up_brings_nothing_back(memory: Memory, other: Memory, tmp_path: Path) -> None:
    url, copies = str(tmp_path / "place"), str(tmp_path / "copies")
    meet(url, memory, other)
    other.backing_up.make(copies)
    memory.purge(ids=[1], yes=True)
    memory.edit(2, text="Edited since.")
    meet(url, memory, other)
    other.backing_up.restore(copies, yes=True)
    meet(url, other, memory)
    assert says(memory) == says(other) and len(says(other)) == 2 and RULE not in held(url)


def test_segments_that_are_lost_are_sent_again(memory: Memory, other: Memory, url: str, tmp_path: Path) -> None:
    meet(url, memory, other)
    other.edit(the(other, RULE), text="Of the other.")
    meet(url, other, memory)
    place = opened(url, ())
    for name in files(url):
        place.remove(name)
    memory.syncing.sync(url)
    with Memory(tmp_path / "third", embedding="none") as third:
        third.syncing.sync(url)
        assert says(third) == says(memory) == says(other)


@pytest.mark.parametrize("scope", ["session", "match"])
def test_observations_that_were_sent_are_forgotten_too(
    memory: Memory, other: Memory, tmp_path: Path, scope: str
) -> None:
    url = str(tmp_path / "place")
    with memory.store.transaction() as connection:
        connection.execute("INSERT INTO sessions (agent, session, started, last_seen) VALUES ('codex', 's-1', 1, 1)")
        connection.execute(
            "INSERT INTO observations (uid, session_id, turn, agent, kind, time, text, size, hash)"
            " VALUES ('o-1', 1, 1, 'codex', 'prompt', 1, 'the word was wombatfuse', 13, 'h')"
        )
    memory.add(title="Made of it", sources=[1])
    memory.syncing.sync(url, observations=True)
    assert other.syncing.sync(url).observations == 1
    memory.purge(yes=True, **({"session": "s-1"} if scope == "session" else {"match": "wombatfuse"}))
    meet(url, memory, other)
    assert "wombatfuse" not in held(url) and json.loads(held(url).splitlines()[0])["format"] == "tui-memory-sync"
    other.close()
    assert found(other.home, "wombatfuse") == [] and says(memory) == says(other)
