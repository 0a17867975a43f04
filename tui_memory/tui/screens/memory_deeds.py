"""What a person does to memories: delete, restore, pin, merge; each says what it did and how to undo it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from tui_memory import model
from tui_memory.model import Body
from tui_memory.tui import asking, formats
from tui_memory.tui.commands import Command
from tui_memory.tui.screens.room import Room

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.engine.receipt import Receipt
    from tui_memory.tui.screens.memory_rows import Listed
    from tui_memory.tui.widgets.mark_list import MarkList

BULK = 20
"""From so many on, deleting asks first."""
_UNDO = "u undoes"


class MemoryDeeds(Room):
    """The keys that change something; each acts on the marked rows, else on the cursor's."""

    listing: MarkList[Listed]

    def action_delete(self) -> None:
        """To the trash."""
        self.listing.chosen(self._ask_delete)

    def _ask_delete(self, ids: list[int]) -> None:
        if len(ids) < BULK:
            self._delete(ids)
            return
        from tui_memory.tui.dialogs.confirm import Confirm

        what = formats.count(len(ids), "memory", "memories")
        self.app.push_screen(
            Confirm(f"Delete {what}?", "They go to the trash; u brings all of them back in one step.", "Delete"),
            lambda yes: self._delete(ids) if yes else None,
        )

    def _delete(self, ids: list[int]) -> None:
        self._do(lambda memory: memory.delete(ids), "Deleted", "These are in the trash already: r restores them.")

    def action_restore(self) -> None:
        """Back from the trash."""
        self.listing.chosen(
            lambda ids: self._do(lambda memory: memory.restore(ids), "Restored", "These are active already.")
        )

    def action_accept(self) -> None:
        """What is held becomes a memory like any other."""
        self.listing.chosen(
            lambda ids: self._do(lambda memory: memory.restore(ids), "Accepted", "These are active already.")
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Accepting is only there where something is held."""
        row = self.listing.record
        if action == "accept":
            return row is not None and row.memory.state == "held"
        return super().check_action(action, parameters)

    def action_pin(self) -> None:
        """Pin, or unpin where the cursor's row is pinned."""
        row = self.listing.record
        if row is not None and row.memory.pinned:
            self.listing.chosen(lambda ids: self._do(lambda memory: memory.unpin(ids), "Unpinned", "None was pinned."))
        else:
            self.listing.chosen(
                lambda ids: self._do(lambda memory: memory.pin(ids), "Pinned", "All were pinned already.")
            )

    def _do(self, deed: Callable[[Memory], Receipt], done: str, nothing: str) -> None:
        def told(receipt: Receipt) -> None:
            count = len(receipt.memories)
            self.notify(f"{done} {formats.number(count)} · {_UNDO}" if count else nothing, markup=False)
            self.listing.clear_marks()
            self.renew()

        asking.change(self, deed, told)

    def action_merge(self) -> None:
        """Make one of the marked memories, after it was shown."""
        self.listing.chosen(self._preview)

    def _preview(self, ids: list[int]) -> None:
        if len(ids) < 2:
            self.notify("Mark two or more with space; m then makes one of them.", markup=False)
            return
        asking.ask(
            self,
            "merge",
            lambda memory: (memory.get(ids), memory.merge_preview(ids)),
            lambda answer: self._show_merge(ids, *answer),
        )

    def _show_merge(self, ids: list[int], originals: list[model.Memory], result: Body) -> None:
        from tui_memory.tui.dialogs.merge import Merge

        self.app.push_screen(Merge(originals, result), partial(self._merge, ids))

    def _merge(self, ids: list[int], title: str | None) -> None:
        if title is None:
            return

        def told(_merged: int) -> None:
            self.notify(f"Merged {len(ids)} → 1 · {_UNDO}", markup=False)
            self.listing.clear_marks()
            self.renew()

        asking.change(self, lambda memory: memory.merge(ids, title=title), told)

    def open_text(self, title: str, text: str) -> None:
        """A text alone on the screen."""
        from tui_memory.tui.dialogs.text import WholeText

        self.app.push_screen(WholeText(title, text))

    def deeds(self) -> Iterator[Command]:
        """The same for the palette."""
        row = self.listing.record
        marked = formats.number(self.listing.marked)
        what = f"the {marked} marked" if self.listing.marked else "this one"
        yield Command("memory: Delete", f"move {what} to the trash", self.action_delete)
        yield Command("memory: Restore", f"bring {what} back from the trash", self.action_restore)
        if row is not None and row.memory.state == "held":
            yield Command("memory: Accept", f"let agents be given {what}", self.action_accept)
        pinned = row is not None and row.memory.pinned
        yield Command(f"memory: {'Unpin' if pinned else 'Pin'}", f"{what}", self.action_pin)
        if self.listing.marked > 1:
            yield Command("memory: Merge", f"make one of {what}", self.action_merge)
