"""What people said about results: queries with the memories that answer them, from the store or from a file."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_memory.clock import now_ms
from tui_memory.errors import NotFoundError, UsageError
from tui_memory.store import memories, projects, rules

if TYPE_CHECKING:
    from tui_memory.store.db import Store

Labels = Callable[[Path], Mapping[str, int]]
"""What names of events in a file beside their sessions mean: label → observation id."""

_FOUND = "WITH RECURSIVE now(was, id) AS (SELECT value, value FROM json_each(?) UNION SELECT n.was, m.merged_into"
_CURRENT = (
    _FOUND + " FROM now n JOIN memories m ON m.id = n.id WHERE m.merged_into IS NOT NULL)"
    " SELECT n.was, m.id FROM now n JOIN memories m ON m.id = n.id WHERE m.state IN ('active', 'superseded')"
)


class TooFewJudgedError(UsageError):
    """Fewer queries were judged than measuring needs; nothing was measured."""

    title = "Too few judged queries"

    def __init__(self, needed: str, mend: str) -> None:
        super().__init__(f"{needed} {mend}")
        self.needed = needed
        """What is needed and what there is, without `mend`: how a command line adds to it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A query and the memories that answer it; `project`: where it was asked (uid), None: everywhere."""

    query: str
    relevant: frozenset[int]
    project: str | None = None


def put(store: Store, query: str, memory: int, relevant: bool, project_id: int | None) -> None:
    """Remember a judgment; a later one of the same query and memory takes its place. `query` must be redacted."""
    put_many(store, [(query, memory, relevant, project_id)])


def put_many(store: Store, rows: Sequence[tuple[str, int, bool, int | None]]) -> None:
    """As `put`, several at once, all or none: (query, memory, whether relevant, project)."""
    with store.transaction() as connection:
        connection.executemany(
            "INSERT INTO judgments (query, memory_id, relevant, project_id, created) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (query, memory_id) DO UPDATE SET relevant = excluded.relevant,"
            " project_id = excluded.project_id, created = excluded.created",
            [(query, memory, int(relevant), place, now_ms()) for query, memory, relevant, place in rows],
        )


def take_back(store: Store, query: str, memory: int) -> bool:
    """Forget a judgment; whether there was one."""
    with store.transaction() as connection:
        done = connection.execute("DELETE FROM judgments WHERE query = ? AND memory_id = ?", (query, memory))
    return done.rowcount > 0


def of_query(store: Store, query: str) -> dict[int, bool]:
    """What was said about one query: memory → whether it is relevant."""
    rows = store.rows("SELECT memory_id, relevant FROM judgments WHERE query = ?", (query,))
    return {int(row[0]): bool(row[1]) for row in rows}


def stored(store: Store) -> tuple[list[Judged], int]:
    """The judged queries in order of their text, and how many have no relevant memory that a search could find."""
    rows = store.rows(
        "SELECT j.query, j.memory_id, j.relevant, p.uid FROM judgments j LEFT JOIN projects p ON p.id = j.project_id"
        " ORDER BY j.query, j.id"
    )
    given: dict[str, set[int]] = defaultdict(set)
    places: dict[str, str | None] = {}
    for stored_query, memory, relevant, project in rows:
        query = rules.plain(store, stored_query)
        places[query] = project
        given[query].update([memory] if relevant else [])
    return _asked(store, [(query, ids, places[query]) for query, ids in given.items()])


def read(store: Store, path: Path, labels: Labels) -> tuple[list[Judged], int]:
    """The queries of a file, a JSON object a line: {"query", "memories": [id or uid], "project"}.

    Instead of memories a line may name what they were made of: {"observations": [id or uid]}, or {"answers":
    [label]} where the labelled events are beside the file. UsageError names the line that is wrong.
    """
    rows, named = [], dict[str, int]()
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            row = _object(line)
            if row.get("answers") and not named:
                named = dict(labels(path))
            rows.append((row["query"], _relevant(store, row, named), _project(store, row.get("project"))))
        except (ValueError, NotFoundError) as error:
            raise UsageError(f"{path}, line {number}: {error} Nothing was measured.") from error
    return _asked(store, rows)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        raise NotFoundError(f"There is no file {path}. Nothing was measured.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}. Nothing was measured.") from error


def _object(line: str) -> dict[str, Any]:
    """A line's object, with a query. ValueError says what is wrong with it."""
    try:
        row = json.loads(line)
    except ValueError:
        raise ValueError("it is not JSON.") from None
    if not isinstance(row, dict) or not isinstance(row.get("query"), str) or not row["query"].strip():
        raise ValueError('it is not an object with a text under "query".')
    if not any(isinstance(row.get(key), list) for key in ("memories", "observations", "answers")):
        raise ValueError('it has no list under "memories" (ids or uids of the memories that answer the query).')
    return row


def _relevant(store: Store, row: Mapping[str, Any], labels: Mapping[str, int]) -> set[int]:
    ids = {memories.resolve(store, name) for name in row.get("memories", [])}
    sources = [_observation(store, name) for name in row.get("observations", [])]
    sources += [labels[name] for name in row.get("answers", []) if name in labels]
    made = store.rows(
        "SELECT memory_id FROM memory_sources WHERE observation_id IN (SELECT value FROM json_each(?))",
        (json.dumps(sources),),
    )
    return ids | {int(found[0]) for found in made}


def _observation(store: Store, name: object) -> int:
    rows = store.rows("SELECT id FROM observations WHERE id = ?1 OR uid = ?1", (str(name).removeprefix("#"),))
    if not rows:
        raise NotFoundError(f"There is no observation {name}.")
    return int(rows[0][0])


def _project(store: Store, name: object) -> str | None:
    return None if name is None else projects.named(store, str(name)).uid


def _asked(store: Store, rows: Iterable[tuple[str, set[int], str | None]]) -> tuple[list[Judged], int]:
    """Queries with what answers them today: of a merged memory what it became, without what no search finds."""
    listed = list(rows)
    every = sorted({id_ for _, ids, _ in listed for id_ in ids})
    today: dict[int, int] = dict(store.rows(_CURRENT, (json.dumps(every),)))  # type: ignore[arg-type]
    judged = [Judged(query, frozenset(today[id_] for id_ in ids if id_ in today), at) for query, ids, at in listed]
    kept = [one for one in judged if one.relevant]
    return kept, len(judged) - len(kept)
