"""A memory changed field by field, here or in a person's own editor; and memories written to a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported

from tui_memory import model
from tui_memory.errors import RefusedError, TuiMemoryError
from tui_memory.safetext import clean, one_line
from tui_memory.tui import asking, editor, fields, formats
from tui_memory.tui.commands import Command
from tui_memory.tui.screens.memory_deeds import MemoryDeeds

if TYPE_CHECKING:
    from tui_memory.engine.exporting import Exported, Wanted
    from tui_memory.engine.memory import Memory
    from tui_memory.tui.dialogs.export import Asked


class MemoryEdits(MemoryDeeds):
    """The keys that change or write what is said."""

    wanted: Callable[[list[int]], Wanted]
    """What is exported where nothing is marked: all that is listed."""

    # editing

    def action_edit(self) -> None:
        """The row's fields, in boxes."""
        self._read(self._open)

    def _read(self, then: Any) -> None:
        if self.listing.record is not None:
            chosen = self.listing.record.memory.id
            asking.lead(self, "edit", lambda memory: memory.get(chosen)[0], then)

    def _open(self, row: model.Memory, now: fields.Shown | None = None) -> None:
        from tui_memory.tui.dialogs.edit import Edit

        before = fields.shown(row)
        dialog = Edit(f"#{row.id} {row.title}", before, now)
        self.app.push_screen(dialog, partial(self._save, row, before))

    def _save(self, row: model.Memory, before: fields.Shown, changes: dict[str, Any] | None) -> None:
        if changes is None:
            return
        if not changes:
            self.notify("Nothing was changed.", markup=False)
            return

        def told(_row: model.Memory) -> None:
            self.notify(f"Changed {', '.join(sorted(changes))} · u undoes", markup=False)
            self.renew()

        def failed(error: TuiMemoryError) -> None:
            """What was written is not lost: the boxes open again, on the memory as it is now."""
            self.host.report(error)
            now = before | {name: _text(value) for name, value in changes.items()}
            asking.lead(self, "edit", lambda memory: memory.get(row.id)[0], lambda fresh: self._open(fresh, now))

        base = row.version
        asking.change(self, lambda memory: memory.edit(row.id, base=base, **changes), told, failed=failed)

    def action_editor(self) -> None:
        """The row's fields, in a person's own editor."""
        try:
            words = editor.command(os.environ)
        except TuiMemoryError as error:
            self.host.report(error)
            return
        self._read(partial(self._edit_outside, words))

    def _edit_outside(self, words: list[str], row: model.Memory) -> None:
        before = fields.shown(row)
        text = fields.document(before)
        home = self.host.opened.result().home
        try:
            with self.app.suspend():  # nothing may be raised inside: the terminal would not be taken back
                after = _lend(words, text, home)
        except SuspendNotSupported:
            self.notify("This terminal cannot be lent to an editor; e edits here.", severity="warning", markup=False)
            return
        if isinstance(after, TuiMemoryError):
            self.host.report(after)
            return
        self.refresh(layout=True)
        self._take(row, before, text, after)

    def _take(self, row: model.Memory, before: fields.Shown, text: str, after: str) -> None:
        """What an editor left: changes, nothing, or what cannot be read; then it is in the boxes, not lost."""
        if after.rstrip() == text.rstrip():
            self.notify("Nothing was changed.", markup=False)
            return
        now = before | {"text": after}
        try:
            now = fields.parsed(after)
            self._save(row, before, fields.changes(before, now))
        except TuiMemoryError as error:
            self.notify(f"{clean(error.message)} Nothing was changed yet.", severity="warning", timeout=8, markup=False)
            self._open(row, now)

    # exporting

    def action_export(self) -> None:
        """What is marked, else all that is listed, into a file."""
        if self.listing.marked:
            self.listing.chosen(self._ask_export)
        elif self.listing.total:
            self._ask_export([])
        else:
            self.notify("Nothing is listed. Nothing was written.", markup=False)

    def _ask_export(self, ids: list[int]) -> None:
        from tui_memory.tui.dialogs.export import Export

        count = len(ids) or self.listing.total
        what = formats.count(count, "memory", "memories") + (" that are marked" if ids else " listed")
        self.app.push_screen(Export(what, str(self._place())), partial(self._export, ids))

    def _place(self) -> Path:
        """A name in the person's own folder, of the project and the day."""
        name = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in self.host.project) or "all"
        return Path.home() / f"tui-memory-{name}-{formats.moment(formats.now())[:10]}"

    def _export(self, ids: list[int], asked: Asked | None, *, yes: bool = False) -> None:
        if asked is None:
            return
        from dataclasses import replace

        wanted = replace(self.wanted(ids), journal=asked.journal, sources=asked.sources)

        def write(memory: Memory) -> Exported:
            return memory.exporting.export(asked.path, wanted, format=asked.format, yes=yes)

        self.notify(f"Writing {one_line(asked.path, 60)} …", markup=False)
        asking.ask(self, "export", write, self._exported, failed=partial(self._not_exported, ids, asked, yes))

    def _exported(self, done: Exported) -> None:
        size = formats.size(done.bytes)
        self.notify(f"Exported {formats.number(done.memories)} to {clean(done.path)} ({size})", timeout=8, markup=False)

    def _not_exported(self, ids: list[int], asked: Asked, yes: bool, error: TuiMemoryError) -> None:
        """A file that is in the way is written over only where a person says so."""
        if yes or not isinstance(error, RefusedError) or "--yes" not in error.message:
            self.host.report(error)
            return
        from tui_memory.tui.dialogs.confirm import Confirm

        said = f"{clean(error.message.partition(' Nothing was written')[0])} What is in it would be lost."
        self.app.push_screen(
            Confirm("Write over it?", said, "Write over"),
            lambda sure: self._export(ids, asked, yes=True) if sure else None,
        )

    def deeds(self) -> Iterator[Command]:
        """The same for the palette."""
        yield from super().deeds()
        if self.listing.record is not None:
            yield Command("memory: Edit", "change title, text, labels and the rest", self.action_edit)
            yield Command("memory: Edit in your editor", "the same in $EDITOR", self.action_editor)
            what = "what is marked" if self.listing.marked else "all that is listed"
            yield Command("memories: Export", f"write {what} to a file", self.action_export)


def _text(value: Any) -> str:
    return "\n".join(value) if isinstance(value, list) else str(value)


def _lend(words: list[str], text: str, home: Path) -> str | TuiMemoryError:
    """What the editor left, or what went wrong with it."""
    try:
        return editor.edited(words, text, home)
    except TuiMemoryError as error:
        return error
