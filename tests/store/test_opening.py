"""Opening a store: modes, pragmas, migrations, and everything that can be wrong with the file."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tui_memory import places
from tui_memory.errors import StoreError
from tui_memory.model import Body, NewMemory
from tui_memory.store import connection as opening
from tui_memory.store import memories
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store
from tui_memory.store.migrations import ALL

LAST = ALL[-1][0]
WORSE = (*ALL, (LAST + 1, "CREATE TABLE second (id INTEGER);\nINSERT INTO second VALUES (2);"))


@pytest.fixture(params=[0o000, 0o022, 0o777])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.iterdir()]}


def test_files_are_the_owners_alone_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    home = tmp_path / "deep" / "er" / "store"
    with Store(home) as store:
        Changes(store).add([NewMemory(Body("a"))])
        opening.store_key(home)
        found = modes(home)
    assert found.pop("store") == 0o700
    assert {"memory.db", "memory.db-wal", "memory.db-shm", "key"} <= set(found)
    assert set(found.values()) == {0o600}
    assert stat.S_IMODE(home.parent.stat().st_mode) == 0o700


def test_modes_that_were_widened_are_narrowed_again(tmp_path: Path) -> None:
    Store(tmp_path / "store").close()
    (tmp_path / "store").chmod(0o755)
    places.database(tmp_path / "store").chmod(0o644)
    with Store(tmp_path / "store"):
        found = modes(tmp_path / "store")
    assert found["store"] == 0o700
    assert found["memory.db"] == 0o600


def test_pragmas_of_the_design(store: Store) -> None:
    asked = ("journal_mode", "synchronous", "secure_delete", "foreign_keys", "auto_vacuum", "wal_autocheckpoint")
    assert [store.connection.execute(f"PRAGMA {name}").fetchone()[0] for name in asked] == ["wal", 1, 1, 1, 2, 0]


def test_only_the_worker_checkpoints(tmp_path: Path) -> None:
    with Store(tmp_path / "store", worker=True) as store:
        assert store.connection.execute("PRAGMA wal_autocheckpoint").fetchone()[0] > 0


def test_a_store_that_must_exist_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no store"):
        Store(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


def test_a_newer_store_is_left_alone(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store:
        store.connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match=r"newer version.*Nothing was changed"):
        Store(tmp_path / "store")


def test_a_migration_backs_up_first(store: Store) -> None:
    Changes(store).add([NewMemory(Body("kept"))])
    opening.migrate(store.connection, store.home, WORSE)
    (copy,) = (store.home / "backups").iterdir()
    assert modes(copy.parent) == {"backups": 0o700, copy.name: 0o600}
    with closing(sqlite3.connect(copy)) as back:
        assert back.execute("SELECT title FROM memories").fetchall() == [("kept",)]
        assert back.execute("PRAGMA user_version").fetchone() == (LAST,)
    assert store.rows("SELECT id FROM second")[0][0] == 2


def test_a_new_store_has_nothing_to_back_up(store: Store) -> None:
    assert store.rows("PRAGMA user_version")[0][0] == LAST
    assert not (store.home / "backups").exists()


def test_a_migration_that_fails_changes_nothing(store: Store) -> None:
    broken = (*ALL, (LAST + 1, "CREATE TABLE second (id INTEGER);\nCREATE TABLE meta (key TEXT);"))
    with pytest.raises(sqlite3.OperationalError):
        opening.migrate(store.connection, store.home, broken)
    assert store.rows("PRAGMA user_version")[0][0] == LAST
    assert not store.rows("SELECT 1 FROM sqlite_master WHERE name = 'second'")


def test_many_processes_may_make_the_store_at_once(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def make() -> None:
        try:
            Store(tmp_path / "store").close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    home = tmp_path / "store"
    home.mkdir()
    places.database(home).write_bytes(b"this is not a database, but long enough to look like one" * 50)
    with pytest.raises(StoreError, match=r"not a database.*Nothing was changed"):
        Store(home)
    assert places.database(home).read_bytes().startswith(b"this is not")


def test_a_damaged_file(tmp_path: Path) -> None:
    home = tmp_path / "store"
    with Store(home) as store:
        Changes(store).add([NewMemory(Body("x" * 500)) for _ in range(200)])
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(places.database(home).read_bytes())
    content[4096 : len(content) - 4096] = os.urandom(len(content) - 8192)
    places.database(home).write_bytes(content)
    with pytest.raises(StoreError, match=r"damaged.*doctor"), Store(home) as store:
        memories.page(store)


def test_a_place_where_no_store_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match=r"cannot be opened.*Nothing was changed"):
        Store(tmp_path / "file" / "store")
    with pytest.raises(StoreError, match="key of the store"):
        opening.store_key(tmp_path / "file" / "store")


def test_a_store_that_cannot_be_written(store: Store) -> None:
    store.connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match=r"read-only. Nothing was changed"):
        Changes(store).add([NewMemory(Body("a"))])
    assert memories.page(store) == []


def test_a_full_disk_loses_nothing_that_was_stored(store: Store) -> None:
    Changes(store).add([NewMemory(Body("before"))])
    pages = store.connection.execute("PRAGMA page_count").fetchone()[0]
    store.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match="full"):
        Changes(store).add([NewMemory(Body(f"{n}", text="x" * 5_000)) for n in range(100)])
    assert [memory.title for memory in memories.page(store)] == ["before"]
    assert not store.connection.in_transaction
    store.connection.execute("PRAGMA max_page_count = 1000000")
    Changes(store).add([NewMemory(Body("after"))])
    assert memories.count(store) == 2


def test_a_locked_store_says_so_after_its_time(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as first, Store(tmp_path / "store", timeout=0.05) as second:
        with first.transaction(), pytest.raises(StoreError, match=r"busy.*try again"):
            Changes(second).add([NewMemory(Body("a"))])
        Changes(second).add([NewMemory(Body("a"))])
        assert memories.count(first) == 1


def test_a_mistake_of_the_program_is_not_dressed_up(store: Store) -> None:
    with pytest.raises(sqlite3.IntegrityError), store.transaction() as connection:
        connection.execute("INSERT INTO meta VALUES ('device', 'twice')")


def test_inner_transactions_are_parts_of_the_outer_one(store: Store) -> None:
    with store.transaction() as connection:
        connection.execute("INSERT INTO meta VALUES ('outer', 'here')")
        with pytest.raises(ZeroDivisionError), store.transaction():
            connection.execute("INSERT INTO meta VALUES ('inner', 'here')")
            raise ZeroDivisionError
    assert [row[0] for row in store.rows("SELECT key FROM meta WHERE value = 'here'")] == ["outer"]


def test_the_data_version_follows_every_writer(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as first, Store(tmp_path / "store") as second:
        seen = {first.data_version()}
        Changes(first).add([NewMemory(Body("own"))])
        seen.add(first.data_version())
        Changes(second).add([NewMemory(Body("another's"))])
        seen.add(first.data_version())
        assert first.data_version() in seen
    assert len(seen) == 3


def test_threads_have_connections_of_their_own(store: Store) -> None:
    others: list[sqlite3.Connection] = []
    thread = threading.Thread(target=lambda: others.append(store.connection))
    thread.start()
    thread.join()
    assert others[0] is not store.connection
    assert store.db.conn is store.connection


def test_the_connections_of_threads_that_ended_are_closed(store: Store) -> None:
    others: list[sqlite3.Connection] = []
    for _ in range(3):
        thread = threading.Thread(target=lambda: others.append(store.connection))
        thread.start()
        thread.join()
    for connection in others[:-1]:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
    assert store.connection.execute("SELECT 1").fetchone()[0] == 1


def test_the_key_is_made_once(tmp_path: Path) -> None:
    home = tmp_path / "store"
    keys = {opening.store_key(home) for _ in range(3)}
    assert len(keys) == 1
    assert len(keys.pop()) == 32
    assert [path.name for path in home.iterdir()] == ["key"]


def test_the_device_is_the_stores_for_good(tmp_path: Path) -> None:
    devices = set()
    for _ in range(2):
        with Store(tmp_path / "store") as store:
            devices.add(store.device)
    assert len(devices) == 1
