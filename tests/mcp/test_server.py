"""The server as a process: what it says of itself, what it writes, what it loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.damage import damage
from tests.mcp.conftest import ROOT, Connect
from tui_memory.engine.memory import Memory
from tui_memory.surfaces.mcp import tools

LIMIT = 2048  # bytes after which agents cut a description


async def test_it_says_when_to_use_what_in_what_agents_read(connect: Connect) -> None:
    async with connect() as agent:
        assert len((agent.client.instructions or "").encode()) < LIMIT
        found = (await agent.client.list_tools()).tools
    assert [tool.name for tool in found] == ["memory_search", "memory_timeline", "memory_get", "memory_save"]
    for tool in found:
        assert 40 < len((tool.description or "").encode()) < LIMIT and tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name != "memory_save")
        assert tool.annotations.destructive_hint is False and tool.annotations.open_world_hint is False


def test_the_arguments_are_the_contract_s_in_plain_schemas() -> None:
    shapes = {name: tools.schema(name) for name in tools.ARGUMENTS}
    assert {name: (list(shape["properties"]), shape["required"]) for name, shape in shapes.items()} == {
        "memory_search": (["query", "project", "kind", "path", "since", "limit"], ["query"]),
        "memory_timeline": (["id", "before", "after"], ["id"]),
        "memory_get": (["ids"], ["ids"]),
        "memory_save": (["title", "text", "kind", "labels", "files", "everywhere"], ["title", "text"]),
    }
    assert shapes["memory_search"]["properties"]["limit"]["default"] == 8
    assert "decision" in shapes["memory_search"]["properties"]["kind"]["enum"]
    assert "$ref" not in json.dumps(shapes) and "null" not in json.dumps(shapes)


def requests(*more: tuple[str, dict[str, Any]]) -> bytes:
    """The lines of a client of the older handshake."""
    start = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "older", "version": "1"},
    }
    lines: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": start},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    lines += [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        for number, (method, params) in enumerate(more, 1)
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def test_stdout_is_the_protocol_alone_and_its_end_ends_the_server(store: Path, project: Path) -> None:
    environment = os.environ | {"TUI_MEMORY_HOME": str(store), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tui_memory", "mcp"]
    with subprocess.Popen(
        command, cwd=project, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        save = {"name": "memory_save", "arguments": {"title": "It prints nothing", "text": "else."}}
        search = {"name": "memory_search", "arguments": {"query": "prints", "colour": "red"}}
        process.stdin.write(requests(("tools/list", {}), ("tools/call", save), ("tools/call", search)))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(4)]
        process.stdin.close()
        assert process.stdout.read() == b"" and process.wait(30) == 0
        assert process.stderr.read() == b""
    by_id = {answer["id"]: answer["result"] for answer in answers}
    assert by_id[0]["serverInfo"]["name"] == "tui-memory" and by_id[0]["instructions"] == tools.INSTRUCTIONS
    assert by_id[2]["content"][0]["text"].startswith("Saved as #1") and by_id[3]["isError"] is True


def test_nothing_heavy_is_loaded_to_start() -> None:
    code = "import sys, tui_memory.surfaces.mcp.server; print([n for n in %r if n in sys.modules])"
    heavy = ("torch", "faiss", "numpy", "sentence_transformers", "onnxruntime", "textual", "sqlite_utils")
    done = subprocess.run([sys.executable, "-c", code % (heavy,)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_a_damaged_store_is_told_as_such(near: Connect, memory: Memory) -> None:
    memory.add(title="Retries stop at the deadline", text="after 30 seconds")
    damage(memory.home)
    async with near() as agent:
        for question in ({"ids": [1]}, {"ids": [2]}):
            said = await agent.refused("memory_get", **question)
            assert "damaged" in said and "defect" not in said
