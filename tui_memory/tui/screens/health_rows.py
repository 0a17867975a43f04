"""What Health lists: receipts, worst first, then numbers by section; pure functions from one look to rows."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from textual.content import Content

from tui_memory.engine.observing import Health, Heard, Inventory
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

    @property
    def key(self) -> int:
        """The same row in the next look has the same key."""
        return zlib.crc32(f"{self.head}/{self.section}/{self.label}".encode())


def lines(seen: Health, stock: Inventory, *, died: bool = False) -> list[Line]:
    """Everything, in order."""
    receipts = sorted(_receipts(seen, died), key=lambda line: WORST.index(line.state))
    worse = sum(line.state != "ready" for line in receipts)
    told = f"{worse} of {len(receipts)} less than ready" if worse else f"all {len(receipts)} ready"
    rows = [Line("receipts", "receipts", told, head=True), *receipts]
    for title, note, found in _sections(seen, stock):
        rows.append(Line(title, title, note, head=True))
        rows += found or [Line(title, "nothing yet")]
    return rows


def unusable(error: TuiMemoryError) -> list[Line]:
    """Where the store cannot even be asked."""
    words = health_words.CHECKS["store"]
    what = Line("receipts", words.title, one_line(error.message, 600), "broken", None, "Nothing can be read or shown.",
                "Nothing was changed. ctrl+l tries again.", "tui-memory doctor")  # fmt: skip
    return [Line("receipts", "receipts", "1 of 1 less than ready", head=True), what]


def _receipts(seen: Health, died: bool) -> Iterator[Line]:
    for check in seen.checks:
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
    if name == "capture" and "resume" not in fix:
        deed = ""  # switched off in the settings: those are a person's to change
    if name == "worker" and "pip install" in fix:
        deed = ""
    return Line("receipts", label, value, state, None, words.means, words.done, fix, deed, words.verb if deed else "")


def _sections(seen: Health, stock: Inventory) -> Iterator[tuple[str, str, list[Line]]]:
    stats = seen.stats
    yield "agents", "last event · half / 95 % of events taken in within", [_heard(one) for one in seen.heard]
    yield "worker and models", "", list(_worker(seen))
    queue: Mapping[str, int] = stats["queue"]
    names = {"waiting": "waiting", "leased": "in work", "done": "done", "failed": "failed"}
    waits = [Line("queue", names.get(name, name), formats.number(queue.get(name, 0))) for name in names]
    yield "queue", "turns", waits + list(_failures(seen))
    yield "captured", "stored + dropped = captured", list(_captured(stats))
    yield "redacted", "values masked, by kind", _bars("redacted", stats.get("redactions", {}))
    yield "memories", "by state", _bars("memories", stats.get("memories_by_state", {}), held=True)
    yield "store and index", "", list(_stock(stock))
    yield "open to whom", "permissions; nothing listens beyond this machine", list(_doors(seen))
    yield "tokens", "", list(_tokens(stats.get("tokens", {})))
    yield "error log", "ids and counts, newest first", list(_log(seen))


def _heard(one: Heard) -> Line:
    value = f"{formats.age(one.last)} · {one.p50:.1f} / {one.p95:.1f} ms · {formats.count(one.events, 'event')}"
    bad = f" · {one.errors} of the last {one.recent} unreadable" if one.errors else ""
    means = f"The last event came at {formats.moment(one.last)}. Half of its last {one.recent} events were taken in"
    means += f" within {one.p50:.1f} ms, 95 % within {one.p95:.1f} ms, counted from their arrival."
    return Line("agents", one_line(one.agent), value + bad, means=means)


def _worker(seen: Health) -> Iterator[Line]:
    worker = seen.worker
    if not worker.get("running"):
        yield Line("worker", "worker", "not running", deed="start", verb="starts it", command="tui-memory worker start")
        return
    idle = worker.get("idle_s")
    yield Line("worker", "process", f"{worker.get('pid')} · version {one_line(str(worker.get('version')))}")
    yield Line("worker", "idle for", f"{idle:.0f} s" if isinstance(idle, int | float) else "–")
    yield Line("worker", "events it took in", formats.number(int(worker.get("events") or 0)))
    yield Line("worker", "embedding model", one_line(str(worker.get("model") or worker.get("trouble") or "loading")))


def _failures(seen: Health) -> Iterator[Line]:
    for one in seen.failures:
        label = f"{formats.session(one.session)} turn {one.turn} {one_line(one.agent)}"
        word = "failed" if one.state == "failed" else "tried again later"
        yield Line("queue", label, f"{word} · {formats.short(one.error, 200)}", means="Its events are stored.",
                   command="tui-memory compress --now", deed="retry", verb="tries again")  # fmt: skip


def _captured(stats: Mapping[str, int]) -> Iterator[Line]:
    dropped = dict(stats["dropped"])  # type: ignore[call-overload]
    total = max(stats["captured"], 1)
    yield Line("captured", "captured", formats.number(stats["captured"]))
    yield Line("captured", "stored", formats.number(stats["stored"]), share=stats["stored"] / total)
    for reason, count in sorted(dropped.items(), key=lambda pair: -pair[1]):
        means = f"Dropped, {reason}: {health_words.DROPS.get(reason, 'see the error log')}."
        yield Line("captured", f"dropped: {one_line(reason)}", formats.number(count), share=count / total, means=means)
    yield Line("captured", "compressed", formats.number(stats["compressed"]), share=stats["compressed"] / total)
    yield Line("captured", "skipped", formats.number(stats["skipped"]), share=stats["skipped"] / total,
               means="Noise: reads, starts, ends, and what held nothing to remember. All are kept.")  # fmt: skip


def _bars(section: str, counted: Mapping[str, int], *, held: bool = False) -> list[Line]:
    total = max(sum(counted.values()), 1)
    found = [
        Line(section, one_line(name), formats.number(count), share=count / total)
        for name, count in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    if not held:
        return found
    return [replace(line, deed=f"state:{line.label}", verb="lists them") for line in found]


def _stock(stock: Inventory) -> Iterator[Line]:
    for name, count in stock.rows.items():
        if name != "vectors":
            yield Line("store", name, formats.number(count))
    chunks, vectors = stock.rows.get("chunks", 0), stock.rows.get("vectors", 0)
    if chunks:
        yield Line("store", "vectors", f"{formats.number(vectors)} of {formats.number(chunks)} chunks",
                   share=min(vectors / chunks, 1.0), deed="drain", verb="makes the rest now",
                   means="Search by meaning finds what has vectors; the worker makes the others.")  # fmt: skip
    for name, size in stock.bytes.items():
        yield Line("store", name, formats.size(size))


def _doors(seen: Health) -> Iterator[Line]:
    for door in seen.doors:
        who = "you alone" if door.private else "▲ others too"
        yield Line("open", door.what, f"{door.mode:04o} · {who}", means=clean(door.path))
    for project in seen.paused:
        what = one_line(project) or "everything"
        yield Line("open", f"paused: {what}", "no events are taken", deed="resume", verb="resumes all")


def _tokens(counted: Mapping[str, int]) -> Iterator[Line]:
    if not any(counted.values()):
        return
    most = max(*counted.values(), 1)
    told = {
        "shown": ("shown to agents", "What indexes at a session's start and with prompts have cost."),
        "fetched": ("fetched by agents", "Memories that agents asked for in full."),
        "sources": ("their sources", "What the observations behind the fetched memories would have cost instead."),
    }
    for name, (label, means) in told.items():
        yield Line(
            "tokens", label, formats.number(counted.get(name, 0)), share=counted.get(name, 0) / most, means=means
        )


def _log(seen: Health) -> Iterator[Line]:
    for number, text in enumerate(seen.log):
        yield Line("log", f"{number + 1}", one_line(text, 400))


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
    if line.value.replace(",", "").isdigit():
        bar = "" if line.share is None else "━" * round(line.share * BAR) or "╸" * bool(line.share)
        return [*cells, Cell(line.value, width=9, right=True), Cell(bar, "score-dense", flex=True)]
    return [*cells, Cell(line.value, flex=True), Cell(mend, "accent", needs=70)]


def detail(line: Line) -> Content:
    """A row in full: what was found, what it means, what was and was not done, its mend."""
    parts: Parts = [(line.label, "bold")]
    if line.state:
        parts += [("\n", ""), (f"{GLYPHS[line.state]} {line.state}", STYLES[line.state])]
    if line.value:
        parts += [("\n\n", ""), ("\n".join(line.value.split("; ")), "")]
    for text, style in ((line.means, ""), (line.done, "$tm-muted")):
        if text:
            parts.append((f"\n\n{text}", style))
    if line.deed:
        parts.append((f"\n\nenter {line.verb}", "$text-accent"))
    if line.command:
        parts += [("\n\nBy hand, c copies it:\n", "$tm-muted"), (clean(line.command), "$text-accent")]
    return Content.assemble(*parts)
