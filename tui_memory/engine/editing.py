"""Changes: add, edit, pin, merge, undo. Every text is redacted before it is written, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from tui_memory.compress import injection
from tui_memory.engine import bodies
from tui_memory.engine.receipt import Receipt
from tui_memory.errors import ConflictError, NotFoundError, RefusedError, UsageError
from tui_memory.model import Body, Entry, Memory, MemoryState, NewMemory
from tui_memory.redact import private_cut
from tui_memory.store import combine, memories, observations, projects, purging
from tui_memory.store.changes import UNSET, Changes
from tui_memory.store.reach import Ahead, Reverted

if TYPE_CHECKING:
    from tui_memory.engine.embedding import Embedding
    from tui_memory.redact import Redactor
    from tui_memory.redact.custom import Guarded
    from tui_memory.store.db import Store

Place = Callable[[str], int]
"""From the name of a project or session to its row."""

_TRIES = 20
EDITABLE = {"title", "summary", "text", "facts", "kind", "tier", "labels", "files"}


class Editing:
    """What a person (or an agent, by name) changes, journaled."""

    def __init__(self, store: Store, redactor: Redactor | Guarded, actor: str, embedding: Embedding) -> None:
        self._store = store
        self._actor = actor
        self._embedding = embedding
        self._changes = Changes(store, actor)
        self._redactor = redactor

    def add_many(self, items: Iterable[Mapping[str, Any]], *, embed: bool) -> list[int]:
        """One transaction for all: their ids. UsageError names the first item that is wrong; nothing is added."""
        route = "person" if self._actor == "person" else "agent"
        project, session = cache(self._project_id), cache(self._session_id)
        news = [self._new(number, item, route, project, session) for number, item in enumerate(items)]
        ids = self._changes.add(news)
        if embed and ids:
            self._embedding.embed_missing()
        return ids

    def edit(self, memory: int | str, changes: Mapping[str, Any]) -> Memory:
        """A new version; what is not named stays. NotFoundError, UsageError; nothing changes then.

        `base`: the version that the changes were made from; ConflictError where it is no longer the current one.
        """
        if changes == {"everywhere": True}:
            self.promote([memory])
            return self._get([memory])[0]
        unknown = set(changes) - EDITABLE - {"project", "everywhere", "base"}
        if unknown:
            raise UsageError(f"A memory has no field {min(unknown)!r}. Nothing was changed.")
        edited = _anew(lambda: self._edit(memory, changes), changes.get("base"))
        self._embedding.embed_missing()
        return self._get([edited])[0]

    def _edit(self, memory: int | str, changes: Mapping[str, Any]) -> int:
        """ConflictError where somebody else has edited it since it was read here, or since `base`."""
        current = self._get([memory])[0]
        given = {key: value for key, value in changes.items() if key in EDITABLE and value is not None}
        body = self.masked(bodies.changed(current, given)) if given else None
        base = changes.get("base", current.version)
        self._changes.edit(current.id, body, project_id=self._project_change(changes), base=base)
        return current.id

    def set_state(self, ids: Sequence[int | str], state: MemoryState, action: str) -> Receipt:
        """Move all to a state in one group; those already there stay untouched."""
        wanted = [memory.id for memory in self._get(ids) if memory.state != state]
        if wanted:
            self._changes.set_state(wanted, state, action)
        return Receipt(action, wanted)

    def pin(self, ids: Sequence[int | str], pinned: bool) -> Receipt:
        """Pin or unpin all in one group."""
        wanted = [memory.id for memory in self._get(ids) if memory.pinned != pinned]
        if wanted:
            self._changes.pin(wanted, pinned)
        return Receipt("pin" if pinned else "unpin", wanted)

    def promote(self, ids: Sequence[int | str]) -> Receipt:
        """Make all belong to all projects, in one group; those that already do stay untouched."""
        wanted = list(dict.fromkeys(memory.id for memory in self._get(ids) if memory.project is not None))
        with self._changes.group("promote"):
            for id_ in wanted:
                self._changes.edit(id_, project_id=None)
        return Receipt("promote", wanted)

    def supersede(self, old: int | str, new: int | str) -> Receipt:
        """RefusedError where both are one, or the older replaced the newer. An empty receipt where it is so already."""
        older, newer = self._get([old, new])
        if older.id == newer.id or newer.superseded_by == older.id:
            raise RefusedError(f"Memory {newer.id} cannot replace {older.id}. Nothing was changed.")
        if older.superseded_by == newer.id and older.state == MemoryState.SUPERSEDED:
            return Receipt("supersede", [])
        self._changes.supersede(older.id, newer.id)
        return Receipt("supersede", [older.id, newer.id])

    def merge_preview(self, ids: Sequence[int | str], *, across: bool = False) -> Body:
        """The union by fields: facts de-duplicated, files and labels joined."""
        return bodies.union(self._mergeable(ids, across))

    def merge(
        self,
        ids: Sequence[int | str],
        *,
        title: str | None = None,
        text: str | None = None,
        body: Body | None = None,
        across: bool = False,
        project: str | None = None,
        base: Mapping[int, int] | None = None,
    ) -> int:
        """The new memory's id. `body`: what it is to say (a preview, edited) in place of the union.

        RefusedError for fewer than two, and across projects without `across`; then it belongs to `project`, or to all.
        `base`: the versions by memory that `body` was made of; ConflictError where one was edited since.
        """

        def merge() -> int:
            originals = self._mergeable(ids, across)
            whole = body or bodies.union(originals)
            whole = replace(whole, title=title or whole.title, text=text if text is not None else whole.text)
            place: Any = UNSET
            if project or len({memory.project for memory in originals}) > 1:
                place = projects.find(self._store, project) if project else None
            read = base if body else {memory.id: memory.version for memory in originals}
            return self._changes.merge(
                [memory.id for memory in originals], self.masked(whole), project_id=place, base=read
            )

        merged = _anew(merge, base)
        self._embedding.embed_missing()
        return merged

    def split(self, memory: int | str) -> Receipt:
        """NotFoundError where it is no merge, ConflictError as for `Changes.split`; the originals that are back."""
        merged = self._get([memory])[0]
        if not merged.merged_from and not combine.lost(self._store.connection, merged.id):
            raise NotFoundError(f"Memory {merged.id} was not merged from others. Nothing was changed.")
        return Receipt("split", self._changes.split(merged.id))

    def undo(self, n: int, entry: int | None = None) -> Reverted:
        """What was taken back: the last `n` groups by a person, or the group of an entry; empty where none is left."""
        return self._changes.undo(n, entry)

    def redo(self, n: int) -> Reverted:
        """What was brought again."""
        return self._changes.redo(n)

    def ahead(self, *, again: bool = False) -> Ahead | None:
        """What undo would take back next, or with `again` redo bring again, and whether it was done through here."""
        return self._changes.ahead(again=again)

    def history(self, memory: int | str | None, limit: int) -> list[Entry]:
        """Newest first; a memory that was purged still has what was done to it, without its text."""
        known = None if memory is None else purging.resolve(self._store, memory)[0]
        return self._changes.history(known, limit)

    def told(self, entries: Sequence[Entry]) -> dict[int, str]:
        """By entry what it changed, in words; empty where the journal's word says all."""
        from tui_memory.engine import told_changes

        return told_changes.told(self._store, entries)

    def _get(self, ids: Sequence[int | str]) -> list[Memory]:
        return memories.get(self._store, [memories.resolve(self._store, value) for value in ids])

    def _mergeable(self, ids: Sequence[int | str], across: bool) -> list[Memory]:
        originals = self._get(list(dict.fromkeys(memories.resolve(self._store, value) for value in ids)))
        if len(originals) < 2:
            raise RefusedError("A merge needs at least two memories. Nothing was changed.")
        for memory in originals:
            if memory.state not in (MemoryState.ACTIVE, MemoryState.SUPERSEDED, MemoryState.HELD):
                raise RefusedError(f"Memory {memory.id} is {memory.state} and cannot be merged. Nothing was changed.")
        names = sorted({memory.project or "all projects" for memory in originals})
        if len(names) > 1 and not across:
            raise RefusedError(
                f"These memories belong to different projects: {', '.join(names)}. Nothing was changed; merging them"
                " has to be confirmed (--yes), and then makes one that belongs to all projects, or to the one named."
            )
        return originals

    def _new(self, number: int, item: Mapping[str, Any], route: str, project: Place, session: Place) -> NewMemory:
        new = bodies.parse(number, item, route)
        body = self.masked(new.body)
        return replace(
            new,
            body=body,
            branch=self._mask(new.branch),
            state=MemoryState.HELD if self._is_strangers_order(body) else MemoryState.ACTIVE,
            project_id=project(str(item["project"])) if item.get("project") else None,
            session_id=session(str(item["session"])) if item.get("session") else None,
        )

    def _is_strangers_order(self, body: Body) -> bool:
        """Whether an agent, which may repeat what a web page told it, saves orders to agents: a person decides."""
        said = "\n".join((body.title, body.summary, body.text, *body.facts))
        return self._actor.startswith("agent:") and injection.reads_as_orders(said)

    def _project_id(self, project: str) -> int:
        return projects.find_or_add(self._store, project)

    def _session_id(self, session: str) -> int:
        return observations.session_for(self._store, session)

    def _project_change(self, changes: Mapping[str, Any]) -> Any:
        if changes.get("everywhere"):
            return None
        project = changes.get("project")
        return projects.find(self._store, str(project)) if project else UNSET

    def masked(self, body: Body) -> Body:
        """The body without secrets and private passages."""
        mask = self._mask
        return replace(
            body,
            title=mask(body.title),
            summary=mask(body.summary),
            text=mask(body.text),
            facts=[mask(fact) for fact in body.facts],
            labels=[mask(label) for label in body.labels],
            files=[mask(file) for file in body.files],
        )

    def _mask(self, text: str) -> str:
        """Without private passages and secrets, whoever wrote it."""
        return self._redactor.text(private_cut(text)[0]).text if text else ""


def _anew(change: Callable[[], int], base: object) -> int:
    """Make a change once more where somebody else was faster: what both changed is kept. Not where `base` was given."""
    for _ in range(_TRIES if base is None else 0):
        with suppress(ConflictError):
            return change()
    return change()
