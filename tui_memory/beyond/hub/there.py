"""A team's part of a hub, through an open connection: its projects, its rows, who belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tui_memory.beyond.hub import session, shapes
from tui_memory.beyond.hub.session import SCHEMA
from tui_memory.clock import now_ms
from tui_memory.errors import NotFoundError, RefusedError
from tui_memory.store.portable import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from psycopg import Connection
    from psycopg.rows import DictRow

    from tui_memory.index.serving import Vectors

_APART_MS = 300_000
"""How far this machine's clock may be from the hub's: by time it is said which of two changes is the later."""
_ROWS = f"{shapes.SHOWN}, m.project_uid, m.edited_by, p.name AS project"
_FROM = f"{SCHEMA}.memories m LEFT JOIN {SCHEMA}.projects p ON p.team_id = m.team_id AND p.uid = m.project_uid"


class There:
    """One team. `told`: what the hub says of itself."""

    def __init__(self, connection: Connection[Any], told: Mapping[str, str], team: int) -> None:
        self.connection, self.team = connection, team
        self._told = told

    def check_clock(self) -> None:
        """RefusedError where the two clocks are minutes apart."""
        hub = int(session.rows(self.connection, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")[0][0])
        apart = now_ms() - hub
        if abs(apart) > _APART_MS:
            raise RefusedError(
                f"This machine's clock is {abs(apart) // 60_000} minutes {'ahead of' if apart > 0 else 'behind'} the"
                " hub's, and by time it is said which of two changes is the later. Nothing was sent; set the clock."
            )

    def takes(self, model: Vectors | None) -> bool:
        """Whether vectors of this model can be compared with those that are there."""
        return (
            model is not None and self._told["model"] == model.name and self._told["dimension"] == str(model.dimension)
        )

    def project(self, own: Record, *, make: bool = False) -> str:
        """The uid that a project has there: its own, or that of the same repository; else "", or made."""
        sql = (
            f"SELECT uid FROM {SCHEMA}.projects WHERE team_id = %(team)s AND (uid = %(uid)s OR remotes && %(remotes)s"
            " OR (name = %(name)s AND (cardinality(remotes) = 0 OR cardinality(%(remotes)s::text[]) = 0)))"
            " ORDER BY uid = %(uid)s DESC, remotes && %(remotes)s DESC LIMIT 1"
        )
        values = {"team": self.team, "uid": own["uid"], "name": own["name"], "remotes": own["remotes"]}
        found = self.connection.execute(sql.encode(), values).fetchone()
        if found is not None:
            return str(found[0])
        if not make:
            return ""
        self.connection.execute(
            f"INSERT INTO {SCHEMA}.projects VALUES (%(team)s, %(uid)s, %(name)s, %(remotes)s)"
            " ON CONFLICT DO NOTHING".encode(), values,
        )  # fmt: skip
        return str(own["uid"])

    def projects(self) -> list[Record]:
        """All of the team's, as portable records."""
        sql = f"SELECT uid, name, remotes FROM {SCHEMA}.projects WHERE team_id = %s ORDER BY name, uid"
        return [
            {"type": "project", "uid": str(uid), "name": name, "remotes": list(remotes)}
            for uid, name, remotes in session.rows(self.connection, sql, (self.team,))
        ]

    def states(self, project: str) -> dict[str, tuple[int, bool]]:
        """By uid: when it last changed, and whether it lacks a vector."""
        sql = f"SELECT uid, changed, embedding IS NULL FROM {SCHEMA}.memories WHERE team_id = %s AND project_uid = %s"
        found = session.rows(self.connection, sql, (self.team, project))
        return {str(uid): (int(changed), bool(bare)) for uid, changed, bare in found}

    def put(self, rows: Sequence[Record]) -> int:
        """Bring rows, all or none: how many of them are what the hub has now."""
        session.takes_vectors(self.connection, self._told["vector"])
        with self.connection.transaction(), self.connection.cursor() as cursor:
            cursor.executemany(shapes.put(self._told["vector"]), rows)
            return max(cursor.rowcount, 0)

    def since(
        self, moment: str, number: int, projects: Sequence[str], batch: int = 500
    ) -> Sequence[DictRow]:  # fmt: skip
        """A batch of what these projects have after a moment and number, as a row's `moment` and `number` say them."""
        from psycopg.rows import dict_row

        sql = (
            f"SELECT {_ROWS}, m.shared_at::text AS moment FROM {_FROM} WHERE m.team_id = %s AND m.project_uid ="
            " ANY (%s::uuid[]) AND (m.shared_at, m.number) > (%s::timestamptz, %s)"
            " ORDER BY m.shared_at, m.number LIMIT %s"
        )
        with self.connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(sql.encode(), (self.team, list(projects), moment, number, batch)).fetchall()

    def shortly_before(self, moment: str) -> str:
        """A moment as the hub writes it, minutes earlier: what was committed late is seen by it."""
        found = session.rows(self.connection, "SELECT (%s::timestamptz - interval '10 minutes')::text", (moment,))
        return str(found[0][0])

    def numbered(self, numbers: Sequence[int]) -> Sequence[DictRow]:
        """Rows by their numbers."""
        return self._found("m.number = ANY (%s)", list(numbers))

    def _found(self, condition: str, value: object) -> Sequence[DictRow]:
        from psycopg.rows import dict_row

        sql = f"SELECT {_ROWS} FROM {_FROM} WHERE m.team_id = %s AND {condition}"
        with self.connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(sql.encode(), (self.team, value)).fetchall()

    def of_uids(self, uids: Sequence[str]) -> Sequence[DictRow]:
        """Rows by their uids."""
        return self._found("m.uid = ANY (%s::uuid[])", list(uids))

    def moments(self, uids: Sequence[str]) -> list[tuple[str, int]]:
        """When each of these last changed (ms)."""
        sql = f"SELECT uid, changed FROM {SCHEMA}.memories WHERE team_id = %s AND uid = ANY (%s::uuid[])"
        found = session.rows(self.connection, sql, (self.team, list(uids)))
        return [(str(uid), int(changed)) for uid, changed in found]

    def purged(self) -> dict[str, str]:
        """What was purged for good: whose it was, by uid."""
        sql = f"SELECT uid, author FROM {SCHEMA}.purged WHERE team_id = %s"
        return {str(uid): str(author) for uid, author in session.rows(self.connection, sql, (self.team,))}

    def purge(self, uids: Sequence[str]) -> int:
        """Take out, for good, those of these that one shared: how many."""
        sql = f"SELECT {SCHEMA}.purge(%s, %s::uuid[])"
        return int(session.rows(self.connection, sql, (self.team, list(uids)))[0][0])

    def forget_versions(self, uids: Sequence[str]) -> None:
        """Take out the older versions of these, as far as one shared or wrote them."""
        self.connection.execute(
            f"SELECT {SCHEMA}.forget_versions(%s, %s::uuid[])".encode(), (self.team, list(uids))
        )  # fmt: skip

    def withdraw(self, project: str) -> int:
        """Take out what one shared of a project: how many."""
        sql = f"SELECT {SCHEMA}.withdraw(%s, %s::uuid)"
        return int(session.rows(self.connection, sql, (self.team, project))[0][0])

    def counts(self) -> dict[str, int]:
        """The team's memories by who shared them."""
        sql = f"SELECT author, count(*) FROM {SCHEMA}.memories WHERE team_id = %s GROUP BY 1 ORDER BY 1"
        return {str(author): int(count) for author, count in session.rows(self.connection, sql, (self.team,))}

    def members(self) -> list[dict[str, Any]]:
        """Who belongs to it: name, whether an admin, since when."""
        sql = f"SELECT role, admin, since FROM {SCHEMA}.members WHERE team_id = %s ORDER BY role"
        return [
            {"name": str(role), "admin": bool(admin), "since": since.isoformat(timespec="seconds")}
            for role, admin, since in session.rows(self.connection, sql, (self.team,))
        ]

    def add_member(self, name: str, admin: bool) -> None:
        """NotFoundError where the database has no such login."""
        if not session.rows(self.connection, "SELECT 1 FROM pg_roles WHERE rolname = %s AND rolcanlogin", (name,)):
            raise NotFoundError(
                f"The hub's database has no login {name}. Nothing was changed; its administrator makes one with"
                f" CREATE ROLE … LOGIN."
            )
        self.connection.execute(f"SELECT {SCHEMA}.add_member(%s, %s, %s)".encode(), (self.team, name, admin))

    def remove_member(self, name: str) -> None:
        """NotFoundError where they are none."""
        if not session.rows(self.connection, f"SELECT {SCHEMA}.remove_member(%s, %s)", (self.team, name))[0][0]:
            raise NotFoundError(f"{name} is no member of the team. Nothing was changed.")


def team_of(connection: Connection[Any], name: str, *, keeper: bool = False) -> tuple[int, str]:
    """(id, name) of the team of this name, or of the only one. NotFoundError where there is none or are several.

    `keeper`: the owner of the hub, who belongs to none and sees all.
    """
    teams = {str(title): int(id_) for id_, title in session.rows(connection, f"SELECT id, name FROM {SCHEMA}.teams")}
    whose = "There" if keeper else "You"
    if not teams:
        raise NotFoundError(
            f"{whose} {'is no team in that hub' if keeper else 'belong to no team of that hub'}. Nothing was changed;"
            " `hub init DSN --team NAME` makes a team, `hub members --add LOGIN` adds to one."
        )
    if name and name not in teams:
        raise NotFoundError(f"There is no team {name} among yours: {', '.join(sorted(teams))}. Nothing was changed.")
    if not name and len(teams) > 1:
        raise NotFoundError(
            f"There are several teams: {', '.join(sorted(teams))}. Nothing was changed; say which with --team."
        )
    title = name or next(iter(teams))
    return teams[title], title
