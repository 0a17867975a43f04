"""The search in the past: what the memory said at a moment, whatever was done since."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.index.fakes import WordEmbedder
from tests.retrieve.test_search import LINT, RETRY, SOCKET, Model, add
from tui_memory.engine.memory import Memory
from tui_memory.index.work import embed_missing
from tui_memory.model import Body, Filters, MemoryState
from tui_memory.retrieve.result import SearchResult
from tui_memory.retrieve.search import Searcher
from tui_memory.store import changes, journal, projects
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

START = 1_800_000_000_000
HOUR = 3_600_000


class Clock:
    """The journal's clock, in the test's hand."""

    now = START

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    made = Clock()
    for module in (journal, changes):  # never the model's own: what is imported meanwhile would keep it for ever
        monkeypatch.setattr(module, "now_ms", made)
    yield made


@pytest.fixture
def searcher(store: Store) -> Searcher:
    return Searcher(store, embed=Model())


def then(searcher: Searcher, query: str, moment: int, filters: Filters = Filters()) -> SearchResult:  # noqa: B008
    """What was found at a moment."""
    return searcher.search(query, moment=moment, filters=filters)


def ids(result: SearchResult) -> list[int]:
    """Best first."""
    return [hit.id for hit in result.results]


def test_an_edit_is_found_by_its_old_words_then_and_by_its_new_ones_now(
    store: Store, searcher: Searcher, clock: Clock
) -> None:
    (one,) = add(store, RETRY)
    clock.now += HOUR
    Changes(store).edit(one, Body("Giraffes are tall", labels=["zoo"], kind="feature"))
    embed_missing(store, WordEmbedder())
    old = then(searcher, "idempotency key", START)
    assert ids(old) == [one]
    assert old.results[0].memory.title == RETRY.title
    assert old.results[0].memory.text == RETRY.text
    assert ids(then(searcher, "giraffes tall", START)) == []
    assert then(searcher, "giraffes tall", clock.now).results[0].memory.title == "Giraffes are tall"
    assert searcher.search("giraffes tall").results[0].memory.title == "Giraffes are tall"


def test_it_is_found_by_meaning_too(store: Store, searcher: Searcher, clock: Clock) -> None:
    (one,) = add(store, RETRY)
    clock.now += HOUR
    Changes(store).edit(one, Body("Giraffes are tall"))
    embed_missing(store, WordEmbedder())
    found = then(searcher, "idempotency key", START)
    assert found.degraded == []
    assert found.results[0].scores["cosine"] > 0.3


def test_nothing_is_found_before_it_was_there(store: Store, searcher: Searcher, clock: Clock) -> None:
    add(store, RETRY)
    assert ids(then(searcher, "idempotency key", START - 1)) == []
    assert ids(then(searcher, "idempotency key", START)) != []


def test_the_trash_of_today_is_found_where_it_was_not_yet_there(store: Store, searcher: Searcher, clock: Clock) -> None:
    one, two = add(store, RETRY, SOCKET)
    clock.now += HOUR
    Changes(store).set_state([one], MemoryState.TRASH, "delete")
    Changes(store).pin([two], True)
    assert ids(then(searcher, "idempotency key", START)) == [one]
    assert then(searcher, "idempotency key", START).results[0].memory.state == "active"
    assert ids(then(searcher, "idempotency key", clock.now)) == []
    assert [then(searcher, "websocket", at).results[0].memory.pinned for at in (START, clock.now)] == [False, True]


def test_a_creation_that_was_taken_back_since_was_there_then(store: Store, searcher: Searcher, clock: Clock) -> None:
    (one,) = add(store, RETRY)
    clock.now += HOUR
    Changes(store).undo()
    assert ids(then(searcher, "idempotency key", START)) == [one]
    assert ids(then(searcher, "idempotency key", clock.now)) == []
    clock.now += HOUR
    Changes(store).redo()
    assert ids(then(searcher, "idempotency key", clock.now)) == [one]


def test_a_replacement_stands_above_only_once_it_was_one(store: Store, searcher: Searcher, clock: Clock) -> None:
    old, new = add(store, RETRY, Body("Keys live in the order row", text="no idempotency of another kind"))
    clock.now += HOUR
    Changes(store).supersede(old, new)
    assert ids(then(searcher, "retry idempotency charged twice", START))[0] == old
    assert ids(then(searcher, "retry idempotency charged twice", clock.now))[0] == new


def test_filters_look_at_the_version_of_then(store: Store, searcher: Searcher, clock: Clock) -> None:
    orderly = projects.find_or_add(store, "orderly")
    (lint,) = add(store, LINT, project_id=orderly, branch="main")
    (socket,) = add(store, SOCKET)
    clock.now += HOUR
    Changes(store).edit(lint, Body("Use ruff", kind="procedure", tier="procedural", labels=["other"], files=["a.py"]))
    embed_missing(store, WordEmbedder())
    past: list[tuple[Filters, list[int]]] = [
        (Filters(label=("style",)), [lint]),
        (Filters(label=("other",)), []),
        (Filters(kind=("convention",)), [lint]),
        (Filters(kind=("procedure",)), []),
        (Filters(tier=("semantic",)), [lint]),
        (Filters(path=("src/ws/*",)), [socket]),
        (Filters(ext=(".py",)), [socket]),
        (Filters(branch=("main",)), [lint]),
        (Filters(project="absent"), [socket]),
    ]
    for filters, wanted in past:
        found = [*ids(then(searcher, "use ruff", START, filters)), *ids(then(searcher, "websocket", START, filters))]
        assert found == wanted, filters
    assert ids(then(searcher, "use ruff", clock.now, Filters(label=("other",)))) == [lint]


def test_what_was_purged_since_is_only_counted(tmp_path: Path, clock: Clock) -> None:
    memory = Memory(tmp_path / "other", embedding="none")
    one, two = memory.add_many([{"title": "Retry keeps the key"}, {"title": "Retry waits for the deadline"}])
    clock.now += HOUR
    memory.purge(ids=[one], yes=True, expect=1)
    found = memory.search_result("retry", as_of=START)
    assert [hit.id for hit in found.results] == [two]
    assert found.purged == 1
    assert found.public()["purged"] == 1 and found.public()["as_of"] == "2027-01-15T08:00:00.000Z"
    assert memory.search_result("retry", as_of=clock.now).purged == 0
    assert "as_of" not in memory.search_result("retry").public()
    memory.close()


def test_an_empty_question_finds_nothing_then_either(store: Store, searcher: Searcher, clock: Clock) -> None:
    add(store, RETRY)
    assert ids(then(searcher, "  ", START)) == []
