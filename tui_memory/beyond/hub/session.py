"""One connection to a hub, by a member or its keeper; what goes wrong there is said in this program's words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tui_memory.beyond.hub import address
from tui_memory.errors import RefusedError, RemoteError

if TYPE_CHECKING:
    from psycopg import Connection

SCHEMA = "tui_memory"
VERSION = 2
"""Of the hub's schema, as this program knows it."""
CONNECT_S = 5
"""Seconds until a host that does not answer is given up."""
STATEMENT_MS = 60_000
"""Milliseconds that one statement may take."""


def connect(
    found: address.Parameters, password: str = "", *, connect_s: int = CONNECT_S, statement_ms: int = STATEMENT_MS
) -> Connection[Any]:
    """A connection whose statements commit by themselves. RemoteError where there is none to be had."""
    psycopg = address.client()
    secret = {"password": password} if password else {}
    with explained(found):
        made: Connection[Any] = psycopg.connect(
            **found, **secret, autocommit=True, connect_timeout=connect_s, application_name="tui-memory"
        )
        made.execute("SELECT set_config('statement_timeout', %s, false)", (str(statement_ms),))
    return made


@contextmanager
def explained(found: address.Parameters) -> Iterator[None]:
    """What PostgreSQL and its client raise, as RemoteError or RefusedError; a statement that failed changed nothing."""
    psycopg = address.client()
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise RefusedError(
            f"The hub refuses that to {found.get('user', 'this user')}: {_first(error)}. Nothing was changed there."
        ) from error
    except psycopg.Error as error:
        raise RemoteError(
            f"The hub at {address.shown(found)} did not do it: {_first(error)}. What was not confirmed was not changed"
            " there; look at the server or the network, and run the same command again."
        ) from error


def check(connection: Connection[Any], found: address.Parameters) -> dict[str, str]:
    """What the hub says of itself. RemoteError where there is none, or it is of another version than this program."""
    with explained(found):
        there = connection.execute("SELECT to_regnamespace(%s) IS NOT NULL", (SCHEMA,)).fetchone()
        if not there or not there[0]:
            raise RemoteError(
                f"The database at {address.shown(found)} is no hub yet. Nothing was changed; its owner makes it one"
                " with `tui-memory hub init DSN --team NAME`."
            )
        told = {str(key): str(value) for key, value in rows(connection, f"SELECT key, value FROM {SCHEMA}.meta")}
    version = int(told.get("schema", 0))
    if version > VERSION:
        raise RemoteError(
            f"The hub is of a newer schema ({version}; this program knows {VERSION}). Nothing was sent or changed;"
            " `pip install --upgrade tui-memory`, then try again."
        )
    if version < VERSION:
        raise RemoteError(
            f"The hub is of an older schema ({version}; this program needs {VERSION}). Nothing was sent or changed; its"
            " owner brings it up to date with `tui-memory hub init DSN`."
        )
    return told


def takes_vectors(connection: Connection[Any], schema: str) -> None:
    """Tell the connection how pgvector's half vectors are sent: in binary, as this program stores them.

    `schema`: that of pgvector's types, quoted where it needs it.
    """
    from pgvector.psycopg.halfvec import register_halfvec_info
    from psycopg.types import TypeInfo

    found = TypeInfo.fetch(connection, f"{schema}.halfvec")
    if found is None:
        raise RemoteError("The hub's database has no type of half vectors. Nothing was sent; its owner mends pgvector.")
    register_halfvec_info(connection, found)


def rows(connection: Connection[Any], query: str, values: Sequence[object] = ()) -> list[Any]:
    """All rows of a query whose text is this program's own."""
    found: list[Any] = connection.execute(query.encode(), values).fetchall()
    return found


def _first(error: BaseException) -> str:
    """The first line of what an error says, without a full stop."""
    said = str(error).strip() or type(error).__name__
    return said.splitlines()[0].rstrip(".").strip()
