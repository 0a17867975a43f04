"""The analyser: what is written and what is asked meet as tokens."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_memory.model import Body
from tui_memory.store import search_text
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

Add = Callable[..., int]


def matches(store: Store, query: str) -> list[str]:
    """Titles of the versions that hold some token of every word of the query."""
    words = [" OR ".join(map(search_text.quote, search_text.terms(word))) for word in query.split()]
    return found(store, " AND ".join(f"({word})" for word in words if word))


def found(store: Store, expression: str) -> list[str]:
    """Titles of the versions that an FTS5 expression finds."""
    sql = "SELECT v.title FROM search_text s JOIN versions v ON v.id = s.rowid WHERE search_text MATCH ? ORDER BY v.id"
    return [row[0] for row in store.rows(sql, (expression,))]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("getUserById", "get_user_by_id"),
        ("get_user_by_id", "user by id"),
        ("GET /user/by-id", "getUserById user"),
        ("HTTPServerError", "http server error"),
        ("parse_HTTPResponse", "HTTPResponse"),
        ("std::vector<int>", "std::vector"),
        ("self->next_node", "next_node"),
        ("tui_memory/store/db.py", "store/db.py db"),
        ("at /home/dev/orderly/src/api.py:42", "src api.py 42"),
        ("os.path.join(a, b)", "os.path.join"),
        ("docker build --no-cache .", "--no-cache"),
        ("docker build --no-cache .", "no cache"),
        ("tar -xzf file", "-xzf"),
        ("raises E1101 here", "E1101"),
        ("raises E1101 here", "1101"),
        ("fixes #1234", "#1234"),
        ("written in C++ and C#", "C++"),
        ("written in C++ and C#", "c#"),
        ("needs >= 3.11.4 of it", "3.11.4"),
        ("released v2.0.1-rc1", "v2.0.1-rc1"),
        ("HTTP 404 on utf-8", "UTF8"),
        ("if a != b then", "!="),
        ("the server's retries", "retry server"),
        ("it doesn't", "doesnt"),
        ("it doesn’t", "doesn't"),
        ("Café naïve Straße", "cafe naive strasse"),
        ("ﬁle ＡＢＣ", "file abc"),
        ("東京タワーの設定", "東京"),
        ("설정 파일", "설정"),
        ("東京タワーapi_v2", "api_v2"),
        ("migrations were migrated", "migrate"),
        ("@scope/package-name", "scope package-name"),
        ("ORDERLY_API_TOKEN=x", "orderly api token"),
        ("x" * 500, "x" * 500),
    ],
)
def test_what_is_asked_finds_what_was_written(store: Store, add: Add, text: str, query: str) -> None:
    add(text)
    add("something else entirely")
    assert matches(store, query) == [text]


@pytest.mark.parametrize(
    ("text", "query"),
    [("written in C", "C++"), ("cache", "--no-cache"), ("1234", "#1234"), ("東京", "京都"), ("E1102", "E1101")],
)
def test_a_whole_form_finds_nothing_else(store: Store, add: Add, text: str, query: str) -> None:
    add(text)
    add(query)
    assert found(store, search_text.quote(search_text.terms(query)[0])) == [query]


@given(st.text(max_size=200))
def test_every_token_is_kept_by_the_table_as_it_is(text: str) -> None:
    for term in search_text.terms(text):
        assert term == "".join(term.split())
        assert '"' not in term and "'" not in term and 0 < len(term) <= 64


def test_every_text_can_be_asked(store: Store, add: Add) -> None:
    for text in ('"quoted" AND (NOT', "a*", "^x NEAR(y)", "col:umn", "-", "''", "\0", "{}[]<>|~`", "😀 ok", "\ud800x"):
        add(f"{text} needle")
        assert "needle" in matches(store, f"{text} needle")[-1]


def test_columns_are_title_body_and_names() -> None:
    body = Body(
        "Fix Retry", "summary here", "calls get_user and waits", ["fact one"], labels=["http"], files=["src/a.py"]
    )
    title, text, names = search_text.fields(body)
    assert title == "fix retri"
    assert {"summari", "get_user", "wait", "fact"} <= set(text.split())
    assert {"get_user", "user", "http", "src/a.py"} <= set(names.split())
    assert "wait" not in names.split()


def test_another_analyser_rewrites_what_is_stored(store: Store, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(5):
        add(f"number{n}", facts=["fact"], labels=["l"], files=["f.py"])
    Changes(store).edit(1, Body("edited"))
    before = [tuple(row) for row in store.rows("SELECT rowid, * FROM search_text ORDER BY rowid")]
    store.connection.execute("UPDATE search_text SET title = 'old', body = '', names = ''")
    assert search_text.reindex(store) == 0
    monkeypatch.setattr(search_text, "ANALYSER_VERSION", 99)
    assert search_text.reindex(store, batch=2) == 6
    assert [tuple(row) for row in store.rows("SELECT rowid, * FROM search_text ORDER BY rowid")] == before
    assert search_text.reindex(store) == 0


def test_rewriting_goes_on_where_it_was_broken_off(store: Store, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(5):
        add(f"number{n}")
    monkeypatch.setattr(search_text, "ANALYSER_VERSION", 99)
    store.connection.execute("UPDATE search_text SET title = 'old', body = '', names = ''")
    assert search_text.reindex(store, batch=2, most=1) == 2
    assert search_text.outdated(store)
    assert store.rows("SELECT count(*) FROM search_text WHERE title = 'old'")[0][0] == 3
    store.connection.execute("UPDATE search_text SET title = 'once' WHERE rowid = 1")
    assert [search_text.reindex(store, batch=2, most=1) for _ in range(3)] == [2, 1, 0]
    assert not search_text.outdated(store)
    assert store.rows("SELECT count(*) FROM search_text WHERE title IN ('old', 'once')")[0][0] == 1
    assert store.rows("SELECT count(*) FROM meta WHERE key LIKE 'analysed_to%'")[0][0] == 0
