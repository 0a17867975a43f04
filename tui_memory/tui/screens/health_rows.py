"""Health's receipts, worst first, and how any of its rows is drawn; pure functions. The numbers: `health_numbers`."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from textual.content import Content

from tui_memory.engine.observing import Health
from tui_memory.errors import TuiMemoryError
from tui_memory.safetext import clean, one_line
from tui_memory.tui import formats
from tui_memory.tui.screens import health_words
from tui_memory.tui.status import GLYPHS
from tui_memory.tui.widgets.rows import Cell

WORST = ("broken", "degraded", "ready")
ROLES = {"broken": "bad", "degraded": "warn", "ready": "good"}
STYLES = {"broken": "$text-error", "degraded": "$text-warning", "ready": "$text-success"}
BAR = 16
INSTALL = "tui-memory install "
"""The command of a mend that changes an agent's settings: shown first, and made only on a yes."""
THREE = 29
"""Terminal cells of a week's three numbers."""
Parts = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Line:
    """One row: a section's head, a receipt (with a state), or a number of a section."""

    section: str
    label: str
    value: str = ""
    state: str = ""
    share: float | None = None
    """0 to 1: drawn as a bar."""
    means: str = ""
    done: str = ""
    command: str = ""
    deed: str = ""
    """What enter does here; with the agent's name after a colon where it is about one."""
    verb: str = ""
    head: bool = False
    muted: bool = False
    """The value only says how to begin."""
    chart: tuple[float, float] | None = None
    """Two shares, 0 to 1, of one bar: what was spent, and what all of it would have been."""

    @property
    def key(self) -> int:
        """The same row in the next look has the same key."""
        return zlib.crc32(f"{self.head}/{self.section}/{self.label}".encode())


def receipts(seen: Health, *, died: bool = False) -> list[Line]:
    """The checks under their head, worst first. `died`: the process that makes the sample has ended too soon."""
    found = sorted(_receipts(seen, died), key=lambda line: WORST.index(line.state))
    worse = sum(line.state != "ready" for line in found)
    told = f"{worse} of {len(found)} less than ready" if worse else f"all {len(found)} ready"
    return [Line("receipts", "receipts", told, head=True), *found]


def unusable(error: TuiMemoryError) -> list[Line]:
    """Where the store cannot even be asked."""
    words = health_words.CHECKS["store"]
    what = Line("receipts", words.title, one_line(error.message, 600), "broken", None, "Nothing can be read or shown.",
                "Nothing was changed. ctrl+l tries again.", "tui-memory doctor")  # fmt: skip
    return [Line("receipts", "receipts", "1 of 1 less than ready", head=True), what]


def _receipts(seen: Health, died: bool) -> Iterator[Line]:
    unasked = {one.id for one in seen.beyond if not one.begun}
    for check in (one for one in seen.checks if one["id"] not in unasked):
        yield _receipt(seen, str(check["id"]), bool(check["ok"]), str(check["what"]), str(check["fix"]))
    if held := seen.stats.get("memories_by_state", {}).get("held", 0):
        yield _told("held", False, f"{formats.count(held, 'memory waits', 'memories wait')} for you", "")
    if died:
        yield _told("sample", False, "the sample was not finished", "tui-memory ui --demo")


def _receipt(seen: Health, name: str, ok: bool, what: str, fix: str) -> Line:
    if name == "worker" and not seen.worker.get("running"):
        return _told(name, False, what, "tui-memory worker start")
    trouble = one_line(str(seen.worker.get("trouble") or ""), 200)
    if name == "embedding" and ok and trouble:
        return _told(name, False, f"the model cannot be loaded: {trouble}", "tui-memory worker start")
    if name == "embedding" and ok and seen.worker.get("running") and not seen.worker.get("model"):
        return _told(name, True, f"{what}: loading now", "")
    return _told(name, ok, what, fix)


def _told(name: str, ok: bool, what: str, fix: str) -> Line:
    words = health_words.of(name, fix)
    state = "ready" if ok else "broken" if words.broken else "degraded"
    agent = name.partition(":")[2]
    label = one_line(agent) if agent else words.title
    value = one_line(what.removeprefix(f"{agent or words.title}: ").removeprefix(f"{words.title} "), 600)
    if ok:
        return Line("receipts", label, value, state)
    deed = f"fire:{agent}" if words.deed == "fire" else words.deed
    verb = words.verb
    if named := fix.removeprefix(INSTALL).split() if fix.startswith(INSTALL) else []:
        deed, verb = f"install:{named[0]}", "shows the change"
    if name == "capture" and "resume" not in fix:
        deed = ""  # switched off in the settings: those are a person's to change
    if name == "worker" and "pip install" in fix:
        deed = ""
    return Line("receipts", label, value, state, None, words.means, words.done, fix, deed, verb if deed else "")


def draw(line: Line, width: int) -> list[Cell]:
    """One row."""
    if line.head:
        return [Cell(f"─ {line.label} ", "head", flex=True, fill="─"), Cell(line.value, "muted", needs=50)]
    if line.state:
        return [
            Cell(GLYPHS[line.state], ROLES[line.state], width=1),
            Cell(line.state, ROLES[line.state], width=8),
            Cell(line.label, "subject", width=15),
            Cell(line.value, "", flex=True, needs=44),
            Cell(
                f"enter {line.verb}" if line.deed else "c copies the mend" if line.command else "", "accent", needs=60
            ),
        ]
    if line.section == "log":
        return [Cell(" ", width=1), Cell(line.value, "muted", flex=True)]
    cells = [Cell(" ", width=1), Cell(line.label, "" if line.value else "muted", width=24 if width >= 60 else 14)]
    mend = f"enter {line.verb}" if line.deed and not line.deed.startswith("state:") else ""
    if line.chart is not None:
        return [*cells, Cell(line.value, width=THREE, needs=THREE + 18), _chart(line.chart)]
    if line.value.replace(",", "").isdigit():
        bar = "" if line.share is None else "━" * round(line.share * BAR) or "╸" * bool(line.share)
        number = Cell(line.value, width=9, right=True)
        return [*cells, number, Cell(bar, "score-dense", flex=True), Cell(mend, "accent", needs=70)]
    return [*cells, Cell(line.value, "muted" if line.muted else "", flex=True), Cell(mend, "accent", needs=70)]


def _chart(shares: tuple[float, float]) -> Cell:
    """What was spent solid, what was spared after it in another glyph: told apart without colours."""
    spent, whole = (round(share * BAR) for share in shares)
    spent = spent or int(shares[0] > 0)
    return Cell("█" * spent + "░" * (max(whole, spent) - spent), "score-dense", flex=True)


def detail(line: Line) -> Content:
    """A row in full: what was found, what it means, what was and was not done, its mend."""
    parts: Parts = [(line.label, "bold")]
    if line.state:
        parts += [("\n", ""), (f"{GLYPHS[line.state]} {line.state}", STYLES[line.state])]
    if line.value:
        parts += [("\n\n", ""), (line.value, "")]
    for text, style in ((line.means, ""), (line.done, "$tm-muted")):
        if text:
            parts.append((f"\n\n{text}", style))
    if line.deed:
        parts.append((f"\n\nenter {line.verb}", "$text-accent"))
    if line.command:
        parts += [("\n\nBy hand, c copies it:\n", "$tm-muted"), (clean(line.command), "$text-accent")]
    return Content.assemble(*parts)
