"""Titles and descriptions of pull requests reach the memories of the commits that brought them in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.compress.make import Agent, commit, prompt, said, settings, turn
from tui_memory.compress import extractive, queue, render, turns
from tui_memory.compress.router import Router
from tui_memory.model import Memory
from tui_memory.store import memories

WHY = "Late retries charged orders twice because the key was made anew for every attempt."
VIEWED = f"title:\tKeep the idempotency key over retries\nnumber:\t41\nurl:\thttps://x.example/pull/41\n--\n{WHY}\n"
MERGED = "Merge pull request #41 from orderly/keys"
SHA = "5" * 40


def called(agent: Agent, tool: str, given: dict[str, Any], response: Any) -> None:
    """A session in which the agent made one call and said nothing of it."""
    agent.event("UserPromptSubmit", prompt="look at the request")
    agent.event("PostToolUse", tool_name=tool, tool_input=given, tool_response=response, tool_use_id=f"u{agent._n}")
    agent.event("Stop", last_assistant_message="Done.")


def an_agent(tmp_path: Path) -> Agent:
    """An agent in a folder that there is."""
    folder = tmp_path / "orderly"
    folder.mkdir()
    return Agent(tmp_path / "store", cwd=str(folder))


def merged(agent: Agent) -> None:
    """The merge arrives, a good while later."""
    agent._n += 3_600
    agent.committed(MERGED, SHA, "src/pay.py", parents=["1" * 40, "2" * 40], cwd=agent.cwd)


def of_merge(agent: Agent) -> list[Memory]:
    """The memories of the sessions outside of any agent, once the queue is empty."""
    queue.drain(agent.store, Router(settings()), worker="test")
    ids = [row["id"] for row in agent.store.rows("SELECT m.id FROM memories m JOIN sessions s ON s.id = m.session_id"
                                                  " WHERE s.agent = 'git' ORDER BY m.id")]  # fmt: skip
    return memories.get(agent.store, ids)


@pytest.mark.parametrize(
    ("tool", "given", "response"),
    [
        ("Bash", {"command": "gh pr view 41"}, {"stdout": VIEWED, "stderr": ""}),
        (
            "mcp__github__get_pull_request",
            {"pull_number": 41},
            json.dumps({"number": 41, "title": "Keep the idempotency key over retries", "body": WHY}),
        ),
    ],
)
def test_a_merge_is_told_by_the_request_that_was_shown_before(
    tmp_path: Path, tool: str, given: dict[str, Any], response: Any
) -> None:
    agent = an_agent(tmp_path)
    called(agent, tool, given, response)
    merged(agent)
    [made] = of_merge(agent)
    assert made.title.startswith("Keep the idempotency key over retries") and WHY in made.text
    assert "#41" in made.labels
    shown = agent.store.rows("SELECT id FROM observations WHERE instr(detail, 'pull_requests')")[0]["id"]
    assert shown in made.sources  # so that a purge of the call takes what was learned from it


def test_a_request_of_another_project_or_number_tells_nothing(tmp_path: Path) -> None:
    agent = an_agent(tmp_path)
    called(agent, "Bash", {"command": "gh pr view 42"}, {"stdout": VIEWED.replace("41", "42"), "stderr": ""})
    own, agent.cwd, agent.session = agent.cwd, str(tmp_path), "elsewhere"
    called(agent, "Bash", {"command": "gh pr view 41"}, {"stdout": VIEWED, "stderr": ""})
    agent.cwd = own
    merged(agent)
    assert of_merge(agent) == []  # a merge without a title, and no request to tell it by


@pytest.mark.parametrize(
    ("message", "number"),
    [
        (f"Merge pull request #41 from orderly/keys\n\nKeep the key over retries\n\n{WHY}", "#41"),
        (f"Merged in keys (pull request #41)\n\nKeep the key over retries\n\n{WHY}", "#41"),
        (f"Merge pull request #41 in SHOP/orderly from keys to main\n\nKeep the key over retries\n\n{WHY}", "#41"),
        (f"Merged PR 41: Keep the key over retries\n\n{WHY}", "#41"),
        (f"Merge branch 'keys' into 'main'\n\nKeep the key over retries\n\n{WHY}\n\nSee merge request o/p!41", "!41"),
        (f"Keep the key over retries (#41)\n\n{WHY}", "#41"),
        (f"Keep the key over retries (!41)\n\n{WHY}", "!41"),
    ],
)
def test_every_hosts_merge_and_squash_message_gives_title_and_description(
    tmp_path: Path, message: str, number: str
) -> None:
    agent = Agent(tmp_path / "store")
    agent.committed(message, SHA, "src/pay.py")
    [made] = of_merge(agent)
    assert made.title.startswith("Keep the key over retries") and WHY in made.text and number in made.labels
    assert made.text.count(WHY) == 1


def test_a_request_that_is_opened_is_told_with_its_description() -> None:
    shown = [{"number": "#41", "title": "Keep the key", "description": WHY}]
    call = commit("", "x")
    call.kind, call.detail = "command", {"command": "gh pr create --fill", "pull_requests": shown, "exit_code": 0}
    made = extractive.make(turn(prompt("open the request"), call, said("Opened."))).made
    assert len(made) == 1 and WHY in made[0].body.text and call.id in made[0].sources


def test_a_model_reads_what_was_shown() -> None:
    told = turn(commit(MERGED, "src/pay.py", pull_request={"number": "#41"}))
    call = commit("", "x")
    call.text, told.requests = f"$ gh pr view 41\n{VIEWED}", [call]
    assert WHY in render.parts(told, 4_000)[0].text


def test_what_could_not_be_kept_makes_no_memory_and_says_why(tmp_path: Path) -> None:
    """Without valid settings, or over the size limit, a few facts are kept: their place-holder is no statement."""
    agent = Agent(tmp_path / "store")
    agent.turn("Why are orders charged twice?", WHY)
    before = len(agent.store.rows("SELECT id FROM observations"))
    agent.event("UserPromptSubmit", prompt="x" * 3_000_000)
    agent.event("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response="y" * 3_000_000,
                tool_use_id="big")  # fmt: skip
    agent.event("Stop", last_assistant_message="z" * 3_000_000)
    agent.end()
    queue.drain(agent.store, Router(settings()), worker="test")
    late = agent.store.rows("SELECT kind, state, reason FROM observations WHERE id > ? ORDER BY id", (before,))
    assert [tuple(row) for row in late[:3]] == [
        ("prompt", "skipped", "oversize"), ("command", "skipped", "oversize"), ("response", "skipped", "oversize"),
    ]  # fmt: skip
    assert [row["title"] for row in agent.store.rows("SELECT title FROM versions") if "oversize" in row["title"]] == []
    assert [item.kind for item in turns.load(agent.store, 1, 2).observations] == ["lifecycle"]


def test_what_an_earlier_version_left_waiting_without_a_text_is_skipped_by_the_next_drain(tmp_path: Path) -> None:
    agent = Agent(tmp_path / "store")
    agent.event("UserPromptSubmit", prompt="x" * 3_000_000)
    agent.event("UserPromptSubmit", prompt="Why are orders charged twice?")
    with agent.store.transaction() as connection:
        connection.execute("UPDATE observations SET state = 'captured' WHERE reason = 'oversize'")
    queue.drain(agent.store, Router(settings()), worker="test")
    told = agent.store.rows("SELECT state, reason FROM observations WHERE kind = 'prompt' ORDER BY id")
    assert [tuple(row) for row in told] == [("skipped", "oversize"), ("captured", "")]
