"""Who sees what, proved as the database's own users: a member sees the teams they belong to and no other.

Nothing here goes through this program: whoever has a login can type the same.
"""

from __future__ import annotations

import psycopg
import pytest

from tests.hub.conftest import Query
from tui_memory.engine.memory import Memory

DENIED = (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedTable)
TABLES = ("memories", "versions", "purged", "projects")
SEARCH = (
    "SELECT title FROM tui_memory.search(%s, NULL, ARRAY['money'], ARRAY[1.0]::real[], NULL, NULL, '{}', '{}', NULL,"
    " NULL, 10, 1000)"
)


@pytest.fixture
def blue(ana: Memory, ben: Memory, sql: Query) -> int:
    """The id of the team blue, which has something in each table."""
    ids = ana.add_many([{"title": f"Money is Decimal {n}", "text": f"Rule {n}", "project": "orderly"} for n in (1, 2)])
    ana.hub.share("orderly")
    ana.hub.push()
    ana.edit(ids[0], title="Money is Decimal, still")
    ana.hub.push()
    ana.purge(ids=[ids[1]], yes=True)
    return int(sql("keeper", "SELECT id FROM tui_memory.teams WHERE name = 'blue'")[0][0])


def test_a_member_sees_what_their_team_has_and_another_teams_nothing(blue: int, sql: Query) -> None:
    for table in TABLES:
        for name in ("ana", "ben"):
            assert sql(name, f"SELECT DISTINCT team_id FROM tui_memory.{table}") == [(blue,)], table
        assert sql("eve", f"SELECT count(*) FROM tui_memory.{table}") == [(0,)], table
        assert sql("eve", f"SELECT count(*) FROM tui_memory.{table} WHERE team_id = %s", (blue,)) == [(0,)], table


def test_teams_and_members_are_those_of_ones_own(blue: int, sql: Query) -> None:
    for name, team, members in (("ana", "blue", ["ana", "ben"]), ("eve", "red", ["eve"])):
        assert sql(name, "SELECT name FROM tui_memory.teams") == [(team,)]
        assert [row[0] for row in sql(name, "SELECT role FROM tui_memory.members ORDER BY 1")] == members


def test_a_partition_is_no_way_around(blue: int, sql: Query) -> None:
    for table in ("memories", "versions", "purged"):
        for name in ("ana", "eve", "stranger"):
            with pytest.raises(DENIED):
                sql(name, f"SELECT * FROM tui_memory.{table}_{blue}")


def test_a_login_of_no_team_has_not_even_the_schema(blue: int, sql: Query) -> None:
    for statement in ("SELECT * FROM tui_memory.memories", "SELECT tui_memory.my_teams()"):
        with pytest.raises(DENIED):
            sql("stranger", statement)


IN_A_TEAM = (
    SEARCH,
    "SELECT tui_memory.purge(%s, ARRAY[]::uuid[])",
    "SELECT tui_memory.forget_versions(%s, ARRAY[]::uuid[])",
    "SELECT tui_memory.withdraw(%s, gen_random_uuid())",
    "SELECT tui_memory.add_member(%s, 'eve', true)",
    "SELECT tui_memory.remove_member(%s, 'ben')",
    "INSERT INTO tui_memory.projects VALUES (%s, gen_random_uuid(), 'x', '{}')",
)
OF_THE_OWNER = (
    "DELETE FROM tui_memory.memories",
    "DELETE FROM tui_memory.versions",
    "TRUNCATE tui_memory.memories",
    "UPDATE tui_memory.memories SET author = 'ben'",
    "UPDATE tui_memory.memories SET team_id = 2",
    "UPDATE tui_memory.memories SET uid = gen_random_uuid()",
    "UPDATE tui_memory.members SET admin = true",
    "INSERT INTO tui_memory.members VALUES (1, 'stranger')",
    "INSERT INTO tui_memory.versions SELECT * FROM tui_memory.versions",
    "UPDATE tui_memory.meta SET value = '1'",
    "INSERT INTO tui_memory.teams (name) VALUES ('mine')",
    "SELECT tui_memory.add_team('mine')",
    "SELECT * FROM tui_memory.commonness(1, ARRAY['x'])",
    "ALTER TABLE tui_memory.memories DISABLE TRIGGER settle",
    "ALTER TABLE tui_memory.memories DISABLE ROW LEVEL SECURITY",
    "CREATE TABLE tui_memory.mine (x int)",
)


def test_a_member_of_another_team_does_nothing_in_it(blue: int, sql: Query) -> None:
    for statement in IN_A_TEAM:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            sql("eve", statement, (blue,))
    assert sql("ana", SEARCH, (blue,)) == [("Money is Decimal, still",)]


def test_no_member_does_what_only_the_owner_may(blue: int, sql: Query) -> None:
    for statement in OF_THE_OWNER:
        for name in ("ana", "ben"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                sql(name, statement)


def test_nobody_signs_with_another_name(blue: int, sql: Query) -> None:
    columns = "device, changed, created, state, kind, tier, branch, labels, files, tokens, title, body, title_terms"
    sql(
        "ben",
        f"INSERT INTO tui_memory.memories (team_id, uid, author, edited_by, {columns}, body_terms, name_terms, words,"
        f" number) SELECT team_id, gen_random_uuid(), 'ana', 'ana', {columns}, body_terms, name_terms, words, 7"
        " FROM tui_memory.memories",
    )
    assert sql(
        "ben", "SELECT author, edited_by FROM tui_memory.memories WHERE number > 1 ORDER BY number DESC LIMIT 1"
    ) == [("ben", "ben")]


def test_a_change_from_the_future_wins_for_minutes_at_most(blue: int, sql: Query) -> None:
    sql("ben", "UPDATE tui_memory.memories SET changed = 9000000000000, title = 'Mine for ever'")
    late = "SELECT changed < (extract(epoch FROM now()) * 1000)::bigint + 700000 FROM tui_memory.memories"
    assert sql("ana", late) == [(True,)]


def test_what_another_shared_is_purged_and_withdrawn_by_them_alone(blue: int, sql: Query) -> None:
    uid, project = sql("ben", "SELECT uid, project_uid FROM tui_memory.memories")[0]
    assert sql("ben", "SELECT tui_memory.purge(%s, %s)", (blue, [uid])) == [(0,)]
    assert sql("ben", "SELECT tui_memory.withdraw(%s, %s)", (blue, project)) == [(0,)]
    assert sql("ana", "SELECT tui_memory.purge(%s, %s)", (blue, [uid])) == [(1,)]


def test_another_role_taken_on_opens_no_other_team(blue: int, sql: Query) -> None:
    sql("postgres", "GRANT ana TO eve WITH SET TRUE, INHERIT FALSE")
    try:
        sql("eve", "SET ROLE ana")
        assert sql("eve", "SELECT count(*) FROM tui_memory.memories") == [(0,)]
    finally:
        sql("postgres", "REVOKE ana FROM eve")


def test_a_member_who_was_removed_sees_nothing_more(ana: Memory, blue: int, sql: Query) -> None:
    ana.hub.change_members(remove="ben")
    assert sql("ben", "SELECT count(*) FROM tui_memory.memories") == [(0,)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        sql("ben", SEARCH, (blue,))


def test_a_search_is_no_way_to_run_anything(blue: int, sql: Query) -> None:
    nasty = ["x'); DROP TABLE tui_memory.memories; --", "a\\' | b", "'", "\\", "$$", "%s %L", "money"]
    statement = SEARCH.replace("ARRAY['money'], ARRAY[1.0]::real[]", "%s, %s::real[]").replace("'{}', '{}'", "%s, %s")
    found = sql("ana", statement, (blue, nasty, [1.0] * len(nasty), nasty, nasty))
    assert found == []
    assert sql("ana", statement, (blue, nasty, [1.0] * len(nasty), [], [])) == [("Money is Decimal, still",)]
