"""Whatever is done in whatever order: journal, rows, labels and search text agree, and all of it can be undone."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tui_memory.errors import RefusedError, UsageError
from tui_memory.model import Body, Memory, MemoryState, NewMemory
from tui_memory.store import memories, rows, search_text
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

WORDS = st.sampled_from(["retry", "get_user", "C++", "café", "東京", "src/a.py"])
BODIES = st.builds(
    Body,
    WORDS,
    text=WORDS,
    facts=st.lists(WORDS, max_size=2),
    labels=st.lists(WORDS, max_size=2),
    files=st.lists(WORDS, max_size=2),
)
PICK = st.integers(0, 30)
STATES = st.sampled_from(
    [
        (MemoryState.TRASH, "delete"),
        (MemoryState.ACTIVE, "restore"),
        (MemoryState.HELD, "hold"),
        (MemoryState.TRASH, "evict"),
    ]
)
STEPS = st.one_of(
    st.tuples(st.just("add"), BODIES),
    st.tuples(st.just("edit"), PICK, BODIES),
    st.tuples(st.just("move"), PICK, st.sampled_from([None, 1]), st.sampled_from(["", "main"])),
    st.tuples(st.just("state"), PICK, PICK, STATES),
    st.tuples(st.just("pin"), PICK, st.booleans()),
    st.tuples(st.just("supersede"), PICK, PICK),
    st.tuples(st.just("merge"), PICK, PICK, BODIES),
    st.tuples(st.just("split"), PICK),
    st.tuples(st.just("group"), PICK, BODIES),
    st.tuples(st.just("undo"), st.integers(1, 3)),
    st.tuples(st.just("redo"), st.integers(1, 3)),
)


def add(changes: Changes, _: Callable[[int], int], body: Body) -> None:
    changes.add([NewMemory(body)])


def edit(changes: Changes, pick: Callable[[int], int], which: int, body: Body) -> None:
    changes.edit(pick(which), body)


def move(changes: Changes, pick: Callable[[int], int], which: int, project: int | None, branch: str) -> None:
    changes.edit(pick(which), project_id=project, branch=branch)


def state(changes: Changes, pick: Callable[[int], int], one: int, other: int, to: tuple[MemoryState, str]) -> None:
    changes.set_state([pick(one), pick(other)], *to)


def pin(changes: Changes, pick: Callable[[int], int], which: int, pinned: bool) -> None:
    changes.pin(pick(which), pinned)


def supersede(changes: Changes, pick: Callable[[int], int], old: int, new: int) -> None:
    changes.supersede(pick(old), pick(new))


def merge(changes: Changes, pick: Callable[[int], int], one: int, other: int, body: Body) -> None:
    changes.merge([pick(one), pick(other)], body)


def split(changes: Changes, pick: Callable[[int], int], which: int) -> None:
    changes.split(pick(which))


def group(changes: Changes, pick: Callable[[int], int], which: int, body: Body) -> None:
    with changes.group("tidy"):
        changes.pin(pick(which))
        changes.edit(pick(which), body)
        changes.add([NewMemory(body)])


def undo(changes: Changes, _: Callable[[int], int], n: int) -> None:
    changes.undo(n)


def redo(changes: Changes, _: Callable[[int], int], n: int) -> None:
    changes.redo(n)


DO: dict[str, Callable[..., None]] = {
    each.__name__: each for each in (add, edit, move, state, pin, supersede, merge, split, group, undo, redo)
}


@contextmanager
def fresh() -> Iterator[Store]:
    """A store that has a project and three memories of the worker's."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "s") as store:
        with store.transaction() as connection:
            connection.execute("INSERT INTO projects (id, uid, name, created) VALUES (1, 'u', 'orderly', 1)")
        Changes(store, "worker").add([NewMemory(Body(f"m{n}", labels=["x"], files=["f.py"])) for n in range(3)])
        yield store


def everything(store: Store) -> list[Memory]:
    """All memories with all they have, by id."""
    ids = [row[0] for row in store.rows("SELECT id FROM memories WHERE state <> 'undone' ORDER BY id")]
    return memories.get(store, ids)


def check_rows(store: Store) -> None:
    """Each memory's row, labels and files are its current version's; each version has its search text."""
    joined = (
        "SELECT m.*, v.title AS t, v.tier AS ti, v.kind AS k, v.tokens AS n, v.labels, v.files"
        " FROM memories m LEFT JOIN versions v ON v.id = m.version_id AND v.memory_id = m.id"
    )
    for row in store.rows(joined):
        assert (row["title"], row["tier"], row["kind"], row["tokens"]) == (row["t"], row["ti"], row["k"], row["n"])
        for table, column, held in (("memory_labels", "label", "labels"), ("memory_files", "path", "files")):
            stored = store.rows(f"SELECT {column} FROM {table} WHERE memory_id = ? ORDER BY 1", (row["id"],))
            assert [each[0] for each in stored] == sorted(json.loads(row[held]))
    store.connection.execute("INSERT INTO search_text (search_text) VALUES ('integrity-check')")
    found = {row["rowid"]: tuple(row)[1:] for row in store.rows("SELECT rowid, title, body, names FROM search_text")}
    expected = {}
    for row in store.rows("SELECT * FROM versions"):
        lists = {name: json.loads(row[name]) for name in ("facts", "labels", "files")}
        expected[row["id"]] = search_text.fields(Body(row["title"], row["summary"], row["text"], **lists))
    assert found == expected


def check_journal(store: Store) -> None:
    """A memory's entries are a chain from its creation to what it is now."""
    now: dict[int, dict[str, Any] | None] = {}
    for entry in reversed(Changes(store).history(limit=10_000)):
        assert entry.before == now.get(entry.memory)
        now[entry.memory] = entry.after
    for row in store.rows("SELECT id FROM memories"):
        present = rows.state_of(store.connection, row["id"])
        assert (present if rows.is_listed(present) else None) == now[row["id"]]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(st.lists(STEPS, max_size=25))
def test_all_stays_consistent_and_undoing_all_gives_back_the_first_state(steps: list[tuple[Any, ...]]) -> None:
    with fresh() as store:
        first = everything(store)
        changes = Changes(store)

        def pick(number: int) -> int:
            ids = [memory.id for memory in everything(store)]
            return ids[number % len(ids)]

        for name, *arguments in steps:
            with contextlib.suppress(UsageError, RefusedError):  # what makes no sense is refused, and changes nothing
                DO[name](changes, pick, *arguments)
        check_rows(store)
        check_journal(store)
        last = everything(store)
        undone = changes.undo(10_000)
        assert everything(store) == first
        check_rows(store)
        check_journal(store)
        changes.redo(len({entry.group for entry in undone}))
        assert everything(store) == last
