"""A store, a folder to work in, and the SDK's own client: to the real process over stdio, or to a server in here."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, Implementation, TextContent

from tui_memory.engine import worker_client
from tui_memory.engine.memory import Memory
from tui_memory.surfaces.mcp.desk import Desk
from tui_memory.surfaces.mcp.server import Door

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder the agent works in."""
    folder = tmp_path / "orderly"
    folder.mkdir()
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    """The store's directory; the worker that the server started is stopped at the end."""
    place = tmp_path / "store"
    yield place
    worker_client.stop(place)


@pytest.fixture
def memory(store: Path) -> Iterator[Memory]:
    """The same store, without a model."""
    with Memory(store, embedding="none") as opened:
        yield opened


class Agent:
    """An agent's connection."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, name: str, **arguments: Any) -> str:
        """A tool's answer; AssertionError where it is an error."""
        result = await self.client.call_tool(name, arguments)
        assert not result.is_error, text(result)
        return text(result)

    async def refused(self, name: str, **arguments: Any) -> str:
        """A tool's error."""
        result = await self.client.call_tool(name, arguments)
        assert result.is_error, text(result)
        return text(result)


class Connect(Protocol):
    """`async with connect(): …`"""

    def __call__(self, name: str = ..., **environment: str) -> Any:
        """Start a server; `environment` beside what every test has."""


@pytest.fixture
def connect(store: Path, project: Path) -> Connect:
    """Start the server in the project and connect as an agent of a name."""

    @asynccontextmanager
    async def connected(name: str = "claude-code", **environment: str) -> AsyncIterator[Agent]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("CLAUDE", "GEMINI"))}
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "tui_memory", "mcp"],
            env=kept | {"TUI_MEMORY_HOME": str(store), "PYTHONPATH": str(ROOT)} | environment,
            cwd=project,
        )
        me = Implementation(name=name, version="1")
        async with Client(stdio_client(server), client_info=me) as client:
            yield Agent(client)

    return connected


@pytest.fixture
def near(store: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Connect:
    """As `connect`, but to a server in this process, without a worker: for what needs neither process nor model."""
    monkeypatch.chdir(project)
    monkeypatch.setattr(Desk, "wake", lambda _desk: None)

    @asynccontextmanager
    async def connected(name: str = "claude-code", **_environment: str) -> AsyncIterator[Agent]:
        door = Door(store)
        async with Client(door.server, client_info=Implementation(name=name, version="1")) as client:
            yield Agent(client)
        door.close()

    return connected


def text(result: CallToolResult) -> str:
    """The one text of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent) and result.structured_content is None
    return content.text
