"""Tuning while it runs, with a way to stop it; then what it came to, and what may be done with it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from tui_memory.errors import TuiMemoryError
from tui_memory.safetext import clean
from tui_memory.tui import asking, bindings, formats
from tui_memory.tui.widgets import empty
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.evaluation_chart import METRICS

if TYPE_CHECKING:
    from tui_memory.engine.evaluating import Tuning
    from tui_memory.engine.memory import Memory

EVERY = 5
"""Profiles tried between two redraws of the progress."""


class Tune(ModalScreen["tuple[Tuning, bool] | None"]):
    """Answers with what was found and whether to save it (else to try it); None: nothing was taken."""

    CSS_PATH = "dialogs.tcss"
    HELP = (
        "Weights are searched on one half of the judged queries and measured on the other half. esc stops the search;"
        " nothing is changed until enter puts the weights on the sliders or s saves them."
    )
    BINDINGS: ClassVar[bindings.BindingList] = [*bindings.DIALOG[:2], *bindings.TUNING]

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__()
        self._values = dict(values)
        self._stop = threading.Event()
        self._done: Tuning | None = None
        self._over = False

    def compose(self) -> ComposeResult:
        """One pane."""
        with Vertical(classes="dialog whole") as dialog:
            dialog.border_title = "Tune"
            dialog.border_subtitle = "esc stops"
            yield Detail(id="tuning")

    def on_mount(self) -> None:
        """Begin."""
        self._say(Content("Gathering what every judged query turns up…"))
        asking.ask(self, "tune", self._search, self._finished, failed=self._failed)

    def on_unmount(self) -> None:
        """Whatever closes this ends the search."""
        self._stop.set()

    def _search(self, memory: Memory) -> Tuning:
        def told(tried: int, most: int) -> None:
            if tried % EVERY == 0 or tried == most:
                self.app.call_later(self._progress, tried, most)

        return memory.evaluating.tune(unsaved=self._values, on_progress=told, cancelled=self._stop.is_set)

    def _progress(self, tried: int, most: int) -> None:
        if not self._over and self.is_attached:
            self._say(progress(tried, most, max(self.query_one(Detail).size.width - 4, 10)))

    def _finished(self, done: Tuning) -> None:
        self._over, self._done = True, done
        self._say(report(done))
        said = "enter tries it · s saves · esc leaves" if done.better else "esc leaves"
        self.query_one(".dialog").border_subtitle = said

    def _failed(self, error: TuiMemoryError) -> None:
        self._over = True
        self._say(empty.unmeasured(error).content())
        self.query_one(".dialog").border_subtitle = "esc leaves"

    def _say(self, content: Content) -> None:
        self.query_one("#tuning", Detail).show(content)

    def _refuse(self, verb: str) -> bool:
        """Whether what was found may not be taken; then it is said why."""
        if self._done is None:
            return True
        if not self._done.better:
            self.notify(f"Nothing was {verb}: {clean(verdict(self._done))}", severity="warning", markup=False)
            return True
        return False

    def action_take(self) -> None:
        """Put the weights on the sliders."""
        if not self._refuse("taken"):
            assert self._done is not None
            self.dismiss((self._done, False))

    def action_save(self) -> None:
        """Save them."""
        if not self._refuse("saved"):
            assert self._done is not None
            self.dismiss((self._done, True))

    def action_cancel(self) -> None:
        """Stop; leave, once it is over."""
        if self._over:
            self.dismiss(None)
        else:
            self._stop.set()
            self.query_one(".dialog").border_subtitle = "stopping…"


def progress(tried: int, most: int, width: int) -> Content:
    """A bar, and how many profiles of at most how many were tried."""
    wide = min(width, 60)
    full = round(wide * tried / max(most, 1))
    return Content.assemble(
        ("█" * full, "$text-accent"), ("░" * (wide - full), "$tm-line"),
        (f"\n{tried} of at most {most} profiles tried · half of the queries to learn from, half to measure by", ""),
        ("\n\nesc stops; nothing is changed.", "$tm-muted"),
    )  # fmt: skip


def verdict(done: Tuning) -> str:
    """What it came to, in a sentence."""
    if done.tuned.cancelled:
        return "Stopped before its end. Nothing was changed."
    if done.regressed:
        return f"Worse on the other half in {', '.join(done.regressed)}: it is not kept. Nothing was changed."
    if not done.changed:
        return "No better weights were found. Nothing was changed; more judgments may help."
    return "Better, and nothing worse on the half that was not learned from."


def report(done: Tuning) -> Content:
    """Verdict, before and after on the other half, the weights that differ."""
    shown = done.public()
    learned, measured = shown["queries"]["learned_on"], shown["queries"]["reported_on"]
    glyph, style = ("●", "$text-success") if done.better else ("▲", "$text-warning")
    parts: list[tuple[str, str]] = [(f"{glyph} {verdict(done)}\n", f"bold {style}")]
    tried = formats.count(shown["tried"], "profile")
    parts.append((f"{tried} tried on {learned} queries, measured on {measured} others\n\n", "$tm-muted"))
    parts.append((f"{'':<13}{'before':>8}{'after':>8}   difference [95 %]\n", "$tm-muted"))
    for name in METRICS:
        before, after = shown["before"][name], shown["after"][name]
        low, high = shown["difference"]["interval"][name]
        sign, hue = ("▲", "$text-success") if after > before else ("▼", "$text-error")
        sign, hue = (sign, hue) if after != before else ("—", "$tm-muted")
        parts += [(f"{name:<13}{before:>8.3f}{after:>8.3f}", ""), (f"  {sign} ", hue)]
        parts.append((f"{after - before:+.3f} [{low:+.3f}, {high:+.3f}]\n", ""))
    parts += [("\nWeights\n", "bold $text-accent")] if done.changed else []
    parts += [(f"{name:<13}{was:>8.2f}{now:>8.2f}\n", "") for name, (was, now) in done.changed.items()]
    return Content.assemble(*parts)
