"""Undo and redo: what was done here at once; what was done elsewhere only where a person says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from tui_memory.model import merging
from tui_memory.tui import asking, formats

if TYPE_CHECKING:
    from textual.dom import DOMNode

    from tui_memory.engine.memory import Memory
    from tui_memory.model import Entry
    from tui_memory.store.reach import Ahead, Reverted

T = TypeVar("T")
_PAST = {
    "add": "adding", "delete": "deletion", "restore": "restoring", "unpin": "unpinning", "split": "splitting",
    "supersede": "replacement", "reverse": "replacement", "accept": "acceptance", "keep": "keeping",
    "snooze": "putting off", "mask": "masking", "shorten": "shortening",
}  # fmt: skip
"""A change by its journal's word, as a thing that can be taken back; other words are things already."""
ELSEWHERE = "It was {} {}, not here: in another window, by a command, or before this one was opened."


def named(entries: Sequence[Entry]) -> str:
    """`deletion of “Retries stop at the deadline”`, `pin of 3 memories`."""
    action = entries[0].action.removeprefix("audit ")
    titles = {entry.memory: entry.title for entry in entries}
    into, originals = merging(entries)
    if into and titles.keys() == {into, *originals}:
        where = f"“{formats.short(titles[into], 60)}”" if titles[into] else f"#{into}"
        ends = where, formats.count(len(originals), "memory", "memories")
        what, became = ends if action == "split" else ends[::-1]
        return f"{_PAST.get(action, formats.short(action, 30))} of {what} into {became}"
    alone = next(iter(titles.values())) if len(titles) == 1 else ""
    what = f"“{formats.short(alone, 60)}”" if alone else formats.count(len(titles), "memory", "memories")
    return f"{_PAST.get(action, formats.short(action, 30))} of {what}"


def undo(memory: Memory, entry: int | None) -> Reverted:
    """Take back the last change, or the one of an entry. Blocks, for the lane of changes."""
    return memory.undo() if entry is None else memory.undo(entry=entry)


def redo(memory: Memory, entry: int | None) -> Reverted:
    """Bring back what was taken back last, or by an entry. Blocks, for the lane of changes."""
    return memory.redo() if entry is None else memory.undo(entry=entry)


def step(
    node: DOMNode, deed: Callable[[Memory, int | None], T], then: Callable[[T], object], *, again: bool = False
) -> None:
    """Do `deed`, undo or redo with what follows it; what comes next but was not done here is shown and asked for."""

    def first(memory: Memory) -> T | Ahead:
        next_one = memory.editing.ahead(again=again)
        return deed(memory, None) if next_one is None or next_one.here else next_one

    def answered(answer: T | Ahead) -> None:
        from tui_memory.store.reach import Ahead  # the journal is no part of the first paint

        if isinstance(answer, Ahead):
            _ask(node, answer, lambda: asking.change(node, lambda memory: deed(memory, answer.entry), then), again)
        else:
            then(answer)

    asking.change(node, first, answered, leads=True)


def _ask(node: DOMNode, found: Ahead, go_on: Callable[[], None], again: bool) -> None:
    from tui_memory.tui.dialogs.confirm import Confirm

    verb = "Bring back" if again else "Take back"
    age = formats.age(found.time)
    when = "just now" if age == "now" else f"{age} ago"
    said = ELSEWHERE.format("taken back" if again else "made", when)
    question = Confirm(f"{verb} the {named(found.entries)}?", said, verb)
    node.app.push_screen(question, lambda yes: go_on() if yes else None)
