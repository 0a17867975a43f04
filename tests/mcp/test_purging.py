"""A purge while an agent's memory server has the store open: gone from every file, and for the agent."""

from __future__ import annotations

from pathlib import Path

from tests.mcp.conftest import Connect
from tests.store.erased import found
from tui_memory.engine.memory import Memory

WORD = "quokkabolt41"


async def test_what_is_purged_is_gone_for_the_agent_and_in_every_file(
    memory: Memory, store: Path, connect: Connect
) -> None:
    gone = memory.add(title="The vault", text=f"It opens with {WORD}.")
    stays = memory.add(title="The door", text="It opens with a key.")
    async with connect() as agent:
        assert WORD in await agent.call("memory_get", ids=[gone, stays])
        assert memory.purge(ids=[gone], yes=True).counts.count == 1
        assert found(store, WORD) == []
        assert "was purged" in await agent.refused("memory_get", ids=[gone])
        assert "The vault" not in await agent.call("memory_search", query="The vault opens with")
        assert "a key" in await agent.call("memory_get", ids=[stays])
        assert found(store, WORD) == []
