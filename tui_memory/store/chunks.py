"""Chunks: the passages of a version's text that are embedded. Every version gets some, whatever its memory's state."""

from __future__ import annotations

from collections.abc import Sequence

from tui_memory.store.db import Store

_MARK = "chunked_to"  # every version up to this id has its chunks: what is missing is found without a full scan


def missing(store: Store, limit: int = 256) -> list[tuple[int, str, str, str]]:
    """Versions without chunks, oldest first: (version id, title, summary, text and facts)."""
    rows = store.rows(
        "SELECT v.id, v.title, v.summary, v.text, (SELECT group_concat(value, char(10)) FROM json_each(v.facts))"
        " FROM versions v WHERE v.id > coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?), 0)"
        " AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.version_id = v.id) ORDER BY v.id LIMIT ?",
        (_MARK, limit),
    )
    return [(row[0], row[1], row[2], "\n".join(filter(None, (row[3], row[4])))) for row in rows]


def add(store: Store, rows: Sequence[tuple[int, int, str]]) -> list[int]:
    """Store chunks as (version id, number in it, text); their ids. A version that has chunks already keeps those."""
    with store.transaction() as connection:
        ids = []
        had = {
            version
            for version in {row[0] for row in rows}
            if connection.execute("SELECT 1 FROM chunks WHERE version_id = ?", (version,)).fetchone()
        }
        for version, n, text in rows:
            if version not in had and connection.execute("SELECT 1 FROM versions WHERE id = ?", (version,)).fetchone():
                made = connection.execute(
                    "INSERT INTO chunks (version_id, n, text) VALUES (?, ?, ?)", (version, n, text)
                )
                ids.append(int(made.lastrowid or 0))
        first = missing(store, 1)
        end = connection.execute("SELECT coalesce(max(id), 0) FROM versions").fetchone()[0]
        put_mark(store, _MARK, first[0][0] - 1 if first else end)
    return ids


def put_mark(store: Store, name: str, value: int) -> None:
    """Remember up to which id something is done."""
    with store.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, str(value)))
