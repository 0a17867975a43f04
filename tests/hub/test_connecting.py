"""Where a hub may be, what is remembered of it, and which databases are refused as one."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.cli.shell import Shell
from tests.hub.conftest import Query, embedded
from tests.hub.server import Server
from tui_memory import config
from tui_memory.engine.memory import Memory
from tui_memory.errors import NotFoundError, RefusedError, RemoteError, TuiMemoryError, UsageError

Hub = Callable[[str], str]


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "store", embedding="none")


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://ana@db.example.org/team",
        "host=localhost,db.example.org dbname=team",
        "host=localhost hostaddr=203.0.113.7 dbname=team",
        "service=elsewhere",
    ],
)
def test_a_host_that_the_settings_do_not_name_is_refused(memory: Memory, dsn: str) -> None:
    with pytest.raises(RefusedError, match=r"Nothing was sent|nothing was sent"):
        memory.hub.connect(dsn)
    assert not memory.hub.status()["connected"]


def test_a_host_of_the_environment_is_held_to_the_same(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "db.example.org")
    with pytest.raises(RefusedError, match=r"remote.allowed_hosts"):
        memory.hub.connect("dbname=team user=ana")


def test_an_allowed_host_is_reached_only_encrypted() -> None:
    from tui_memory.beyond.hub import address

    found, _ = address.parse("postgresql://ana@db.example.org/team", ["db.example.org"])
    assert found["sslmode"] == "require"
    assert "sslmode" not in address.parse("postgresql://ana@localhost/team", [])[0]


def test_what_is_no_address_is_not_repeated(memory: Memory) -> None:
    with pytest.raises(UsageError) as caught:
        memory.hub.connect("postgresql://ana:a-secret@[broken")
    assert "a-secret" not in caught.value.message


def test_a_password_is_kept_apart_for_its_owner_alone_and_never_shown(
    hub: Hub, shell: Shell, tmp_path: Path
) -> None:  # fmt: skip
    dsn = hub("ana").replace("ana@", "ana:correct-horse@")
    told = shell("hub", "connect", dsn)
    assert told.code == 0, told.err
    kept = tmp_path / "store" / "hub.password"
    assert kept.read_text() == "correct-horse"
    assert stat.S_IMODE(kept.stat().st_mode) == stat.S_IMODE((tmp_path / "store" / "hub.json").stat().st_mode) == 0o600
    said = [told.out, told.err, shell("hub", "status").out, shell("hub", "status", "--json").out, shell("doctor").out]
    said += [
        path.read_text("utf-8", "ignore") for path in (tmp_path / "store").iterdir() if path != kept and path.is_file()
    ]
    assert not [text for text in said if "correct-horse" in text]
    assert shell("hub", "disconnect").code == 0
    assert not kept.exists()


def test_connecting_says_who_one_is_there_and_shares_nothing(ana: Memory, sql: Query) -> None:
    told = ana.hub.status()
    assert told["connected"] and told["answers"]
    assert (told["team"], told["shares"], told["memories"]) == ("blue", [], {})
    assert sql("keeper", "SELECT count(*) FROM tui_memory.memories") == [(0,)]


def test_a_database_that_is_no_hub_is_said_to_be_none(memory: Memory, server: Server) -> None:
    with pytest.raises(RemoteError, match=r"no hub yet.*hub init"):
        memory.hub.connect(server.dsn("ana", "bare"))


def test_a_server_that_is_not_there_is_a_sentence(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(RemoteError, match=r"did not do it"):
        memory.hub.connect(f"postgresql://ana@/team?host={tmp_path}")


def test_a_hub_of_a_newer_schema_is_refused_and_nothing_is_sent(ana: Memory, sql: Query) -> None:
    sql("keeper", "UPDATE tui_memory.meta SET value = '99' WHERE key = 'schema'")
    ana.add(title="Money is Decimal", project="orderly")
    for deed in (lambda: ana.hub.share("orderly"), ana.hub.push, ana.hub.pull, ana.hub.members):
        with pytest.raises(RemoteError, match=r"newer schema.*Nothing was sent.*pip install --upgrade"):
            deed()
    assert sql("keeper", "SELECT count(*) FROM tui_memory.memories") == [(0,)]


def test_a_hub_of_an_older_schema_names_who_mends_it(ana: Memory, sql: Query, hub: Hub) -> None:
    sql("keeper", "UPDATE tui_memory.meta SET value = '1' WHERE key = 'schema'")
    sql("keeper", "DROP FUNCTION tui_memory.search, tui_memory.commonness")
    with pytest.raises(RemoteError, match=r"older schema.*owner.*hub init"):
        ana.hub.push()
    assert ana.hub.init(hub("keeper"), "").before == 1
    ana.hub.push()


def test_whoever_belongs_to_no_team_is_told_so(memory: Memory, hub: Hub) -> None:
    with pytest.raises(TuiMemoryError, match=r"Nothing was changed"):
        memory.hub.connect(hub("stranger"))


def test_a_team_that_is_not_ones_own_does_not_exist(memory: Memory, hub: Hub) -> None:
    with pytest.raises(NotFoundError, match=r"no team red among yours: blue"):
        memory.hub.connect(hub("ana"), "red")


def test_of_several_teams_one_has_to_be_named(memory: Memory, hub: Hub) -> None:
    memory.hub.change_members(add="ana", dsn=hub("keeper"), team="red")
    with pytest.raises(NotFoundError, match=r"blue, red"):
        memory.hub.connect(hub("ana"))
    assert memory.hub.connect(hub("ana"), "red")["team"] == "red"


def test_the_owner_of_a_bare_database_is_told_what_is_missing(memory: Memory, server: Server) -> None:
    with pytest.raises(RefusedError, match=r"CREATE EXTENSION vector"):
        memory.hub.init(server.dsn("keeper", "bare"), "blue")


def test_only_an_admin_changes_who_belongs(ana: Memory, ben: Memory) -> None:
    with pytest.raises(RefusedError, match=r"only an admin"):
        ben.hub.change_members(add="newcomer")
    assert [one["name"] for one in ana.hub.change_members(add="newcomer")] == ["ana", "ben", "newcomer"]
    assert [one["name"] for one in ana.hub.change_members(remove="newcomer")] == ["ana", "ben"]
    with pytest.raises(NotFoundError, match=r"no login nobody-here"):
        ana.hub.change_members(add="nobody-here")


def test_without_the_client_the_command_says_what_brings_it(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(RemoteError, match=r"tui-memory\[hub\]"):
        memory.hub.connect("postgresql://ana@localhost/team")


def test_the_settings_alone_open_the_way_out(tmp_path: Path) -> None:
    open_to = config.Settings(remote=config.RemoteSettings(allowed_hosts=("db.invalid",)))
    memory = Memory(tmp_path / "store", embedding="none", settings=open_to)
    with pytest.raises(RemoteError, match=r"did not do it"):
        memory.hub.connect("postgresql://ana@db.invalid/team")


def test_a_hub_whose_owner_may_all_brings_pgvector_itself_and_members_use_it(server: Server, tmp_path: Path) -> None:
    name = f"t{os.urandom(5).hex()}"
    with closing(psycopg.connect(server.dsn("postgres", "postgres"), autocommit=True)) as root:
        root.execute(f"CREATE DATABASE {name}")
        try:
            with Memory(tmp_path / "store", embedding="none") as ana:
                made = ana.hub.init(server.dsn("postgres", name), "blue")
                assert (made.before, made.team) == (0, "blue")
                ana.hub.change_members(add="ana", dsn=server.dsn("postgres", name))
                ana.hub.connect(server.dsn("ana", name))
                embedded(ana, ana.add(title="Money is Decimal", project="orderly"))
                ana.hub.share("orderly")
                assert ana.hub.push().new == 1
                member = psycopg.connect(server.dsn("ana", name))
                assert member.execute("SELECT embedding IS NULL FROM tui_memory.memories").fetchall() == [(False,)]
                member.close()
        finally:
            root.execute(f"DROP DATABASE {name} WITH (FORCE)")
