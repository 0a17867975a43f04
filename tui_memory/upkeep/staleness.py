"""Memories that name what the working tree no longer has, project by project."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from tui_memory.capture import git_run
from tui_memory.store import gone, marks, rules
from tui_memory.store.gone import GoneRow
from tui_memory.upkeep import naming
from tui_memory.upkeep.findings import NAME_KINDS, NameKind
from tui_memory.upkeep.tree import Tree

if TYPE_CHECKING:
    from tui_memory.store.db import Store

Cancelled = Callable[[], bool]
Lost = dict[tuple[bool, str], tuple[str, str | None]]
"""By (whether it is a file, name): the commit that took it away, what it is called now."""
JOURNAL = "upkeep:stale_to"
_TOP = 2.0  # seconds
_PICKS = 40  # words of one project whose history is searched in one run; the others stand over until the next
_NEVER = 20_000  # words known never to have been in a project, as digests
_STATEMENTS = """
SELECT m.id, m.version_id, m.project_id, v.title, v.summary, v.text, v.facts, v.files
FROM memories m JOIN versions v ON v.id = m.version_id
WHERE m.state = 'active' AND m.project_id IS NOT NULL {} ORDER BY m.project_id, m.id
"""
_CHANGED = "AND m.id IN (SELECT memory_id FROM journal WHERE id > ? AND id <= ?)"
_FOLDERS = "SELECT project_id, value FROM project_aliases WHERE kind = 'path' ORDER BY project_id, created DESC"


class Statement(NamedTuple):
    """A memory's names."""

    memory: int
    version: int
    names: list[tuple[NameKind, str]]


class Staleness:
    """One look over the store's projects."""

    def __init__(self, store: Store, cancelled: Cancelled | None = None) -> None:
        self._store, self._cancelled = store, cancelled or (lambda: False)

    def look(self, *, full: bool) -> int | None:
        """Check memories that changed, and all of projects that stand on another commit than last time (or `full`).

        How many memories were checked; None where it was cancelled.
        """
        journal = int(self._store.rows("SELECT coalesce(max(id), 0) FROM journal")[0][0])
        since, done = marks.get(self._store, JOURNAL), 0
        for project, folders in self._places():
            if self._cancelled():
                return None
            tree = Tree(folders)
            heads = " ".join(tree.heads())
            mark = f"upkeep:heads:{project}"
            moved = full or heads != self._head(mark)
            statements = list(self._statements(project, None if moved else (since, journal)))
            whole = not statements or self._check(project, tree, statements, full=full)
            if moved and whole:  # else some words stand over
                self._remember(mark, heads)
            done += len(statements)
        marks.put(self._store, {JOURNAL: journal})
        return done

    def _places(self) -> Iterator[tuple[int, list[str]]]:
        """Projects with the tops of their working trees that exist."""
        for project, rows in groupby(self._store.rows(_FOLDERS), key=lambda row: int(row[0])):
            tops: dict[str, None] = {}
            for _, folder in rows:
                if os.path.isdir(folder):
                    top = git_run.output(folder, "rev-parse", "--show-toplevel", timeout=_TOP)
                    tops.setdefault((top or "").rstrip("\n"))
            tops.pop("", None)
            if tops:
                yield project, list(tops)

    def _statements(self, project: int, changed: tuple[int, int] | None) -> Iterator[Statement]:
        condition = "AND m.project_id = ? " + ("" if changed is None else _CHANGED)
        mask = rules.reading(self._store) or str
        for row in self._store.rows(_STATEMENTS.format(condition), (project, *(changed or ()))):
            title, summary, text = (mask(row[name]) for name in ("title", "summary", "text"))
            facts_, files = json.loads(row["facts"]), json.loads(row["files"])
            yield Statement(row["id"], row["version_id"], naming.of(title, summary, text, facts_, files))

    def _check(self, project: int, tree: Tree, statements: list[Statement], *, full: bool) -> bool:
        """Find and store what is gone; False where some words are still to be looked for."""
        words: dict[str, None] = {}
        lost: Lost = {}
        for kind, name in sorted({name for one in statements for name in one.names}):
            if kind != "file":
                words.setdefault(name)
            elif tree.has_file(name) is False and (taken := tree.lost_file(name)):
                lost[True, name] = taken
        never = set() if full else set(self._head(f"upkeep:never:{project}").split())
        before = [] if full else gone.of(self._store, [one.memory for one in statements])
        known = {row.name: row.commit for row in before}
        missing = tree.missing_words(words)
        waiting = [word for word in missing if word not in known and _digest(word) not in never]
        for word in waiting[:_PICKS]:
            commit = tree.lost_word(word)
            if commit is not None:
                known[word] = commit
            else:
                never.add(_digest(word))
        lost |= {(False, word): (known[word], None) for word in missing if word in known}
        self._remember(f"upkeep:never:{project}", " ".join(sorted(never)[:_NEVER]))
        self._put(statements, lost)
        return len(waiting) <= _PICKS

    def _put(self, statements: list[Statement], lost: Lost) -> None:
        found = [
            GoneRow(one.memory, one.version, name, NAME_KINDS.index(kind), taken[1], taken[0])
            for one in statements
            for kind, name in one.names
            if (taken := lost.get((kind == "file", name)))
        ]
        gone.put(self._store, found, [one.memory for one in statements])

    def _head(self, mark: str) -> str:
        row = self._store.rows("SELECT value FROM meta WHERE key = ?", (mark,))
        return row[0][0] if row else ""

    def _remember(self, mark: str, heads: str) -> None:
        with self._store.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (mark, heads))


def _digest(word: str) -> str:
    """What a word is remembered by: no text of a memory is kept."""
    return blake2b(word.encode(), digest_size=8).hexdigest()
