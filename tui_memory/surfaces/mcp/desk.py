"""What the four tools do: one `Memory` method each, asked in the agent's name and answered as text."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from tui_memory.clock import now_ms
from tui_memory.errors import WorkerError
from tui_memory.model import Filters
from tui_memory.surfaces.cli import timespan
from tui_memory.surfaces.mcp import place, text, tools

if TYPE_CHECKING:
    from pathlib import Path

    from tui_memory.engine.memory import Memory

MODEL_PATIENCE = 4.0  # seconds for a worker that was just started to load its model
_DEGRADED = {
    "model": "only words were compared: the embedding model is not ready",
    "index": "some memories were compared by their words only",
    "hub": "the team's hub did not answer in time: what others share may be missing",
}


class Desk:
    """The tools of one client; `client` is the name it gives itself. Threads may share it."""

    def __init__(self, client: str, home: Path | None = None) -> None:
        self._client = client
        self._home = home
        self._lock = threading.Lock()
        self._memory: Memory | None = None

    def answer(self, arguments: tools.Arguments) -> str:
        """Run the tool these arguments belong to. TuiMemoryError where it cannot."""
        match arguments:
            case tools.Search():
                return self.search(arguments)
            case tools.Timeline():
                return self.timeline(arguments)
            case tools.Get():
                return self.get(arguments)
            case tools.Save():
                return self.save(arguments)
        raise TypeError(type(arguments).__name__)

    @property
    def memory(self) -> Memory:
        """The store, opened by the first call that needs it."""
        from tui_memory.engine.memory import Memory

        with self._lock:
            if self._memory is None:
                self._memory = Memory(self._home, actor=place.actor(self._client), embedding="worker")
            return self._memory

    def close(self) -> None:
        """Let go of the store."""
        if self._memory is not None:
            self._memory.close()

    def wake(self) -> None:
        """Have a worker up that answers for the model; where none can be started, words are compared."""
        try:
            self.memory.start_worker()
        except WorkerError:
            return  # its log says why, and each answer says that the model was missing

    def search(self, asked: tools.Search) -> str:
        """An index of what answers a query, best first."""
        self._have_model()
        found = self.memory.search_result(asked.query, limit=asked.limit, filters=self._filters(asked))
        missing = [f"({_DEGRADED.get(name, name)})" for name in found.degraded]
        if not found.results:
            advice = "Ask once more with other words, or with project='*' in every project; else go on without."
            return " ".join(["Nothing that is remembered here answers that.", *missing, advice])
        lead = " ".join(["Best first:", *missing])
        shown = text.index(lead, [hit.memory for hit in found.results], now_ms())
        self.memory.shown(shown, session=place.session(self.memory, self._client))
        return shown.text

    def timeline(self, asked: tools.Timeline) -> str:
        """An index of what stands around a memory in time."""
        found = self.memory.timeline(asked.id, before=asked.before, after=asked.after)
        shown = text.index("Oldest first:", found, now_ms())
        self.memory.shown(shown, session=place.session(self.memory, self._client))
        return shown.text

    def get(self, asked: tools.Get) -> str:
        """Whole memories; each counts as used by this session."""
        wanted = {one.id: one for one in self.memory.get(asked.ids)}
        given, left_out = text.chosen(list(wanted.values()))
        found = self.memory.fetch(given, session=place.session(self.memory, self._client))
        return text.whole(found, left_out, now_ms())

    def save(self, asked: tools.Save) -> str:
        """Store a memory of this project, or of all, and say which it became."""
        here = None if asked.everywhere else place.folder()
        project = self.memory.project_of(here, make=True) if here else None
        fields = asked.model_dump(exclude={"everywhere"}) | {
            "project": project.uid if project else None,
            "branch": project.branch if project else "",
            "session": place.session(self.memory, self._client),
        }
        made = self.memory.get(self.memory.add(**fields))[0]
        where = f"in {text.data(made.project)}" if made.project else "for all projects"
        return f"Saved as #{made.id} ({made.kind}, {where}, {made.tokens} t): {text.data(made.title)}"

    def _filters(self, asked: tools.Search) -> Filters:
        if asked.project == tools.EVERY_PROJECT:
            project = None
        else:
            project = self.memory.project(asked.project).uid if asked.project else place.filtered(self.memory)
        return Filters(
            project=project,
            kind=(asked.kind.value,) if asked.kind else (),
            path=(asked.path,) if asked.path else (),
            since=timespan.parse(asked.since) if asked.since else None,
        )

    def _have_model(self) -> None:
        """Wait a little for a worker that has just been started: an answer by meaning is worth it."""
        status = self.memory.worker_status()
        if not status["running"]:
            self.wake()
        until = time.monotonic() + MODEL_PATIENCE
        while time.monotonic() < until:
            status = self.memory.worker_status()
            if status["model"] or status.get("trouble") or not status["running"]:
                return
            time.sleep(0.05)
