"""The audit's two bars: the families with their counts, and the answers to the case at hand; both to be clicked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

GAP = " │ "


@dataclass(frozen=True, slots=True)
class Tab:
    """One family in the bar: its name, how it is written, and how many cases it has."""

    name: str
    title: str
    count: int

    @property
    def text(self) -> str:
        """As it stands in the bar."""
        return f"{self.title} {self.count:,}"


class FamilyBar(Widget):
    """Every family where there is room, else those that have cases; the chosen one is always there."""

    @dataclass
    class Chosen(Message):
        """A family was clicked; empty: all of them."""

        family: str

    chosen: reactive[str] = reactive("")

    def __init__(self, titles: Mapping[str, str]) -> None:
        """`titles`: name and title of each family, riskiest first."""
        super().__init__()
        self._titles = titles
        self._counts: dict[str, int] | None = None
        """None: not known yet; nothing is drawn then."""

    def show(self, counts: Mapping[str, int], chosen: str) -> None:
        """Draw with these counts."""
        self._counts = dict(counts)
        self.chosen = chosen
        self.refresh()

    def tabs(self) -> list[Tab]:
        """What is drawn: as much as the line holds."""
        if self._counts is None:
            return []
        every = Tab("", "all", sum(self._counts.values()))
        full = [Tab(name, title, self._counts.get(name, 0)) for name, title in self._titles.items()]
        some = [tab for tab in full if tab.count or tab.name == self.chosen]
        short = [Tab(tab.name, tab.name, tab.count) for tab in some]
        room = max(self.size.width - 2, 1)
        for tabs in (full, some, short):
            if _width([every, *tabs]) <= room:
                return [every, *tabs]
        kept = [every, *(tab for tab in short if tab.name == self.chosen)]
        for tab in short:
            if tab not in kept and _width([*kept, tab]) <= room:
                kept.append(tab)
        return kept

    def render(self) -> Content:
        """The line."""
        pieces: list[tuple[str, str]] = []
        for tab in self.tabs():
            pieces.append((GAP if pieces else " ", "$tm-line"))
            here = tab.name == self.chosen
            pieces.append((tab.text, "bold underline" if here else "" if tab.count else "$tm-muted"))
        return Content.assemble(*pieces)

    def on_click(self, event: events.Click) -> None:
        """Which family is under the pointer."""
        x = event.get_content_offset_capture(self).x - 1
        for tab in self.tabs():
            width = cell_len(tab.text)
            if 0 <= x < width:
                self.post_message(self.Chosen(tab.name))
                return
            x -= width + len(GAP)


def _width(tabs: Sequence[Tab]) -> int:
    return sum(cell_len(tab.text) for tab in tabs) + len(GAP) * (len(tabs) - 1)


@dataclass(frozen=True, slots=True)
class Answer:
    """A key, what it does with the case, and the screen's action."""

    key: str
    words: str
    action: str

    @property
    def width(self) -> int:
        """Terminal cells, the space behind it included."""
        return cell_len(self.key) + cell_len(self.words) + 5


class AnswerBar(Widget):
    """Laid out in as many lines as it takes: no answer is left out."""

    def __init__(self) -> None:
        super().__init__()
        self._answers: list[Answer] = []

    def show(self, answers: Sequence[Answer]) -> None:
        """Offer these."""
        self._answers = list(answers)
        self._fit()

    def on_resize(self) -> None:
        """Another width, other lines."""
        self._fit()

    def _fit(self) -> None:
        self.styles.height = max(len(self.lines(self.size.width)), 1)
        self.refresh()

    def lines(self, width: int) -> list[list[Answer]]:
        """The answers by line, in so many cells: also before the bar is laid out, where its own width is 0."""
        lines: list[list[Answer]] = []
        room = 0
        for answer in self._answers:
            if not lines or room < answer.width:
                lines.append([])
                room = max(width - 1, 1)
            lines[-1].append(answer)
            room -= answer.width
        return lines

    def render(self) -> Content:
        """The lines."""
        rows = []
        for line in self.lines(self.size.width):
            pieces = [(" ", "")]
            for answer in line:
                pieces += [(answer.key, "bold $text-accent"), (f"  {answer.words}   ", "")]
            rows.append(Content.assemble(*pieces))
        return Content("\n").join(rows)

    async def on_click(self, event: events.Click) -> None:
        """Do what the answer under the pointer says."""
        offset = event.get_content_offset_capture(self)
        lines = self.lines(self.size.width)
        x = offset.x - 1
        for answer in lines[offset.y] if 0 <= offset.y < len(lines) else ():
            if 0 <= x < answer.width - 3:
                await self.screen.run_action(answer.action)
                return
            x -= answer.width
