"""The first line: which store and project this is, how much it holds, and whether its parts are alive."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from tui_memory.safetext import one_line
from tui_memory.tui import formats
from tui_memory.tui.sample import Sample
from tui_memory.tui.status import Sign, Status

STYLES = {
    "ready": "$text-success",
    "degraded": "$text-warning",
    "broken": "$text-error",
    "unknown": "$tm-muted",
}


class HeaderBar(Widget):
    """Says what fits, most important first: signs that are not ready never give way to ready ones."""

    status: reactive[Status] = reactive(Status)
    project: reactive[str] = reactive("")
    store: reactive[str] = reactive("")
    """How the store is named: its path, or that it is a throw-away one."""
    sample: reactive[Sample] = reactive(Sample)
    """How a demonstration's sample stands: while it is being made, that goes before all counts."""
    doing: reactive[str] = reactive("")
    """Other work that goes on: as much before all counts."""

    class ProjectAsked(Message):
        """The project picker is wanted."""

    class SignsAsked(Message):
        """What is less than it could be is to be explained."""

    def render(self) -> Content:
        """The line, as wide as there is room."""
        width = self.size.width - 2
        if self.sample.sentence or self.doing:
            return self._making(width)
        right = self._signs(width // 2)
        return Content.assemble(
            (left := self._left(width - right.cell_length - 2)),
            " " * max(width - left.cell_length - right.cell_length, 1),
            right,
        )

    def _making(self, width: int) -> Content:
        """How the sample or other work goes, and the signs only where they fit beside it."""
        style, glyph = ("$text-error", "✗") if self.sample.died else ("$text-accent", "◌")
        pieces = [("tui-memory", "bold $text-accent"), (f"  {self.project or 'all projects'} ⌄", "bold")]
        room = max(width - sum(cell_len(text) for text, _ in pieces), 0)
        sentence = f" · {glyph} {one_line(self.sample.sentence or self.doing, 200)}"
        while cell_len(sentence) > room and sentence.count(" · ") > 1:
            sentence = sentence.rpartition(" · ")[0]  # "of about 1" is not what "of about 15" begins with
        if cell_len(sentence) > room:
            sentence = set_cell_size(sentence, max(room - 1, 0)) + "…"
        pieces.append((sentence, style))
        left = Content.assemble(*pieces)
        space = width - left.cell_length
        right = self._signs(space - 2)
        return Content.assemble(left, " " * (space - right.cell_length), right) if right.cell_length < space else left

    def _left(self, width: int) -> Content:
        pieces = [("tui-memory", "bold $text-accent"), (f"  {self.project or 'all projects'} ⌄", "bold")]
        status = self.status
        optional = [f" · {formats.count(status.memories, 'memory', 'memories')}"] if status.known else []
        if status.week:
            optional.append(f" · {formats.number(status.week)} new this week")
        used = sum(cell_len(text) for text, _ in pieces)
        for text in (*optional, f" · {self.store}"):
            if used + cell_len(text) > width:
                break
            used += cell_len(text)
            pieces.append((text, "$tm-muted"))
        return Content.assemble(*pieces)

    def _signs(self, room: int) -> Content:
        signs = self.status.signs
        words = {sign: f"{sign.glyph} {sign.word}" for sign in signs}
        if sum(cell_len(text) + 2 for text in words.values()) > room:
            less = {sign: text for sign, text in words.items() if sign.state != "ready"}
            words = less or {Sign("ready", "ready"): "● ready"}
        return Content("  ").join([_sign(sign, text) for sign, text in words.items()])

    def on_click(self, event: events.Click) -> None:
        """A click on the left opens the project picker, one on the right Health."""
        self.post_message(self.ProjectAsked() if event.x < self.size.width // 2 else self.SignsAsked())


def _sign(sign: Sign, text: str) -> Content:
    return Content.assemble((text, STYLES[sign.state]))
