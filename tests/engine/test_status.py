"""What `doctor` finds: each agent's hooks and whether they work, the worker, the log, a pause, failures."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hook.running import HOOK, no_worker, rows
from tui_memory import Memory, config
from tui_memory.clock import iso, now_ms
from tui_memory.engine import measuring, status, worker_client
from tui_memory.engine.agents import Installed
from tui_memory.errors import UsageError
from tui_memory.store import marks, pauses
from tui_memory.surfaces import install
from tui_memory.surfaces.install.found import installed as found_installed


def here(agent: str = "claude-code", *, current: bool = True, command: tuple[str, ...] | None = None) -> Installed:
    """An agent whose configuration runs the real hook."""
    given = (sys.executable, "-I", "-S", str(HOOK), agent) if command is None else command
    return Installed(agent, "user", Path("/home/dev/settings.json"), current, given)


def check(memory: Memory, name: str, fire: str | None = None, *installed: Installed) -> dict[str, Any]:
    """One check of the doctor's, by its id."""
    answer = memory.doctor(fire, installed=installed)
    found: dict[str, Any] = next(one for one in answer["checks"] if one["id"] == name)
    assert found["ok"] or not answer["ok"]
    return found


def deliveries(memory: Memory, *given: tuple[str, str, int, str]) -> None:
    """Rows of (id, agent, took µs, outcome)."""
    moment = now_ms()
    for id_, agent, took, outcome in given:
        memory.store.connection.execute(
            "INSERT INTO deliveries (delivery, agent, time, outcome, took_us) VALUES (?, ?, ?, ?, ?)",
            (id_, agent, moment, outcome, took),
        )


def test_an_agents_events_and_their_times_are_told(memory: Memory) -> None:
    deliveries(memory, *((f"d{number}", "codex", 1000 * (number + 1), "stored") for number in range(20)))
    found = check(memory, "agent:codex", None, here("codex"))
    assert found["ok"] and "/home/dev/settings.json (user)" in found["what"]
    assert "20 events" in found["what"] and "11.0 ms" in found["what"] and "20.0 ms" in found["what"]


def test_what_was_imported_is_no_sign_of_a_hook(memory: Memory) -> None:
    deliveries(memory, ("import:codex:1", "codex", 5, "stored"))
    assert check(memory, "agents")["fix"] == "tui-memory install claude-code"
    assert not check(memory, "agent:codex", None, here("codex"))["ok"]


def test_installed_and_never_heard_of_is_to_be_proved(memory: Memory) -> None:
    found = check(memory, "agent:codex", None, here("codex"))
    assert not found["ok"] and found["fix"] == "tui-memory doctor --fire codex"


def test_an_installation_of_another_version_is_to_be_renewed(memory: Memory) -> None:
    deliveries(memory, ("d", "codex", 5, "stored"))
    found = check(memory, "agent:codex", None, here("codex", current=False))
    assert not found["ok"] and found["fix"] == "tui-memory install codex"


def test_events_that_cannot_be_read_are_a_failure_from_a_tenth_on(memory: Memory) -> None:
    deliveries(memory, *((f"d{number}", "codex", 5, "stored") for number in range(18)), ("e1", "codex", 5, "error"))
    assert check(memory, "agent:codex")["ok"]
    deliveries(memory, *((f"x{number}", "codex", 5, "error") for number in range(9)))
    assert not check(memory, "agent:codex")["ok"]


def test_what_the_hook_could_not_store_counts_for_a_day(memory: Memory) -> None:
    deliveries(memory, ("d", "codex", 5, "stored"))
    log = memory.home / "log" / "hook.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text("2020-01-01T00:00:00Z 'codex' StoreError after 9 ms: not stored\n")
    assert check(memory, "agent:codex")["ok"]
    today = iso(now_ms())[:19] + "Z"
    log.write_text(f"{today} 'codex' StoreError after 9 ms: not stored\n")
    assert "1 today" in check(memory, "agent:codex")["what"] and not check(memory, "agent:codex")["ok"]


def everything(home: Path) -> list[list[tuple[Any, ...]]]:
    """All that a fired event could leave: sessions, observations, deliveries, queue, projects; and the counts."""
    tables = ("sessions", "observations", "deliveries", "queue", "projects", "project_aliases", "disclosures")
    whole = [rows(home, f"SELECT * FROM {table}") for table in tables]
    return [*whole, rows(home, "SELECT * FROM counters WHERE value <> 0 ORDER BY name")]


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_fired_event_goes_the_whole_way_and_leaves_no_trace(memory: Memory, agent: str) -> None:
    memory.capture("claude-code", {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Hello there"})
    before = everything(memory.home)
    with no_worker(memory.home):
        found = check(memory, f"fire:{agent}", agent, here(agent))
        assert check(memory, f"agent:{agent}", None, here(agent))["ok"]
    assert found["ok"] and "stored, and removed again" in found["what"]
    assert everything(memory.home) == before
    counted = memory.stats()
    assert counted["captured"] == counted["stored"] + sum(counted["dropped"].values()) == 1


def test_a_fired_event_goes_through_a_running_worker(memory: Memory) -> None:
    memory.start_worker()
    try:
        found = check(memory, "fire:claude-code", "claude-code", here())
        assert found["ok"] and memory.worker_status()["events"] == 1
        assert everything(memory.home) == [[]] * 8
    finally:
        memory.stop_worker()


@pytest.mark.parametrize(
    ("command", "said"),
    [(("/nowhere/python", "hook.py"), "cannot be run"), (("false",), "status 1"), (("true",), "nothing came")],
)
def test_a_hook_that_does_not_work_is_found_out(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], said: str
) -> None:
    monkeypatch.setattr("tui_memory.engine.firing.STORE_PATIENCE", 0.1)
    found = check(memory, "fire:claude-code", "claude-code", here(command=command))
    assert not found["ok"] and said in found["what"] and found["fix"] == "tui-memory install claude-code"


def test_nothing_is_fired_into_a_pause(memory: Memory) -> None:
    pauses.put(memory.store, pauses.FOR_EVER)
    assert check(memory, "fire:claude-code", "claude-code", here())["fix"] == "tui-memory resume"
    assert check(memory, "capture")["what"] == "capture is paused"


def test_only_an_installed_hook_can_be_fired(memory: Memory) -> None:
    with pytest.raises(UsageError, match="tui-memory install codex"):
        memory.doctor("codex", installed=[here("claude-code")])
    with pytest.raises(UsageError, match="make a commit"):
        memory.doctor("git", installed=[here("claude-code")])


def test_a_log_that_nobody_folds_is_told(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add(title="something")
    assert check(memory, "log")["ok"]
    monkeypatch.setattr(status, "WAL_GROWN", 100)
    assert check(memory, "log")["fix"] == "tui-memory worker start"


@pytest.mark.parametrize(("version", "fix"), [("0.0.1", "tui-memory worker start"), ("99.0", "pip install --upgrade")])
def test_a_worker_of_another_version_is_told(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, version: str, fix: str
) -> None:
    answer = {"running": True, "pid": 1, "version": version, "model": "m", "queue": 0, "idle_s": 0.0}
    monkeypatch.setattr(worker_client, "status", lambda _home: answer)
    found = check(memory, "worker")
    assert not found["ok"] and version in found["what"] and found["fix"].startswith(fix)


def test_more_than_a_tenth_of_failed_turns_is_told(memory: Memory) -> None:
    with sqlite3.connect(memory.store.home / "memory.db") as connection:
        connection.execute("INSERT INTO sessions (agent, session, started, last_seen) VALUES ('codex', 's', 0, 0)")
        connection.executemany(
            "INSERT INTO queue (session_id, turn, state, created) VALUES (1, ?, ?, 0)",
            [(turn, "failed" if turn < 2 else "done") for turn in range(12)],
        )
    connection.close()
    assert not check(memory, "queue")["ok"]


def test_what_is_installed_is_found_with_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert found_installed() == []
    for agent in install.AGENTS:
        install.install(agent)
    install.install("claude-code", "project", tmp_path)
    found = found_installed(tmp_path)
    assert {one.agent for one in found} == set(install.AGENTS) and all(one.current for one in found)
    assert all(shutil.which(one.command[0]) for one in found)
    assert [one.scope for one in found if one.agent == "claude-code"] == ["user", "project"]
    for one in found:
        assert os.path.samefile(next(part for part in one.command if part.endswith("hook.py")), HOOK), one
        assert one.agent in one.command, one


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (config.Settings(compress=config.CompressSettings(routes=("olama:x",))), "“olama:x”, which is no route"),
        (
            config.Settings(retrieve=config.RetrieveSettings(profile="gone")),
            "'gone', which the settings ask for",
        ),
        (config.Settings(retrieve=config.RetrieveSettings(profile="p", profiles={"p": {"names": 9}})), "names must be"),
        (config.Settings(upkeep=config.UpkeepSettings(half_life={"bugfix": 0.0})), "upkeep.half_life: bugfix"),
    ],
)
def test_what_settings_name_and_is_not_there_is_found_before_it_is_needed(
    tmp_path: Path, settings: config.Settings, said: str
) -> None:
    """Else turns wait for ever, limits are not kept, and nobody says so."""
    with Memory(tmp_path / "store", embedding="none", settings=settings) as memory:
        found = check(memory, "values")
        assert not found["ok"] and said in found["what"] and "config.yaml" in found["what"]


def test_settings_that_can_be_gone_by_are_no_finding(memory: Memory) -> None:
    assert "values" not in {one["id"] for one in memory.doctor()["checks"]}


@pytest.mark.parametrize(("left", "told"), [(99_000_000, True), (100_000_000, False)])
def test_a_disk_with_little_room_is_told_before_it_is_full(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, left: int, told: bool
) -> None:
    monkeypatch.setattr(measuring, "disk", lambda home: (left, 500_000_000))
    found = [one for one in memory.doctor()["checks"] if one["id"] == "disk"]
    assert [one["ok"] for one in found] == [False] * told
    assert all("99.0 MB are left on the disk of" in one["what"] for one in found)


@pytest.mark.parametrize(("count", "said"), [(1, "1 event"), (2, "2 events")])
def test_one_event_is_no_events(memory: Memory, count: int, said: str) -> None:
    deliveries(memory, *((f"d{number}", "codex", 1000, "stored") for number in range(count)))
    assert f"; {said}, the last at" in check(memory, "agent:codex")["what"]
    log = memory.home / "log"
    log.mkdir(exist_ok=True)
    for number in range(count):
        (log / f"lost-{now_ms()}-{number}-codex").touch()
    assert check(memory, "refused")["what"].startswith(f"{said} of the last day could not")


def test_a_project_that_is_paused_by_itself_is_named_and_nothing_is_wrong(memory: Memory, tmp_path: Path) -> None:
    for name in ("orderly", "ledger"):
        project = memory.project_of(tmp_path / name, make=True)
        assert project is not None
        memory.pause(name, for_ms=None if name == "orderly" else 60_000)
    found = check(memory, "capture")
    assert found["ok"] and found["what"].startswith("capture is on, but paused in ledger until ")
    assert found["what"].endswith(", orderly")


def test_moments_are_told_as_the_screens_tell_them(memory: Memory) -> None:
    deliveries(memory, ("d", "codex", 5, "stored"))
    logs = memory.home / "log"
    logs.mkdir(exist_ok=True)
    (logs / "hook.log").write_text(f"{iso(now_ms())[:19]}Z 'gemini-cli' OSError\n", "utf-8")
    moment = now_ms()
    marks.put(memory.store, dict.fromkeys(("backup_done", "sync_done", "fired:gemini-cli"), moment))
    marks.put(memory.store, {"sync_failed": moment + 1})
    memory.pause(for_ms=3_600_000)
    answer = memory.doctor(installed=[here("gemini-cli")])
    told = {one["id"]: one["what"] for one in answer["checks"]}
    for name in ("agent:codex", "agent:gemini-cli", "refused", "backup", "sync", "capture"):
        assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", told[name]), name
    assert not re.search(r"\d{4}-\d\d-\d\dT", " ".join(told.values()))
