"""What a query's words are worth: by how rare they are where it is looked for, and words of their kin for a part."""

from __future__ import annotations

import pytest

from tui_memory.model import Body, Filters, NewMemory
from tui_memory.retrieve.search import Searcher
from tui_memory.store import projects
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store


@pytest.fixture
def searcher(store: Store) -> Searcher:
    """A searcher that has words alone."""
    return Searcher(store, embed=lambda _texts, _query: None)


def add(store: Store, project: str, *texts: str) -> list[int]:
    """A memory of each text in a project."""
    of = projects.find_or_add(store, project)
    return Changes(store).add([NewMemory(Body(text), project_id=of) for text in texts])


def covered(searcher: Searcher, query: str, project: str | None = None) -> dict[int, float]:
    """By memory: how much of the query it holds."""
    found = searcher.gather(query, filters=Filters(project=project))
    return dict(zip(found.columns.ids[found.rows].tolist(), found.signals["coverage"].tolist(), strict=True))


def test_a_word_that_all_of_a_project_has_tells_nothing_there(store: Store, searcher: Searcher) -> None:
    add(store, "shop", *(f"Order number {n} was shipped in time" for n in range(400)))
    printers = add(store, "press", *(f"The printer of room {n} needs paper" for n in range(100)))
    (about,) = add(store, "press", "Margins are wrong")
    anywhere, there = covered(searcher, "printer margins"), covered(searcher, "printer margins", "press")
    assert there[about] > 0.9 > anywhere[about]
    assert there[printers[0]] < anywhere[printers[0]] / 2


def test_of_a_few_memories_chance_does_not_decide_what_is_rare(store: Store, searcher: Searcher) -> None:
    add(store, "shop", *(f"Order number {n} was shipped in time" for n in range(400)))
    common, rare = add(store, "tiny", "The order of the steps", "Idempotency of the steps")
    there = covered(searcher, "order idempotency", "tiny")
    assert there[rare] > 3 * there[common]


@pytest.mark.parametrize(
    ("asked", "held"),
    [
        ("configuration", "config"),
        ("printing", "printer"),
        ("simplification", "simplifies"),
        ("latexify", "LatexPrinter"),
    ],
)
def test_words_of_the_same_kin_count_for_a_part(store: Store, searcher: Searcher, asked: str, held: str) -> None:
    (akin,) = add(store, "press", f"{held} margins")
    unlike = covered(searcher, "zebra margins")[akin]
    assert unlike < covered(searcher, f"{asked} margins")[akin] < covered(searcher, f"{held} margins")[akin]


@pytest.mark.parametrize(
    ("asked", "held"),
    [
        ("1234567890", "1234599999"),  # numbers that begin alike have nothing in common
        ("e1101a77c", "e1101a99d"),
        ("cart", "carton"),  # with a short word too much begins
    ],
)
def test_what_begins_alike_by_chance_is_no_kin(store: Store, searcher: Searcher, asked: str, held: str) -> None:
    (other,) = add(store, "press", f"{held} margins")
    assert covered(searcher, f"{asked} margins")[other] == covered(searcher, "zebra margins")[other]
