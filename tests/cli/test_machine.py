"""stats, doctor, worker, compress: the state of the machine, and what mends it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tui_memory import config, places
from tui_memory.engine.memory import Memory

SESSION = [
    {"hook_event_name": "SessionStart", "source": "startup"},
    {"hook_event_name": "UserPromptSubmit", "prompt": "Always use httpx for outgoing calls, never requests."},
    {"hook_event_name": "Stop", "last_assistant_message": "From now on outgoing calls go through httpx."},
    {"hook_event_name": "SessionEnd", "reason": "exit"},
]


@pytest.fixture
def session(memory: Memory, machine: Path) -> None:
    """A captured session that waits to be compressed; no model is asked."""
    (machine / "config.yaml").write_text("compress:\n  routes: [extractive]\n")
    for event in SESSION:
        memory.capture("claude-code", {"session_id": "s-1", "cwd": str(machine / "elsewhere"), **event})


@pytest.fixture
def no_worker_left(memory: Memory) -> Iterator[None]:
    """What a test starts, it ends."""
    yield
    memory.stop_worker()


@pytest.mark.usefixtures("session")
def test_stats_has_the_contracts_shape_and_adds_up(shell: Shell) -> None:
    found = shell("stats", "--json").json
    assert {
        "captured", "stored", "dropped", "compressed", "failed", "memories", "bytes", "tokens", "redactions",
    } <= set(found)  # fmt: skip
    assert found["captured"] == found["stored"] + sum(found["dropped"].values()) == len(SESSION)
    assert {"shown", "fetched", "sources"} <= set(found["tokens"])
    assert "captured" in shell("stats").out


def test_stats_of_an_empty_store(shell: Shell) -> None:
    assert shell("stats").code == 0


def test_doctor_has_the_contracts_shape_and_a_mend_for_what_is_wrong(shell: Shell) -> None:
    answer = shell("doctor", "--json")
    assert answer.code == 1 and re.fullmatch(r"1 of \d+ checks found something to mend.\n", answer.err)
    shown = shell("doctor").out
    assert "▲ mend     no agent has spoken yet\n           → tui-memory install claude-code\n" in shown
    assert "● ok" in shown


@pytest.mark.usefixtures("session")
def test_doctor_of_a_sound_machine_is_content(shell: Shell) -> None:
    found = shell("doctor", "--json").json
    assert found["ok"] and all(set(check) >= {"id", "ok", "what", "fix"} for check in found["checks"])


@pytest.mark.parametrize("text", ["capture: [", "capture:\n  off: perhaps\n", "redact:\n  extra: ['(']\n"])
@pytest.mark.usefixtures("session")
def test_doctor_goes_on_where_the_settings_cannot_be_read(shell: Shell, memory: Memory, text: str) -> None:
    compiled = places.settings_file(memory.home)
    before = compiled.read_bytes() if compiled.exists() else None
    places.config_file().parent.mkdir(parents=True, exist_ok=True)
    places.config_file().write_text(text)
    answer = shell("doctor", "--json")
    found = json.loads(answer.out)
    settings, *others = sorted(found["checks"], key=lambda check: check["id"] != "settings")
    assert answer.code == 1 and not found["ok"] and not settings["ok"]
    assert (
        str(places.config_file()) in settings["what"]
        and "defaults are used, and hooks keep no text" in settings["what"]
    )
    assert {"store", "worker", "queue", "capture"} <= {check["id"] for check in others}
    assert (compiled.read_bytes() if compiled.exists() else None) == before, "the hook goes by no defaults"
    assert config.compiled(memory.home) is None
    assert shell("stats").code == 2, "what a setting decides is not done without it"


@pytest.mark.usefixtures("session")
def test_compress_now_makes_memories_and_says_how_many(shell: Shell, memory: Memory) -> None:
    answer = shell("compress", "--now")
    made = memory.count(state="all")
    assert made >= 1
    assert answer.out == f"2 turns became {made} {'memory' if made == 1 else 'memories'}\n"
    assert shell("compress", "--now", "--json").json == {"turns": 0, "made": 0, "failed": 0, "notes": []}


def test_no_worker_is_said_and_is_no_failure(shell: Shell) -> None:
    found = shell("worker", "status", "--json").json
    assert {"running", "pid", "version", "model", "queue", "idle_s"} <= set(found) and not found["running"]
    assert shell("worker", "status").out == "○ no worker runs · the next event or search starts one\n"
    assert shell("worker", "stop").out == "No worker runs\n"
    assert shell("worker", "stop", "--json").json == {"stopped": False}


@pytest.mark.usefixtures("no_worker_left")
def test_the_worker_starts_tells_of_itself_and_leaves(shell: Shell) -> None:
    assert shell("worker", "start").out.startswith("● the worker runs · pid ")
    assert shell("worker", "status", "--json").json["running"]
    assert shell("compress").out.startswith("The worker is at it: ")
    assert shell("worker", "stop", "--json").json == {"stopped": True}
    assert not shell("worker", "status", "--json").json["running"]
