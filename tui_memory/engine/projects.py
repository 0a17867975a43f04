"""Projects as a person looks at them and puts them right."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tui_memory.clock import iso
from tui_memory.store import moving, projects

if TYPE_CHECKING:
    from tui_memory.store.db import Store
    from tui_memory.store.moving import Alias
    from tui_memory.store.projects import Project


@dataclass(slots=True)
class Details:
    """A project with every key it was seen under, why a folder is part of it, and how much it has."""

    project: Project
    why: str
    """Why the folder asked about (or where the project was last seen) is this project; '' for a folder that is gone."""
    aliases: list[Alias] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def public(self) -> dict[str, Any]:
        """The JSON shape."""
        one = self.project
        keys = [{"kind": key.kind, "value": key.value, "since": iso(key.created)} for key in self.aliases]
        facts = {"id": one.id, "uid": one.uid, "name": one.name, "root": one.root or None, "branch": one.branch}
        return facts | {"why": self.why, "aliases": keys, "counts": self.counts}


class Projects:
    """Show, reassign, merge."""

    def __init__(self, store: Store, actor: str) -> None:
        self._store, self._actor = store, actor

    def show(self, name_or_path: str) -> Details:
        """A project by name, uid, key or a path in it. NotFoundError names near ones."""
        found = projects.named(self._store, name_or_path)
        seen = found if found.why else projects.lookup(self._store, found.root) if found.root else None
        why = seen.why if seen and seen.id == found.id else ""
        return Details(found, why, moving.aliases(self._store, found.id), moving.counts(self._store, found.id))

    def reassign(self, what: str, target: str, *, contents: bool, dry_run: bool) -> moving.Move:
        """As `Memory.reassign_project`."""
        folder = os.path.abspath(os.path.expanduser(what))
        is_folder = os.path.isabs(what) or (os.path.exists(folder) and not moving.is_key(self._store, what))
        return moving.reassign(
            self._store, folder if is_folder else what, target, contents=contents, dry_run=dry_run, actor=self._actor
        )

    def merge(self, source: str, target: str, *, dry_run: bool) -> moving.Move:
        """As `Memory.merge_projects`."""
        return moving.merge(self._store, source, target, dry_run=dry_run, actor=self._actor)
