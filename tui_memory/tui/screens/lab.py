"""Lab: observations compressed in several ways, side by side; nothing is stored until one is adopted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget

from tui_memory.errors import TuiMemoryError
from tui_memory.model import Filters, Kind, Observation
from tui_memory.tui import asking, bindings, describe, formats, keepsake
from tui_memory.tui.commands import Command
from tui_memory.tui.screens import lab_look
from tui_memory.tui.screens.lab_look import Run
from tui_memory.tui.screens.lab_runs import LabRuns
from tui_memory.tui.widgets import empty
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.mark_list import MarkList
from tui_memory.tui.widgets.pages import ListSource
from tui_memory.tui.widgets.record_list import RecordList

if TYPE_CHECKING:
    from tui_memory.engine.lab import Estimate, Offer
    from tui_memory.engine.memory import Memory

MOST = 1_000
"""Observations that are listed to choose from: the newest."""
HEAD = 300
"""Characters of each that are kept for its row."""
CONFIGS = 6
RULES = "extractive"
_GRAINS = ("", "@event", "@session")


class LabColumn(Detail):
    """One configuration's result."""

    HELP = (
        "What one configuration made of the chosen observations. enter adopts it; h and l go to the columns beside it;"
        " what stands underlined is not in the sources, and is left out."
    )
    BINDINGS: ClassVar[bindings.BindingList] = [*bindings.DIALOG[2:], *bindings.LAB_COLUMN]

    def __init__(self, run: Run) -> None:
        super().__init__(classes="pane column")
        self.run = run

    def on_mount(self) -> None:
        """Draw it."""
        self.draw()

    def draw(self) -> None:
        """The run as it stands."""
        self.border_title, self.border_subtitle = lab_look.title(self.run), lab_look.subtitle(self.run)
        self.show(lab_look.column(self.run), of=self.run)


class LabScreen(LabRuns):
    """The chosen observations on the left, a column for each configuration beside them."""

    CSS_PATH = "lab.tcss"
    ROOM = "lab"
    HELP = (
        "space marks observations, t their whole turn, s their session; c chooses configurations; r runs them side by"
        " side and stores nothing. enter in a column adopts it, R recompresses with an estimate first, esc cancels."
    )
    BINDINGS: ClassVar[bindings.BindingList] = bindings.LAB
    AUTO_FOCUS = "#list"

    def __init__(self) -> None:
        super().__init__()
        self.runs = []
        self.configs: list[str] = []
        self._offer: Offer | None = None
        self._rows: list[Observation] = []
        self._reading = self._due = self._known = False

    def body(self) -> Iterable[Widget]:
        """The observations, and the columns."""
        self.listing: MarkList[Observation] = MarkList(
            lambda row: row.id, lab_look.draw, what="observations", id="list"
        )
        self.listing.add_class("pane", "main")
        self.listing.empty, self.listing.help_text = self.no_events, self.HELP
        self.notice = Detail(id="lab-notice", classes="pane column")
        self.columns = Horizontal(self.notice, id="columns")
        return (self.listing, self.columns)

    def begin(self) -> None:
        """Read what can be chosen: observations, configurations."""
        self._reading = False
        self._read_rows()
        asking.ask(self, "offer", lambda memory: memory.compressing.lab().offer(), self._offered)

    def renew(self) -> None:
        """The store changed: the list again; columns stay."""
        self._read_rows()

    def _read_rows(self) -> None:
        """Read the list, once at a time: under steady commits a newer question would void each answer."""
        self._due = self._reading
        if not self._reading:
            self._reading = True
            asking.ask(self, "rows", partial(_read, self.host.project or None), self._show, failed=self.cannot)

    def again(self) -> None:
        """Everything again, the models on hand too."""
        self.begin()

    def cannot(self, error: TuiMemoryError) -> None:
        """Say so in the list."""
        self._reading = False
        self.listing.fail(error)

    def _show(self, rows: list[Observation]) -> None:
        self._rows, self._reading, self._known = rows, False, True
        self.listing.show(ListSource(rows), keep=True)
        self._say()
        if self._due:
            self._read_rows()

    def _offered(self, offer: Offer) -> None:
        self._offer = offer
        if not self.configs:
            self.configs = [*[route for route in offer.routes if route != RULES][:1], RULES]
        self._say()

    def _say(self) -> None:
        count, marked = formats.count(len(self._rows), "observation") if self._known else "", self.listing.marked
        more = ", the newest" if len(self._rows) >= MOST else ""
        self.listing.border_title = f"{marked:,} marked of {count}{more}" if marked else f"{count}{more}"
        self.listing.border_subtitle = Content(f"{formats.count(len(self.configs), 'configuration')} · c chooses")
        self.notice.border_title = "lab"
        self.notice.show(self._guide().content(), of="guide")

    def _guide(self) -> empty.Notice:
        """What the columns' place says before anything ran."""
        trouble = self._offer.trouble if self._offer else ""
        lines = ["r runs:", *(f"  {name}" for name in self.configs), ""]
        lines += ["space marks observations, t the whole turn, s the session; without a mark it is the row's turn."]
        lines += ["Nothing is stored until enter in a column adopts it."]
        if trouble:
            lines += ["", f"▲ No model: only the rules (extractive) can run. {trouble}", *lab_look.TRIED]
        lines += ["", "A session's beginning and end, which Live counts too, are not listed: nothing is made of them."]
        return empty.Notice("Compare ways of compressing.", tuple(lines), "○")

    # what is remembered from run to run

    def keepsake(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The configurations."""
        plain, texts = super().keepsake()
        return plain, texts | {"configs": list(self.configs)}

    def recall(self, plain: dict[str, Any], texts: dict[str, Any]) -> None:
        """The same, put back."""
        super().recall(plain, texts)
        self.configs = keepsake.listed(texts, "configs", CONFIGS)

    # what is chosen

    def _chosen(self, session: bool | None) -> list[int]:
        """The marked observations, else the row: as they are (None), with turns (False), sessions (True)."""
        keys: list[int] = []
        self.listing.chosen(keys.extend)
        places = {self._place(row, session) for row in self._rows if row.id in keys}
        return keys if session is None else [row.id for row in self._rows if self._place(row, session) in places]

    @staticmethod
    def _place(row: Observation, session: bool | None) -> tuple[str, int]:
        return row.session, 0 if session else row.turn

    def action_whole(self, session: bool) -> None:
        """Mark the whole turn, or session, of what is chosen."""
        self.listing.mark_also(frozenset(self._chosen(session)))

    def action_configs(self) -> None:
        """Choose what is compared."""
        from tui_memory.tui.dialogs.configs import Configs

        offer = self._offer
        offered = [name for route in (offer.routes if offer else (RULES,)) for name in self._ways(route)]
        self.app.push_screen(Configs(offered, self.configs, offer.trouble if offer else ""), self._configured)

    def _ways(self, route: str) -> list[str]:
        """A route in every granularity and with every variant of the prompts; the rules read turns alone."""
        if route == RULES:
            return [route]
        variants = ("", *(f"+{name}" for name in (self._offer.variants if self._offer else ())))
        return [f"{route}{grain}{variant}" for grain in _GRAINS for variant in variants]

    def _configured(self, names: tuple[str, ...] | None) -> None:
        if names is not None:
            self.configs = list(names)
            self._say()

    @on(MarkList.Marked, "#list")
    def _marked(self) -> None:
        self._say()

    # running

    def action_run(self) -> None:
        """Run the configurations over what is marked, else over the row's turn."""
        ids = self._chosen(None if self.listing.marked else False)
        if not ids or not self.configs:
            nothing = "There is nothing to compress." if self._known else "The observations are still being read."
            self.notify("Choose at least one configuration: c." if ids else nothing, markup=False)
            return
        self._begin_runs(ids, [Run(name) for name in self.configs])

    def _begin_runs(self, ids: Sequence[int], runs: list[Run], *, adopting: bool = False) -> None:
        self.drop_runs()
        self.runs = runs
        self.call_later(self._put, runs)
        self.launch(sorted(ids), runs, partial(self.adopt, action="compress again") if adopting else None)

    async def _put(self, runs: list[Run]) -> None:
        """Columns in place of those that were there."""
        await self.columns.remove_children(LabColumn)
        self.notice.display = not runs
        await self.columns.mount(*(LabColumn(run) for run in runs))
        if runs:
            self.columns.query(LabColumn).first().focus()

    def told_of_run(self, run: Run) -> None:
        """Draw its column."""
        for column in self.columns.query(LabColumn):
            if column.run is run:
                column.draw()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Where there is no room for both, the list or the columns are on show: whichever has the keys."""
        self.set_class(isinstance(event.widget, LabColumn), "-columns")

    def refusal(self, action: str, parameters: tuple[object, ...]) -> str:
        """What is done to observations needs one, what is done to a column a column."""
        if action in ("whole", "recompress") and self.listing.record is None:
            return "There is no observation here. Nothing was changed."
        if action == "column" and not self.runs:
            return "There is no column yet: r runs the configurations."
        return super().refusal(action, parameters)

    def action_recompress(self) -> None:
        """Compress the turns of what is chosen once more and keep it, after a yes to what it costs."""
        ids, name = self._chosen(False), run.name if (run := self._column()) else next(iter(self.configs), RULES)
        if ids:
            route = RULES if name == RULES else ""
            asking.lead(
                self,
                "estimate",
                lambda memory: memory.compressing.lab().estimate(ids, route),
                partial(self._estimated, ids, name),
            )

    def _estimated(self, ids: list[int], name: str, cost: Estimate) -> None:
        from tui_memory.tui.dialogs.confirm import Confirm

        question = f"Recompress {formats.count(cost.turns, 'turn')} with {name}?"

        def answered(yes: bool | None) -> None:
            if yes:
                self._begin_runs(ids, [Run(name)], adopting=True)

        self.app.push_screen(Confirm(question, lab_look.estimate(cost), "Recompress"), answered)

    def _column(self) -> Run | None:
        return self.focused.run if isinstance(self.focused, LabColumn) else None

    def action_adopt(self) -> None:
        """Keep what the column at hand made."""
        if (run := self._column()) is not None:
            self.adopt(run)

    def action_column(self, step: int) -> None:
        """To the column beside this one; before the first is the list."""
        columns = list(self.columns.query(LabColumn))
        at = columns.index(self.focused) if isinstance(self.focused, LabColumn) else -1
        if columns and at + step >= 0:
            columns[min(at + step, len(columns) - 1)].focus()
        else:
            self._to_list()

    def _to_list(self) -> None:
        """The list has to be on show before it can have the keys."""
        self.remove_class("-columns")
        self.call_after_refresh(self.listing.focus)

    def action_leave(self) -> None:
        """Cancel the column at work; else back to the list; else end the marks."""
        if self.cancel_run():
            return
        if isinstance(self.focused, LabColumn):
            self._to_list()
        elif self.listing.marked:
            self.listing.clear_marks()
        else:
            self.host.go_back()

    @on(RecordList.Opened, "#list")
    def _opened(self, event: RecordList.Opened) -> None:
        from tui_memory.tui.dialogs.text import WholeText

        row = event.record
        asking.lead(
            self,
            "open",
            lambda memory: memory.observation([row.id])[0].text,
            lambda text: self.app.push_screen(WholeText(f"{describe.kind(row.kind)} #{row.id}", text)),
        )

    def commands(self) -> Iterator[Command]:
        """What can be done here."""
        yield Command("lab: Run", "the configurations over what is marked, side by side", self.action_run)
        yield Command("lab: Configurations", "choose what is compared", self.action_configs)
        yield Command("lab: Recompress", "the marked turns once more, after an estimate", self.action_recompress)
        yield Command("lab: Mark turn", "everything of the turn", partial(self.action_whole, False))
        yield Command("lab: Mark session", "everything of the session", partial(self.action_whole, True))
        if self._column() is not None:
            yield Command("lab: Adopt", "keep what this column made", self.action_adopt)
        if self.at_work:
            yield Command("lab: Cancel", "the column that runs", self.action_leave)


def _read(project: str | None, memory: Memory) -> list[Observation]:
    rows = memory.observations(Filters(project=project), limit=MOST)
    return [replace(row, text=row.text[:HEAD]) for row in rows if row.kind != Kind.LIFECYCLE]
