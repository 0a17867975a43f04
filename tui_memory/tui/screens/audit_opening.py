"""What opens from a case: all of it, what it came from, its memories; and everything that the palette offers here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tui_memory.tui import asking, formats, keepsake
from tui_memory.tui.commands import Command
from tui_memory.tui.screens import audit_look
from tui_memory.tui.screens.audit_deeds import AuditDeeds
from tui_memory.upkeep.audit import families

if TYPE_CHECKING:
    from tui_memory.engine.auditing import Overview
    from tui_memory.store.audit_cases import Row


ON_A_CASE = frozenset(
    {"settle", "snooze_until", "whole_family", "forget", "open", "sources", "memories"}
)  # fmt: skip


class AuditOpening(AuditDeeds):
    """Nothing here changes anything."""

    overview: Overview | None = None
    """How the week stands; None: not read yet."""
    rows: Sequence[Row] = ()
    """The cases at hand."""

    # what is remembered from run to run

    def keepsake(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The family, as well."""
        plain, texts = super().keepsake()
        return plain | {"family": self.family}, texts

    def recall(self, plain: dict[str, Any], texts: dict[str, Any]) -> None:
        """The same, put back where there is such a family."""
        super().recall(plain, texts)
        kept = keepsake.text(plain, "family")
        self.family = kept if kept in {family.name for family in families.FAMILIES} else ""

    def action_family_of(self, family: str) -> None:
        """Only this family's cases; empty: all."""

    def refusal(self, action: str, parameters: tuple[object, ...]) -> str:
        """A case's keys need a case on show, and an answer that it has."""
        drawn = self.drawn
        if action in ON_A_CASE and drawn is None:
            return "No case is on show. Nothing was changed."
        if action == "step" and not self.rows:
            return "There is no case to go to."
        if action == "family" and len(self.overview.counts if self.overview else ()) < 1:
            return "No family has a case."
        if drawn is not None and action == "forget" and "purge" not in drawn.case.actions:
            return "Only a possible leak is forgotten from here; Memories (m) deletes this. Nothing was changed."
        if drawn is not None and (action, parameters) == ("settle", ("other",)):
            other = families.find(drawn.case.family).other(drawn.case.proposed)
            return "" if other else "This case has no other answer. Nothing was changed."
        return super().refusal(action, parameters)

    def action_report(self) -> None:
        """The week's report as it stands, saved."""

    def action_open(self) -> None:
        """The whole case, alone on the screen."""
        from tui_memory.tui.dialogs.text import WholeText

        if self.drawn is not None:
            self.app.push_screen(WholeText(self.drawn.head.plain, audit_look.whole(self.drawn.case)))

    def action_sources(self) -> None:
        """The observations that the case's memories came from."""
        drawn = self.drawn
        if drawn is not None:
            asking.lead(self, "sources", partial(audit_look.sources, drawn.case), self._show_sources)

    def _show_sources(self, text: str) -> None:
        from tui_memory.tui.dialogs.text import WholeText

        self.app.push_screen(WholeText("What it came from", text))

    def action_memories(self) -> None:
        """The case's memories on Memories, to be edited there."""
        if self.drawn is not None:
            self.host.show_memories(only=tuple(self.drawn.case.memories), of=f"case {self.drawn.case.id}")

    def commands(self) -> Iterator[Command]:
        """What can be done here."""
        yield from self.deeds()
        if self.drawn is not None:
            yield Command("audit: Open", "the whole case, alone on the screen", self.action_open)
            yield Command("audit: Sources", "the observations it came from", self.action_sources)
            yield Command("audit: In Memories", "its memories, to be edited", self.action_memories)
        for name, count in (self.overview.counts if self.overview else {}).items():
            if name != self.family:
                title = f"audit: Show {families.find(name).title}"
                yield Command(title, formats.count(count, "case"), partial(self.action_family_of, name))
        yield Command("audit: Report", "what this week was, saved as Markdown", self.action_report)
