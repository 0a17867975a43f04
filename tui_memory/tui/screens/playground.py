"""Playground: a query, what answers it and why, and every weight of the ranking as a slider."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.content import Content

from tui_memory.errors import NotFoundError, TuiMemoryError
from tui_memory.tui import asking, bindings, describe, keepsake
from tui_memory.tui.commands import Command
from tui_memory.tui.screens.playground_deeds import SINCE, PlaygroundDeeds
from tui_memory.tui.screens.playground_rows import Kept, Line, Pair, Ranked
from tui_memory.tui.screens.playground_weights import Weights
from tui_memory.tui.widgets import score_bars, weight_slider
from tui_memory.tui.widgets.evaluation_chart import Figures
from tui_memory.tui.widgets.filter_line import FilterLine
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.search_box import PAST, SearchBox
from tui_memory.tui.widgets.weight_slider import WeightSliders

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.retrieve.profiles import Named

SETTLE = 0.03
TALL = 36
"""Lines from which the evaluation has room for a track below each number."""


class PlaygroundScreen(PlaygroundDeeds):
    """What happens on it: the box, the list, the sliders, the focus."""

    CSS_PATH = "playground.tcss"
    ROOM = "playground"
    HELP = (
        "/ writes a question; each result shows what made its place. p goes to the weights: the results follow as one"
        " moves. v shows exactly what an agent would be given."
    )
    BINDINGS: ClassVar[bindings.BindingList] = bindings.PLAYGROUND
    AUTO_FOCUS = "#list"
    _shown = 0
    _recalled: dict[str, Any] | None = None

    def begin(self) -> None:
        """Show the profile; ask, where a query stands."""
        name = (self._recalled or {}).get("name")
        profile = partial(_profile, name if isinstance(name, str) else None)
        asking.ask(self, "profile", profile, self._show_profile, failed=self._no_profile)
        self.draw_chart()
        self.ask(keep=False)

    def _show_profile(self, named: Named) -> None:
        settings = named.public()["settings"]
        weights = Weights(named.name, named.origin, settings, settings)
        before, self._recalled = self._recalled, None
        if before is not None and before.get("name") == named.name:
            weights = weights.recalled(before.get("changed"))
        if self.weights.name != named.name or not self.weights.changed or before is not None:
            self.weights = weights
        self.show_weights()
        self.rank()

    def _no_profile(self, error: TuiMemoryError) -> None:
        """The weights cannot be read: said where they would be, and where the results would."""
        self.sliders.fail(error)
        self.cannot(error)

    def say_trouble(self, error: TuiMemoryError | None) -> None:
        """Nor are there weights where the store cannot be opened."""
        super().say_trouble(error)
        if error is not None and not self.begun:
            self.sliders.fail(error)

    def again(self) -> None:
        """The profile too, where it could not be read; moved weights stay."""
        self.begin()

    def renew(self) -> None:
        """The store changed: the same question again."""
        if self.box.query_text:
            self.ask(keep=True)
        else:
            self.listing.say_again()

    # what is remembered from run to run

    def keepsake(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The weights, the last evaluation; the query, those before it, the filters."""
        plain, texts = super().keepsake()
        measured = self.figures.kept() if self.figures is not None else None
        kept = {"weights": self.weights.kept(), "evaluation": measured}
        return plain | kept, texts | {
            "query": self.box.query_text, "queries": list(self.box.past), "filters": dict(self.chosen),
        }  # fmt: skip

    def recall(self, plain: dict[str, Any], texts: dict[str, Any]) -> None:
        """The same, put back."""
        super().recall(plain, texts)
        self.box.past = keepsake.listed(texts, "queries", PAST)
        self.box.put(keepsake.text(texts, "query"))
        weights, filters = plain.get("weights"), texts.get("filters")
        self._recalled = weights if isinstance(weights, dict) else None
        self.figures = Figures.recalled(plain.get("evaluation"))
        if isinstance(filters, dict):
            names = ("kind", "tier", "label", "since")
            self.chosen = {name: str(filters[name]) for name in names if filters.get(name)}
            if self.chosen.get("since") not in (None, *SINCE):
                del self.chosen["since"]

    def forget_texts(self) -> None:
        """No query is kept that a purge may have named."""
        self.box.past = []

    # where the keys go

    @on(SearchBox.Sought, "#box")
    def _sought(self) -> None:
        self.ask(keep=False)

    @on(SearchBox.Left, "#box")
    def _left_box(self) -> None:
        self.listing.focus()

    @on(FilterLine.Clicked)
    def _filters_clicked(self) -> None:
        self.action_filter()

    def action_search(self) -> None:
        """Into the query."""
        self.box.focus()

    def action_weights(self) -> None:
        """To the sliders; from them back to the results."""
        if self.sliders.has_focus:
            self.action_leave()
        else:
            self.add_class("-weights")
            self.call_after_refresh(self.sliders.focus)

    def action_leave(self) -> None:
        """From the weights to the results; from a comparison to one ranking."""
        if not self.listing.has_focus:
            self.listing.focus()
        elif self.comparing:
            self.action_compare()
        else:
            self.host.go_back()

    def on_descendant_focus(self) -> None:
        """In a narrow terminal the sliders take the whole width while they are used."""
        self.set_class(self.sliders.has_focus or self.chart.has_focus, "-weights")
        self.listing.say_again()

    def on_resize(self) -> None:
        """The chart is as wide as its pane."""
        self.set_class(self.size.height >= TALL, "-tall")
        self.call_after_refresh(self.draw_chart)
        self.call_after_refresh(self.say)

    def action_compare(self) -> None:
        """Two profiles side by side, and back; with nothing to compare, choose one."""
        if not self.comparing and self.other is None and not self.weights.changed:
            self.action_pick_other()
            return
        self.comparing = not self.comparing
        self.rank()

    def commands(self) -> Iterator[Command]:
        """What can be done here."""
        yield Command("playground: Query", "write the query", self.action_search)
        yield Command("playground: Weights", "to the sliders", self.action_weights)
        yield Command("playground: Compare profiles", "two side by side, with what moved", self.action_compare)
        yield from super().commands()

    # the weights

    @on(WeightSliders.Weighed)
    def _weighed(self, event: WeightSliders.Weighed) -> None:
        self.weigh(weight_slider.put(dict(self.weights.values), event.name, event.value))

    @on(RecordList.Moved, "#weights")
    def _chose_weight(self, event: RecordList.Moved) -> None:
        if isinstance(event.record, weight_slider.Weight):
            idle = "▲ needs the model · " if event.record.idle else ""
            self.sliders.border_subtitle = Content(f"{idle}{event.record.says}")

    # the row in full

    @on(RecordList.Moved, "#list")
    def _moved(self, event: RecordList.Moved) -> None:
        row = event.record
        self.refresh_bindings()
        self.sum.update(summed(row))
        if row is None or isinstance(row, Line):
            self.detail.show(Content(""))
            return
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
        if not isinstance(event.record, Line):
            chosen = event.record.hit.id
            asking.lead(self, "open", partial(_whole, chosen), lambda text: self._open(*text))

    def _open(self, title: str, text: str) -> None:
        from tui_memory.tui.dialogs.text import WholeText

        self.app.push_screen(WholeText(title, text))


def summed(row: object) -> Content:
    """The sum that made a row's score; of two rankings both; of what was kept out, the rule as well."""
    if isinstance(row, Pair):
        parts: list[Content | str] = []
        for letter, hit in (("A ", row.left), ("B ", row.right)):
            sum_ = score_bars.written(hit.scores, hit.score) if hit is not None else Content("–")
            parts += [*(["\n"] if parts else []), letter, sum_]
        return Content.assemble(*parts)
    if isinstance(row, Kept):
        return score_bars.written(row.hit.scores, row.hit.score)
    return score_bars.written(row.hit.scores, row.hit.score) if isinstance(row, Ranked) else Content("")


def _profile(name: str | None, memory: Memory) -> Named:
    """The profile that was on the sliders last, else the one in use. Blocks, for a thread."""
    try:
        return memory.evaluating.profile(name)
    except NotFoundError:
        return memory.evaluating.profile(None)


def _read(chosen: int, memory: Memory) -> Content:
    return describe.memory(memory.get(chosen)[0])


def _whole(chosen: int, memory: Memory) -> tuple[str, str]:
    row = memory.get(chosen)[0]
    return row.title, describe.whole_memory(row)
