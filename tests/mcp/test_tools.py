"""The four tools, as an agent's program calls them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.mcp.conftest import Connect
from tui_memory.capture import fence
from tui_memory.engine import worker_client
from tui_memory.engine.memory import Memory

TITLE = "Retries stop at the deadline"
TEXT = "The payment provider bills each try, so the client gives up after 30 seconds."


async def test_what_was_saved_is_found_by_meaning_and_fetched(connect: Connect, memory: Memory) -> None:
    async with connect() as agent:
        said = await agent.call(
            "memory_save", title=TITLE, text=TEXT, kind="decision", labels=["retry"], files=["src/client.py"]
        )
        assert said.startswith("Saved as #1 (decision, in orderly, ") and TITLE in said
        index = await agent.call("memory_search", query="when do we give up on a charge")
        assert index.startswith(fence.OPEN) and index.endswith(fence.CLOSE)
        assert f"#1 now decision {TITLE} (" in index and TEXT not in index and "only words" not in index
        whole = await agent.call("memory_get", ids=[1])
        assert whole.startswith(fence.OPEN) and TEXT in whole and "files: src/client.py" in whole
    made = memory.get(1)[0]
    assert (made.project, made.uses, made.made_by.route) == ("orderly", 1, "agent")
    assert memory.history(1)[0].actor == "agent:claude-code"


async def test_a_timeline_is_oldest_first(near: Connect, memory: Memory, project: Path) -> None:
    for number in range(5):
        memory.add(title=f"Step {number}", project=str(project), created=1_000_000_000_000 + number)
    async with near() as agent:
        said = await agent.call("memory_timeline", id=3, before=1, after=2)
    assert [line.split()[3:5] for line in said.splitlines() if line.startswith("#")] == [
        ["Step", str(number)] for number in (1, 2, 3, 4)
    ]


async def test_a_search_is_narrowed(near: Connect, memory: Memory, project: Path) -> None:
    def add(title: str, where: str | None = str(project), **more: Any) -> None:
        memory.add(title=title, project=where, **more)

    add("Deadline of orderly", kind="bugfix", files=["src/a.py"])
    add("Deadline of orderly, old", kind="decision", created="2020-01-01T00:00:00Z")
    add("Deadline of billing", "billing")
    add("Deadline everywhere", None)

    async with near() as agent:

        async def found(**arguments: object) -> set[str]:
            said = await agent.call("memory_search", query="deadline", **arguments)
            return {line.split(maxsplit=3)[3].split(" (")[0] for line in said.splitlines() if line.startswith("#")}

        here = {"Deadline of orderly", "Deadline of orderly, old", "Deadline everywhere"}
        assert await found() == here
        assert await found(project="*") == here | {"Deadline of billing"}
        assert await found(project="billing") == {"Deadline of billing", "Deadline everywhere"}
        assert await found(kind="bugfix") == {"Deadline of orderly"}
        assert await found(path="src/*.py") == {"Deadline of orderly"}
        assert await found(since="4w") == here - {"Deadline of orderly, old"} | {"Deadline everywhere"}
        assert len(await found(limit=1)) == 1


async def test_nothing_found_says_so_and_what_to_do(near: Connect) -> None:
    async with near() as agent:
        said = await agent.call("memory_search", query="zebra")
    assert said.startswith("Nothing that is remembered here answers that.") and "project='*'" in said


async def test_what_goes_wrong_is_an_error_that_says_what_to_do(near: Connect, memory: Memory) -> None:
    held, binned = memory.add(title="Held"), memory.add(title="Binned")
    memory.store.connection.execute("UPDATE memories SET state = 'held' WHERE id = ?", (held,))
    memory.delete(binned)
    async with near() as agent:
        assert "limit: input should be less than or equal to 50" in await agent.refused(
            "memory_search", query="x", limit=99
        )
        assert "it takes query, project, kind" in await agent.refused("memory_search", query="x", colour="red")
        assert "use 30m, 12h, 3d" in await agent.refused("memory_search", query="x", since="lately")
        assert "No project is called" in await agent.refused("memory_search", query="x", project="nowhere")
        assert "Ids come from memory_search" in await agent.refused("memory_get", ids=[99])
        assert "is held until a person has looked at it" in await agent.refused("memory_get", ids=[held])
        assert "is in the trash" in await agent.refused("memory_get", ids=[binned])
        assert "ids: " in await agent.refused("memory_get", ids=[])
        assert "text: field required" in await agent.refused("memory_save", title="x")
        assert "there are memory_search" in await agent.refused("memory_forget")
    assert memory.count(state="all") == 2


async def test_ids_are_taken_as_models_write_them(near: Connect, memory: Memory) -> None:
    uid = memory.get(memory.add(title=TITLE))[0].uid
    async with near() as agent:
        for ids in ([1], 1, "1", "#1", "[1]", [uid]):
            assert TITLE in await agent.call("memory_get", ids=ids)


async def test_a_secret_is_masked_before_it_is_saved(near: Connect, memory: Memory) -> None:
    secret = "ghp_" + "R4nd0mX9kQ2v" * 3
    async with near() as agent:
        said = await agent.call("memory_save", title=f"Use {secret}", text=f"token={secret}")
    assert secret not in said and secret not in memory.get(1)[0].text and "[redacted:" in memory.get(1)[0].text


async def test_a_worker_that_has_left_is_started_again(connect: Connect, memory: Memory) -> None:
    async with connect() as agent:
        await agent.call("memory_save", title=TITLE, text=TEXT)
        await agent.call("memory_search", query="deadline")
        assert worker_client.stop(memory.home)
        for _ in range(60):  # on a busy machine a new worker's model takes longer than one search waits for it
            said = await agent.call("memory_search", query="when do we give up on a charge")
            if "only words" not in said:
                break
            await asyncio.sleep(0.5)
    assert TITLE in said and "only words" not in said


async def test_everywhere_means_all_projects(near: Connect, memory: Memory) -> None:
    async with near() as agent:
        said = await agent.call("memory_save", title="Commits are small", text="Always.", everywhere=True)
    assert "for all projects" in said and memory.get(1)[0].project is None


async def test_the_project_is_the_agent_s_own_then_the_folder_s(
    connect: Connect, memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "billing").mkdir()
    async with connect(CLAUDE_PROJECT_DIR=str(tmp_path / "billing")) as agent:
        await agent.call("memory_save", title=TITLE, text=TEXT)
    async with connect() as agent:
        await agent.call("memory_save", title=TITLE, text=TEXT)
    assert [one.project for one in memory.get([1, 2])] == ["billing", "orderly"]


async def test_what_a_session_saw_and_fetched_is_recorded_for_it(
    connect: Connect, memory: Memory, project: Path
) -> None:
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "hello", "cwd": str(project)}
    memory.capture("claude-code", event)
    memory.add(title=TITLE, text=TEXT, project=str(project))
    async with connect() as agent:
        await agent.call("memory_search", query="deadline")
        await agent.call("memory_get", ids=[1])
        await agent.call("memory_save", title="Another", text="fact")
    sql = "SELECT s.session, d.phase FROM disclosures d LEFT JOIN sessions s ON s.id = d.session_id ORDER BY d.id"
    assert [tuple(row) for row in memory.store.rows(sql)] == [("s1", "search"), ("s1", "fetch")]
    assert memory.stats()["tokens"]["shown"] > 0 and memory.stats()["tokens"]["fetched"] > 0
    assert memory.get(2)[0].session == "s1"
