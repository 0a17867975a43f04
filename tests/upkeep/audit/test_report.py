"""The report is true of a known history, holds no secret, and does not count what was taken back."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.upkeep.audit.cases import DAY, MAKE, SECRET, every_family
from tui_memory import Memory
from tui_memory.clock import now_ms
from tui_memory.errors import StoreError
from tui_memory.model import Body, NewMemory
from tui_memory.store.changes import Changes
from tui_memory.upkeep.audit.report import Report

TOKEN = "ghp_" + "R4nd0mX9kQ2v" * 3


def event(name: str, **fields: object) -> dict[str, object]:
    """What Claude Code's hook hands over."""
    return {"session_id": "s-1", "hook_event_name": name, "cwd": "/nowhere/orderly"} | fields


@pytest.fixture
def history(memory: Memory) -> Report:
    """A week whose every number is known."""
    seen = memory.capture("claude-code", event("UserPromptSubmit", prompt=f"deploy with {TOKEN}"))
    memory.capture("claude-code", event("UserPromptSubmit", prompt="why did it fail"))
    assert seen is not None
    first, second, third, fourth = memory.add_many(
        [
            {"title": "Retries stop", "text": "At the deadline.", "kind": "decision", "sources": [seen]},
            {"title": "Retries do stop", "text": "At the deadline!", "kind": "decision"},
            {"title": "Timeouts are 5 s", "text": "All of them.", "kind": "convention", "project": "orderly"},
            {"title": "Timeouts are 8 s", "text": "Since the gateway.", "kind": "convention", "project": "orderly"},
        ],
        embed=False,
    )
    memory.merge([first, second])
    memory.supersede(third, fourth)
    memory.edit(fourth, text="Since the gateway is slow.")
    extra = memory.add(title="A slip", text="Not wanted.", embed=False)
    memory.delete(extra)
    memory.restore(extra)
    memory.undo()
    mistaken = memory.add(title="Never was", text="x", embed=False)
    assert memory.undo() and mistaken
    memory.fetch([fourth, fourth, first], session="s-1")
    memory.shown(memory.context(project="orderly"), session="s-1")
    return memory.auditing.report(now_ms() - DAY)


def test_every_number_is_true_of_the_store(memory: Memory, history: Report) -> None:
    came, changed, used, cost = history.came_in, history.changed, history.used, history.cost
    assert (came.observations, came.sessions, sum(came.redactions.values())) == (2, 1, 1)
    assert (came.memories, came.by_kind) == (5, {"decision": 2, "convention": 2, "discovery": 1})
    assert came.by_project == {"": 3, "orderly": 2}
    assert (changed.merged, changed.merged_into, changed.superseded, changed.edited) == (2, 1, 1, 1)
    assert (changed.forgotten, changed.restored, changed.purged) == (1, 0, 0)
    assert (used.fetches, used.memories, used.sessions) == (3, 2, 1)
    assert [(row["id"], row["uses"]) for row in used.most] == [(4, 2), (1, 1)]
    told = memory.stats()["tokens"]
    assert (cost.shown, cost.fetched, cost.sources) == (told["shown"], told["fetched"], told["sources"])
    assert cost.saved == cost.sources - cost.shown - cost.fetched and cost.sources > 0


def test_what_is_before_it_is_not_in_it(memory: Memory, history: Report) -> None:
    later = memory.auditing.report(now_ms() + DAY)
    assert later.came_in.memories == later.changed.merged == later.used.fetches == later.cost.shown == 0


def test_a_memory_of_an_earlier_session_is_told_apart(memory: Memory) -> None:
    """Past sessions that are imported: nothing was observed this week, and there are memories of it."""
    changes = Changes(memory.store, "import")
    changes.add([NewMemory(Body(title="Retries stop"), created=now_ms() - 30 * DAY), NewMemory(Body(title="New"))])
    made = memory.auditing.report(now_ms() - DAY)
    assert (made.came_in.memories, made.came_in.earlier) == (2, 1)
    assert "2 new memories, 1 of them of what happened before" in made.markdown()


def test_what_is_purged_is_counted_and_not_named(memory: Memory, history: Report) -> None:
    memory.purge(ids=[4], yes=True)
    made = memory.auditing.report(now_ms() - DAY)
    assert made.changed.purged == 1 and "Timeouts are 8" not in made.markdown()


def test_what_the_audit_settled_and_left(memory: Memory) -> None:
    every_family(memory)
    cases = memory.auditing.cases()
    memory.auditing.settle(cases[0].id, "accept")
    memory.auditing.settle(cases[2].id, "keep")
    memory.auditing.settle(cases[4].id, "merge")
    memory.undo()
    made = memory.auditing.report()
    assert made.settled == {"leak": {"mask": 1}, "contradiction": {"keep": 1}}
    assert made.open == dict.fromkeys([name for name in MAKE if name not in made.settled], 1)
    text = made.markdown()
    assert "- possible leak: 1 masked\n- contradiction: 1 kept as they were\n- left: hidden instructions 1" in text


def test_no_secret_is_in_it_and_outside_text_is_text(memory: Memory, tmp_path: Path) -> None:
    title = f"# [click](http://x.example) `{SECRET}` \x1b]52;c;aGk=\x07 <b>|"
    number = memory.add(title=title, text=TOKEN, embed=False)
    memory.fetch(number)
    made = memory.auditing.report()
    for text in (made.markdown(), json.dumps(made.public())):
        assert SECRET not in text and TOKEN not in text
    line = next(line for line in made.markdown().splitlines() if "1× #" in line)
    assert r"\[click\](http://x.example)" in line and r"\<b\>" in line and "\x1b" not in line and r"\# " in line


def test_it_is_saved_for_its_owner_alone_and_a_disk_that_refuses_is_said(memory: Memory) -> None:
    place = memory.auditing.save_report()
    assert place.parent == memory.home / "reports" and place.read_text("utf-8") == memory.auditing.report().markdown()
    assert place.stat().st_mode & 0o777 == 0o600 and place.parent.stat().st_mode & 0o777 == 0o700
    place.unlink()
    place.parent.rmdir()
    place.parent.write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        memory.auditing.save_report()


def test_a_week_with_a_large_import_takes_no_longer_than_its_parts(memory: Memory) -> None:
    Changes(memory.store).add([NewMemory(Body(f"Number {n}")) for n in range(4_000)])
    began = time.process_time()
    assert memory.auditing.report(now_ms() - DAY).came_in.memories == 4_000
    assert time.process_time() - began < 2  # each beside each other one took six
