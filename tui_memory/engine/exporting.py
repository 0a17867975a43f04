"""Memories into a file outside of the store: JSON lines that say everything, or Markdown that a person reads.

A file is written aside and renamed, readable by its owner alone, redacted once more on its way out, and remembered,
so that a purge can say where the text may still be.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from tui_memory.clock import iso, now_ms
from tui_memory.engine import markdown, reading_own
from tui_memory.engine.aside import aside
from tui_memory.errors import NotFoundError, RefusedError, UsageError
from tui_memory.model import EVERYTHING, JSON, Filters, MemoryState
from tui_memory.store import leaves, memories, portable, purging
from tui_memory.store.filters import ALL
from tui_memory.store.portable import Record

if TYPE_CHECKING:
    from tui_memory.engine.services import Services

Format = Literal["jsonl", "markdown"]
_SUFFIXES: dict[str, Format] = {".md": "markdown", ".markdown": "markdown"}
_BATCH = 200
_TOGETHER = 20_000
"""Characters of several records that are scanned as one text."""
_TEXTS = {
    "project": ("name", "remotes"),
    "observation": ("text", "tool", "branch", "cwd", "files", "detail"),
    "memory": ("branch",),
    "version": ("title", "summary", "text", "facts", "labels", "files", "flagged"),
}


@dataclass(slots=True)
class Exported:
    """What was written, and where."""

    path: str
    format: Format
    memories: int = 0
    in_trash: int = 0
    """How many of them are in the trash."""
    observations: int = 0
    changes: int = 0
    bytes: int = 0
    redactions: Counter[str] = field(default_factory=Counter)
    """What today's rules masked on the way out, by kind; the store itself is as it was."""
    cancelled: bool = False

    def public(self) -> dict[str, Any]:
        """The JSON shape."""
        names = ("path", "format", "memories", "in_trash", "observations", "changes", "bytes", "cancelled")
        return {name: getattr(self, name) for name in names} | {"redactions": dict(self.redactions)}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an export holds."""

    filters: Filters = EVERYTHING
    state: str | None = None
    """None: every state in JSON lines; in Markdown what is active."""
    ids: tuple[int | str, ...] = ()
    """Only these, whatever their state; empty: all that the filters take."""
    journal: bool = False
    """With every change to them (JSON lines only)."""
    sources: bool = False
    """With the observations that they come from (JSON lines only)."""
    latest: bool = False
    """Without older versions."""


class Exporting:
    """Exports of one store."""

    def __init__(self, memory: Services) -> None:
        self._store, self._redactor, self._home = memory.store, memory.redactor, memory.home

    def export(
        self,
        path: str | os.PathLike[str],
        wanted: Wanted = Wanted(),
        *,
        format: Format | None = None,  # noqa: A002  (the contract's name)
        yes: bool = False,
        on_progress: Callable[[int, int], object] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Exported:
        """Write one file; `format`: by default as the name's ending says. `yes`: over the file that is there.

        RefusedError where the file exists and holds something, or would lie in the store; NotFoundError where its
        folder does not exist or an id does not; TuiMemoryError where it cannot be written. Then nothing is changed, as
        where `cancelled` answers true.
        """
        target = Path(os.path.realpath(Path(path).expanduser()))
        kind = format or _SUFFIXES.get(target.suffix.lower(), "jsonl")
        self._check(target, yes)
        if kind == "markdown" and (wanted.journal or wanted.sources):
            raise UsageError("Markdown holds no journal and no sources. Nothing was written; use jsonl.")
        done = Exported(str(target), kind)
        ids = self._ids(wanted, kind)
        run = _Run(self, wanted, ids, done, on_progress, cancelled)
        purging.note_copy(self._store, str(target))  # before there is anything to find
        with self._unchanging(), aside(target) as (file, keep):
            for text in run.markdown() if kind == "markdown" else run.lines():
                done.bytes += file.write(text.encode("utf-8", "replace"))
            if not done.cancelled:
                keep()
        return done

    def ids(self, filters: Filters = EVERYTHING, state: str = MemoryState.ACTIVE) -> list[int]:
        """The ids of all that a list has: what is exported, or marked, without a look at the rows."""
        return portable.chosen(self._store, filters, state)

    def _check(self, target: Path, yes: bool) -> None:
        if target.is_relative_to(os.path.realpath(self._home)):
            raise RefusedError(
                f"{target} is inside the store, where no purge would look for it. Nothing was written;"
                " name a file outside of it."
            )
        if not target.parent.is_dir():
            raise NotFoundError(f"There is no folder {target.parent}. Nothing was written.")
        if target.exists() and not target.is_file():
            raise RefusedError(f"{target} exists and is no file. Nothing was written.")
        if target.exists() and target.stat().st_size and not yes:
            what = "an earlier export" if _is_export(target) else "no export of this program"
            raise RefusedError(f"{target} exists and is {what}. Nothing was written. --yes writes over it.")

    def _ids(self, wanted: Wanted, kind: Format) -> list[int]:
        """The memories to write, in their order."""
        if wanted.ids:
            known = [value if isinstance(value, int) else memories.resolve(self._store, value) for value in wanted.ids]
            found = portable.chosen(self._store, wanted.filters, wanted.state or ALL, known)
            for id_ in list(set(known) - set(found))[:1]:
                memories.resolve(self._store, id_)  # filtered out, or not there at all
            return found
        state = wanted.state or (ALL if kind == "jsonl" else MemoryState.ACTIVE)
        return portable.chosen(self._store, wanted.filters, state)

    @contextmanager
    def _unchanging(self) -> Iterator[None]:
        """One state of the store, whatever others write meanwhile."""
        connection = self._store.connection
        connection.execute("BEGIN")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")

    def masked(self, records: Iterable[Record], done: Exported) -> Iterator[Record]:
        """The records without secrets, by today's rules; what they are known by stays as it is.

        Most have none: many short texts together are scanned in a tenth of the time that each would take alone.
        """
        waiting: list[tuple[Record, dict[str, Any]]] = []
        length = 0
        for record in records:
            waiting.append((record, _texts(record)))
            length += sum(map(len, leaves.inside(waiting[-1][1])))
            if length > _TOGETHER:
                yield from self._masked(waiting, done)
                waiting, length = [], 0
        yield from self._masked(waiting, done)

    def _masked(self, waiting: list[tuple[Record, dict[str, Any]]], done: Exported) -> Iterator[Record]:
        plain = [texts for record, texts in waiting if record["type"] != "observation"]
        if self._is_clean("\n".join(leaves.inside(plain))):
            plain = []
        for record, texts in waiting:
            if not plain and record["type"] != "observation":
                yield record
            else:
                yield self._one(record, texts, done)

    def _one(self, record: Record, texts: dict[str, Any], done: Exported) -> Record:
        if record["type"] == "change":
            sides = {name: self._side(record[name], done) for name in ("before", "after")}
            return record | sides
        if record["type"] != "observation" and self._is_clean("\n".join(leaves.inside(texts))):
            return record
        found = self._redactor.value(cast(JSON, texts))
        done.redactions.update(found.counts)
        value = cast("dict[str, Any]", found.value)
        if "versions" in record:
            pairs = zip(record["versions"], value["versions"], strict=True)
            value["versions"] = [one | said for one, said in pairs]
        return record | value

    def _is_clean(self, text: str) -> bool:
        """Whether nothing in several texts together has to go."""
        return "<private" not in text.lower() and self._redactor.text(text).text == text

    def _side(self, state: Record | None, done: Exported) -> Record | None:
        if not state or not state["branch"]:
            return state
        found = self._redactor.text(state["branch"])
        done.redactions.update(found.counts)
        return state | {"branch": found.text}

    def batches(self, ids: Sequence[int]) -> Iterator[Sequence[int]]:
        """Ids, some at a time."""
        for at in range(0, len(ids), _BATCH):
            yield ids[at : at + _BATCH]

    def rows(self, kind: str, ids: Sequence[int], wanted: Wanted) -> Iterator[Record]:
        """Records of one kind about these memories."""
        if kind == "project":
            yield from portable.projects(self._store, ids)
        elif kind == "memory":
            yield from portable.memories(self._store, ids, latest=wanted.latest)
        elif kind == "observation":
            yield from portable.observations(self._store, ids)
        else:
            yield from portable.journal(self._store, ids)

    def sources_of(self, ids: Sequence[int]) -> list[int]:
        """The observations that these memories come from."""
        return portable.sources_of(self._store, ids)

    @property
    def device(self) -> str:
        """Who writes."""
        return self._store.device


class _Run:
    """One export: the file's text, part by part."""

    def __init__(
        self, exporting: Exporting, wanted: Wanted, ids: list[int], done: Exported,
        on_progress: Callable[[int, int], object] | None, cancelled: Callable[[], bool],
    ) -> None:  # fmt: skip
        self._exporting, self._wanted, self._ids, self.done = exporting, wanted, ids, done
        self._on_progress, self._cancelled = on_progress, cancelled

    def lines(self) -> Iterator[str]:
        """JSON lines: header, projects, sources, memories, changes, end."""
        exporting, count = self._exporting, 0
        yield _line({
            "type": "header", "format": portable.FORMAT, "version": portable.VERSION, "exported": iso(now_ms()),
            "device": exporting.device,
        })  # fmt: skip
        for record in exporting.masked(self._records(), self.done):
            count += 1
            yield _line(record)
        yield _line({"type": "end", "records": count})

    def _records(self) -> Iterator[Record]:
        exporting, wanted, done = self._exporting, self._wanted, self.done
        yield from exporting.rows("project", self._ids, wanted)
        if wanted.sources:
            for batch in exporting.batches(exporting.sources_of(self._ids)):
                for record in exporting.rows("observation", batch, wanted):
                    done.observations += 1
                    yield record
        yield from self._memories()
        if wanted.journal and not done.cancelled:
            for record in exporting.rows("change", self._ids, wanted):
                done.changes += 1
                yield record

    def _memories(self) -> Iterator[Record]:
        done = self.done
        for batch in self._exporting.batches(self._ids):
            if self._cancelled():
                done.cancelled = True
                return
            for record in self._exporting.rows("memory", batch, self._wanted):
                done.memories += 1
                done.in_trash += record["state"] == MemoryState.TRASH
                yield record
            if self._on_progress:
                self._on_progress(done.memories, len(self._ids))

    def markdown(self) -> Iterator[str]:
        """The same as a document: current versions only."""
        exporting = self._exporting
        records = exporting.rows("project", self._ids, self._wanted)
        projects = {record["uid"]: record for record in exporting.masked(records, self.done)}
        yield markdown.head(len(self._ids), iso(now_ms()))
        for record in exporting.masked(self._memories(), self.done):
            yield markdown.memory(record, projects.get(record["project"] or ""))
        yield f"\n{markdown.TAIL}\n"


def _texts(record: Record) -> dict[str, Any]:
    """What may hold a secret in a record."""
    if record["type"] == "change":
        return {name: record[name]["branch"] for name in ("before", "after") if record[name]}
    texts: dict[str, Any] = {name: record[name] for name in _TEXTS[record["type"]]}
    if "versions" in record:
        texts["versions"] = [{name: one[name] for name in _TEXTS["version"]} for one in record["versions"]]
    return texts


def _line(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def _is_export(path: Path) -> bool:
    """Whether a file is an export that an earlier run wrote."""
    try:
        return reading_own.is_own(path) or markdown.is_own(path)
    except OSError:
        return False
