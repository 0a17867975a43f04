"""Secrets in the names of folders, remotes, sessions and projects: in no file of the store, and nothing confused."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.conftest import KEY, Agent
from tests.store.erased import found
from tui_memory.config import CaptureSettings
from tui_memory.redact.spans import PLACEHOLDER
from tui_memory.store import folders, ingest, moving, observations, projects
from tui_memory.store.db import Store

TOKEN = "ghp_" + "".join(("16C7e42F29", "2c6912E7710c", "838347Ae178B4a"))
OTHER = "ghp_" + "".join(("26C7e42F29", "2c6912E7710c", "838347Ae178B4b"))
PASSWORD = "".join(("Tr0ub4dor", "Zx9", "kLm2"))
SHAPES = [
    f"/home/dev/{TOKEN}/src",
    f"/repos/db-password={PASSWORD}/api",
    "/home/robin@" + "acme-orders.com/src",
    f"github.com/acme/{TOKEN}",
    f"https://robin:{PASSWORD}@git.acme-orders.internal/orders",
]


@pytest.mark.parametrize("place", SHAPES)
def test_a_masked_place_is_one_text_and_holds_what_lies_in_it(store: Store, place: str) -> None:
    masked = folders.stored(store.connection, place)
    assert TOKEN not in masked and PASSWORD not in masked and "acme-orders.com" not in masked
    assert masked != place and PLACEHOLDER.search(masked)
    assert folders.stored(store.connection, masked) == masked
    assert folders.stored(store.connection, f"{place}/deep/er") == f"{masked}/deep/er"


@pytest.mark.parametrize(
    "place", ["", "/", "/home/dev/src/orderly", "/home/dev/password/token", "github.com/acme/orders", "s1"]
)
def test_an_ordinary_one_is_itself(store: Store, place: str) -> None:
    assert folders.stored(store.connection, place) == place


def test_two_secrets_are_two_places_and_another_store_says_otherwise(store: Store, tmp_path: Path) -> None:
    first, second = (folders.stored(store.connection, f"/home/dev/password={one}") for one in (PASSWORD, PASSWORD[1:]))
    assert first != second
    with Store(tmp_path / "other") as other:
        assert folders.stored(other.connection, f"/home/dev/password={PASSWORD}") != first


def test_what_a_hook_knows_to_be_secret_is_masked_in_a_folder_too(store: Store) -> None:
    assert (
        folders.stored(store.connection, "/home/dev/Plain9Words7/x", ("DEPLOY_TOKEN=Plain9Words7",)).count("Plain") == 0
    )


def test_a_folder_is_found_again_by_another_process(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / f"a-{TOKEN}" / "src"
    folder.mkdir(parents=True)
    (tmp_path / f"a-{OTHER}" / "src").mkdir(parents=True)
    masked = folders.stored(store.connection, str(folder))
    folders._real.clear()
    assert folders.real(store.connection, masked) == str(folder)
    assert folders.real(store.connection, masked + "/none") == f"{folder}/none"
    assert "[redacted:" in folders.real(store.connection, masked.replace("a-", "b-")) or masked.count("a-") == 0


def test_no_file_of_the_store_has_the_secret_and_the_project_is_one(
    store: Store, agent: Agent, repository: Callable[[Path], Path], git: Callable[..., str], tmp_path: Path
) -> None:
    top = repository(tmp_path / f"work-{TOKEN}")
    git(top, "remote", "add", "origin", f"https://git.acme.internal/acme/{OTHER}.git")
    git(top, "checkout", "--quiet", "-b", f"fix/{TOKEN}")
    agent.cwd = top
    agent.send("UserPromptSubmit", prompt="hello", session_id=f"s-{OTHER}", tool_use_id=TOKEN)
    agent.cwd = top / "deep"
    agent.cwd.mkdir()
    agent.send("UserPromptSubmit", prompt="again", session_id="s2")
    folders._real.clear()  # the worker did not see the event: a hook without one stored it
    assert projects.assign(store) == 2
    (project,) = projects.list_all(store)
    assert found(store.home, TOKEN, OTHER) == []
    assert projects.lookup(store, str(top)) is not None
    assert {row.project for row in observations.page(store)} == {project.name}
    assert len({row.session for row in observations.page(store)}) == 2


def test_a_project_named_so_is_masked_and_found_by_the_same_words(store: Store) -> None:
    made = projects.find_or_add(store, f"about {TOKEN}")
    assert found(store.home, TOKEN) == []
    assert projects.find(store, f"about {TOKEN}") == made == projects.find_or_add(store, f"about {TOKEN}")


def test_a_folder_is_given_to_another_project_by_its_real_name(store: Store, agent: Agent, tmp_path: Path) -> None:
    agent.cwd = tmp_path / f"work-{TOKEN}"
    agent.cwd.mkdir()
    agent.prompt("hello")
    projects.assign(store)
    move = moving.reassign(store, str(agent.cwd), "elsewhere", contents=True)
    assert (move.observations, move.sessions) == (1, 1)
    there = projects.resolve(store, os.path.realpath(agent.cwd))
    assert there is not None and there.name == "elsewhere" and found(store.home, TOKEN) == []


def test_a_hostile_event_is_masked_in_every_field(store: Store) -> None:
    payload = {
        "session_id": TOKEN, "cwd": f"/x/{TOKEN}", "hook_event_name": "PostToolUse", "tool_name": f"Bash {TOKEN}",
        "tool_use_id": TOKEN, "agent_id": TOKEN, "agent_type": TOKEN, "tool_input": {"command": TOKEN, TOKEN: 1},
        "tool_response": {"stdout": TOKEN, TOKEN: TOKEN}, "permission_mode": TOKEN, "transcript_path": f"/t/{TOKEN}",
    }  # fmt: skip
    sent = ingest.Delivery("d1", "claude-code", 1_700_000_000_000, f"/x/{TOKEN}", f"/y/{TOKEN}")
    told = ingest.receive(store.connection, sent, payload, CaptureSettings(), KEY)
    assert told.outcome == ingest.STORED
    projects.assign(store)
    assert found(store.home, TOKEN) == []
