"""What a person does to memories: delete, pin, merge, split …; each says what it did and how to undo it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from tui_memory import model
from tui_memory.model import Body
from tui_memory.safetext import one_line
from tui_memory.tui import asking, formats
from tui_memory.tui.commands import Command
from tui_memory.tui.screens.room import Room

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.engine.merging import Preview
    from tui_memory.engine.receipt import Receipt
    from tui_memory.tui.screens.memory_rows import Listed
    from tui_memory.tui.widgets.mark_list import MarkList

BULK = 20
"""From so many on, deleting asks first."""
_UNDO = "u undoes"
ON_A_MEMORY = frozenset(
    ("delete", "restore", "accept", "pin", "merge", "edit", "editor", "split", "newer", "sources", "history")
)


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

    def refusal(self, action: str, parameters: tuple[object, ...]) -> str:
        """What is done to a memory needs one; accepting, one that is held."""
        row = self.listing.record
        if action in ON_A_MEMORY and row is None and not self.listing.marked:
            return "No memory is listed here. Nothing was changed."
        if action == "accept" and row is not None and row.memory.state != "held":
            return "This is not held: there is nothing to accept. H lists what is."
        return super().refusal(action, parameters)

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
        asking.lead(self, "merge", lambda memory: memory.merging.preview(ids), partial(self._ask_across, ids))

    def _ask_across(self, ids: list[int], preview: Preview) -> None:
        """Memories of several projects are one only where a person says so."""
        if len(preview.projects) < 2:
            self._show_merge(ids, preview)
            return
        from tui_memory.tui.dialogs.confirm import Confirm

        names = ", ".join(one_line(name or "all projects", 40) for name in preview.projects)
        self.app.push_screen(
            Confirm(
                f"Merge across {len(preview.projects)} projects?",
                f"They belong to {names}. What they become will belong to all projects.",
                "Show the merge",
            ),
            lambda yes: self._show_merge(ids, preview) if yes else None,
        )

    def _show_merge(self, ids: list[int], preview: Preview) -> None:
        from tui_memory.tui.dialogs.merge import Merge

        self.app.push_screen(Merge(preview), partial(self._merge, ids, preview))

    def _merge(self, ids: list[int], preview: Preview, body: Body | None) -> None:
        if body is None:
            return

        def told(merged: int) -> None:
            self.notify(f"Merged {len(ids)} → 1 · {_UNDO}", markup=False)
            self.listing.clear_marks()
            self.listing.seek(merged)
            self.renew()

        across = len(preview.projects) > 1
        asking.change(self, lambda memory: memory.merge(ids, body=body, across=across, base=preview.versions), told)

    def action_split(self) -> None:
        """Take the row's merge apart."""
        row = self.listing.record
        if row is None:
            return
        if not row.memory.merged_from:
            self.notify("This was not made by a merge. Nothing was changed.", markup=False)
            return
        merged = row.memory.id
        self._do(lambda memory: memory.split(merged), "Took the merge apart, back are", "Nothing to take apart.")

    def action_newer(self) -> None:
        """Of two marked memories the newer replaces the older."""
        self.listing.chosen(self._ask_newer)

    def _ask_newer(self, ids: list[int]) -> None:
        if len(ids) != 2:
            self.notify("Mark the older and the newer with space; N then lets the newer replace it.", markup=False)
            return
        asking.lead(self, "newer", lambda memory: memory.get(ids), self._show_newer)

    def _show_newer(self, rows: list[model.Memory]) -> None:
        from tui_memory.tui.dialogs.confirm import Confirm

        older, newer = sorted(rows, key=lambda row: (row.created, row.id))
        said = f"“{one_line(newer.title, 80)}” replaces “{one_line(older.title, 80)}”, which stays findable below it."
        self.app.push_screen(
            Confirm("The newer replaces the older?", said, "Replace"),
            lambda yes: self._supersede(older.id, newer.id) if yes else None,
        )

    def _supersede(self, old: int, new: int) -> None:
        def told(receipt: Receipt) -> None:
            done = f"#{old} is replaced by #{new} · {_UNDO}"
            self.notify(done if receipt.memories else f"Nothing was changed: #{old} is replaced already.", markup=False)
            self.listing.clear_marks()
            self.renew()

        asking.change(self, lambda memory: memory.supersede(old, new), told)

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
        if self.listing.marked == 2:
            yield Command("memory: Supersede", "the newer of the two marked replaces the older", self.action_newer)
        if row is not None and row.memory.merged_from:
            yield Command("memory: Split", "take the merge apart; its originals come back", self.action_split)
