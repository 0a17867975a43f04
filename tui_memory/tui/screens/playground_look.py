"""The Playground's panes: what is asked, how it is drawn, and the sliders that rank it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from tui_memory.errors import TuiMemoryError
from tui_memory.model import Filters
from tui_memory.safetext import one_line
from tui_memory.tui import asking, formats
from tui_memory.tui import sample as samples
from tui_memory.tui.screens import playground_rows as rows
from tui_memory.tui.screens.memory_rows import missing
from tui_memory.tui.screens.playground_weights import Weights
from tui_memory.tui.screens.room import Room
from tui_memory.tui.widgets import empty, weight_slider
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.evaluation_chart import Figures, chart
from tui_memory.tui.widgets.filter_line import FilterLine
from tui_memory.tui.widgets.pages import ListSource
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.rows import Cell
from tui_memory.tui.widgets.search_box import SearchBox
from tui_memory.tui.widgets.weight_slider import WeightSliders

if TYPE_CHECKING:
    from tui_memory.retrieve.profiles import Named

AGAIN = 3.0
"""Seconds from a less than full answer to the next try."""
LIST_HELP = (
    "Results, best first: place, title, the score as a stacked bar and in numbers, how far it moved from the profile's"
    " own ranking, and r or i where you judged it. Below the line is what was kept out; w says why."
)

BOX_FOCUSED = (
    "Results come as you type, best first; each is drawn with the parts of its score.",
    "esc leaves the box; then v shows what an agent is given at a session's start, and p goes to the weights.",
    "up in the box goes through what you asked before.",
)
LIST_FOCUSED = (
    "/ writes the query.",
    "v shows what an agent is given at a session's start.",
    "p goes to the weights; e measures them by what was judged.",
)
"""What an empty list says: only keys that work where the focus is."""


class PlaygroundLook(Room):
    """Asks as the typing pauses and ranks again as a weight moves; a stale answer is never drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = Weights()
        self.other: Weights | None = None
        """The profile that stands beside, where one was chosen; else it is the one the sliders began with."""
        self.given: rows.Answer | None = None
        self.comparing = False
        self.chosen: dict[str, str] = {}
        """Filters by name: kind, tier, label, since (days)."""
        self.figures: Figures | None = None
        self.was: Figures | None = None
        self.measured: Mapping[str, Any] | None = None
        self.chart_notice: empty.Notice | None = None
        self._full = 1.0

    def body(self) -> Iterable[Widget]:
        """Query, filters, results and their sum; weights over the evaluation; the memory, where there is room."""
        self.box = SearchBox("ask as an agent would", id="box")
        self.filters = FilterLine(id="filters")
        self.listing: RecordList[rows.Row] = RecordList(rows.key, self._draw, what="results", id="list")
        self.listing.empty, self.listing.help_text = self._empty, LIST_HELP
        self.sum = Static(id="sum", markup=False)
        self.main = Vertical(self.box, self.filters, self.listing, self.sum, classes="pane main")
        self.sliders = WeightSliders(id="weights")
        self.sliders.add_class("pane")
        self.chart = Detail(id="chart", classes="pane")
        self.chart.border_title, self.chart.border_subtitle = "evaluation", "e evaluate  t tune  s save"
        self.detail = Detail(id="memory", classes="pane aside")
        return (self.main, Vertical(self.sliders, self.chart, classes="side"), self.detail)

    # asking

    @property
    def filtered(self) -> Filters:
        """The project on show and what was chosen."""
        many: dict[str, Any] = {name: (value,) for name, value in self.chosen.items() if name != "since"}
        since = self.chosen.get("since")
        if since:
            many["since"] = formats.now() - int(since) * formats.DAY
        return Filters(project=self.host.project or None, **many)

    def _wanted(self) -> rows.Wanted:
        other = self.other.values if self.other is not None and self.comparing else None
        filters = self.given.wanted.filters if self.given is not None and self.given.wanted.filters else self.filtered
        return rows.Wanted(self.box.query_text, filters, self.weights.values, self.weights.base, other)

    def ask(self, *, keep: bool) -> None:
        """The query anew: its candidates are gathered."""
        self.given = None if not keep else self.given
        self.filters.say(self.host.project, self.chosen)
        if not self.box.query_text:
            self.given = None
            self.listing.show(ListSource([]))
            self.say()
            return
        other = self.other.values if self.other is not None and self.comparing else None
        wanted = rows.Wanted(self.box.query_text, self.filtered, self.weights.values, self.weights.base, other)
        self._put(wanted, None, keep)

    def rank(self) -> None:
        """The same candidates by other weights: no model is asked."""
        if self.given is not None:
            self._put(self._wanted(), self.given.asked, True)

    def _put(self, wanted: rows.Wanted, before: Any, keep: bool) -> None:
        asking.ask(
            self,
            "search",
            lambda memory: rows.answer(memory, wanted, before),
            partial(self._found, keep),
            failed=self.cannot,
        )

    def _found(self, keep: bool, given: rows.Answer) -> None:
        if given.wanted.query != self.box.query_text:
            return
        self.given = given
        self._full = max((hit.score for hit in given.now.hits), default=1.0)
        listed = rows.pairs(given) if self.comparing else rows.rows(given)
        self.listing.show(ListSource(listed), keep=keep)
        self.show_weights()
        self.say()
        if given.fresh and given.asked.degraded:
            self.set_timer(AGAIN, partial(self._ask_again, given))

    def _ask_again(self, given: rows.Answer) -> None:
        """What was asked of a model that did not answer in time is asked once more, as soon as it may."""
        if self.given is not None and self.given.asked is given.asked and self.is_current:
            if self.host.status.model_ready:
                self.ask(keep=True)
            else:
                self.set_timer(AGAIN, partial(self._ask_again, given))

    def list_again(self) -> None:
        """What is known drawn anew; nothing is asked."""
        if self.given is not None:
            self._found(True, self.given)

    def cannot(self, error: TuiMemoryError) -> None:
        """Say so in the list."""
        self.listing.fail(error)

    # weights

    def weigh(self, values: Mapping[str, Any]) -> None:
        """Other values on the sliders."""
        self.weights = Weights(self.weights.name, self.weights.origin, self.weights.base, values)
        self.show_weights()
        self.rank()

    def take_profile(self, named: Named) -> None:
        """A profile's weights, in place of what was on the sliders."""
        settings = named.public()["settings"]
        self.weights = Weights(named.name, named.origin, settings, settings)
        self.show_weights()
        self.rank()

    def compare_with(self, named: Named) -> None:
        """This profile beside the one on the sliders."""
        settings = named.public()["settings"]
        self.other = Weights(named.name, named.origin, settings, settings)
        self.comparing = True
        self.rank()
        self.say()

    def show_weights(self) -> None:
        """The sliders, and whose they are."""
        degraded = self.given.asked.degraded if self.given is not None else ()
        self.sliders.put(weight_slider.weights(self.weights.values, self.weights.base, degraded))
        self.sliders.border_title = Content(f"profile · {self.weights.title}")

    # drawing

    def _draw(self, row: rows.Row, width: int) -> list[Cell]:
        return rows.draw(row, width, self._full)

    def _empty(self) -> empty.Notice:
        if self.box.query_text and self.given is None:
            return empty.loading("what it turns up")
        if self.box.query_text:
            chosen = ("F takes the filters away." if not self.box.has_focus else "",) if self.chosen else ()
            lines = ("An honest answer: an agent would be given nothing here.", *chosen)
            return empty.Notice("Nothing reaches the threshold.", lines, "○")
        if self.host.sample.sentence:
            return samples.notice(self.host.sample)
        if self.host.status.known and not self.host.status.memories:
            return self.first_run()
        lines = BOX_FOCUSED if self.box.has_focus else LIST_FOCUSED
        return empty.Notice("Ask something.", ("For example: why did we stop retrying payments", "", *lines))

    def draw_chart(self) -> None:
        """The evaluation: what was measured, or why there is nothing."""
        size = self.chart.scrollable_content_region
        if self.chart_notice is not None:
            content = self.chart_notice.content()
        elif self.figures is None:
            lines = ("r and i on a result judge it; then e measures these weights by all that was judged.",)
            content = empty.Notice("Nothing measured yet.", lines).content()
        else:
            content = chart(self.figures, self.was, size.width - 2, size.height)
        self.chart.show(content)

    def say(self) -> None:
        """What the borders say."""
        given = self.given
        self.set_class(self.comparing and given is not None, "-comparing")
        if given is None:
            self.main.border_title, self.main.border_subtitle = "playground", ""
            return
        title = formats.count(len(given.now.hits), "result")
        if self.comparing:
            names = (f"A {self.weights.title}", f"B {one_line(self.other.name, 30)}") if self.other else (
                f"A {one_line(self.weights.name, 30)}", f"B {self.weights.title}"
            )  # fmt: skip
            title = " · ".join(names)
        self.main.border_title = Content(title)
        took = given.now.took_ms + (given.asked.found.took_ms if given.fresh else 0.0)
        did = "asked in" if given.fresh else "ranked in"
        lacking = given.asked.degraded
        state, style = (f"▲ {missing(lacking)}", "$text-warning") if lacking else ("● model warm", "$text-success")
        parts = [(f"{did} {took:.0f} ms · ", ""), (state, style)]
        if self.main.region.width >= 70 and not lacking:
            parts.append((" · r relevant  i irrelevant  w why not", "$tm-muted"))
        self.main.border_subtitle = Content.assemble(*parts)
