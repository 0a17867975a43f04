"""Health's numbers by section, from agents to the error log; pure functions from one look to rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tui_memory.engine.observing import Failure, Health, Heard, Inventory, Models
from tui_memory.safetext import clean, one_line
from tui_memory.tui import formats
from tui_memory.tui.screens import health_beyond, health_rows, health_words
from tui_memory.tui.screens.health_rows import Line

if TYPE_CHECKING:
    from tui_memory.compress.pulling import Pulled
    from tui_memory.engine.agents import Installed
    from tui_memory.store.uses import Week


@dataclass(frozen=True, slots=True)
class Look:
    """All that one look at a store found."""

    health: Health
    stock: Inventory = field(default_factory=Inventory)
    models: Models | None = None
    """None: not asked yet."""
    installed: Sequence[Installed] = ()
    pulling: tuple[str, Pulled | None] | None = None
    """The model that is being fetched, and how far it is."""
    died: bool = False
    """Whether the process that makes the sample has ended too soon."""


def lines(look: Look) -> list[Line]:
    """Everything, in order."""
    rows = health_rows.receipts(look.health, died=look.died)
    for title, note, found in _sections(look):
        rows.append(Line(title, title, note, head=True))
        rows += found or [Line(title, "nothing yet")]
    return rows


def _sections(look: Look) -> Iterator[tuple[str, str, list[Line]]]:
    seen, stats = look.health, look.health.stats
    yield "agents", "last event · half / 95 % of events taken in within", [_heard(one) for one in seen.heard]
    yield "hooks", "where agents and git run ours", [_hook(one) for one in look.installed]
    yield "worker", "", list(_worker(seen))
    yield "models", "", list(_models(look))
    yield "queue", "turns", list(_queue(stats["queue"])) + [_failure(one) for one in seen.failures]
    yield health_beyond.SECTION, "only what you asked for", list(health_beyond.rows(seen.beyond))
    yield "captured", "stored + dropped = captured", list(_captured(stats))
    yield "redacted", "values masked, by kind", _bars("redacted", stats.get("redactions", {}))
    yield "memories", "by state", _bars("memories", stats.get("memories_by_state", {}), held=True)
    yield "store and index", "", [*_room(stats.get("forecast", {})), *_index(look.stock, stats), *_stock(look.stock)]
    yield "tokens by week", "shown · fetched · what their sources would have cost", list(_weeks(look.stock.weeks))
    yield "tokens in all", "", list(_tokens(stats.get("tokens", {})))
    yield "open to whom", "permissions; nothing listens beyond this machine", list(_doors(seen))
    yield "error log", "ids and counts, newest first", list(_log(seen))


def _heard(one: Heard) -> Line:
    value = f"{formats.age(one.last)} · {one.p50:.1f} / {one.p95:.1f} ms · {formats.count(one.events, 'event')}"
    bad = f" · {one.errors} of the last {one.recent} unreadable" if one.errors else ""
    bad += f" · {one.unstored} could not be stored" if one.unstored else ""
    means = f"The last event came at {formats.moment(one.last)}. Half of its last {one.recent} events were taken in"
    means += f" within {one.p50:.1f} ms, 95 % within {one.p95:.1f} ms, counted from their arrival."
    if one.unstored:
        means += f" {one.unstored} of the last day could not be stored by its hook: see log/hook.log in the store."
    return Line("agents", one_line(one.agent), value + bad, means=means)


def _hook(one: Installed) -> Line:
    ok = one.current and not one.trouble
    what = "as it would be written now" if ok else one.trouble or "written by another version, or changed since"
    value = f"{'●' if ok else '▲'} {one_line(one.scope)} · {one_line(str(one.path), 200)} · {one_line(what, 200)}"
    means = f"{clean(str(one.path))}\n{clean(one.beside)}".strip()
    row = Line("hooks", f"{one_line(one.agent)} ({one_line(one.scope)})", value, means=means)
    mend = f"{health_rows.INSTALL}{one.agent}"
    return row if ok else replace(row, command=mend, deed=f"install:{one.agent}", verb="shows the change")


def _worker(seen: Health) -> Iterator[Line]:
    worker = seen.worker
    if not worker.get("running"):
        yield Line("worker", "worker", "not running", deed="start", verb="starts it", command="tui-memory worker start")
        return
    idle = worker.get("idle_s")
    yield Line("worker", "process", f"{worker.get('pid')} · version {one_line(str(worker.get('version')))}")
    yield Line("worker", "idle for", f"{idle:.0f} s" if isinstance(idle, int | float) else "–")
    yield Line("worker", "events it took in", formats.number(int(worker.get("events") or 0)))


def _models(look: Look) -> Iterator[Line]:
    worker, models = look.health.worker, look.models
    name = one_line(str(worker.get("model") or ""))
    waits = one_line(str(worker.get("trouble") or "the worker is loading it"), 200)
    told = f"{name} · loaded by the worker" if name else waits if worker.get("running") else "no worker has it loaded"
    yield Line("models", "embedding", told, means="What makes vectors: with it a search finds meaning, too.")
    if models is None:
        yield Line("models", "Ollama", "being asked…")
        return
    if not models.wanted:
        yield Line("models", "compression", "by rule: the settings name no model of Ollama's")
    if models.trouble:
        yield Line("models", "Ollama", one_line(models.trouble, 300), means="Turns are compressed by rule until then.")
    for wanted in models.wanted:
        yield _wanted(wanted, look)
    for one in models.others:
        loaded = "loaded in memory · " if one.loaded else ""
        yield Line("models", one_line(one.name, 60), f"{loaded}{formats.size(one.size)} · not in the settings")


def _wanted(name: str, look: Look) -> Line:
    """A model that the settings name: there, being fetched, or to be fetched."""
    label, deed = one_line(name, 60), f"pull:{name}"
    if look.pulling is not None and look.pulling[0] == name:
        value, share = progress(look.pulling[1])
        return Line("models", label, value, share=share, deed=deed, verb="stops it",
                    means="Ollama keeps what was fetched until then: asking again goes on from there.")  # fmt: skip
    if look.models and (here := look.models.find(name)):
        state = "loaded in memory" if here.loaded else "there, loaded when it is needed"
        return Line("models", label, f"{state} · {formats.size(here.size)}")
    if look.models and look.models.trouble:
        return Line("models", label, "not known: Ollama does not answer", command="ollama serve",
                    means="The settings name it for compression; without it turns are compressed by rule.")  # fmt: skip
    return Line("models", label, "not on this machine", deed=deed, verb="fetches it",
                command=f"ollama pull {name}",
                means="The settings name it for compression; without it turns are compressed by rule. Ollama fetches it"
                " from its own registry; nothing of yours is sent.")  # fmt: skip


def progress(pulled: Pulled | None) -> tuple[str, float | None]:
    """How far a model is: words, and a share of 1 where it is known."""
    if pulled is None or not pulled.total:
        return f"fetching · {one_line(pulled.step, 60) if pulled else 'asking Ollama'}", None
    share = min(pulled.done / pulled.total, 1.0)
    return f"{share:.0%} · {formats.size(pulled.done)} of {formats.size(pulled.total)}", share


def _queue(queue: Mapping[str, int]) -> Iterator[Line]:
    total = max(sum(queue.values()), 1)
    for name, said in {"waiting": "waiting", "leased": "in work", "done": "done", "failed": "failed"}.items():
        count = queue.get(name, 0)
        more = {"deed": "retry", "verb": "tries again", "command": "tui-memory compress --now"}
        drain = {"deed": "drain", "verb": "compresses them now", "command": "tui-memory compress --now"}
        mend = more if name == "failed" and count else drain if name == "waiting" and count else {}
        yield Line("queue", said, formats.number(count), share=count / total, **mend)  # type: ignore[arg-type]


def _failure(one: Failure) -> Line:
    label = f"{formats.session(one.session)} turn {one.turn} {one_line(one.agent)}"
    word = "failed" if one.state == "failed" else "tried again later"
    return Line("queue", label, f"{word} · {formats.short(one.error, 200)}",
                means=f"Tried {formats.count(one.attempts, 'time')}. Its events are stored.",
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


def _room(forecast: Mapping[str, Any]) -> Iterator[Line]:
    """How full the store is, and when it will be full."""
    if not forecast:
        return
    pace = f"{forecast['memories_per_day']:,.0f} memories and {formats.size(int(forecast['bytes_per_day']))} a day"
    for name, write in (("memories", formats.number), ("bytes", formats.size)):
        used, most = int(forecast[name]), int(forecast[f"max_{name}"])
        share = used / max(most, 1)
        told = f"{write(used)} of {write(most)} · {share:.0%}"
        yield Line("store", f"limit: {name}", told, share=min(share, 1.0),
                   means=f"The setting upkeep.max_{name}. What goes when it is reached, and in which order, the"
                   " documents say; pinned memories never do.")  # fmt: skip
    when = forecast.get("reached_on")
    if not when:
        yield Line("store", "limit reached", "not at this pace", means=f"The store grows by {pace}.")
        return
    limit = "memories" if forecast.get("reached") == "max_memories" else "bytes"
    day = datetime.fromisoformat(str(when)).astimezone(UTC)
    year = "" if day.year == datetime.fromtimestamp(formats.now() / 1000, UTC).year else f" {day.year}"
    yield Line("store", "limit reached", f"on {day.day} {day:%b}{year} · {limit}",
               means=f"The store grows by {pace}. From then on memories of the lowest value go.")  # fmt: skip


def _index(stock: Inventory, stats: Mapping[str, Any]) -> Iterator[Line]:
    chunks, vectors = stock.rows.get("chunks", 0), stock.rows.get("vectors", 0)
    if chunks:
        rest = {"deed": "drain", "verb": "makes the rest now"} if vectors < chunks else {}
        yield Line("store", "vectors", f"{formats.number(vectors)} of {formats.number(chunks)} chunks",
                   share=min(vectors / chunks, 1.0), **rest,  # type: ignore[arg-type]
                   means="Search by meaning finds what has vectors; the worker makes the others.")  # fmt: skip
    if index := stats.get("index"):
        recall, saved = float(index["recall@10"]), int(index["saved"])
        how = "exact" if recall >= 1 else "measured against an exact search"
        yield Line("store", "index recall@10", f"{recall:.3f} · {how} · {formats.number(saved)} vectors saved",
                   means="Of the ten nearest vectors, the share that the search index finds.")  # fmt: skip


def _stock(stock: Inventory) -> Iterator[Line]:
    for name, size in stock.bytes.items():
        yield Line("store", name, formats.size(size))
    for name, count in stock.rows.items():
        if name != "vectors":
            yield Line("store", f"rows: {name}", formats.number(count))


def _weeks(weeks: Sequence[Week]) -> Iterator[Line]:
    """The newest week first: a bar whose solid part was paid and whose open part was spared."""
    most = max((max(one.sources, one.shown + one.fetched) for one in weeks), default=0) or 1
    for one in reversed(weeks):
        paid = one.shown + one.fetched
        start = datetime.fromtimestamp(one.start / 1000, UTC)
        year = "" if start.year == datetime.fromtimestamp(formats.now() / 1000, UTC).year else f" {start.year}"
        numbers = f"{formats.number(one.shown):>9}{formats.number(one.fetched):>9}{formats.number(one.sources):>11}"
        yield Line("weeks", f"week of {start.day} {start:%b}{year}", numbers,
                   chart=(paid / most, max(one.sources, paid) / most), means=_economy(one, paid))  # fmt: skip


def _economy(one: Week, paid: int) -> str:
    told = f"Agents were given {formats.number(paid)} tokens: {formats.number(one.shown)} of indexes, and"
    told += f" {formats.number(one.fetched)} of memories that they asked for in full. The observations behind those"
    told += f" would have cost {formats.number(one.sources)}"
    if one.sources > paid:
        return f"{told}: {formats.number(one.sources - paid)} were spared (░)."
    return f"{told}, {formats.number(paid - one.sources)} less than what was given."


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
