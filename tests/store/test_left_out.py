"""What is ignored is not kept either where a command, a diff, a search or another tool tells of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.store.conftest import Agent
from tui_memory.model import Observation
from tui_memory.store import observations
from tui_memory.store.db import Store

HUSH = "quokkabolt"
DIFF = f"""diff --git a/plans/a.md b/plans/a.md
index 1..2 100644
--- a/plans/a.md
+++ b/plans/a.md
@@ -1 +1 @@
-{HUSH} one
+{HUSH} two
diff --git a/src/b.py b/src/b.py
--- a/src/b.py
+++ b/src/b.py
@@ -1 +1 @@
-old
+new
3 passed in 0.1s"""


@pytest.fixture
def agent(agent: Agent) -> Agent:
    agent.settings = replace(agent.settings, ignore=("plans/",))
    agent.prompt("go")
    return agent


def last(store: Store) -> Observation:
    return observations.page(store, limit=1)[0]


def kept(store: Store) -> str:
    """Everything that is stored of the last event."""
    found = last(store)
    return f"{found.text} {found.files} {found.detail}"


@pytest.mark.parametrize(
    "command",
    [
        "cat plans/x.txt", "cat .env", "sed -n 1,9p ./plans/x.txt | head", "grep -rn x plans", "cd plans && cat x.txt",
        "cat \"plans/x y.txt\"", "cat 'plans/x'", "cat .env*", "git show HEAD:.env", "git diff -- plans/", "less<.env",
        "sudo cat /home/dev/p/plans/x", "A=1 /bin/cat plans/x", "export $(cat .env | xargs)",
        "for f in plans/*; do cat $f; done",
        "python show.py --file=plans/x", "echo start; head -5 .env", "x=`cat .env`; echo $x",
        "rg --files-with-matches x plans/*.md",
    ],
)  # fmt: skip
def test_a_command_that_prints_an_ignored_file_is_kept_without_what_it_printed(
    store: Store, agent: Agent, command: str
) -> None:
    agent.run(command, f"{HUSH} 1")
    assert HUSH not in kept(store)
    assert command in kept(store) and "which is ignored" in kept(store)


@pytest.mark.parametrize(
    "command",
    [
        f"cat > .env <<EOF\nA={HUSH}\nEOF", f"echo {HUSH} >> plans/x", f"printf '%s' {HUSH} | tee plans/x",
        f"cat <<E >plans/x\n{HUSH}\nE",
    ],
)  # fmt: skip
def test_nor_is_what_a_command_writes_into_one(store: Store, agent: Agent, command: str) -> None:
    agent.run(command, "")
    assert HUSH not in kept(store)


@pytest.mark.parametrize(
    "command",
    [
        "cp .env.example .env && pytest -q", "source .env; pytest -q", ". ./.env && make", "git add .env",
        "cat src/x.py",
        "docker run --env-file .env app", "docker run --env-file=.env app", "ls plans", "echo plans", "rm -rf plans/",
        "cat .env.example", "grep plans src/x.py", "pytest -q tests/test_plans.py", "cat planss/x",
    ],
)  # fmt: skip
def test_what_a_command_prints_of_other_files_stays(store: Store, agent: Agent, command: str) -> None:
    agent.run(command, "3 passed\nplanning: done")
    assert "3 passed\nplanning: done" in last(store).text


def test_of_a_diff_the_other_files_stay(store: Store, agent: Agent) -> None:
    agent.run("git diff; pytest", DIFF)
    assert HUSH not in kept(store)
    text = last(store).text
    assert "-old\n+new\n3 passed" in text and text.endswith("[not kept: 7 lines of ignored files]")


def test_of_a_patch_the_other_files_stay(store: Store, agent: Agent) -> None:
    patch = (
        f"*** Begin Patch\n*** Update File: plans/a.md\n@@\n-x\n+{HUSH}\n*** Add File: src/b.py\n+new\n*** End Patch"
    )
    agent.send("PostToolUse", agent="codex", tool_name="apply_patch", tool_input={"command": patch}, tool_use_id="p1")
    assert HUSH not in kept(store) and "+new" in kept(store) and "plans/a.md" not in kept(store)


@pytest.mark.parametrize("line", ["plans/a.md:3:{}", "./plans/a.md:{}", "plans/a.md-4-{}", ".env:1:{}"])
def test_of_a_search_the_other_matches_stay(store: Store, agent: Agent, line: str) -> None:
    agent.run("grep -rn x .", f"src/b.py:1:fine\n{line.format(HUSH)}\nsrc/c.py:2:fine")
    assert HUSH not in kept(store) and kept(store).count("fine") == 2


def test_nor_what_a_failed_command_or_somebodys_server_says_of_one(store: Store, agent: Agent) -> None:
    events: list[dict[str, Any]] = [
        {"event": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "cat plans/x no"},
         "error": f"Exit code 1\n{HUSH}\ncat: no: No such file"},
        {"event": "PostToolUse", "tool_name": "mcp__files__read_file", "tool_input": {"path": "/home/dev/p/plans/x"},
         "tool_response": [{"type": "text", "text": HUSH}]},
    ]  # fmt: skip
    for number, event in enumerate(events):
        agent.send(**event, tool_use_id=f"t{number}")
        assert HUSH not in kept(store) and "plans/x" in kept(store)
