"""What a change did, in one line with the way back: receipts instead of silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tui_memory.model import Body, Entry, Memory, merging
from tui_memory.safetext import one_line

if TYPE_CHECKING:
    from tui_memory.engine.receipt import Receipt

_PAST = {
    "delete": "Deleted",
    "restore": "Restored",
    "pin": "Pinned",
    "unpin": "Unpinned",
    "add": "Added",
    "edit": "Changed",
}
_STATE = {"delete": "in the trash", "restore": "active", "pin": "pinned", "unpin": "not pinned"}
_BACK = " · tui-memory undo takes it back"
_NAMED = 5  # ids beyond these make the line longer than its use


def count(n: int) -> str:
    """`1 memory`, `1,284 memories`."""
    return f"{n:,} {'memory' if n == 1 else 'memories'}"


def changed(receipt: Receipt, asked: int) -> str:
    """The receipt of a change of `asked` memories; those already so were not touched."""
    if receipt.action == "supersede":
        if not receipt.memories:
            return "Nothing was changed: it is replaced by that one already"
        old, new = receipt.memories
        return f"#{old} is replaced by #{new}{_BACK}"
    if receipt.action == "split":
        return f"Took the merge apart: {_ids(receipt.memories)} are back{_BACK}"
    done, already = len(receipt.memories), asked - len(receipt.memories)
    state = _STATE.get(receipt.action, "so")
    if not done:
        return f"Nothing was changed: {count(already)} {'was' if already == 1 else 'were'} {state} already"
    note = f", {already} {'was' if already == 1 else 'were'} {state} already" if already > 0 else ""
    return f"{_PAST.get(receipt.action, receipt.action)} {count(done)}{note}{_BACK}"


def written(action: str, memory: Memory) -> str:
    """The receipt of one memory added or changed."""
    where = "" if memory.project else " (for all projects)"
    return f"{_PAST[action]} #{memory.id} {one_line(memory.title)}{where}{_BACK}"


def unchanged(memory: Memory) -> str:
    """The receipt of an edit that gave a memory what it has: there is nothing for undo to take back."""
    return f"Nothing was changed: #{memory.id} {one_line(memory.title)} says so already"


def merged(memory: Memory, originals: int) -> str:
    """The receipt of a merge."""
    return f"Merged {count(originals)} into #{memory.id} {one_line(memory.title)}{_BACK}"


def reverted(entries: Sequence[Entry], verb: str) -> list[str]:
    """A line for each group of changes that was taken back or brought again, in the order it was done."""
    return [f"{verb} {_group(list(group))}" for _, group in groupby(entries, key=lambda entry: entry.group)]


def _group(entries: list[Entry]) -> str:
    first = entries[0]
    into, originals = merging(entries)
    if into and {into, *originals} == {entry.memory for entry in entries}:
        ends = f"#{into}", count(len(originals))
        what, became = ends if first.action == "split" else ends[::-1]
        return f"{one_line(first.action)} of {what} into {became} ({_ids(originals)})"
    if len(entries) == 1:
        return f"{one_line(first.action)} of #{first.memory} {one_line(first.title)}".rstrip()
    return f"{one_line(first.action)} of {count(len(entries))} ({_ids([entry.memory for entry in entries])})"


def _ids(ids: Sequence[int]) -> str:
    named = " ".join(f"#{one}" for one in ids[:_NAMED])
    return named + (f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else "")


def preview(body: Body) -> dict[str, Any]:
    """A body's fields as a memory's JSON names them."""
    return asdict(body)
