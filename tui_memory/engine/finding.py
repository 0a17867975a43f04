"""What is asked of the memory: search, an agent's context, what stands around a memory in time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tui_memory.errors import RefusedError, UsageError
from tui_memory.model import Filters, Memory, MemoryState
from tui_memory.retrieve.result import SearchResult
from tui_memory.store import memories, projects, uses
from tui_memory.store.filters import checked
from tui_memory.store.text import storable

if TYPE_CHECKING:
    from tui_memory.config import Settings
    from tui_memory.engine.embedding import Embedding
    from tui_memory.engine.hub import Hub
    from tui_memory.retrieve.disclose import Disclosure
    from tui_memory.retrieve.elsewhere import Elsewhere
    from tui_memory.retrieve.profile import Profile
    from tui_memory.retrieve.search import Searcher
    from tui_memory.retrieve.tree import Tree
    from tui_memory.store.db import Store

_MOST = 10_000_000
_KEPT_BACK: dict[str, str] = {
    MemoryState.HELD: "held until a person has looked at it",
    MemoryState.TRASH: "in the trash",
}


class Finding:
    """Reads only, but for the counters of what was shown and fetched."""

    def __init__(self, store: Store, settings: Settings, embedding: Embedding, hub: Callable[[], Hub]) -> None:
        self._store = store
        self._settings = settings
        self._embedding = embedding
        self._hub = hub
        self._lock = threading.Lock()
        self._searcher: Searcher | None = None

    def search(
        self, query: str, limit: int, filters: Filters, profile: str | None, min_score: float | None,
        as_of: int | None = None,
    ) -> SearchResult:  # fmt: skip
        """Hits best first, with what was missing. NotFoundError for an unknown project or profile; UsageError."""
        from tui_memory.redact import redact

        if not isinstance(limit, int) or not 1 <= limit <= _MOST:
            raise UsageError(
                f"A search's limit is a number from 1 to {_MOST:,}, not {limit!r}. Nothing was looked for."
            )

        found = self.searcher().search(
            storable(query),
            limit=limit,
            filters=checked(filters),
            profile=self.profile(profile),
            min_score=min_score,
            moment=as_of,
            elsewhere=self.elsewhere(),
        )
        found.query = redact(found.query)  # what is asked comes back in the answer
        return found

    def elsewhere(self) -> Elsewhere | None:
        """The team's hub, where one is connected; a look whether there is one loads nothing of it."""
        return self._hub().elsewhere() if (self._store.home / "hub.json").exists() else None

    def share(self, searcher: Searcher) -> None:
        """Search with this one, which the process has already: its arrays and vectors are not held twice."""
        with self._lock:
            self._searcher = searcher

    def searcher(self) -> Searcher:
        """The one searcher of this process: its caches follow the store."""
        with self._lock:
            if self._searcher is None:
                from tui_memory.retrieve.search import Searcher

                self._searcher = Searcher(self._store, embed=self._embedding.encode)
            return self._searcher

    def profile(self, name: str | None) -> Profile:
        """A profile by name, of the settings or saved; None: the one that the settings choose. NotFoundError."""
        from tui_memory.retrieve import profiles

        return profiles.weights(self._store, self._settings.retrieve, name)

    def get(self, ids: Sequence[int | str]) -> list[Memory]:
        """Whole memories in the order asked, those of the hub (`hub:12`, -12) too."""
        numbers = {value: number for value in ids if (number := _in_hub(value))}
        own = [value for value in ids if value not in numbers]
        found = dict(
            zip(own, memories.get(self._store, [memories.resolve(self._store, value) for value in own]), strict=True)
        )
        if numbers:
            found |= zip(numbers, self._hub().get(list(numbers.values())), strict=True)
        return [found[value] for value in ids]

    def fetch(self, ids: Sequence[int | str], *, session: str) -> list[Memory]:
        """As `get`; each counts as a use, and is recorded for the agent's session where one is named.

        RefusedError for what no agent is given: held until a person looked at it, or in the trash.
        """
        found = self.get(ids)
        kept_back = [f"#{memory.id} is {_KEPT_BACK[memory.state]}" for memory in found if memory.state in _KEPT_BACK]
        if kept_back:
            raise RefusedError(f"Nothing was fetched: {', '.join(kept_back)}. Leave it out and ask for the others.")
        uses.fetched(self._store, [memory for memory in found if memory.id >= 0], session)
        return found

    def shown(self, disclosure: Disclosure, session: str) -> None:
        """Record what an agent asked for and was shown: not a use, and not to be shown to that session again."""
        from tui_memory.retrieve import disclose

        known = self._store.rows("SELECT id FROM sessions WHERE session = ?", (session,))
        disclose.record(self._store, known[0]["id"] if known else None, disclosure, "search")
        self.searcher().took.flush(self._store)

    def timeline(self, memory: int | str, before: int, after: int) -> list[Memory]:
        """The memories of the same project around one, oldest first."""
        return memories.around(self._store, memories.resolve(self._store, memory), before, after)

    def context(
        self, *, project: str | None, prompt: str | None, budget: int | None, profile: Profile | None = None,
        explain: bool = False,
    ) -> Disclosure:  # fmt: skip
        """What an agent in this project would be given, exactly. `profile`: these weights, not those in use.

        `explain`: with all that a prompt called up and was cut.
        """
        from tui_memory.retrieve import disclose

        whole = self._settings.retrieve.budget
        limit = budget or (whole if prompt is None else min(whole, disclose.PROMPT_BUDGET))
        project_id, at = self._place(project)
        if prompt is None:
            return disclose.start(self._store, project_id, tree=at, budget=limit)
        return disclose.prompt(
            self.searcher(), self._store, project_id, storable(prompt),
            budget=limit, profile=profile or self.profile(None), explain=explain, tree=at,
        )  # fmt: skip

    def _place(self, project: str | None) -> tuple[int | None, Tree]:
        from tui_memory.retrieve import tree

        if project is not None and not os.path.isdir(project):
            return projects.find(self._store, project), tree.NOWHERE
        found = projects.lookup(self._store, project or os.getcwd())
        return (found.id, tree.Tree(found.branch, tree.changed(found.root) or ())) if found else (None, tree.NOWHERE)


def _in_hub(name: int | str) -> int:
    """The number of a memory that is in the hub; 0 for one of this store."""
    text = str(name).strip()
    number = text.removeprefix("hub:") if text.startswith("hub:") else text.removeprefix("-")
    return int(number) if number != text and number.isascii() and number.isdigit() else 0
