"""Audit: the week's cases one at a time, riskiest first; evidence, question, one key; at the end the week's report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Static

from tui_memory.errors import NotFoundError, TuiMemoryError
from tui_memory.model import Filters
from tui_memory.tui import asking, bindings, formats
from tui_memory.tui import sample as samples
from tui_memory.tui.screens import audit_look
from tui_memory.tui.screens.audit_look import Drawn
from tui_memory.tui.screens.audit_opening import AuditOpening
from tui_memory.tui.screens.audit_queue import Queued, QueueSource, draw
from tui_memory.tui.screens.audit_report import ReportPane
from tui_memory.tui.widgets import empty
from tui_memory.tui.widgets.case_bars import Answer, AnswerBar, FamilyBar
from tui_memory.tui.widgets.evidence import Evidence
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.rows import wrap
from tui_memory.upkeep.audit import families

if TYPE_CHECKING:
    from tui_memory.engine.auditing import Overview
    from tui_memory.engine.memory import Memory
    from tui_memory.store.audit_cases import Row

SLICE = 0.2
"""Seconds that looking for cases takes at once, where no worker does it."""
SHOWN = 500
"""Cases that are at hand at once: more than a week's; the next ones follow as these are settled."""
LOOK_AFTER = 0.5
"""Seconds from a change, or from the last slice, to the next look."""


class AuditScreen(AuditOpening):
    """Shows what is stored at once, and looks for new cases only where no worker does."""

    CSS_PATH = "audit.tcss"
    ROOM = "audit"
    HELP = (
        "What a person should look at, riskiest first. Read the evidence, then answer: a does what is proposed, k"
        " leaves everything as it is, o is the other answer, z asks again in a week. The next case comes by itself; u"
        " takes the last answer back. What was settled does not come back unless its evidence changes."
    )
    BINDINGS: ClassVar[bindings.BindingList] = bindings.AUDIT
    AUTO_FOCUS = "#evidence"
    current = 0
    """The case that is shown, or on its way; 0: none."""
    _wanted = _done_here = _place = 0
    _look_due = False

    def body(self) -> Iterable[Widget]:
        """Families, the case with its evidence and answers; a notice or the report in its place."""
        self._leaving: set[int] = set()
        self.bar = FamilyBar({family.name: family.title for family in families.FAMILIES})
        self.queue: RecordList[Queued] = RecordList(lambda queued: queued.row.id, draw, what="cases", id="queue")
        self.queue.can_focus, self.queue.one_click = False, True
        self.queue.add_class("pane", "third")
        self.queue.border_title = "queue"
        self.head, self.question = Static(id="head", markup=False), Static(id="question", markup=False)
        self.sides = tuple(Static(id=name, classes="case-side", markup=False) for name in ("older", "newer"))
        self.says, self.answers = Static(markup=False), AnswerBar()
        self.evidence = Evidence(Horizontal(*self.sides, id="sides"), id="evidence")
        self.spoken = Evidence(self.says, id="says")
        self.spoken.can_focus = False
        self.case = Vertical(self.head, self.evidence, self.spoken, self.question, self.answers, id="case")
        self.notice = Static(id="notice", markup=False)
        self.report = ReportPane()
        self.main = Vertical(self.bar, self.case, self.notice, self.report, classes="pane main")
        self.main.border_title = "audit"
        return (self.main,)

    def third(self) -> Widget:
        """What is still to come."""
        return self.queue

    # what is there

    @property
    def filters(self) -> Filters:
        """Cases of the project on show."""
        return Filters(project=self.host.project or None)

    def begin(self) -> None:
        """Show the riskiest case."""
        self.current, self.drawn = 0, None
        self._say(empty.loading("cases"))
        self._read()
        self._look_later()

    def renew(self) -> None:
        """The store changed: what is open may be other cases; the one on show stays while it is."""
        self._read()
        self._look_later()

    def cannot(self, error: TuiMemoryError) -> None:
        """Say so in place of a case."""
        self._say(empty.failed(error))

    def _read(self) -> None:
        filters, family = self.filters, self.family or None

        def read(memory: Memory) -> tuple[Overview, list[Row]]:
            return memory.auditing.overview(filters), memory.auditing.queue(family, filters, limit=SHOWN)

        asking.ask(self, "audit", read, lambda answer: self._seen(*answer), failed=self.cannot)

    def _seen(self, overview: Overview, rows: list[Row]) -> None:
        self._leaving &= {row.id for row in rows}
        self.overview = overview
        if not rows and self.family and overview.open:
            self.action_family_of("")
            return
        self._list([row for row in rows if row.id not in self._leaving])
        self.bar.show(overview.counts, self.family)
        self._title()
        self._choose()

    def _list(self, rows: Sequence[Row]) -> None:
        same = [row.id for row in rows] == [row.id for row in self.rows]
        self.rows = rows
        if not same or self.queue.source is None:
            self.queue.show(QueueSource(self.host.opened.result(), rows), keep=True)

    def _choose(self) -> None:
        """The case that is wanted, else the one on show, else the one in its place."""
        ids = [row.id for row in self.rows]
        if not ids:
            self._end()
            return
        chosen = self._wanted if self._wanted in ids else self.current
        if chosen not in ids:
            chosen = ids[min(self._place, len(ids) - 1)]
        if chosen == self._wanted:
            self._wanted = 0
        self._place = ids.index(chosen)
        if self.report.wanted:
            return
        row = self.rows[self._place]
        if self.drawn is None or self.drawn.case.id != chosen or self.drawn.case.digest != row.evidence:
            self._open(chosen)
        else:
            self._view("case")

    def _open(self, case: int) -> None:
        self.current, self.drawn = case, None
        self.queue.go(self._place)
        asking.ask(
            self, "case", lambda memory: audit_look.draw(memory.auditing.case(case)), self._show, failed=self._gone
        )

    def _gone(self, error: TuiMemoryError) -> None:
        """The case went meanwhile; or it cannot be shown, which reading again will not mend."""
        gone, self.current = self.current, 0
        if isinstance(error, NotFoundError):
            self._leaving.add(gone)
            self.host.report(error)
            self._read()
        else:
            self.cannot(error)

    def _show(self, drawn: Drawn) -> None:
        if drawn.case.id != self.current:
            return
        self.drawn = drawn
        with self.app.batch_update():
            for pane, side in zip(self.sides, drawn.sides, strict=False):
                pane.update(side)
            self.case.set_class(len(drawn.sides) == 1, "-single")
            self.head.update(drawn.head)
            self.says.update(drawn.says)
            self.question.update(str(drawn.case.evidence["question"]))
            self.evidence.scroll_to(y=0, animate=False)
            self._view("case")
        self.refresh_bindings()
        self.call_after_refresh(self._offer, drawn)

    def _offer(self, drawn: Drawn) -> None:
        """The answers with their keys, once the focus is where the keys of a case work."""
        if drawn is self.drawn:
            self.answers.show(self._answers(drawn))
            self._fit()

    def _fit(self) -> None:
        """The evidence takes what it needs and scrolls in what the rest leaves; nothing else is ever cut off."""
        if self.drawn is None:
            return
        width, height = self.main.size.width, self.main.size.height - 1
        told = len(wrap(self.drawn.says.plain, max(width - 3, 1)))
        spoken = min(told, max(height // 3 - 2, 1)) + 2
        self.spoken.styles.height = spoken
        self.evidence.styles.max_height = max(height - 2 - spoken - max(len(self.answers.lines(width)), 1), 2)

    def _answers(self, drawn: Drawn) -> list[Answer]:
        keys = {active.binding.id: active.binding for active in self.active_bindings.values()}
        return [
            Answer(self.app.get_key_display(keys[identity]), words, action)
            for identity, words, action in audit_look.answers(drawn.case)
            if identity in keys
        ]

    # one after the other

    def settled(self, case: int) -> None:
        """The next case comes at once; the store follows."""
        self._leaving.add(case)
        self._done_here += 1
        self._list([row for row in self.rows if row.id != case])
        self.drawn = None
        if self.rows:
            self._place = min(self._place, len(self.rows) - 1)
            self._open(self.rows[self._place].id)

    def go_to(self, case: int) -> None:
        """Show a case as soon as the list has it."""
        self._leaving.discard(case)
        self._wanted, self.family = case, ""
        self.report.wanted = False
        self._read()

    def action_step(self, by: int) -> None:
        """To another case, without settling this one."""
        if not self.rows:
            return
        self.report.wanted = False
        self._place = (self._place + by) % len(self.rows)
        self._open(self.rows[self._place].id)

    def action_family(self, by: int) -> None:
        """The next family that has cases, all of them among these."""
        there = ["", *(self.overview.counts if self.overview else ())]
        here = there.index(self.family) if self.family in there else 0
        self.action_family_of(there[(here + by) % len(there)])

    def action_family_of(self, family: str) -> None:
        """Only this family's cases; empty: all."""
        self.family, self.current, self._place = family, 0, 0
        self.report.wanted = False
        self._read()

    @on(FamilyBar.Chosen)
    def _family_chosen(self, event: FamilyBar.Chosen) -> None:
        self.action_family_of(event.family)

    @on(RecordList.Opened, "#queue")
    def _queue_chosen(self, event: RecordList.Opened) -> None:
        self.go_to(event.record.row.id)

    def action_leave(self) -> None:
        """From the report back to the cases; from one family to all."""
        if self.report.wanted:
            self.report.wanted = False
            self._read()
        elif self.family:
            self.action_family_of("")
        else:
            self.host.go_back()

    # the end

    def _end(self) -> None:
        self.current, self.drawn = 0, None
        overview = self.overview
        if self._leaving:
            return  # what was settled last is on its way to the store
        if overview is not None and overview.settled:
            if self._done_here or not self.main.has_class("-report"):
                self.report.make(save=bool(self._done_here))
            self._done_here = 0
            self._view("report")
        elif not self.host.status.memories and self.host.status.known and not self.host.project:
            self._say(self.first_run())
        else:
            self._say(samples.notice(self.host.sample) if self.host.sample.busy else NOTHING)

    def action_report(self) -> None:
        """The week's report as it stands, saved."""
        self.report.wanted = True
        self.report.make(save=True)
        self._view("report")

    def _say(self, notice: empty.Notice) -> None:
        self.notice.update(notice.content())
        self._view("notice")

    def _view(self, view: str) -> None:
        self.main.update_classes({f"-{name}": name == view for name in ("case", "notice", "report")})
        if view == "report":
            self.report.take_focus()
        elif view == "case" and (self.focused is None or self.report.has_focus_inside):
            self.set_focus(self.evidence)

    # looking for new ones

    def _look_later(self) -> None:
        if not self._look_due:
            self._look_due = True
            self.set_timer(LOOK_AFTER, self._look)

    def _look(self) -> None:
        self._look_due = False
        if self.begun and self.host.screen is self:
            asking.ask(self, "look", lambda memory: memory.auditing.keep_up(SLICE), self._looked, failed=_unsaid)

    def _looked(self, finished: bool) -> None:
        self.main.border_subtitle = "" if finished else "◌ looking through what is new"
        if not finished:
            self._look_later()

    # borders

    def on_resize(self) -> None:
        """The title is as wide as the pane."""
        self.call_after_refresh(self._title)
        self.call_after_refresh(self._fit)

    def _title(self) -> None:
        if self.overview is not None:
            self.main.border_title = audit_look.border(self.overview, self.main.size.width - 4)
            there = self.overview.counts.get(self.family, 0) if self.family else self.overview.open
            self.queue.border_title = f"queue · {formats.number(there)}"


NOTHING = empty.Notice(
    "Nothing to audit.",
    (
        "No case is open: nothing that looks like a secret, gives orders, contradicts or repeats something else.",
        "New cases come by themselves as agents learn; what was settled stays settled.",
        "R shows this week's report.",
    ),
    glyph="●",
)


def _unsaid(_error: TuiMemoryError) -> None:
    """What keeps a look from being taken keeps the list from being read as well, and that says so."""
