"""A memory that lives in lists: the same answers as the engine's, without a store, and slow or broken on demand."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from tests.tui import fake_trying
from tui_memory.compress.merging import Written
from tui_memory.compress.on_hand import Model
from tui_memory.compress.pulling import Pulled
from tui_memory.engine.auditing import Overview
from tui_memory.engine.exporting import Exported
from tui_memory.engine.lab import Offer
from tui_memory.engine.merging import Preview
from tui_memory.engine.observing import Door, Failure, Health, Heard, Inventory, Models
from tui_memory.engine.reaching import Reach
from tui_memory.engine.receipt import Receipt
from tui_memory.errors import ConflictError, RefusedError, TuiMemoryError, UsageError
from tui_memory.model import EVERYTHING, Body, Entry, Filters, Grounding, MadeBy, Memory, Observation
from tui_memory.retrieve.result import Hit, SearchResult
from tui_memory.store.reach import Ahead, Reverted
from tui_memory.store.ui_state import Kept
from tui_memory.store.uses import Week

NOW = 1_795_960_800_000  # 2026-11-29T14:00:00Z
MINUTE, DAY = 60_000, 86_400_000
WEEK = 1_794_787_200_000  # 2026-11-16, a Monday


_BEGINS = {"backup": "tui-memory backup URL", "sync": "tui-memory sync URL", "hub": "tui-memory hub connect DSN"}
_NEVER = {"backup": "no back-up was ever made", "sync": "not synced with other devices", "hub": "no team's hub"}
UNASKED = tuple(Reach(name, False, True, f"{_NEVER[name]}: `{fix}`", fix, {}) for name, fix in _BEGINS.items())
"""Back-up, sync and hub of somebody who never asked for any of them."""


def memory(number: int, title: str = "", **fields: Any) -> Memory:
    """A memory with a number for everything that is not given."""
    base = Memory(
        id=number, uid=f"uid-{number}", title=title or f"Memory number {number}", summary="What it is about.",
        text=f"The text of memory {number}.", facts=[f"`thing_{number}` was found"], tier="episodic", kind="bugfix",
        labels=["api"], files=[f"api/part_{number}.py"], project="orderly", branch="main", session="s1",
        created=NOW - number * MINUTE, updated=NOW, state="active", pinned=False, tokens=100 + number, uses=0,
        last_used=None, sources=[1, 2], made_by=MadeBy("extractive"), grounding=Grounding(), superseded_by=None,
        merged_from=[],
    )  # fmt: skip
    return replace(base, **fields)


def observation(number: int, text: str = "", **fields: Any) -> Observation:
    """An observation with a number for everything that is not given."""
    kinds = ("prompt", "read", "command", "error", "edit", "commit", "response")
    base = Observation(
        id=number, uid=f"o-{number}", session=f"9f3c{(number - 1) // 40:04d}", agent="claude-code", project="orderly",
        branch="main", turn=1 + (number - 1) // 7 % 5, kind=kinds[(number - 1) % 7], tool="",
        time=NOW - 1_000_000 + number * 1_000, text=text or f"What happened as number {number}", files=[], size=40,
        redactions={}, state="compressed" if number % 3 else "captured", reason="", tokens=10 + number,
    )  # fmt: skip
    return replace(base, **fields)


def _no_history(**_: Any) -> Any:
    raise UsageError("No history of any agent is where it is usually kept. Nothing was imported; name a folder.")


def _entries(action: str, before: dict[int, Memory]) -> list[Entry]:
    return [Entry(1, 1, NOW, "person", action, number, None, None, True, row.title) for number, row in before.items()]


@dataclass
class FakeMemory:
    """The part of `engine.memory.Memory` that the application asks."""

    rows: list[Memory] = field(default_factory=list)
    seen: list[Observation] = field(default_factory=list)
    parts: dict[str, float] = field(default_factory=lambda: {"dense": 0.5, "lexical": 0.2, "age": -0.03, "use": 0.05})
    degraded: list[str] = field(default_factory=list)
    worker: dict[str, Any] = field(default_factory=lambda: {"running": True, "model": "all-MiniLM-L6-v2", "queue": 0})
    failing: TuiMemoryError | None = None
    starts: bool = False
    """Whether a worker comes when it is asked for."""
    slow: float = 0.0
    gate: threading.Event | None = None
    """Nothing is answered until it is set."""
    search_result_ignores_words: bool = False
    asked: list[str] = field(default_factory=list)
    undoable: list[tuple[str, dict[int, Memory]]] = field(default_factory=list)
    redoable: list[tuple[str, dict[int, Memory]]] = field(default_factory=list)
    elsewhere: bool = False
    """Whether what can be undone was done by another process."""
    stamp: int = 0
    store: Any = field(default_factory=lambda: SimpleNamespace(cancelling=lambda is_stale: nullcontext()))
    home: Path = Path("/nowhere")
    lock: threading.RLock = field(default_factory=threading.RLock)
    settings: Any = field(
        default_factory=lambda: SimpleNamespace(compress=SimpleNamespace(routes=("ollama:small", "extractive")))
    )
    beyond: list[Reach] = field(default_factory=lambda: list(UNASKED))
    """Back-up, sync and hub."""
    checks: list[dict[str, Any]] = field(
        default_factory=lambda: [
            {"id": "store", "ok": True, "what": "the store is sound", "fix": ""},
            {"id": "capture", "ok": True, "what": "capture is on", "fix": ""},
        ]
    )
    kept: Kept = field(default_factory=Kept)
    """What the application left to be remembered."""
    live_sessions: set[str] = field(default_factory=set)
    """Sessions whose turn is open."""
    auditing: Any = field(
        default_factory=lambda: SimpleNamespace(
            overview=lambda filters: Overview({}, 0, NOW - 6 * 86_400_000),
            queue=lambda family, filters, limit: [],
            titles=lambda asked: {},
            keep_up=lambda seconds: True,
        )
    )
    """An audit with nothing to settle; the audit's own tests drive the real one."""
    importing: Any = field(default_factory=lambda: SimpleNamespace(transcripts=_no_history))
    compressing: Any = field(
        default_factory=lambda: SimpleNamespace(lab=lambda: SimpleNamespace(offer=lambda: Offer(("extractive",))))
    )
    """A lab with the rules alone; the Lab's own tests drive the real one."""
    models: Models = field(default_factory=lambda: Models(("small",), (Model("small:latest", 986_000_000, True),)))
    pulled: threading.Event = field(default_factory=threading.Event)
    """Set: a model that is being fetched is there."""
    failing_pull: TuiMemoryError | None = None
    queue: dict[str, int] = field(default_factory=dict)
    """Turns by state."""
    sample: Any = None
    """What `observing.demo` answers."""

    def __post_init__(self) -> None:
        """The parts that the Playground asks."""
        self.trying, self.evaluating = fake_trying.Trying(self), fake_trying.Evaluating(self)

    @property
    def observing(self) -> Observing:
        """The part that watches."""
        return Observing(self)

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        assert threading.current_thread() is not threading.main_thread(), "a question in the application's own thread"
        if self.slow:
            time.sleep(self.slow)
        if self.gate is not None:
            self.gate.wait(60)
        if self.failing is not None:
            raise self.failing

    # reading

    def observations(
        self, filters: Filters = EVERYTHING, *, state: str | None = None, limit: int = 100, before: int | None = None
    ) -> list[Observation]:
        self._ask("observations")
        wanted = ((filters.session, "session"), (filters.kind, "kind"), (filters.agent, "agent"))
        found = [row for row in self.seen if all(not values or getattr(row, name) in values for values, name in wanted)]
        return [row for row in reversed(found) if before is None or row.id < before][:limit]

    def observations_after(self, observation: int, *, limit: int = 500) -> list[Observation]:
        self._ask("observations_after")
        return [row for row in self.seen if row.id > observation][:limit]

    def observation(self, ids: Sequence[int]) -> list[Observation]:
        self._ask("observation")
        by_id = {row.id: row for row in self.seen}
        return [by_id[number] for number in ids if number in by_id]

    def sessions(self, filters: Filters = EVERYTHING, *, limit: int = 50, offset: int = 0) -> list[Any]:
        self._ask("sessions")
        last = {row.session: row for row in self.seen}
        return [
            SimpleNamespace(
                id=number, agent=row.agent, session=row.session, project="orderly", branch="main", turn=1,
                turn_open=int(row.session in self.live_sessions), started=NOW, last_seen=NOW, ended=None,
                observations=3, memories=1,
            )
            for number, row in enumerate(reversed(last.values()))
        ]  # fmt: skip

    def _listed(self, filters: Filters, state: str) -> list[Memory]:
        return [
            row
            for row in self.rows
            if row.state != "undone"
            and state in ("all", row.state)
            and (not filters.kind or row.kind in filters.kind)
            and (not filters.where or {*filters.where} & {*row.where})
            and (filters.project is None or row.project in (filters.project, None))
        ]

    def memories(
        self, filters: Filters = EVERYTHING, *, state: str = "active", sort: str = "created", limit: int = 100,
        offset: int = 0,
    ) -> list[Memory]:  # fmt: skip
        self._ask("memories")
        return self._listed(filters, state)[offset : offset + limit]

    def count(self, filters: Filters = EVERYTHING, *, state: str = "active") -> int:
        self._ask("count")
        return len(self._listed(filters, state))

    def facets(
        self, filters: Filters = EVERYTHING, *, state: str = "active", names: Sequence[str] = ()
    ) -> dict[str, dict[str, int]]:
        self._ask("facets")
        if "label" in names:
            places = Counter(place for row in self.rows for place in row.where)
            return {"label": {}, "file": {}, "where": dict(places) if {*places} - {"here"} else {}}
        counts: dict[str, dict[str, int]] = {"state": {}, "tier": {}, "kind": {}}
        for row in self.rows:
            for name, value in (("state", row.state), ("tier", row.tier), ("kind", row.kind)):
                counts[name][value] = counts[name].get(value, 0) + 1
        return counts

    def get(self, ids: Sequence[int] | int) -> list[Memory]:
        self._ask("get")
        by_id = {row.id: row for row in self.rows}
        return [by_id[number] for number in ([ids] if isinstance(ids, int) else ids)]

    def search_result(
        self, query: str, *, limit: int = 10, filters: Filters = EVERYTHING, profile: str | None = None,
        min_score: float | None = None,
    ) -> SearchResult:  # fmt: skip
        self._ask(f"search {query}")
        found = self.search_result_rows(query, filters)
        total = sum(self.parts.values())
        hits = [Hit(row.id, total, dict(self.parts), row) for row in found[:limit]]
        return SearchResult(query, 6.0, list(self.degraded), hits)

    def search_result_rows(self, query: str, filters: Filters) -> list[Memory]:
        """What a search would find."""
        words = query.lower().split()
        return [
            row
            for row in self._listed(filters, "active")
            if self.search_result_ignores_words or all(word in row.title.lower() for word in words)
        ]

    def context(self, *, project: str | None = None, prompt: str | None = None) -> Any:
        self._ask("context")
        return SimpleNamespace(text=f"#1 3d bugfix given for {prompt}", tokens=12, memories=[1])

    def history(self, memory: int, *, limit: int = 100) -> list[Entry]:
        self._ask("history")
        return [Entry(1, 1, NOW, "person", "edit", memory, {"pinned": False}, {"pinned": True}, False)]

    def projects(self) -> list[Any]:
        self._ask("projects")
        return [SimpleNamespace(name=name) for name in dict.fromkeys(row.project for row in self.rows if row.project)]

    def project_of(self, path: object) -> str | None:
        return None

    def stats(self) -> dict[str, Any]:
        self._ask("stats")
        return {
            "captured": len(self.seen) + 1, "queue": {"waiting": 2} | self.queue, "dropped": {"duplicate": 1},
            "stored": len(self.seen), "compressed": 40, "skipped": 5, "failed": 0, "memories": len(self.rows),
            "memories_by_state": {row.state: sum(r.state == row.state for r in self.rows) for row in self.rows},
            "forecast": {
                "memories": len(self.rows), "max_memories": 50_000, "bytes": 812_000, "max_bytes": 2_000_000_000,
                "memories_per_day": 12.0, "bytes_per_day": 40_000.0, "reached_on": "2027-03-14T09:00:00.000Z",
                "reached": "max_memories",
            },
            "index": {"saved": 30, "recall@10": 1.0},
            "redactions": {"github-token": 3, "e-mail": 1}, "tokens": {"shown": 900, "fetched": 300, "sources": 2_400},
        }  # fmt: skip

    def worker_status(self) -> dict[str, Any]:
        self._ask("worker_status")
        return self.worker

    def start_worker(self) -> dict[str, Any]:
        self._ask("start_worker")
        if self.starts:
            self.worker = {"running": True, "pid": 7, "version": "1", "model": "all-MiniLM-L6-v2", "idle_s": 2.0}
        return self.worker

    def paused(self) -> list[str]:
        self._ask("paused")
        return ["orderly"]

    def resume(self, project: str | None = None) -> bool:
        self._ask(f"resume {project}")
        return True

    def doctor(self, fire: str | None = None, *, installed: Sequence[Any] = ()) -> dict[str, Any]:
        self._ask(f"fire {fire}")
        return {"checks": [{"id": f"fire:{fire}", "ok": True, "what": f"{fire}: its hook took 20 ms", "fix": ""}]}

    def change_stamp(self) -> tuple[int, int]:
        return self.stamp, 0

    def close(self) -> None:
        self.asked.append("close")

    # changes

    def _change(self, action: str, ids: Sequence[int], **fields: Any) -> Receipt:
        self._ask(action)
        with self.lock:
            touched = [
                row for row in self.rows if row.id in ids and any(getattr(row, k) != v for k, v in fields.items())
            ]
            self._keep(action, touched)
            for row in touched:
                for name, value in fields.items():
                    setattr(row, name, value)
        return Receipt(action, [row.id for row in touched])

    def _keep(self, action: str, touched: list[Memory]) -> None:
        if touched:
            self.undoable.append((action, {row.id: replace(row) for row in touched}))
            self.redoable.clear()
            self.stamp += 1

    def delete(self, ids: Sequence[int]) -> Receipt:
        return self._change("delete", ids, state="trash")

    def restore(self, ids: Sequence[int]) -> Receipt:
        return self._change("restore", ids, state="active")

    def pin(self, ids: Sequence[int]) -> Receipt:
        return self._change("pin", ids, pinned=True)

    def unpin(self, ids: Sequence[int]) -> Receipt:
        return self._change("unpin", ids, pinned=False)

    @property
    def merging(self) -> Merging:
        """The part that shows merges."""
        return Merging(self)

    @property
    def exporting(self) -> Exporting:
        """The part that writes files."""
        return Exporting(self)

    def edit(self, memory: int, *, base: int | None = None, **changes: Any) -> Memory:
        row = self.get(memory)[0]
        if base is not None and base != row.version:
            raise ConflictError(f"#{memory} has been edited since you opened it.")
        self._change("edit", [memory], version=row.version + 1, **changes)
        return row

    def split(self, memory: int) -> Receipt:
        parts = self.get(memory)[0].merged_from
        return self._change("split", parts, state="active")

    def supersede(self, old: int, new: int) -> Receipt:
        return self._change("supersede", [old], state="superseded", superseded_by=new)

    def merge(self, ids: Sequence[int], *, body: Body, across: bool = False, base: dict[int, int] | None = None) -> int:
        for row in self.rows:
            if base and base.get(row.id, row.version) != row.version:
                raise ConflictError(f"#{row.id} has been edited since you opened it.")
        if not across and len({row.project for row in self.rows if row.id in ids}) > 1:
            raise RefusedError("These memories belong to different projects. Nothing was changed.")
        self._change("merge", ids, state="merged")
        number = max(row.id for row in self.rows) + 1
        said = {name: getattr(body, name) for name in ("text", "facts", "labels", "files")}
        self.rows.insert(0, memory(number, body.title, merged_from=list(ids), **said))
        self.undoable[-1][1][number] = memory(number, state="undone")
        return number

    @property
    def editing(self) -> Any:
        """What comes next of undo and redo; `elsewhere` says who did it."""
        return SimpleNamespace(ahead=self._ahead, told=lambda entries: {entry.id: "pinned" for entry in entries})

    def _ahead(self, *, again: bool = False) -> Ahead | None:
        self._ask("ahead")
        there = self.redoable if again else self.undoable
        return Ahead(_entries(*there[-1]), 1, NOW - 3 * MINUTE, not self.elsewhere) if there else None

    def undo(self, n: int = 1, *, entry: int | None = None) -> Reverted:
        return self._swap("undo", self.undoable, self.redoable)

    def redo(self, n: int = 1) -> Reverted:
        return self._swap("redo", self.redoable, self.undoable)

    def _swap(self, what: str, taken: list[Any], given: list[Any]) -> Reverted:
        self._ask(what)
        with self.lock:
            if not taken:
                return Reverted()
            action, before = taken.pop()
            given.append((action, {row.id: replace(row) for row in self.rows if row.id in before}))
            self.rows[:] = [replace(before[row.id]) if row.id in before else row for row in self.rows]
            self.stamp += 1
            return Reverted(_entries(action, before))


@dataclass
class Merging:
    """The part of `engine.merging.Merging` that the application asks."""

    fake: FakeMemory
    note: ClassVar[str] = "no model answers"

    def preview(self, ids: Sequence[int]) -> Preview:
        rows = self.fake.get(list(ids))
        body = Body(
            rows[0].title, text="\n".join(row.text for row in rows), facts=[f for row in rows for f in row.facts],
            labels=["api"], files=[f for row in rows for f in row.files], made_by=MadeBy("merge"),
        )  # fmt: skip
        return Preview(rows, body, 0.87, 0.91, 0.78, 5, sum(row.uses for row in rows))

    def write(self, ids: Sequence[int]) -> Written:
        self.fake._ask("word")
        body = self.preview(ids).body
        if self.note:
            return Written(body, self.note)
        return Written(replace(body, title="In other words", text="Worded.", made_by=MadeBy("ollama", "small")))


@dataclass
class Exporting:
    """The part of `engine.exporting.Exporting` that the application asks."""

    fake: FakeMemory
    wanted: ClassVar[list[Any]] = []

    def ids(self, filters: Filters = EVERYTHING, state: str = "active") -> list[int]:
        self.fake._ask("ids")
        return [row.id for row in self.fake._listed(filters, state)]

    def export(self, path: str, wanted: Any, *, format: str, yes: bool = False) -> Exported:  # noqa: A002
        self.fake._ask("export")
        if "taken" in path and not yes:
            raise RefusedError(
                f"{path} exists and is no export of this program. Nothing was written. --yes writes over it."
            )
        self.wanted.append(wanted)
        rows = [row for row in self.fake.rows if not wanted.ids or row.id in wanted.ids]
        return Exported(path, "jsonl", len(rows), bytes=2_000)


@dataclass
class Observing:
    """The part of `engine.observing.Observing` that the application asks."""

    fake: FakeMemory

    def demo(self) -> Any:
        self.fake._ask("demo")
        return self.fake.sample

    def became(self, observation: int) -> list[Memory]:
        self.fake._ask("became")
        return [row for row in self.fake.rows if observation in row.sources]

    def arrived(self, after: int, filters: Filters, limit: int) -> list[Observation]:
        return [row for row in reversed(self.fake.observations(filters, limit=limit)) if row.id > after]

    def settled(self, ids: Sequence[int]) -> dict[int, tuple[str, str, str | None]]:
        return {row.id: (row.state, row.reason, row.project) for row in self.fake.observation(ids)}

    def health(self, installed: Sequence[Any] = ()) -> Health:
        fake = self.fake
        fake._ask("health")
        return Health(
            tuple(fake.checks), fake.stats(), fake.worker, (Heard("claude-code", 60, NOW - MINUTE, 0.6, 2.1, 0, 60),),
            (Failure("claude-code", "9f3c0001", 4, 3, "ModelError: no answer", "failed"),),
            (Door("the store's folder", "/nowhere/store", 0o700, True),), ("2026-11-29 13:58:02 · worker · chore: E",),
            beyond=tuple(fake.beyond),
        )  # fmt: skip

    def remember(self, kept: Kept) -> Kept:
        self.fake._ask("remember")
        self.fake.kept = (
            kept if self.fake.kept.purged == kept.purged else replace(kept, texts={}, purged=self.fake.kept.purged)
        )
        return self.fake.kept

    def inventory(self) -> Inventory:
        self.fake._ask("inventory")
        weeks = (Week(WEEK, 400, 100, 300), Week(WEEK + 7 * DAY, 500, 200, 2_100))
        rows = {"observations": 60, "memories": 30, "chunks": 40, "vectors": 30}
        return Inventory({"database": 812_000}, rows, weeks)

    def models(self) -> Models:
        self.fake._ask("models")
        return self.fake.models

    def pull(self, name: str, on_progress: Callable[[Pulled], None] | None = None) -> None:
        self.fake._ask(f"pull {name}")
        for done in range(1, 1_000):
            if on_progress:
                on_progress(Pulled("pulling 5ee4", done * 1_000_000, 986_000_000))
            if self.fake.pulled.wait(0.01):
                break
        if self.fake.failing_pull is not None:
            raise self.fake.failing_pull
        self.fake.models = Models((name,), (Model(name, 986_000_000, False),))

    def integrity(self) -> str:
        self.fake._ask("integrity")
        return "ok"

    def drain(self) -> int:
        self.fake._ask("drain")
        return 0

    def retry(self) -> int:
        self.fake._ask("retry")
        return 1
