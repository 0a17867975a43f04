"""What the hub holds as this store may show it: without what is here already, masked by this machine's rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tui_memory.index import serving
from tui_memory.model import Filters, Memory
from tui_memory.retrieve.elsewhere import Foreign
from tui_memory.store import filters as sql
from tui_memory.store import taking_in

if TYPE_CHECKING:
    from tui_memory.redact import Redactor
    from tui_memory.redact.custom import Guarded
    from tui_memory.store.db import Store


class Showing:
    """Of one store."""

    def __init__(self, store: Store, redactor: Redactor | Guarded) -> None:
        self._store, self._redactor = store, redactor

    def theirs(self, found: list[Foreign]) -> list[Foreign]:
        """Without what this store has, or had and purged; masked."""
        if not found:
            return []
        uids = [one.memory.uid for one in found]
        rows = self._store.rows(f"SELECT uid FROM memories WHERE uid IN ({sql.marks(uids)})", uids)
        here = {row[0] for row in rows} | taking_in.purged(self._store)
        kept = [one for one in found if one.memory.uid not in here]
        whole = "\n".join(text for one in kept for text in _texts(one.memory))
        if self._redactor.text(whole).text == whole:  # most have nothing, and all together are a tenth of the time
            return kept
        return [one._replace(memory=self.plain(one.memory)) for one in kept]

    def plain(self, memory: Memory) -> Memory:
        """A memory without secrets."""

        def masked(text: str) -> str:
            return self._redactor.text(text).text

        return replace(
            memory, title=masked(memory.title), summary=masked(memory.summary), text=masked(memory.text),
            facts=[*map(masked, memory.facts)], labels=[*map(masked, memory.labels)],
            files=[*map(masked, memory.files)], branch=masked(memory.branch),
            project=memory.project and masked(memory.project),
        )  # fmt: skip

    def model(self) -> str:
        """The model that embeds questions now; empty where nothing is embedded yet."""
        found = serving.model(self._store)
        return found.name if found else ""

    def place(self, filters: Filters) -> tuple[list[str], list[str]] | None:
        """(uids, addresses) of the projects that a filter names; None: every project."""
        if filters.project is None:
            return None
        names = (filters.project,) if isinstance(filters.project, str) else filters.project
        condition, values = sql.project_ids(names)
        uids = self._store.rows(f"SELECT uid FROM projects WHERE id IN ({condition})", values)
        remotes = self._store.rows(
            f"SELECT value FROM project_aliases WHERE kind = 'remote' AND project_id IN ({condition})", values
        )
        return [row[0] for row in uids], [row[0] for row in remotes]


def _texts(memory: Memory) -> list[str]:
    return [memory.title, memory.summary, memory.text, *memory.facts, *memory.labels, *memory.files, memory.branch,
            memory.project or ""]  # fmt: skip
