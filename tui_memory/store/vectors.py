"""Vectors of chunks, by embedding model: little-endian float16, normalised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui_memory.clock import now_ms
from tui_memory.errors import StoreError
from tui_memory.store.chunks import put_mark
from tui_memory.store.db import Store
from tui_memory.store.faults import explained

_BATCH = 2_000


def model(store: Store, name: str, dimension: int) -> int:
    """The id of an embedding model, made at its first use; StoreError where its dimension is another than then."""
    with store.transaction() as connection:
        connection.execute(
            "INSERT OR IGNORE INTO models (name, dimension, created) VALUES (?, ?, ?)", (name, dimension, now_ms())
        )
        row = connection.execute("SELECT id, dimension FROM models WHERE name = ?", (name,)).fetchone()
    if row["dimension"] != dimension:
        raise StoreError(
            f"The model {name} gives vectors of {dimension} numbers, the store has {row['dimension']} of that name."
            " Nothing was changed; give the other model its own name (its directory) in `embed.model`."
        )
    return int(row["id"])


def missing(store: Store, model_id: int, limit: int = 256) -> list[tuple[int, str]]:
    """Chunks without a vector of this model, oldest first: (chunk id, text)."""
    rows = store.rows(
        "SELECT c.id, c.text FROM chunks c WHERE c.id >"
        " coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?), 0)"
        " AND NOT EXISTS (SELECT 1 FROM vectors x WHERE x.model_id = ? AND x.chunk_id = c.id) ORDER BY c.id LIMIT ?",
        (_mark(model_id), model_id, limit),
    )
    return [(row[0], row[1]) for row in rows]


def put(store: Store, model_id: int, rows: Sequence[tuple[int, bytes]]) -> None:
    """Store vectors as (chunk id, bytes); those of chunks that were purged meanwhile are left out."""
    with store.transaction() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO vectors (chunk_id, model_id, vector)"
            " SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM chunks WHERE id = ?1)",
            ((chunk, model_id, vector) for chunk, vector in rows),
        )
        first = missing(store, model_id, 1)
        end = connection.execute("SELECT coalesce(max(id), 0) FROM chunks").fetchone()[0]
        put_mark(store, _mark(model_id), first[0][0] - 1 if first else end)


def load(store: Store, model_id: int, after_chunk: int = 0) -> Iterator[tuple[int, int, int, bytes]]:
    """Vectors above a chunk id, in the order of their ids: (chunk id, version id, memory id, bytes)."""
    while True:
        with explained(store.home):
            rows = store.connection.execute(
                "SELECT x.chunk_id, c.version_id, v.memory_id, x.vector FROM vectors x"
                " JOIN chunks c ON c.id = x.chunk_id JOIN versions v ON v.id = c.version_id"
                " WHERE x.model_id = ? AND x.chunk_id > ? ORDER BY x.chunk_id LIMIT ?",
                (model_id, after_chunk, _BATCH),
            ).fetchall()
        yield from map(tuple, rows)
        if len(rows) < _BATCH:
            return
        after_chunk = rows[-1][0]


def _mark(model_id: int) -> str:
    return f"embedded_to:{model_id}"
