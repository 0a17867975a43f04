"""Today's rules over everything that is stored, a batch at a time, resumable: what they mask is rewritten in place.

A version is immutable to people and programs, but not to this: the text that should never have been kept goes, with
its search text, its chunks and its vectors; the embedding of what is left is the worker's next work.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from tui_memory.errors import TuiMemoryError
from tui_memory.model import JSON, Body
from tui_memory.redact.exact import Exact
from tui_memory.store import erasing, folders, leaves, pairs, rows, rules, search_text, sweeping
from tui_memory.store.guard import digest
from tui_memory.store.text import dumps, storable
from tui_memory.tokens import count_tokens

if TYPE_CHECKING:
    from tui_memory.redact import Redactor
    from tui_memory.redact.custom import Guarded
    from tui_memory.store.db import Store

_PROGRESS = "scrub"
_BATCH = 100
_OBSERVATION = ("text", "tool", "branch", "cwd", "parent", "files", "detail")
_VERSION = ("title", "summary", "text", "facts", "labels", "files", "flagged")
_JSON = frozenset({"files", "detail", "facts", "labels", "flagged"})
_PLACES = frozenset({
    ("projects", "name"), ("project_aliases", "value"), ("sessions", "session"), ("sessions", "cwd"),
    ("deliveries", "key"),
})  # fmt: skip
"""(table, column) of what is compared: masked as `folders` does."""


@dataclass(slots=True)
class Scrubbed:
    """What a scrub found: rows changed by table, secrets by kind, rows that could not be scanned."""

    changed: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    unscanned: int = 0
    done: int = 0
    total: int = 0
    finished: bool = False
    """Whether everything was looked at: false where it ran out of its time, and goes on next time."""

    def public(self) -> dict[str, Any]:
        """JSON."""
        return {
            "changed": dict(self.changed), "kinds": dict(self.kinds), "unscanned": self.unscanned, "done": self.done,
            "total": self.total, "finished": self.finished,
        }  # fmt: skip


def scrub(
    store: Store,
    redactor: Redactor | Guarded,
    today: rules.RuleSet,
    *,
    dry_run: bool = False,
    resume: bool = False,
    seconds: float | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Scrubbed:
    """Mask everything stored by today's rules. `resume`: from where the last one was; `seconds`: stop after so many.

    `erasing.finish` is still to be called where something was changed. A row that the user's own rules do not get
    through in time stays as it is, is counted, and goes on being masked when it is read.
    """
    run = _Run(store, redactor, today, dry_run)
    until = None if seconds is None else time.monotonic() + seconds
    for _ in run.steps(resume):
        if on_progress is not None:
            on_progress(run.report.done, run.report.total)
        if until is not None and time.monotonic() > until:
            return run.report
    run.report.finished = True
    if not dry_run:
        run.end(today)
    return run.report


def mask(store: Store, values: Sequence[str]) -> list[int]:
    """Mask these values wherever they are stored, in every usual encoding, for good: the versions that held one.

    Text by text, each batch a transaction of its own; done again, it finds nothing. `erasing.finish` is still to be
    called.
    """
    exact = Exact(values)
    run = _Run(store, exact, None, False, lambda _table, row: exact.stands_in(row))
    for _ in run.steps(resume=False):
        pass
    return run.versions


def mask_rows(store: Store, redactor: Redactor | Guarded, versions: set[int], seen: set[int]) -> list[int]:
    """Mask these versions and observations (ids) by today's rules, for good: the versions that changed.

    `erasing.finish` is still to be called.
    """
    ids = {"versions": versions, "observations": seen}
    run = _Run(store, redactor, None, False, lambda table, row: row["id"] in ids[table])
    for _ in run.steps(resume=False, rest=False):
        pass
    return run.versions


Wanted = Callable[[str, sqlite3.Row], bool]
"""Whether a row of a table is to be looked at."""


class _Run:
    """One run over the store. `today`: the rules it is by; None: it is about some rows or values alone."""

    def __init__(
        self, store: Store, redactor: Redactor | Guarded | Exact, today: rules.RuleSet | None, dry_run: bool,
        wanted: Wanted | None = None,
    ) -> None:  # fmt: skip
        self._store, self._redactor, self._today, self._dry_run = store, redactor, today, dry_run
        self._wanted = wanted
        self.report = Scrubbed()
        self.versions: list[int] = []
        """Those whose text changed."""

    def steps(self, resume: bool, *, rest: bool = True) -> Iterator[None]:
        """Batch after batch, each in a transaction of its own; `rest`: the smaller tables as well."""
        marks = self._marks() if resume else {}
        connection = self._store.connection
        tables = (("observations", _OBSERVATION, self._observation), ("versions", _VERSION, self._version))
        for table, _, _ in tables:
            sql = f"SELECT count(*), coalesce(sum(id <= ?), 0) FROM {table}"
            total, done = connection.execute(sql, (marks.get(table, 0),)).fetchone()
            self.report.total, self.report.done = self.report.total + total, self.report.done + done
        for table, columns, change in tables:
            more = ("redactions",) if table == "observations" else ("memory_id",)
            for batch in leaves.batches(connection, table, [*columns, *more], marks.get(table, 0), _BATCH):
                self._take(table, columns, change, batch)
                marks[table] = batch[-1]["id"]
                self._mark(marks)
                yield
        if rest:
            self._rest()
        yield

    def _take(
        self,
        table: str,
        columns: tuple[str, ...],
        change: Callable[[sqlite3.Row, dict[str, Any], Counter[str]], None],
        batch: list[sqlite3.Row],
    ) -> None:
        """Scan a batch outside of any transaction, then write what changed."""
        found = []
        for row in batch:
            if self._wanted is not None and not self._wanted(table, row):
                continue
            old = {name: json.loads(row[name]) if name in _JSON else row[name] for name in columns}
            masked = self._masked(self._placed(old) if table == "observations" else old)
            if masked is not None and masked[0] != old:
                found.append((row, *masked))
        self.report.done += len(batch)
        for _, _, counts in found:
            self.report.kinds.update(counts)
        self._count(table, len(found))
        if found and not self._dry_run:
            with self._store.transaction() as connection:
                for row, new, counts in found:
                    change(row, new, counts)
                uids = self._uids(table, [row["id"] for row, _, _ in found])
                erasing.begin(connection, erasing.copies_with(self._store.home, uids))

    def _masked(self, value: dict[str, Any]) -> tuple[dict[str, Any], Counter[str]] | None:
        try:
            masked = self._redactor.value(cast(JSON, value))
        except TuiMemoryError:  # the user's own rules took too long
            self.report.unscanned += 1
            return None
        return cast(dict[str, Any], masked.value), Counter(masked.counts)

    def _placed(self, old: dict[str, Any]) -> dict[str, Any]:
        """An observation whose folders and ids are masked as they are compared."""
        there = {name: folders.stored(self._store.connection, old[name]) for name in ("cwd", "parent")}
        if isinstance(named := old["detail"].get("project_dir"), str):
            there["detail"] = old["detail"] | {"project_dir": folders.stored(self._store.connection, named)}
        return old | there

    def _observation(self, row: sqlite3.Row, new: dict[str, Any], counts: Counter[str]) -> None:
        text = storable(new["text"])
        self._store.connection.execute(
            "UPDATE observations SET text = ?, tool = ?, branch = ?, cwd = ?, parent = ?, files = ?, detail = ?,"
            " hash = ?, redactions = ?, tokens = ? WHERE id = ?",
            (
                text, *(storable(new[name]) for name in ("tool", "branch", "cwd", "parent")), dumps(new["files"]),
                dumps(new["detail"]),
                digest(text), dumps(Counter(json.loads(row["redactions"])) + counts), count_tokens(text), row["id"],
            ),
        )  # fmt: skip

    def _version(self, row: sqlite3.Row, new: dict[str, Any], _counts: Counter[str]) -> None:
        """The text in place, and everything that was made of it anew."""
        connection, version = self._store.connection, row["id"]
        self.versions.append(version)
        body = rows.cleaned(Body(**{name: new[name] for name in _VERSION if name != "flagged"}))
        connection.execute(
            "UPDATE versions SET title = ?, summary = ?, text = ?, facts = ?, labels = ?, files = ?, flagged = ?,"
            " tokens = ? WHERE id = ?",
            (
                body.title, body.summary, body.text, dumps(body.facts), dumps(body.labels), dumps(body.files),
                dumps(new["flagged"]), rows.tokens(body), version,
            ),
        )  # fmt: skip
        connection.execute("DELETE FROM search_text WHERE rowid = ?", (version,))
        connection.execute(
            "INSERT INTO search_text (rowid, title, body, names) VALUES (?, ?, ?, ?)",
            (version, *search_text.fields(body)),
        )
        pairs.forget(connection, version)
        chunks = "SELECT id FROM chunks WHERE version_id = ?"
        connection.execute(f"DELETE FROM vectors WHERE chunk_id IN ({chunks})", (version,))
        connection.execute("DELETE FROM chunks WHERE version_id = ?", (version,))
        connection.execute(
            "UPDATE meta SET value = min(CAST(value AS INTEGER), ?) WHERE key = 'chunked_to'", (version - 1,)
        )
        if connection.execute("SELECT 1 FROM memories WHERE version_id = ?", (version,)).fetchone():
            rows.point(connection, [(row["memory_id"], version)])

    def _rest(self) -> None:
        """The smaller tables: names, folders, queries, errors, branches, the journal's states, later parts' texts."""
        connection, write = self._store.connection, not self._dry_run
        with self._store.transaction():
            for table, keys, columns in leaves.small(connection):
                places = [name for name in columns if (table, name) in _PLACES]
                for change, names in ((self._place, places), (self._text, [*{*columns} - {*places}])):
                    self._count(table, leaves.rewrite(connection, table, keys, names, change, write=write))
            states = leaves.rewrite(connection, "journal", ["id"], ["before", "after"], self._state, write=write)
            self._count("journal", states)
            self._count("meta", self._marked())
            self._count("ui.json", sweeping.file(self._store.home, self._text, write=write))
            if self.report.changed and write:
                connection.execute("DELETE FROM start_index")
                erasing.begin(connection, sweeping.copies(self._store.home, self._is_old))

    def _marked(self) -> int:
        """Places of transcripts and copies, which are part of a key."""
        connection = self._store.connection
        rows = connection.execute("SELECT key FROM meta WHERE key LIKE 'transcript:%' OR key LIKE 'copy:%'").fetchall()
        new = {key: f"{kind}:{self._place(place)}" for (key,) in rows for kind, _, place in [key.partition(":")]}
        changed = [(value, key) for key, value in new.items() if value != key]
        if not self._dry_run:
            connection.executemany("UPDATE OR REPLACE meta SET key = ? WHERE key = ?", changed)
        return len(changed)

    def _is_clean(self, text: str) -> bool:
        """Whether a text holds none of the values that alone are looked for."""
        return isinstance(self._redactor, Exact) and not self._redactor.stands_in((text,))

    def _place(self, text: str) -> str:
        return text if self._is_clean(text) else self._text(folders.stored(self._store.connection, text))

    def _is_old(self, text: str) -> bool:
        """Whether a text of a back-up is not as today's rules would have it."""
        masked = self._masked({"text": text})
        return masked is None or masked[0]["text"] != text

    def _text(self, text: str) -> str:
        if self._is_clean(text):
            return text
        masked = self._masked({"text": text})
        if masked is None:
            return text
        self.report.kinds.update(masked[1])
        return str(masked[0]["text"])

    def _state(self, text: str) -> str:
        """A journaled state: all it holds of a person's words is the branch."""
        if self._is_clean(text):
            return text
        value = json.loads(text)
        return dumps(value | {"branch": self._text(value["branch"])}) if value.get("branch") else text

    def _count(self, table: str, changed: int) -> None:
        if changed:
            self.report.changed[table] += changed

    def _uids(self, table: str, ids: list[int]) -> list[str]:
        """The identities that a back-up would hold these rows under."""
        wanted = "id IN (SELECT value FROM json_each(?))"
        if table == "versions":
            wanted = f"id IN (SELECT memory_id FROM versions WHERE {wanted})"
        owner = "observations" if table == "observations" else "memories"
        return [row[0] for row in self._store.rows(f"SELECT uid FROM {owner} WHERE {wanted}", (json.dumps(ids),))]

    # how far it is

    def _marks(self) -> dict[str, int]:
        """How far an earlier run by the same rules came."""
        row = self._store.rows("SELECT value FROM meta WHERE key = ?", (_PROGRESS,))
        value = json.loads(row[0][0]) if row else {}
        known = self._today is not None and value.get("rules") == _plain(self._today)
        return value.get("marks", {}) if known else {}

    def _mark(self, marks: dict[str, int]) -> None:
        if self._today is not None and not self._dry_run:
            value = json.dumps({"rules": _plain(self._today), "marks": marks})
            with self._store.transaction() as connection:
                connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_PROGRESS, value))

    def end(self, today: rules.RuleSet) -> None:
        """Everything is masked by today's rules now, unless something could not be scanned."""
        with self._store.transaction() as connection:
            connection.execute("DELETE FROM meta WHERE key = ?", (_PROGRESS,))
            if not self.report.unscanned:
                rules.record(self._store, today)


def _plain(value: rules.RuleSet) -> list[object]:
    """The rules as JSON gives them back."""
    return [value.code, list(value.off), list(value.extra)]
