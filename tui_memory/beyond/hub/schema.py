"""The hub's schema, made and brought up to date by its owner: numbered steps, one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tui_memory.beyond.hub import m001_teams, m002_search, session
from tui_memory.beyond.hub.address import Parameters
from tui_memory.errors import RefusedError, RemoteError
from tui_memory.store.text import ANALYSER_VERSION

if TYPE_CHECKING:
    from psycopg import Connection

_STEPS = (m001_teams.SQL, m002_search.SQL)
_LOCK = 0x7475696D  # whoever makes the schema holds it: two at once would trip over each other


@dataclass(frozen=True, slots=True)
class Made:
    """What a hub is after `init`."""

    version: int
    before: int
    """0: there was none."""
    team: str
    """The team that was made; empty: none was asked for, or it is there already."""


def make(connection: Connection[Any], found: Parameters, model: str, dimension: int, team: str = "") -> Made:
    """Make the schema or bring it up to date, and make a team. RefusedError, RemoteError: then nothing was changed.

    `model`, `dimension`: of the vectors that members share; both stay what they were where there is a hub.
    """
    with session.explained(found), connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        before = _version(connection)
        if before > session.VERSION:
            session.check(connection, found)
        if not before:
            _begin(connection)
        vector = _vector(connection)
        for step in _STEPS[before:]:
            sql = step.format(schema=session.SCHEMA, vector=vector, dimension=dimension, member=m001_teams.MEMBER)
            connection.execute(sql.encode())
        told = {"schema": str(len(_STEPS)), "model": model, "dimension": str(dimension), "vector": vector}
        told["analyser"] = str(ANALYSER_VERSION)
        for key, value in told.items():
            change = "DO UPDATE SET value = excluded.value" if key == "schema" else "DO NOTHING"
            connection.execute(
                f"INSERT INTO {session.SCHEMA}.meta VALUES (%s, %s) ON CONFLICT (key) {change}".encode(), (key, value)
            )
        made = _team(connection, team) if team else ""
    return Made(len(_STEPS), before, made)


def _version(connection: Connection[Any]) -> int:
    if session.rows(connection, "SELECT to_regclass(%s)", (f"{session.SCHEMA}.meta",))[0][0] is None:
        return 0
    found = session.rows(connection, f"SELECT value FROM {session.SCHEMA}.meta WHERE key = 'schema'")
    return int(found[0][0]) if found else 0


def _begin(connection: Connection[Any]) -> None:
    """Schema, pgvector, and the role that members are of."""
    if not session.rows(connection, "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"):
        raise RemoteError("That server has no pgvector. Nothing was changed; have its administrator install it.")
    can_extend, can_make = session.rows(
        connection,
        "SELECT rolsuper OR EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector') OR EXISTS (SELECT 1 FROM"
        " pg_available_extension_versions WHERE name = 'vector' AND trusted), rolsuper OR rolcreaterole OR EXISTS"
        " (SELECT 1 FROM pg_roles WHERE rolname = %s) FROM pg_roles WHERE rolname = current_user",
        (m001_teams.MEMBER,),
    )[0]
    lacking = [] if can_extend else ["CREATE EXTENSION vector;"]
    if not can_make:
        role = m001_teams.MEMBER
        lacking.append(f"CREATE ROLE {role} NOLOGIN; GRANT {role} TO this user WITH ADMIN OPTION;")
    if lacking:
        raise RefusedError(
            f"This user may not do all that a hub needs. Nothing was changed; have the server's administrator run, in"
            f" this database: {' '.join(lacking)} Then repeat the same command."
        )
    connection.execute(f"CREATE SCHEMA {session.SCHEMA}".encode())
    connection.execute(f"CREATE EXTENSION IF NOT EXISTS vector SCHEMA {session.SCHEMA}".encode())
    if not session.rows(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", (m001_teams.MEMBER,)):
        connection.execute(f"CREATE ROLE {m001_teams.MEMBER} NOLOGIN".encode())


def _vector(connection: Connection[Any]) -> str:
    """The schema that pgvector's types are in, quoted where it needs it."""
    found = session.rows(
        connection, "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace"
        " WHERE e.extname = 'vector'",
    )  # fmt: skip
    return str(found[0][0])


def _team(connection: Connection[Any], name: str) -> str:
    if session.rows(connection, f"SELECT 1 FROM {session.SCHEMA}.teams WHERE name = %s", (name,)):
        return ""
    connection.execute(f"SELECT {session.SCHEMA}.add_team(%s)".encode(), (name,))
    return name
