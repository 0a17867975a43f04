"""What a person does with cases: accept, keep, the other answer, snooze, a whole family, for good; and back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from tui_memory.model import Filters
from tui_memory.store.reach import Reverted
from tui_memory.tui import asking, formats, undoing
from tui_memory.tui.commands import Command
from tui_memory.tui.screens.room import Room
from tui_memory.upkeep.audit import families

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.engine.receipt import Receipt
    from tui_memory.errors import TuiMemoryError
    from tui_memory.tui.screens.audit_look import Drawn

DID = {
    "keep": "Kept", "snooze": "Put off", "merge": "Merged", "supersede": "The newer replaces the older",
    "reverse": "The older replaces the newer", "delete": "To the trash", "restore": "Released", "pin": "Pinned",
    "accept": "Done as proposed", "mask": "Masked", "shorten": "Shortened", "purge": "Forgotten for good",
    "rename": "Renamed", "take": "The other text is taken",
}  # fmt: skip
SPANS = (("1", "a day"), ("3", "three days"), ("7", "a week"), ("28", "four weeks"))
BRIEF = 3
"""Seconds a receipt stands: the next case is what is read."""


class AuditDeeds(Room):
    """Each key settles the case that is drawn, and no other: one that is not there yet cannot be settled."""

    drawn: Drawn | None = None
    """The case on show; None while the next one is on its way."""
    family = ""
    """Only this family's cases; empty: all."""

    def settled(self, case: int) -> None:
        """A case is done with: the next one comes."""

    def go_to(self, case: int) -> None:
        """Show this case as soon as it is there."""

    def action_settle(self, answer: str) -> None:
        """Settle the case on show: accept, keep, other, snooze."""
        drawn = self.drawn
        if drawn is None:
            return
        family = families.find(drawn.case.family)
        proposed = drawn.case.proposed
        action = {"accept": proposed, "other": family.other(proposed)}.get(answer, answer)
        if action:
            self._settle(drawn, action)

    def _settle(self, drawn: Drawn, action: str, *, until: int | None = None, yes: bool = False) -> None:
        case = drawn.case

        def deed(memory: Memory) -> Receipt:
            return memory.auditing.settle(case.id, action, until=until, seen=case.digest, yes=yes)

        asking.change(self, deed, self._told, failed=partial(self._refused, case.id))
        self.settled(case.id)

    def _told(self, receipt: Receipt) -> None:
        action = receipt.action.removeprefix("audit ")
        ids = " ".join(f"#{memory}" for memory in receipt.memories[:4])
        back = "nothing brings it back" if action in families.FINAL else "u undoes"
        self.notify(f"{DID.get(action, action)}: {ids} · {back}", timeout=BRIEF, markup=False)
        self.renew()

    def _refused(self, case: int, error: TuiMemoryError) -> None:
        self.host.report(error)
        self.go_to(case)

    def action_snooze_until(self) -> None:
        """Choose how long the case sleeps."""
        from tui_memory.tui.dialogs.pick import Choice, Pick

        drawn = self.drawn
        if drawn is None:
            return

        def picked(days: str | None) -> None:
            if days is not None:
                self._settle(drawn, families.SNOOZE, until=formats.now() + int(days) * formats.DAY)

        choices = [Choice(days, f"{words}, until {_day(int(days))}") for days, words in SPANS]
        self.app.push_screen(Pick("Ask again in", choices, "7"), picked)

    def action_forget(self) -> None:
        """Forget the memory of a possible leak for good, once it is confirmed."""
        from tui_memory.tui.dialogs.confirm import Confirm

        drawn = self.drawn
        if drawn is None or "purge" not in drawn.case.actions:
            return
        which = f"#{drawn.case.memories[0]}"
        question = Confirm(
            f"Forget {which} for good?",
            f"{which} goes with its sources and every older version, out of every file of the store. Nothing, not even"
            " u, brings it back. It can take a moment.",
            "Forget",
        )
        self.app.push_screen(question, lambda yes: self._settle(drawn, "purge", yes=True) if yes else None)

    def action_whole_family(self) -> None:
        """Accept what is proposed for every case of the family on show, once it is confirmed."""
        drawn = self.drawn
        name = self.family or (drawn.case.family if drawn is not None else "")
        if not name:
            return
        filters = Filters(project=self.host.project or None)
        asking.lead(
            self, "family", lambda memory: len(memory.auditing.queue(name, filters)), partial(self._ask_family, name)
        )

    def _ask_family(self, name: str, count: int) -> None:
        from tui_memory.tui.dialogs.confirm import Confirm

        if not count:
            return
        family = families.find(name)
        what = f"{formats.count(count, 'case')} of {family.title}"
        question = Confirm(
            f"Accept {what}?",
            f"Each as proposed: {families.each(family)}. {_way_back(family)}",
            "Accept",
        )
        self.app.push_screen(question, lambda yes: self._settle_family(name) if yes else None)

    def _settle_family(self, name: str) -> None:
        filters = Filters(project=self.host.project or None)
        asking.change(self, lambda memory: memory.auditing.settle_family(name, None, filters), self._told)

    def action_take_back(self) -> None:
        """Take back what was settled, or changed, last; its case is shown again."""

        def deed(memory: Memory, entry: int | None) -> tuple[Reverted, list[int]]:
            entries = undoing.undo(memory, entry)
            return entries, memory.auditing.settled_by(entries[0].group) if entries else []

        undoing.step(self, deed, lambda answer: self._took_back(*answer))

    def _took_back(self, entries: Reverted, cases: list[int]) -> None:
        if not entries:
            self.notify("There is nothing left to take back.", markup=False)
            return
        for skipped in entries.skipped:
            self.notify(skipped, markup=False)
        again = f" · {formats.count(len(cases), 'case is', 'cases are')} open again" if cases else ""
        self.notify(f"Took back: {undoing.named(entries)}{again}", timeout=BRIEF, markup=False)
        if cases:
            self.go_to(cases[0])
        else:
            self.renew()

    def deeds(self) -> Iterator[Command]:
        """The same for the palette."""
        drawn = self.drawn
        if drawn is not None:
            family, proposed = families.find(drawn.case.family), drawn.case.proposed
            yield Command("audit: Accept", family.actions[proposed], partial(self.action_settle, "accept"))
            yield Command("audit: Keep", family.actions[families.KEEP], partial(self.action_settle, "keep"))
            if other := family.other(proposed):
                yield Command("audit: The other answer", family.actions[other], partial(self.action_settle, "other"))
            if drawn.case.family == "contradiction" and proposed == families.KEEP:  # without a key of its own
                yield Command("audit: Older", family.actions["reverse"], partial(self.action_settle, "reverse"))
            yield Command("audit: Snooze", "ask again in a week", partial(self.action_settle, "snooze"))
            yield Command("audit: Snooze until", "choose when it is asked again", self.action_snooze_until)
            if "purge" in drawn.case.actions:
                yield Command("audit: Forget for good", "nothing brings it back", self.action_forget)
            yield Command("audit: Accept the family", f"every case of {family.title}", self.action_whole_family)
        yield Command("audit: Take back", "what was settled last", self.action_take_back)


def _way_back(family: families.Family) -> str:
    """What can be done once a whole family was accepted."""
    if family.proposed in families.FINAL:
        return "Nothing, not even u, brings back what is masked."
    return "u takes all of them back in one step."


def _day(days: int) -> str:
    then = datetime.fromtimestamp((formats.now() + days * formats.DAY) / 1000)
    return f"{then:%A} {then.day} {then:%B}"
