"""What is asked of the memory: search, an agent's context, what stands around a memory in time."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui_memory.errors import NotFoundError
from tui_memory.model import Filters, Memory, SearchResult
from tui_memory.store import memories, projects, uses

if TYPE_CHECKING:
    from tui_memory.config import Settings
    from tui_memory.engine.embedding import Embedding
    from tui_memory.retrieve.disclose import Disclosure
    from tui_memory.retrieve.profile import Profile
    from tui_memory.retrieve.search import Searcher
    from tui_memory.store.db import Store


class Finding:
    """Reads only, but for the counters of what was shown and fetched."""

    def __init__(self, store: Store, settings: Settings, embedding: Embedding) -> None:
        self._store = store
        self._settings = settings
        self._embedding = embedding
        self._lock = threading.Lock()
        self._searcher: Searcher | None = None

    def search(
        self, query: str, limit: int, filters: Filters, profile: str | None, min_score: float | None
    ) -> SearchResult:
        """Hits best first, with what was missing. NotFoundError for an unknown project or profile."""
        return self.searcher().search(
            query, limit=limit, filters=filters, profile=self.profile(profile), min_score=min_score
        )

    def searcher(self) -> Searcher:
        """The one searcher of this process: its caches follow the store."""
        with self._lock:
            if self._searcher is None:
                from tui_memory.retrieve.search import Searcher

                self._searcher = Searcher(self._store, embed=self._embedding.encode)
            return self._searcher

    def profile(self, name: str | None) -> Profile:
        """A profile of the settings by name; None: the one that the settings choose."""
        from tui_memory.retrieve.profile import DEFAULT, Profile

        wanted = name or self._settings.retrieve.profile
        given = self._settings.retrieve.profiles
        if wanted in given:
            return Profile.from_dict(given[wanted])
        if wanted == "default":
            return DEFAULT
        raise NotFoundError(f"No profile is called {wanted!r}. Known: {', '.join(sorted({'default', *given}))}.")

    def get(self, ids: Sequence[int | str]) -> list[Memory]:
        """Whole memories in the order asked."""
        return memories.get(self._store, [memories.resolve(self._store, value) for value in ids])

    def fetch(self, ids: Sequence[int | str], *, session: str) -> list[Memory]:
        """As `get`; each counts as a use, and is recorded for the agent's session where one is named."""
        found = self.get(ids)
        uses.fetched(self._store, found, session)
        return found

    def timeline(self, memory: int | str, before: int, after: int) -> list[Memory]:
        """The memories of the same project around one, oldest first."""
        return memories.around(self._store, memories.resolve(self._store, memory), before, after)

    def context(self, *, project: str | None, prompt: str | None, budget: int | None) -> Disclosure:
        """What an agent in this project would be given, exactly."""
        from tui_memory.retrieve import disclose

        limit = budget or self._settings.retrieve.budget
        project_id, branch = self._place(project)
        if prompt is None:
            return disclose.start(self._store, project_id, branch=branch, budget=limit)
        return disclose.prompt(self.searcher(), self._store, project_id, prompt, budget=limit)

    def _place(self, project: str | None) -> tuple[int | None, str]:
        if project is not None and not os.path.isdir(project):
            return projects.find(self._store, project), ""
        found = projects.lookup(self._store, project or os.getcwd())
        return (found.id, found.branch) if found else (None, "")
