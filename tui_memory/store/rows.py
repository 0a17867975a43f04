"""Writing memories, versions and what hangs on them (search text, labels, files); in the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from tui_memory.clock import uuid7
from tui_memory.errors import NotFoundError
from tui_memory.model import Body, MemoryState, NewMemory
from tui_memory.store import search_text
from tui_memory.store.text import dumps, storable
from tui_memory.tokens import count_tokens

STATE = ("version_id", "state", "pinned", "project_id", "branch", "superseded_by", "merged_into", "updated")
"""The columns of a memory's row that the journal keeps before and after a change."""

_VERSION = (
    "INSERT INTO versions (id, memory_id, title, summary, text, facts, tier, kind, labels, files, tokens, route, model,"
    " prompt_version, schema_version, retained, flagged, created)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def next_id(connection: sqlite3.Connection, table: str) -> int:
    """The id the table's next row would get; ids of deleted rows are never given again."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return int(row[0]) + 1 if row else 1


def insert_versions(connection: sqlite3.Connection, items: Sequence[tuple[int, Body]], created: int) -> list[int]:
    """Store bodies as (memory id, body), with their search text; the ids of the versions."""
    first = next_id(connection, "versions")
    ids = list(range(first, first + len(items)))
    clean = [(version, memory, cleaned(body)) for version, (memory, body) in zip(ids, items, strict=True)]
    connection.executemany(
        _VERSION, (_version_values(version, memory, body, created) for version, memory, body in clean)
    )
    connection.executemany(
        "INSERT INTO search_text (rowid, title, body, names) VALUES (?, ?, ?, ?)",
        ((version, *search_text.fields(body)) for version, _, body in clean),
    )
    return ids


def _version_values(version: int, memory: int, body: Body, created: int) -> tuple[object, ...]:
    made, held = body.made_by, body.grounding
    return (
        version, memory, body.title, body.summary, body.text, dumps(body.facts), body.tier, body.kind,
        dumps(body.labels), dumps(body.files), tokens(body), storable(made.route), storable(made.model),
        made.prompt_version, made.schema_version, held.retained, dumps(held.flagged), created,
    )  # fmt: skip


def cleaned(body: Body) -> Body:
    """The body as the store can hold it: no lone surrogates, labels and files each once."""
    return Body(
        storable(body.title), storable(body.summary), storable(body.text), [storable(fact) for fact in body.facts],
        str(body.tier), str(body.kind), _unique(body.labels), _unique(body.files), body.made_by, body.grounding,
    )  # fmt: skip


def _unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(value for value in map(storable, values) if value))


def tokens(body: Body) -> int:
    """About what the whole body costs an agent, in tokens."""
    return count_tokens("\n".join((body.title, body.summary, body.text, *body.facts)))


def insert_memories(connection: sqlite3.Connection, news: Sequence[NewMemory], now: int) -> list[int]:
    """Store new memories with their first versions, labels, files and sources; their ids, in order."""
    first = next_id(connection, "memories")
    ids = list(range(first, first + len(news)))
    connection.executemany(
        "INSERT INTO memories (id, uid, project_id, session_id, branch, state, created, updated)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                id_,
                uuid7(),
                new.project_id,
                new.session_id,
                storable(new.branch),
                str(new.state),
                new.created or now,
                now,
            )
            for id_, new in zip(ids, news, strict=True)
        ),
    )
    versions = insert_versions(connection, [(id_, new.body) for id_, new in zip(ids, news, strict=True)], now)
    point(connection, list(zip(ids, versions, strict=True)), fresh=True)
    connection.executemany(
        "INSERT OR IGNORE INTO memory_sources VALUES (?, ?)",
        ((id_, source) for id_, new in zip(ids, news, strict=True) for source in new.sources),
    )
    return ids


def point(connection: sqlite3.Connection, pairs: Sequence[tuple[int, int]], *, fresh: bool = False) -> None:
    """Make versions the current ones, as (memory id, version id): the row's copies, labels and files follow."""
    connection.executemany(
        "UPDATE memories SET (version_id, title, tier, kind, tokens) ="
        " (SELECT id, title, tier, kind, tokens FROM versions WHERE id = ?2) WHERE id = ?1",
        pairs,
    )
    for table, column, values in (("memory_labels", "label", "labels"), ("memory_files", "path", "files")):
        if not fresh:
            connection.executemany(f"DELETE FROM {table} WHERE memory_id = ?", ((memory,) for memory, _ in pairs))
        connection.executemany(
            f"INSERT INTO {table} (memory_id, {column})"
            f" SELECT ?1, value FROM json_each((SELECT {values} FROM versions WHERE id = ?2))",
            pairs,
        )


def state_of(connection: sqlite3.Connection, memory: int) -> dict[str, Any]:
    """The journaled columns of a memory's row; NotFoundError where there is none."""
    row = connection.execute(f"SELECT {', '.join(STATE)} FROM memories WHERE id = ?", (memory,)).fetchone()
    if row is None:
        raise NotFoundError(f"There is no memory #{memory}. Nothing was changed.")
    return dict(row)


def states_of(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The journaled columns of a run of consecutive new ids."""
    found = connection.execute(
        f"SELECT id, {', '.join(STATE)} FROM memories WHERE id BETWEEN ? AND ?", (ids[0], ids[-1])
    )
    return {row["id"]: {key: row[key] for key in STATE} for row in found}


def is_version(connection: sqlite3.Connection, version: int, body: Body) -> bool:
    """Whether a version says exactly what the body says, whoever wrote it."""
    row = connection.execute(
        "SELECT title, summary, text, facts, tier, kind, labels, files FROM versions WHERE id = ?", (version,)
    ).fetchone()
    new = cleaned(body)
    return row is not None and tuple(row) == (
        new.title, new.summary, new.text, dumps(new.facts), new.tier, new.kind, dumps(new.labels), dumps(new.files),
    )  # fmt: skip


def version_of(connection: sqlite3.Connection, memory: int, body: Body, created: int) -> int:
    """The memory's latest version that says what the body says; where none does, it is stored, and is not current."""
    own = connection.execute("SELECT id FROM versions WHERE memory_id = ? ORDER BY id DESC", (memory,)).fetchall()
    known = next((int(row[0]) for row in own if is_version(connection, row[0], body)), None)
    return known or insert_versions(connection, [(memory, body)], created)[0]


def put_state(connection: sqlite3.Connection, memory: int, state: dict[str, Any]) -> None:
    """Set the journaled columns of a memory's row; a changed version brings its labels and files."""
    before = state_of(connection, memory)
    connection.execute(
        f"UPDATE memories SET {', '.join(f'{column} = :{column}' for column in STATE)} WHERE id = :id",
        state | {"id": memory},
    )
    if before["version_id"] != state["version_id"]:
        point(connection, [(memory, state["version_id"])])


def is_listed(state: dict[str, Any]) -> bool:
    """False for a creation that was taken back: for everyone but redo it does not exist."""
    return bool(state["state"] != MemoryState.UNDONE)
