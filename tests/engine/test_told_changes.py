"""What a change changed is told in words, for whoever reads a memory's history."""

from __future__ import annotations

from tui_memory import Memory


def told(memory: Memory, number: int) -> list[str]:
    """Of each change to a memory what it changed, newest first."""
    entries = memory.history(number)
    said = memory.editing.told(entries)
    return [said[entry.id] for entry in entries]


def test_an_edit_is_told_by_its_fields(memory: Memory) -> None:
    number = memory.add(title="Old name", text="one\ntwo", kind="decision", labels=["api"])
    memory.edit(number, title="New name", text="one\ntwo\nthree", kind="bugfix", labels=["api", "db"])
    memory.edit(number, text="one\ntwo\nfour")
    assert told(memory, number) == [
        "text 3 lines",
        "title “Old name” → “New name”, kind decision → bugfix, text 2 → 3 lines, labels 1 → 2",
        "",
    ]


def test_state_pin_and_what_took_its_place_are_told(memory: Memory) -> None:
    old, new, third = (memory.add(title=f"Fact {n}", text=f"It is {n}.", kind="decision") for n in range(3))
    memory.pin([old])
    memory.unpin([old])
    memory.supersede(old, new)
    memory.delete([new])
    assert told(memory, old)[:3] == [f"active → superseded, replaced by #{new}", "no longer pinned", "pinned"]
    assert told(memory, new)[0] == "active → trash"
    memory.restore([new])
    made = memory.merge([new, third])
    assert told(memory, third)[0] == f"active → merged, merged into #{made}"
