"""`Memory`: everything that can be done with a store, one method each; every surface is a thin user of it.

Safe to use from several threads and several processes at once: SQLite serialises the writers, each thread has
its own connection, and what is cached follows the store.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_memory.engine import worker_client
from tui_memory.engine.services import Services
from tui_memory.errors import ModelError, StoreError
from tui_memory.model import EVERYTHING, Body, Entry, Filters, MemoryState, Observation
from tui_memory.model import Memory as MemoryRow
from tui_memory.retrieve.result import Hit, SearchResult
from tui_memory.store.reach import Reverted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.compress.queue import Drained
    from tui_memory.engine.agents import Installed
    from tui_memory.engine.evaluating import Evaluating
    from tui_memory.engine.forgetting import Purged
    from tui_memory.engine.history import HistoryProgress, HistoryReport
    from tui_memory.engine.projects import Details
    from tui_memory.engine.receipt import Receipt
    from tui_memory.retrieve.disclose import Disclosure
    from tui_memory.store.moving import Move
    from tui_memory.store.observations import SessionRow
    from tui_memory.store.projects import Project
    from tui_memory.store.scrubbing import Scrubbed


class Memory(Services):
    """A store and all that can be done with it; `Services` says what it is made of."""

    # capture

    def capture(self, agent: str, payload: Mapping[str, Any], *, time: int | None = None) -> int | None:
        """Store one event of an agent, redacted first: the observation's id, or None (`stats` say why)."""
        return self.capturing.capture(agent, payload, time=time)

    def observations(
        self, filters: Filters = EVERYTHING, *, state: str | None = None, limit: int = 100, before: int | None = None
    ) -> list[Observation]:
        """Observations, newest first; `before`: only ids below it (the next page)."""
        from tui_memory.store import observations

        return observations.page(self.store, filters, state=state, limit=limit, before_id=before)

    def observations_after(self, observation: int, *, limit: int = 500) -> list[Observation]:
        """Observations with an id above the given one, oldest first: what arrived since."""
        from tui_memory.store import observations

        return observations.after(self.store, observation, limit)

    def observation(self, ids: Sequence[int]) -> list[Observation]:
        """The observations of these ids, in that order."""
        from tui_memory.store import observations

        return observations.get(self.store, ids)

    def sessions(self, filters: Filters = EVERYTHING, *, limit: int = 50, offset: int = 0) -> list[SessionRow]:
        """Sessions, last seen first."""
        from tui_memory.store import observations

        return observations.sessions(self.store, filters, limit=limit, offset=offset)

    def turn(self, session_id: int, turn: int) -> list[Observation]:
        """The observations of one turn, oldest first."""
        from tui_memory.store import observations

        return observations.turn(self.store, session_id, turn)

    def index_git(
        self,
        path: str | os.PathLike[str] = ".",
        *,
        since: int | None = None,
        limit: int | None = None,
        route: str = "extractive",
        on_progress: Callable[[HistoryProgress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> HistoryReport:
        """Make memories of a repository's commits, oldest first, each once; a run that was stopped is gone on with."""
        from tui_memory.engine.history import HistoryIndex

        run = HistoryIndex(self, route=route, on_progress=on_progress, cancelled=cancelled)
        return run.run(Path(path), since=since, limit=limit)

    # memories

    def add(self, *, embed: bool = True, **fields: Any) -> int:
        """Add one memory; fields as `add_many` takes them."""
        return self.add_many([fields], embed=embed)[0]

    def add_many(self, items: Iterable[Mapping[str, Any]], *, embed: bool = True) -> list[int]:
        """Add memories in one transaction and embed them in batches: their ids, searchable on return.

        Keys: title, text (one of them at least), summary, facts, kind, tier, labels, files, project (name,
        path or uid; absent or None: all projects), branch, session, created (ms or ISO 8601), sources.
        `embed=False` leaves the vectors to the worker; words find them at once.
        """
        return self.editing.add_many(items, embed=embed)

    def memories(
        self, filters: Filters = EVERYTHING, *, state: str = "active", sort: str = "created", limit: int = 100,
        offset: int = 0,
    ) -> list[MemoryRow]:  # fmt: skip
        """One page of memories."""
        from tui_memory.store import memories

        return memories.page(self.store, filters, state=state, sort=sort, limit=limit, offset=offset)

    def count(self, filters: Filters = EVERYTHING, *, state: str = "active") -> int:
        """How many memories there are."""
        from tui_memory.store import memories

        return memories.count(self.store, filters, state)

    def facets(
        self, filters: Filters = EVERYTHING, *, state: str = "active", **names: Any
    ) -> dict[str, dict[str, int]]:
        """Counts by tier, kind, label, file, state and project; `names`: only these."""
        from tui_memory.store import memories

        return memories.facets(self.store, filters, state, **names)

    def get(self, ids: Sequence[int | str] | int | str) -> list[MemoryRow]:
        """Whole memories by id or uid, in the order asked. NotFoundError names the missing ones."""
        return self.finding.get(_many(ids))

    def fetch(self, ids: Sequence[int | str] | int | str, *, session: str = "") -> list[MemoryRow]:
        """As `get`, on behalf of an agent: counted as a use, and recorded for its session."""
        return self.finding.fetch(_many(ids), session=session)

    def shown(self, disclosure: Disclosure, *, session: str = "") -> None:
        """Record an index that an agent asked for and was given, and what it cost."""
        self.finding.shown(disclosure, session)

    def edit(self, memory: int | str, **changes: Any) -> MemoryRow:
        """A new version with the given fields changed (title, summary, text, kind, tier, labels, files, …).

        `project`: a name or path; `everywhere=True`: for all projects.
        """
        return self.editing.edit(memory, changes)

    def delete(self, ids: Sequence[int | str] | int | str) -> Receipt:
        """Move to the trash; `undo` and `restore` bring back."""
        return self.editing.set_state(_many(ids), MemoryState.TRASH, "delete")

    def restore(self, ids: Sequence[int | str] | int | str) -> Receipt:
        """Bring back from the trash, or release what is held or superseded."""
        return self.editing.set_state(_many(ids), MemoryState.ACTIVE, "restore")

    def pin(self, ids: Sequence[int | str] | int | str) -> Receipt:
        """Pin: shown first at a session's start, never evicted."""
        return self.editing.pin(_many(ids), True)

    def unpin(self, ids: Sequence[int | str] | int | str) -> Receipt:
        """Take the pin away."""
        return self.editing.pin(_many(ids), False)

    def promote(self, ids: Sequence[int | str] | int | str) -> Receipt:
        """What was learned in one project holds in all of them: found, and shown at a session's start, in each."""
        return self.editing.promote(_many(ids))

    def supersede(self, old: int | str, new: int | str) -> Receipt:
        """The newer memory replaces the older, which leaves the injected index and stays findable."""
        return self.editing.supersede(old, new)

    def merge_preview(self, ids: Sequence[int | str]) -> Body:
        """What `merge` would make of these, without changing anything."""
        return self.editing.merge_preview(_many(ids))

    def merge(self, ids: Sequence[int | str], **how: Any) -> int:
        """Make one memory of several (`how`: as `Editing.merge` takes it): its id; `undo` or `split` take it apart."""
        return self.editing.merge(_many(ids), **how)

    def split(self, memory: int | str) -> Receipt:
        """Take a merge apart again: the originals come back exactly, the merged one goes to the trash."""
        return self.editing.split(memory)

    def undo(self, n: int = 1, *, entry: int | None = None) -> Reverted:
        """Take back the last `n` groups of changes by a person, or the group of an entry by whoever; what it was."""
        return self.editing.undo(n, entry)

    def redo(self, n: int = 1) -> Reverted:
        """Bring back what `undo` took back last."""
        return self.editing.redo(n)

    def history(self, memory: int | str | None = None, *, limit: int = 100) -> list[Entry]:
        """The journal, newest first; of one memory where one is given."""
        return self.editing.history(memory, limit)

    # retrieval

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        filters: Filters = EVERYTHING,
        profile: str | None = None,
        min_score: float | None = None,
        as_of: int | None = None,
    ) -> list[Hit]:
        """The memories that answer a query, best first; none is an honest answer. `as_of` as in `search_result`."""
        return self.search_result(query, limit, filters, profile=profile, min_score=min_score, as_of=as_of).results

    def search_result(
        self, query: str, limit: int = 10, filters: Filters = EVERYTHING, *, profile: str | None = None,
        min_score: float | None = None, as_of: int | None = None,
    ) -> SearchResult:  # fmt: skip
        """As `search`, with the time it took and what was missing (`degraded`).

        `as_of`: what the memory said at that moment (ms); what was purged since is counted, never given.
        """
        return self.finding.search(query, limit, filters, profile, min_score, as_of)

    def context(
        self, *, project: str | None = None, prompt: str | None = None, budget: int | None = None, agent: str = ""
    ) -> Disclosure:
        """Exactly what an agent would be given: at a session's start, or for a prompt."""
        return self.finding.context(project=project, prompt=prompt, budget=budget)

    def timeline(self, memory: int | str, *, before: int = 3, after: int = 3) -> list[MemoryRow]:
        """The memories around one in time, oldest first, itself among them."""
        return self.finding.timeline(memory, before, after)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Normalised vectors of texts, shape (len(texts), dimension). ModelError where no model can be had now."""
        vectors = self.embedding.encode(texts, query)
        if vectors is None:
            raise ModelError("The embedding model is not ready. Nothing was changed; ask again, or see `doctor`.")
        return vectors

    @property
    def evaluating(self) -> Evaluating:
        """Judgments, profiles, evaluation and tuning."""
        from tui_memory.engine.evaluating import Evaluating

        return self._once("evaluating", lambda: Evaluating(self))

    # forgetting

    def purge(self, **scope: Any) -> Purged:
        """Forget for good, beyond undo; arguments as `Forgetting.purge` takes them (`ids`, `match`, `yes` …)."""
        return self.forgetting.purge(**scope)

    def scrub(self, *, dry_run: bool = False, on_progress: Callable[[int, int], None] | None = None) -> Scrubbed:
        """Mask everything stored by today's rules."""
        return self.forgetting.scrub(dry_run=dry_run, on_progress=on_progress)

    def pause(self, project: str | None = None, *, for_ms: int | None = None) -> int:
        """Take no events, of a project or at all: until when (ms)."""
        return self.forgetting.pause(project, for_ms=for_ms)

    def resume(self, project: str | None = None) -> bool:
        """Take events again; False where nothing was paused."""
        return self.forgetting.resume(project)

    def paused(self) -> list[str]:
        """What is paused now: the projects' names, "" for everything."""
        return self.forgetting.paused()

    # compression, state

    def compress(self, *, on_turn: Callable[..., None] | None = None) -> Drained:
        """Drain the queue here and now and embed what came of it; what was made."""
        drained = self.compressing.drain(on_turn)
        self.embedding.embed_missing()
        return drained

    def projects(self) -> list[Project]:
        """Every project the store knows."""
        from tui_memory.store import projects

        return projects.list_all(self.store)

    def project(self, name_or_path: str | os.PathLike[str]) -> Project:
        """A project by name, uid or a path in it. NotFoundError names near ones."""
        from tui_memory.store import projects

        return projects.named(self.store, os.fspath(name_or_path))

    def project_of(self, path: str | os.PathLike[str], *, make: bool = False) -> Project | None:
        """The project a folder belongs to; one that the store does not know is made only where `make` says so."""
        from tui_memory.store import projects

        return (projects.resolve if make else projects.lookup)(self.store, os.path.abspath(path))

    def project_details(self, name_or_path: str | os.PathLike[str]) -> Details:
        """A project with its keys, its counts, and why it is that project."""
        return self.projects_service.show(os.fspath(name_or_path))

    def reassign_project(self, what: str, target: str, *, contents: bool = False, dry_run: bool = False) -> Move:
        """Give a folder (or another key of a project) to another project; with `contents` what was learned there too.

        Memories are journaled and `undo` takes them back; folder and observations stay until they are reassigned.
        """
        return self.projects_service.reassign(what, target, contents=contents, dry_run=dry_run)

    def merge_projects(self, source: str, target: str, *, dry_run: bool = False) -> Move:
        """Make one project a part of another, with all it has; its names and folders mean the other from then on."""
        return self.projects_service.merge(source, target, dry_run=dry_run)

    def stats(self) -> dict[str, Any]:
        """Counts as the contract gives them; captured = stored + dropped."""
        return self.status.stats()

    def doctor(self, fire: str | None = None, *, installed: Sequence[Installed] | None = None) -> dict[str, Any]:
        """What is degraded, and the command that mends it (`engine.status`); also of a broken store, or settings."""
        from tui_memory.engine import status

        self.settle_for_defaults()
        try:
            return self.status.doctor(fire, installed)
        except StoreError as error:
            return status.unusable(self.home, error, self.settings)

    def change_stamp(self) -> tuple[int, int]:
        """Changes whenever any process commits to this store."""
        return self.store.data_version(), self.store.connection.total_changes

    def worker_status(self) -> dict[str, Any]:
        """The worker as the contract's `worker status` gives it."""
        return worker_client.status(self.home)

    def start_worker(self) -> dict[str, Any]:
        """Start the worker where none runs; its status."""
        worker_client.start(self.home)
        return self.worker_status()

    def stop_worker(self) -> bool:
        """Ask the worker to finish what it has and leave; False where none ran."""
        return worker_client.stop(self.home)


def _many(ids: Sequence[int | str] | int | str) -> list[int | str]:
    return [ids] if isinstance(ids, int | str) else list(ids)
