"""Other programs' memories into the store: mapped, redacted, as one change that undo takes back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tui_memory.capture import foreign
from tui_memory.capture.foreign import Item, notes
from tui_memory.engine.import_report import ForeignReport, Mapped
from tui_memory.model import JSON, Body, MadeBy, MemoryState, NewMemory
from tui_memory.store import imports, projects, rows
from tui_memory.store.changes import Changes
from tui_memory.store.guard import cap

if TYPE_CHECKING:
    from tui_memory.config import Settings
    from tui_memory.redact import Redactor
    from tui_memory.redact.custom import Guarded
    from tui_memory.store.db import Store

_ROUTE = "import"


@dataclass(slots=True)
class _Planned:
    """A memory to be: what its source says it is, and where it belongs ('': to all projects)."""

    new: NewMemory
    uid: str
    project: str
    pinned: bool


class ForeignImport:
    """One run over one file."""

    def __init__(
        self, store: Store, settings: Settings, redactor: Redactor | Guarded, *, actor: str, dry_run: bool
    ) -> None:
        self._store, self._settings = store, settings
        self._changes = Changes(store, actor)
        self._redactor = redactor
        self._dry_run = dry_run
        self._planned: list[_Planned] = []
        self._changed: list[tuple[int, Body]] = []

    def run(self, path: Path, project: str | None) -> ForeignReport:
        """Read, map and (but in a dry run) store; UsageError where the file is of no known kind."""
        path = path.resolve()
        contents = foreign.read(path, everywhere=_is_a_persons_own(path))
        report = ForeignReport(contents.format, dry_run=self._dry_run, skipped=contents.skipped)
        for item in contents.items:
            row = Mapped(item.source, str(item.kind), str(item.tier), item.labels[:1])
            report.mapping.setdefault(item.source, row).count += 1
            self._plan(report, item, project or item.project)
        if not self._dry_run:
            report.added = self._store_all()
        return report

    def _plan(self, report: ForeignReport, item: Item, project: str) -> None:
        uid, known = self._identity(item)
        body, counts = self._body(item)
        if known is None:
            report.new += 1
            self._planned.append(_Planned(NewMemory(body, created=item.created), uid, project, item.pinned))
        elif known["state"] == MemoryState.TRASH:
            report.skipped["deleted here since it was imported"] += 1
            return
        elif report.format == notes.FORMAT and not rows.is_version(self._store.connection, known["version_id"], body):
            report.changed += 1
            self._changed.append((known["id"], body))
        else:
            report.known += 1
            return
        report.redactions.update(counts)

    def _identity(self, item: Item) -> tuple[str, dict[str, Any] | None]:
        """(uid, the memory that has it). One whose import was undone is out of the way: the next import is another."""
        for again in count():
            uid = replace(item, identity=f"{item.identity}#{again}" if again else item.identity).uid
            known = imports.by_uid(self._store.connection, uid)
            if known is None or known["state"] != MemoryState.UNDONE:
                break
        return uid, known

    def _body(self, item: Item) -> tuple[Body, dict[str, int]]:
        """The memory's body without secrets and private passages, its text capped; counts by kind."""
        whole = {
            "title": item.title, "summary": item.summary, "text": item.text, "facts": item.facts,
            "labels": item.labels, "files": item.files,
        }  # fmt: skip
        masked = self._redactor.value(cast(JSON, whole))
        value = cast(dict[str, Any], masked.value)
        value["text"] = cap(value["text"], self._settings.capture.max_body)
        return Body(**value, tier=str(item.tier), kind=str(item.kind), made_by=MadeBy(_ROUTE)), masked.counts

    def _store_all(self) -> list[int]:
        """All of it in one journal group; the new memories' ids."""
        names = dict.fromkeys(one.project for one in self._planned)
        found = {name: projects.find_or_add(self._store, name) if name else None for name in names}
        with self._changes.group("import"):
            news = [replace(one.new, project_id=found[one.project]) for one in self._planned]
            ids = self._changes.add(news)
            pairs = list(zip(ids, self._planned, strict=True))
            imports.give_uids(self._store.connection, [(id_, one.uid) for id_, one in pairs])
            if pinned := [id_ for id_, one in pairs if one.pinned]:
                self._changes.pin(pinned)
            for id_, body in self._changed:
                self._changes.edit(id_, body)
        return ids


def _is_a_persons_own(path: Path) -> bool:
    """Whether notes lie in the home directory itself or in an agent's settings there: they hold for all projects."""
    home = Path.home().resolve()
    if not path.is_relative_to(home):
        return False
    parts = path.relative_to(home).parts
    return len(parts) == 1 or parts[0].startswith(".")
