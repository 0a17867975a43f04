"""Every text column and every file of a store is reached by a purge and by a scrub, or is named here with the reason.

A table, a column or a file that comes later and is not covered fails these tests.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.store.erased import found
from tui_memory import config
from tui_memory.redact import Redactor
from tui_memory.store import erasing, leaves, purging, rules, scrubbing
from tui_memory.store.connection import store_key
from tui_memory.store.db import Store
from tui_memory.store.purging import Scope

WORD = "quokkabolt41"
TOKEN = "ghp_" + "".join(("16C7e42F29", "2c6912E7710c", "838347Ae178B4a"))
OWN_WORDS = {
    "uid", "kind", "state", "agent", "delivery", "outcome", "tier", "action", "device", "clock", "phase", "day",
    "leased_by", "family", "holds", "hash", "reason", "redactions", "route", "model", "key.counters", "name.counters",
    "name.models", "key.meta", "value.meta", "memories.start_index",
    "name.sync_segments", "name.sync_tombs", "stamps", "awaits", "stamp", "over", "encryption",
}  # fmt: skip
"""Columns (`column`, or `column.table`) that hold only words of the program's own, digests, counts and settings."""
JSON = {"detail": '{{"a": "{0}", "{0}": 1}}', "files": '["{0}"]', "facts": '["{0}"]', "labels": '["{0}"]',
        "flagged": '["{0}"]', "before": '{{"branch": "{0}"}}', "after": '{{"branch": "{0}"}}'}  # fmt: skip


def columns(store: Store) -> Iterator[tuple[str, list[Any]]]:
    """Every ordinary table with its columns, as SQLite tells of them."""
    for (table,) in store.rows(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
        " AND name NOT LIKE 'search_text%'"
    ):
        yield table, store.rows('SELECT name, type, pk, "notnull" FROM pragma_table_info(?)', (table,))


def is_text(table: str, column: Any) -> bool:
    """Whether a column may hold a text of somebody's."""
    named = column["name"]
    return column["type"] in ("TEXT", "") and not OWN_WORDS & {named, f"{named}.{table}"}


def planted(store: Store, text: str) -> list[str]:
    """One row in every table, the text in every text column of it; their names."""
    seen = []
    with store.transaction() as connection:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        for table, found_columns in columns(store):
            if table in ("meta", "counters"):
                continue
            values: list[object] = []
            for column in found_columns:
                if is_text(table, column):
                    seen.append(f"{table}.{column['name']}")
                    values.append(JSON.get(column["name"], "{0}").format(text))
                elif column["type"] in ("TEXT", ""):
                    values.append("{}" if column["name"] in ("redactions",) else "x")
                else:
                    values.append(b"\0" * 16 if column["type"] == "BLOB" else 1)
            marks = ", ".join("?" * len(values))
            connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)
        connection.execute("INSERT INTO search_text (rowid, title, body, names) VALUES (1, ?1, ?1, ?1)", (text,))
        connection.execute("INSERT INTO meta VALUES (?, '1'), (?, '1')", (f"transcript:/t/{text}", f"copy:/c/{text}"))
    (store.home / "ui.json").write_text(json.dumps({"query": text, "filters": [text, "kept"], "theme": "dark"}))
    return seen


def test_a_text_is_planted_wherever_one_can_be(store: Store) -> None:
    seen = planted(store, WORD)
    assert {"observations.text", "judgments.query", "projects.name", "upkeep_gone.name", "queue.last_error"} <= {*seen}
    assert len(seen) > 30 and found(store.home, WORD)


def test_a_purge_reaches_every_column_and_the_applications_file(store: Store) -> None:
    planted(store, WORD)
    scope = Scope(match=WORD)
    purging.purge(store, scope, purging.plan(store.connection, scope), "person", lambda _: None)
    erasing.finish(store)
    assert found(store.home, WORD) == []
    assert json.loads((store.home / "ui.json").read_text()) == {"filters": ["kept"], "theme": "dark"}
    assert store.rows("SELECT 1 FROM search_terms WHERE term LIKE 'quokka%'") == []
    assert store.rows("PRAGMA integrity_check")[0][0] == "ok"


def test_a_scrub_reaches_every_column(store: Store) -> None:
    planted(store, TOKEN)
    redactor, today = Redactor(store_key(store.home)), rules.today(config.RedactSettings())
    looked = scrubbing.scrub(store, redactor, today, dry_run=True)
    done = scrubbing.scrub(store, redactor, today)
    erasing.finish(store)
    assert found(store.home, TOKEN) == []
    for table in ("upkeep_gone", "upkeep_verdicts"):
        del looked.changed[table]  # it goes with the version that it was found in
    assert done.changed == looked.changed and done.finished
    assert scrubbing.scrub(store, redactor, today).changed == Counter()


def test_rows_that_become_the_same_are_one(store: Store) -> None:
    with store.transaction() as connection:
        connection.execute("INSERT INTO memories (id, uid, created, updated) VALUES (1, 'u', 1, 1)")
        for query in ("password = Tr0ub4dorZx9", "password = kLm2Xy77QwRt"):
            connection.execute(
                "INSERT INTO judgments (query, memory_id, relevant, created) VALUES (?, 1, 1, 1)", (query,)
            )
    scrubbing.scrub(store, Redactor(store_key(store.home)), rules.today(config.RedactSettings()))
    assert [row[0] for row in store.rows("SELECT query FROM judgments")] == ["password = [redacted:password]"]


def test_back_ups_go_where_anything_in_them_matches(store: Store) -> None:
    from tui_memory.store import connection

    connection._back_up(store.home, 1)
    with store.transaction() as opened:
        opened.execute("INSERT INTO projects (uid, name, created) VALUES ('u', ?, 1)", (f"about {WORD}",))
    connection._back_up(store.home, 2)
    assert len(list((store.home / "backups").iterdir())) == 2
    scope = Scope(match=WORD)
    purging.purge(store, scope, purging.plan(store.connection, scope), "person", lambda _: None)
    erasing.finish(store)
    assert len(list((store.home / "backups").iterdir())) == 1 and found(store.home, WORD) == []


def test_a_project_takes_its_names_out_of_the_applications_file(store: Store) -> None:
    from tui_memory.store import projects

    own = projects.find_or_add(store, WORD)
    (store.home / "ui.json").write_text(json.dumps({"project": WORD, "sort": "created"}))
    scope = Scope(project_id=own)
    purging.purge(store, scope, purging.plan(store.connection, scope), "person", lambda _: None)
    erasing.finish(store)
    assert found(store.home, WORD) == []
    assert json.loads((store.home / "ui.json").read_text()) == {"sort": "created"}
    assert (store.home / "ui.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", ["", "[", '{"a": '])
def test_a_torn_file_of_the_applications_goes(store: Store, content: str) -> None:
    (store.home / "ui.json").write_text(content)
    scope = Scope(match=WORD)
    purging.purge(store, scope, purging.plan(store.connection, scope), "person", lambda _: None)
    assert not (store.home / "ui.json").exists()


def test_a_settings_file_that_holds_it_is_named(store: Store, tmp_path: Path) -> None:
    settings = tmp_path / "config.yaml"
    settings.write_text(f"capture:\n  ignore: ['{WORD}']\n")
    scope = Scope(match=WORD)
    _, outside = purging.purge(store, scope, purging.plan(store.connection, scope), "person", lambda _: None)
    assert outside == [str(settings)]


Smaller = Callable[[Store], set[str]]


def test_what_is_left_out_is_left_out_for_a_reason(store: Store) -> None:
    """Every table is looked through by itself, goes with a version, or is among the small ones."""
    small = {f"{table}.{name}" for table, _, names in leaves.small(store.connection) for name in names}
    own = {f"observations.{name}" for name in leaves.OBSERVATION} | {f"versions.{name}" for name in leaves.VERSION}
    derived = {"memories.title", "memory_labels.label", "memory_files.path", "chunks.text", "start_index.body"}
    special = {"journal.before", "journal.after"}
    every = {
        f"{table}.{column['name']}"
        for table, found_columns in columns(store)
        for column in found_columns
        if is_text(table, column)
    }
    assert every - small - own - derived - special == set()
