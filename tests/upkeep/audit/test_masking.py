"""A possible leak that is accepted: the value is in no file of the store any more, and what is left is whole."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.store.erased import found, reader
from tests.store.test_journal_properties import check_rows
from tests.upkeep.audit.cases import MAKE, SECRET, add
from tui_memory import Memory
from tui_memory.errors import ConflictError, RefusedError, UnfinishedError
from tui_memory.store import erasing
from tui_memory.store.changes import Changes

PLACEHOLDER = "[redacted:possible-secret]"
CODED = base64.b64encode(f"robin:{SECRET}".encode()).decode()


def seen(memory: Memory, text: str, session: str = "s1") -> int:
    """An agent's prompt, stored as an observation."""
    payload = {"session_id": session, "cwd": "/nowhere/orderly", "hook_event_name": "UserPromptSubmit", "prompt": text}
    number = memory.capture("claude-code", payload)
    assert number is not None
    return number


def leak_cases(memory: Memory) -> list[int]:
    return [case.id for case in memory.auditing.cases("leak")]


def test_accepting_reaches_every_place_that_holds_the_value(memory: Memory) -> None:
    source = seen(memory, f"Sign in with {SECRET} please")
    number = add(memory, "How the deployment signs in", f"With {SECRET}, once.", sources=[source])
    memory.edit(number, text=f"With {SECRET}, at the gateway.", facts=[f"the key is {SECRET}"], labels=[SECRET])
    memory.edit(number, text="With the key of the vault.")
    memory.edit(number, text=f"With {SECRET} again.")
    other = add(memory, "Another telling", f"https://robin:{SECRET}@example.com and {quote(SECRET + '/+')}")
    Changes(memory.store, "worker").edit(other, branch=f"fix/{SECRET}")
    deleted = add(memory, "Given up", f"It was {SECRET}.")
    memory.delete(deleted)
    seen(memory, f"curl -H 'X: {CODED}'", "s2")
    memory.search(SECRET)
    (memory.home / "ui.json").write_text(json.dumps({"query": SECRET}))
    case = next(one.id for one in memory.auditing.cases("leak") if one.memories == [number])
    assert found(memory.home, SECRET)
    assert memory.auditing.settle(case, "accept").memories == [number]
    assert found(memory.home, SECRET, CODED, SECRET.lower()) == []
    assert not erasing.pending(memory.store)
    assert memory.search(SECRET) == [] and leak_cases(memory) == []
    check_rows(memory.store)
    told = memory.get([number, other, deleted])
    assert [one.text.count(PLACEHOLDER) for one in told] == [1, 2, 1]
    assert memory.observations()[-1].text == f"Sign in with {PLACEHOLDER} please"
    assert [one["text"] for one in memory.store.rows("SELECT text FROM versions WHERE memory_id = ?", (number,))] == [
        f"With {PLACEHOLDER}, once.", f"With {PLACEHOLDER}, at the gateway.", "With the key of the vault.",
        f"With {PLACEHOLDER} again.",
    ]  # fmt: skip


def test_undo_goes_on_before_it_over_what_was_masked(memory: Memory) -> None:
    (number,) = MAKE["leak"](memory)
    memory.edit(number, text=f"Another text with {SECRET}.")
    (case,) = leak_cases(memory)
    memory.auditing.settle(case, "accept")
    done = memory.undo()
    assert {entry.action for entry in done} == {"edit"}
    assert done.skipped == [f"Passed over, for nothing brings it back: the audit mask of #{number}."]
    assert memory.get(number)[0].text == f"The pipeline signs in with {PLACEHOLDER} at the gateway."
    assert leak_cases(memory) == []
    assert memory.redo().skipped == [] and memory.get(number)[0].text == f"Another text with {PLACEHOLDER}."


def test_alone_it_cannot_be_taken_back_and_says_so(memory: Memory) -> None:
    (number,) = MAKE["leak"](memory)
    memory.auditing.settle(leak_cases(memory)[0], "accept")
    with pytest.raises(ConflictError, match=f"Nothing brings back the audit mask of #{number}.*Nothing was changed"):
        memory.undo()
    entry = memory.history()[0]
    assert (entry.action, entry.memory) == ("audit mask", number)
    with pytest.raises(ConflictError, match="Nothing was changed"):
        memory.undo(entry=entry.id)


def test_a_family_of_leaks_is_masked_at_once_and_in_one_entry(memory: Memory) -> None:
    values = [SECRET[n:] + SECRET[:n] for n in range(3)]
    numbers = [add(memory, f"Host {n} was renamed", f"The key is {value}.") for n, value in enumerate(values)]
    assert len(leak_cases(memory)) == 3
    assert memory.auditing.settle_family("leak").memories == numbers
    assert found(memory.home, *values) == []
    assert len({entry.group for entry in memory.history() if entry.action == "audit mask"}) == 1
    assert memory.auditing.settle_family("leak").memories == []


def test_what_the_case_was_found_in_must_stand_before_anything_is_masked(memory: Memory) -> None:
    (number,) = MAKE["leak"](memory)
    (case,) = leak_cases(memory)
    memory.edit(number, title="Another title")
    with pytest.raises(ConflictError):
        memory.auditing.settle(case, "accept")
    assert SECRET in memory.get(number)[0].text
    (case,) = leak_cases(memory)
    memory.auditing.settle(case, "mask")
    with pytest.raises(RefusedError, match="settled already"):
        memory.auditing.settle(case, "mask")


def test_while_somebody_reads_it_is_masked_and_said_to_be_unfinished(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    (number,) = MAKE["leak"](memory)
    (case,) = leak_cases(memory)
    monkeypatch.setattr(erasing, "PATIENCE", 0.2)
    with reader(memory.home, transaction=True), pytest.raises(UnfinishedError, match="not finished"):
        memory.auditing.settle(case, "accept")
    assert PLACEHOLDER in memory.get(number)[0].text and leak_cases(memory) == []
    erasing.finish(memory.store)
    assert found(memory.home, SECRET) == []


def test_a_back_up_within_the_store_that_holds_it_goes(memory: Memory) -> None:
    (number,) = MAKE["leak"](memory)
    copies: Path = memory.home / "backups"
    copies.mkdir(mode=0o700, exist_ok=True)
    memory.store.connection.execute("VACUUM INTO ?", (str(copies / "before-9.db"),))
    memory.auditing.settle(leak_cases(memory)[0], "accept")
    assert found(memory.home, SECRET) == [] and list(copies.iterdir()) == []
    assert memory.get(number)[0].state == "active"


def test_exports_that_may_still_hold_it_are_named(memory: Memory, tmp_path: Path) -> None:
    MAKE["leak"](memory)
    (case,) = leak_cases(memory)
    for name in ("kept.jsonl", "gone.jsonl"):
        memory.exporting.export(tmp_path / name)
    (tmp_path / "gone.jsonl").unlink()
    assert memory.auditing.settle(case, "accept").outside == (str(tmp_path / "kept.jsonl"),)


def test_what_newer_rules_know_goes_from_the_memory_and_its_sources(memory: Memory) -> None:
    password = "".join(("Tr0ub4dor", "Zx9", "kLm2"))
    source = seen(memory, "x")
    number = add(memory, "Kept by older rules", "x", sources=[source])
    memory.edit(number, text="y")
    with memory.store.transaction() as connection:
        connection.execute("UPDATE versions SET text = ?", (f"password = {password}",))
        connection.execute("UPDATE observations SET text = ?", (f"password = {password}",))
        connection.execute("UPDATE meta SET value = json_set(value, '$.code', 'older') WHERE key = 'rules'")
    with Memory(memory.home, embedding="none", settings=memory.settings) as later:
        case = next(one for one in later.auditing.cases("leak") if one.memories == [number])
        assert case.evidence["kinds"] == ["password"]
        later.auditing.settle(case.id, "accept")
        assert found(later.home, password) == [] and leak_cases(later) == []
        assert all("[redacted:password]" in row[0] for row in later.store.rows("SELECT text FROM versions"))
