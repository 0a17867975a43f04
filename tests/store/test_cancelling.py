"""A query that nobody waits for any more ends inside SQLite, and leaves the connection as good as new."""

from __future__ import annotations

import threading

import pytest

from tui_memory.errors import StoreError
from tui_memory.store.db import Store

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"


def test_a_query_without_an_end_is_broken_off(store: Store) -> None:
    looked: list[int] = []

    def nobody_waits() -> bool:
        looked.append(1)
        return len(looked) > 3

    with pytest.raises(StoreError), store.cancelling(nobody_waits):
        store.rows(ENDLESS)
    assert len(looked) == 4


def test_a_question_that_is_still_wanted_is_answered(store: Store) -> None:
    with store.cancelling(lambda: False):
        assert store.rows("SELECT count(*) FROM memories")[0][0] == 0


def test_what_comes_after_is_not_broken_off(store: Store) -> None:
    with pytest.raises(StoreError), store.cancelling(lambda: True):
        store.rows(ENDLESS)
    assert store.rows(ENDLESS.replace("FROM n)", "FROM n WHERE x < 100000)"))[0][0] == 100_000
    with store.transaction() as connection:
        connection.execute("INSERT INTO meta VALUES ('after', '1')")
    assert store.rows("SELECT value FROM meta WHERE key = 'after'")[0][0] == "1"


def test_other_threads_go_on(store: Store) -> None:
    found: list[int] = []

    def other() -> None:
        found.append(store.rows(ENDLESS.replace("FROM n)", "FROM n WHERE x < 300000)"))[0][0])

    thread = threading.Thread(target=other)
    with pytest.raises(StoreError), store.cancelling(lambda: not thread.is_alive() and bool(found)):
        thread.start()
        store.rows(ENDLESS)
    thread.join()
    assert found == [300_000]


def test_a_change_that_is_broken_off_changes_nothing(store: Store) -> None:
    with pytest.raises(StoreError), store.cancelling(lambda: True), store.transaction() as connection:
        connection.execute("INSERT INTO meta VALUES ('half', '1')")
        store.rows(ENDLESS)
    assert store.rows("SELECT 1 FROM meta WHERE key = 'half'") == []
