"""Lists of memories: filters, orders, pages, counts, facets, and what stands around one in time."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tui_memory.errors import NotFoundError, UsageError
from tui_memory.model import EVERYTHING, Filters
from tui_memory.store import memories, observations
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

Add = Callable[..., int]


@pytest.fixture
def shelf(store: Store, add: Add) -> dict[str, int]:
    """Six memories: two projects and none, two sessions, kinds, labels, files."""
    with store.transaction() as connection:
        connection.execute(
            "INSERT INTO projects (id, uid, name, created) VALUES (1, 'u-1', 'orderly', 1), (2, 'u-2', 'other', 1)"
        )
        connection.execute("INSERT INTO project_aliases VALUES ('path', '/home/dev/orderly', 1, 1)")
        connection.execute(
            "INSERT INTO sessions (id, agent, session, started, last_seen)"
            " VALUES (1, 'claude-code', 's1', 1, 1), (2, 'codex', 's2', 1, 1)"
        )
    facts: dict[str, dict[str, Any]] = {
        "retry": {
            "project_id": 1,
            "session_id": 1,
            "kind": "bugfix",
            "labels": ["http", "ops"],
            "files": ["src/net/retry.py"],
        },
        "schema": {
            "project_id": 1,
            "session_id": 1,
            "kind": "decision",
            "tier": "semantic",
            "files": ["src/db.sql", "src/net/x.py"],
        },
        "deploy": {
            "project_id": 2,
            "session_id": 2,
            "tier": "procedural",
            "kind": "procedure",
            "labels": ["ops"],
            "branch": "main",
        },
        "style": {
            "kind": "convention",
            "tier": "semantic",
            "labels": ["a"],
            "files": ["/home/dev/orderly/src/net/style.py"],
        },
        "gone": {"project_id": 1, "labels": ["ops"], "state": "trash"},
        "held": {"project_id": 2, "state": "held"},
    }
    return {title: add(title, created=n * 100, **given) for n, (title, given) in enumerate(facts.items(), 1)}


def titles(store: Store, filters: Filters = EVERYTHING, **how: Any) -> str:
    return " ".join(memory.title for memory in memories.page(store, filters, **{"sort": "created"} | how))


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), "style deploy schema retry"),
        (Filters(project="orderly"), "style schema retry"),
        (Filters(project="u-2"), "style deploy"),
        (Filters(project="/home/dev/orderly"), "style schema retry"),
        (Filters(project=("orderly", "other")), "style deploy schema retry"),
        (Filters(project="unknown"), "style"),
        (Filters(kind=("bugfix", "decision")), "schema retry"),
        (Filters(tier=("semantic",), kind=("decision",)), "schema"),
        (Filters(label=("ops",)), "deploy retry"),
        (Filters(label=("http", "a")), "style retry"),
        (Filters(path=("src/net/*",)), "style schema retry"),
        (Filters(path=("retry.py",)), "retry"),
        (Filters(path=("src/net/x.py",), kind=("bugfix",)), ""),
        (Filters(ext=(".sql",)), "schema"),
        (Filters(ext=("py", "sql")), "style schema retry"),
        (Filters(branch=("main",)), "deploy"),
        (Filters(agent=("codex",)), "deploy"),
        (Filters(session=("s1", "s2")), "deploy schema retry"),
        (Filters(since=200), "style deploy schema"),
        (Filters(since=200, until=400), "deploy schema"),
        (Filters(label=("x' OR 1 --",)), ""),
    ],
)
def test_filters(store: Store, shelf: dict[str, int], filters: Filters, expected: str) -> None:
    assert titles(store, filters) == expected
    assert memories.count(store, filters) == len(expected.split())


def test_states(store: Store, shelf: dict[str, int]) -> None:
    assert titles(store, state="trash") == "gone"
    assert titles(store, state="held") == "held"
    assert titles(store, state="all") == "held gone style deploy schema retry"


def test_orders_and_pages(store: Store, shelf: dict[str, int], changes: Changes) -> None:
    changes.pin(shelf["schema"])
    with store.transaction() as connection:
        connection.execute("UPDATE memories SET uses = id, last_used = 10 - id")
    assert titles(store, sort="title") == "deploy retry schema style"
    assert titles(store, sort="uses") == "style deploy schema retry"
    assert titles(store, sort="used") == "retry schema deploy style"
    assert titles(store, sort="pinned") == "schema style deploy retry"
    assert titles(store, sort="updated").startswith("schema")
    assert [titles(store, limit=3, offset=offset) for offset in (0, 3, 6)] == ["style deploy schema", "retry", ""]
    with pytest.raises(UsageError, match="title"):
        titles(store, sort="beauty")


@pytest.mark.parametrize("sort", memories.SORTS)
@pytest.mark.parametrize("filters", [EVERYTHING, Filters(project="orderly")])
def test_a_page_is_found_by_walking_an_index(store: Store, shelf: dict[str, int], sort: str, filters: Filters) -> None:
    sql, values = memories.where(filters)
    plan = store.rows(
        f"EXPLAIN QUERY PLAN SELECT m.id FROM memories m WHERE {sql} ORDER BY {memories.SORTS[sort]}", values
    )
    assert f"COVERING INDEX memories_{sort}" in plan[0][3]
    assert not [step[3] for step in plan if "TEMP B-TREE FOR ORDER BY" in step[3]]


def test_facets_count_what_a_filter_would_list(store: Store, shelf: dict[str, int], changes: Changes) -> None:
    changes.undo(entry=changes.history(shelf["held"])[0].id)
    for filters in (EVERYTHING, Filters(project="orderly"), Filters(agent=("codex",))):
        found = memories.facets(store, filters)
        shown = memories.page(store, filters)
        assert (
            sum(found["kind"].values()) == sum(found["tier"].values()) == sum(found["project"].values()) == len(shown)
        )
        assert found["label"] == {
            label: sum(label in memory.labels for memory in shown)
            for label in sorted({x for memory in shown for x in memory.labels})
        }
    assert memories.facets(store)["file"] == {"src/net/": 2, "/home/dev/orderly/src/net/": 1, "src/": 1}
    assert memories.facets(store)["state"] == {"active": 4, "trash": 1}
    assert list(memories.facets(store)["project"].items()) == [("orderly", 2), ("", 1), ("other", 1)]


def test_ids_and_uids_name_a_memory(store: Store, shelf: dict[str, int]) -> None:
    memory = memories.get(store, [shelf["retry"]])[0]
    for name in (memory.id, str(memory.id), f"#{memory.id}", memory.uid, f" {memory.uid.upper()} "):
        assert memories.resolve(store, name) == memory.id
    for name in ("0", "99", "retry", "", "1; DROP TABLE memories", "9" * 40):
        with pytest.raises(NotFoundError):
            memories.resolve(store, name)


def test_get_keeps_the_order_and_names_what_is_missing(store: Store, shelf: dict[str, int]) -> None:
    ids = [shelf["style"], shelf["retry"], shelf["style"]]
    assert [memory.id for memory in memories.get(store, ids)] == ids
    with pytest.raises(NotFoundError, match="#98, #99"):
        memories.get(store, [shelf["style"], 98, 99])


def test_a_list_leaves_bodies_out(store: Store, add: Add) -> None:
    id_ = add("a", text="long text", facts=["fact"])
    (row,) = memories.page(store)
    assert (row.text, row.facts) == ("", [])
    assert json.dumps(memories.get(store, [id_])[0].public())


def test_around_are_the_neighbours_of_the_same_project(store: Store, add: Add, shelf: dict[str, int]) -> None:
    ids = [add(f"t{n}", project_id=2, created=1_000) for n in range(5)]
    assert [memory.id for memory in memories.around(store, ids[2], 1, 1)] == ids[1:4]
    assert [memory.title for memory in memories.around(store, ids[0], 9, 1)] == ["deploy", "t0", "t1"]
    assert [memory.title for memory in memories.around(store, shelf["style"])] == ["style"]


def test_observations_have_no_tier(store: Store) -> None:
    with pytest.raises(UsageError, match="no tier"):
        observations.page(store, Filters(tier=("semantic",)))


def test_a_session_that_was_never_seen_is_made_once(store: Store) -> None:
    first = observations.session_for(store, "notes")
    assert observations.session_for(store, "notes") == first
