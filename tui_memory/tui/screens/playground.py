"""Playground: a query, what answers it, and why: every number that made a result's place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from tui_memory.errors import TuiMemoryError
from tui_memory.model import Filters, Hit, SearchResult
from tui_memory.tui import asking, bindings, describe, formats, keepsake
from tui_memory.tui import sample as samples
from tui_memory.tui.commands import Command
from tui_memory.tui.screens.memory_rows import degraded
from tui_memory.tui.screens.room import Room
from tui_memory.tui.widgets import empty, score_bars
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.pages import ListSource
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.rows import Cell
from tui_memory.tui.widgets.search_box import PAST, SearchBox

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.retrieve.disclose import Disclosure

LIMIT = 50
SETTLE = 0.03


@dataclass(frozen=True, slots=True)
class Ranked:
    """A result with its place."""

    rank: int
    hit: Hit


class PlaygroundScreen(Room):
    """Asks as the typing pauses; a stale answer is never drawn."""

    ROOM = "playground"
    HELP = "Type a question; each result shows what made its place. v shows exactly what an agent would be given."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.PLAYGROUND
    AUTO_FOCUS = "#box"
    _result: SearchResult | None = None
    _shown = 0

    def body(self) -> Iterable[Widget]:
        """The weights, the query with its results and their sum, the memory."""
        self.profile = Detail(classes="pane third")
        self.profile.border_title = "profile"
        self.box = SearchBox("ask as an agent would", id="box")
        self.listing: RecordList[Ranked] = RecordList(lambda row: row.hit.id, self._draw, what="results", id="list")
        self.listing.empty = self._empty
        self.sum = Static(id="sum", markup=False)
        self.main = Vertical(self.box, self.listing, self.sum, classes="pane main")
        self.detail = Detail(classes="pane side")
        return (self.main, self.detail)

    def third(self) -> Widget:
        """The profile's weights."""
        return self.profile

    def begin(self) -> None:
        """Show the profile; ask, where a query stands."""
        asking.ask(self, "profile", lambda memory: memory.finding.profile(None).as_dict(), self._show_profile)
        self._ask(keep=False)

    def renew(self) -> None:
        """The store changed: the same question again."""
        if self.box.query_text:
            self._ask(keep=True)

    def cannot(self, error: TuiMemoryError) -> None:
        """Say so in the list."""
        self.listing.fail(error)

    def _ask(self, *, keep: bool) -> None:
        query, project = self.box.query_text, self.host.project or None
        if not query:
            self._result = None
            self.listing.show(ListSource([]))
            self._say()
            return
        asking.ask(
            self,
            "search",
            lambda memory: memory.search_result(query, limit=LIMIT, filters=Filters(project=project)),
            partial(self._found, query, keep),
            failed=self.cannot,
        )

    def _found(self, query: str, keep: bool, result: SearchResult) -> None:
        if query == self.box.query_text:
            self._result = result
            ranked = [Ranked(rank, hit) for rank, hit in enumerate(result.results, 1)]
            self.listing.show(ListSource(ranked), keep=keep)
            self._say()

    def _empty(self) -> empty.Notice:
        if self.box.query_text:
            return empty.Notice(
                "Nothing reaches the threshold.",
                ("An honest answer: an agent would be given nothing here.",),
                "○",
            )
        if self.host.sample.sentence:
            return samples.notice(self.host.sample)
        return empty.Notice(
            "Ask something.",
            ("For example: why did we stop retrying payments", "", "Results come as you type, best first; each is"
             " drawn with the parts of its score.", "esc leaves the box; then v shows what an agent is given at a"
             " session's start. up in the box goes through what you asked before."),
        )  # fmt: skip

    def _draw(self, row: Ranked, width: int) -> list[Cell]:
        hit = row.hit
        wide = 14 if width >= 60 else 10
        full = max((other.score for other in self._result.results), default=1.0) if self._result else 1.0
        return [
            Cell(str(row.rank), "muted", width=3, right=True),
            Cell(describe.line(hit.memory.title, width) or "(no title)", "subject", flex=True),
            Cell(describe.line(hit.memory.kind, 12), "muted", width=10, needs=60),
            Cell("", width=wide, spans=score_bars.bar(hit.scores, wide, full), needs=40),
            Cell(f"{hit.score:.2f}", "accent", width=5, right=True),
        ]

    # what is remembered from run to run

    def keepsake(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The query and those before it."""
        plain, texts = super().keepsake()
        return plain, texts | {"query": self.box.query_text, "queries": list(self.box.past)}

    def recall(self, plain: dict[str, Any], texts: dict[str, Any]) -> None:
        """The same, put back."""
        super().recall(plain, texts)
        self.box.past = keepsake.listed(texts, "queries", PAST)
        self.box.put(keepsake.text(texts, "query"))

    def forget_texts(self) -> None:
        """No query is kept that a purge may have named."""
        self.box.past = []

    # keys

    @on(SearchBox.Sought)
    def _sought(self) -> None:
        self._ask(keep=False)

    @on(SearchBox.Left)
    def _left_box(self) -> None:
        self.listing.focus()

    def action_search(self) -> None:
        """Into the query."""
        self.box.focus()

    def action_leave(self) -> None:
        """To the results."""
        self.listing.focus()

    def action_context(self) -> None:
        """Exactly what the agent would be given: for the query, or at a session's start."""
        query, project = self.box.query_text or None, self.host.project or self._project_of_row()
        asking.ask(
            self,
            "context",
            lambda memory: memory.context(project=project, prompt=query),
            partial(self._show_context, query or ""),
        )

    def _project_of_row(self) -> str | None:
        """With every project on show: that of the result at hand, where an agent would ask."""
        row = self.listing.record
        return row.hit.memory.project if isinstance(row, Ranked) else None

    def _show_context(self, query: str, given: Disclosure) -> None:
        from tui_memory.tui.dialogs.text import WholeText

        when = f"for “{describe.line(query, 50)}”" if query else "at a session's start"
        text = given.text or "Nothing: no memory is worth its tokens here."
        count = formats.count(len(given.memories), "memory", "memories")
        self.app.push_screen(WholeText(f"What the agent is given {when}", text, f"{given.tokens} tokens · {count}"))

    # the row in full

    @on(RecordList.Moved, "#list")
    def _moved(self, event: RecordList.Moved) -> None:
        row = event.record
        if not isinstance(row, Ranked):
            self.sum.update("")
            self.detail.show(Content(""))
            return
        self.sum.update(score_bars.written(row.hit.scores, row.hit.score))
        self._shown = row.hit.id
        self.set_timer(SETTLE, partial(self._settled, row.hit.id))

    def _settled(self, chosen: int) -> None:
        if chosen == self._shown:
            asking.ask(self, "detail", partial(_read, chosen), partial(self._show, chosen))

    def _show(self, chosen: int, content: Content) -> None:
        if chosen == self._shown:
            self.detail.show(content, of=chosen)

    @on(RecordList.Opened, "#list")
    def _opened(self, event: RecordList.Opened) -> None:
        chosen = event.record.hit.id
        asking.ask(self, "open", partial(_whole, chosen), lambda text: self._open(*text))

    def _open(self, title: str, text: str) -> None:
        from tui_memory.tui.dialogs.text import WholeText

        self.app.push_screen(WholeText(title, text))

    # what the borders say

    def _show_profile(self, weights: dict[str, Any]) -> None:
        lines: list[tuple[str, str]] = []
        for name, value in weights.items():
            lines += [(f"{describe.line(str(name), 15):<16}", "$tm-muted"), (f"{_value(value):>8}\n", "")]
        self.call_after_refresh(self.profile.show, Content.assemble(*lines), of="profile")

    def _say(self) -> None:
        result = self._result
        if result is None:
            self.main.border_title, self.main.border_subtitle = "playground", ""
            return
        parts = [(formats.count(len(result.results), "result"), "")]
        self.main.border_title = Content.assemble(*parts)
        state = f"▲ {degraded(result)}" if result.degraded else "● model warm"
        style = "$text-warning" if result.degraded else "$text-success"
        self.main.border_subtitle = Content.assemble((f"{result.took_ms:.0f} ms · ", ""), (state, style))

    def commands(self) -> Iterator[Command]:
        """What can be done here."""
        yield Command("playground: Query", "write the query", self.action_search)
        yield Command("playground: What the agent is given", "the text, with its tokens", self.action_context)


def _value(value: object) -> str:
    """A weight in at most eight cells; what is kept per kind is only named so."""
    if isinstance(value, dict):
        return "per kind"
    return f"{value:g}" if isinstance(value, int | float) else describe.line(str(value), 8)


def _read(chosen: int, memory: Memory) -> Content:
    return describe.memory(memory.get(chosen)[0])


def _whole(chosen: int, memory: Memory) -> tuple[str, str]:
    row = memory.get(chosen)[0]
    return row.title, describe.whole_memory(row)
