"""What the header says: which memory this is, whether it is alive, and what is less than it could be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tui_memory.errors import WorkerError
from tui_memory.light import dataclass, field, replace
from tui_memory.model import Filters
from tui_memory.safetext import one_line
from tui_memory.tui import formats

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

GLYPHS = {"ready": "●", "degraded": "▲", "broken": "✗", "unknown": "◌"}
WEEK = 7 * formats.DAY


@dataclass(frozen=True, slots=True)
class Sign:
    """One part of the application's state: a glyph by `state` (ready, degraded, broken, unknown) and a word."""

    state: str
    word: str
    mend: str = ""
    """What it means and what to do, for a person."""

    @property
    def glyph(self) -> str:
        """The state's glyph."""
        return GLYPHS[self.state]


@dataclass(frozen=True, slots=True)
class Status:
    """A snapshot of counts and signs."""

    known: bool = False
    """Whether the counts were read yet."""
    empty: bool = False
    """Whether nothing was ever stored, in any project."""
    memories: int = 0
    week: int = 0
    """Memories of the last seven days."""
    cases: int = 0
    """Cases of the audit that wait for a person."""
    queue: int = 0
    stored: int = 0
    dropped: int = 0
    signs: tuple[Sign, ...] = field(default=(Sign("unknown", "worker"),))
    routes: tuple[Sign, ...] = ()
    model_ready: bool = False


def read(memory: Memory, project: str | None, starting: bool = False) -> Status:
    """The snapshot; blocks, for a thread. `starting`: a worker was asked for and has not answered yet."""
    from tui_memory.engine.status import many_fail  # the engine is loaded by whoever has a memory

    stats = memory.stats()
    queue, dropped = stats["queue"], stats["dropped"]
    counted = Status(
        known=True,
        empty=not stats["stored"] and not stats["memories"],
        memories=memory.count(Filters(project=project)),
        week=memory.count(Filters(project=project, since=formats.now() - WEEK)),
        cases=memory.auditing.overview(Filters(project=project)).open,
        queue=queue.get("waiting", 0) + queue.get("leased", 0),
        stored=stats["stored"],
        dropped=sum(dropped.values()),
    )
    failing = (_failing(queue["failed"]),) if many_fail(queue) else ()
    return with_worker(counted, worker(memory), (*_route_signs(memory), *failing), starting=starting)


def with_worker(
    counted: Status, worker: Mapping[str, Any], routes: tuple[Sign, ...] | None = None, *, starting: bool = False
) -> Status:
    """The same counts with the worker's state of now; `routes` None: what was known of them stays."""
    kept = counted.routes if routes is None else routes
    ready = bool(worker.get("running") and worker.get("model"))
    return replace(counted, signs=(*_worker_signs(worker, starting), *kept), routes=kept, model_ready=ready)


def worker(memory: Memory) -> Mapping[str, Any]:
    """The worker's own word; not running, with the reason, where it does not answer. Blocks."""
    try:
        return memory.worker_status()
    except WorkerError as error:
        return {"running": False, "error": error.message}


def _failing(failed: int) -> Sign:
    mend = "More than one turn in ten could not be compressed. Their events are stored; Health (6) tries them again."
    return Sign("degraded", f"{formats.count(failed, 'turn')} failed", mend)


def _worker_signs(worker: Mapping[str, Any], starting: bool) -> list[Sign]:
    if not worker.get("running"):
        if starting:
            return [Sign("unknown", "worker is starting")]
        mend = one_line(str(worker.get("error", "")))
        text = f"{mend} Nothing is lost: hooks store events by themselves, and the next one starts a worker.".strip()
        return [Sign("degraded", "no worker: words only", text)]
    name = one_line(str(worker.get("model") or ""))
    if name:
        return [Sign("ready", "worker"), Sign("ready", _model_name(name))]
    if trouble := one_line(str(worker.get("trouble") or ""), 200):
        mend = f"The embedding model cannot be loaded ({trouble}): search finds words only; nothing is lost."
        return [Sign("ready", "worker"), Sign("degraded", "no model: words only", mend)]
    return [Sign("ready", "worker"), Sign("unknown", "model is loading: words only so far")]


def _model_name(name: str) -> str:
    return "MiniLM" if "minilm" in name.lower() else formats.short(name, 24)


def _route_signs(memory: Memory) -> tuple[Sign, ...]:
    """Which route compresses: what the settings ask for first, against what made the newest memory."""
    routes = memory.settings.compress.routes
    wanted = routes[0].partition(":")[0] if routes else "extractive"
    if wanted == "extractive":
        return (Sign("ready", "extractive"),)
    newest = next((row for row in memory.memories(state="all", limit=5) if row.made_by.route in ROUTES), None)
    if newest is None or newest.made_by.route == wanted:
        return ()
    name = ROUTES[wanted] if wanted in ROUTES else formats.short(wanted, 16)
    mend = f"The newest memories were made without {name}, from prompts, diffs and errors by rule; nothing is lost."
    return (Sign("degraded", f"no {name}: {newest.made_by.route}", mend),)


ROUTES = {"ollama": "Ollama", "openai": "endpoint", "extractive": "extractive"}
