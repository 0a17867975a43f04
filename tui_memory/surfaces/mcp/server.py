"""The protocol: `tools/list` and `tools/call` by the official SDK's server over stdin and stdout."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any, cast

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import ValidationError

from tui_memory import __version__
from tui_memory.errors import NotFoundError, TuiMemoryError
from tui_memory.redact import redact
from tui_memory.safetext import clean
from tui_memory.surfaces.mcp import lines, tools
from tui_memory.surfaces.mcp.desk import Desk

NAME = "tui-memory"
WAKE_PATIENCE = 5.0  # seconds


class Door:
    """One client's connection: its name is known once it has asked for something."""

    def __init__(self, home: Path | None = None) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._desk: Desk | None = None
        self._waking: threading.Thread | None = None
        self.server: Server[Any] = Server(
            NAME,
            version=__version__,
            title="tui-memory",
            instructions=tools.INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    def desk(self, client: str) -> Desk:
        """The tools for this client."""
        with self._lock:
            if self._desk is None:
                self._desk = Desk(client, self._home)
            return self._desk

    def close(self) -> None:
        """Let go of the store, and of the worker that was asked for once it is up."""
        if self._waking is not None:
            self._waking.join(WAKE_PATIENCE)
        if self._desk is not None:
            self._desk.close()

    async def _list(self, context: Any, _params: PaginatedRequestParams | None) -> ListToolsResult:
        if self._waking is None:  # by now the client is known; its first search should not wait for the model
            self._waking = threading.Thread(target=self.desk(_client(context)).wake, name="wake", daemon=True)
            self._waking.start()
        return ListToolsResult(tools=[_tool(name) for name in tools.ARGUMENTS])

    async def _call(self, context: Any, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in tools.ARGUMENTS:
            return _failed(f"There is no tool {clean(params.name)[:60]!r}; there are {', '.join(tools.ARGUMENTS)}.")
        try:
            arguments = tools.ARGUMENTS[params.name].model_validate(params.arguments or {})
        except ValidationError as error:
            return _failed(tools.mistake(params.name, error))
        desk = self.desk(_client(context))
        return await anyio.to_thread.run_sync(lambda: _answered(desk, arguments))


def _answered(desk: Desk, arguments: tools.Arguments) -> CallToolResult:
    """A tool's answer; whatever goes wrong becomes a sentence that says what to do."""
    try:
        # No structured copy: clients prefer it to the text, and it would come without the fence.
        return CallToolResult(content=[TextContent(type="text", text=desk.answer(arguments))])
    except NotFoundError as error:
        hint = " Ids come from memory_search." if isinstance(arguments, tools.Get | tools.Timeline) else ""
        return _failed(error.message + hint)
    except TuiMemoryError as error:
        return _failed(error.message)
    except Exception as error:
        from tui_memory.store.faults import explain
        from tui_memory.surfaces.cli.failures import defect

        if known := explain(error):
            return _failed(known.message)
        return _failed(f"{defect(error)} Go on without memory and tell the person.")


def _failed(sentence: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=clean(redact(sentence)))], is_error=True)


def _client(context: Any) -> str:
    params = context.session.client_params
    return str(params.client_info.name) if params is not None else ""


def _tool(name: str) -> Tool:
    reads = name != "memory_save"
    return Tool(
        name=name,
        title=tools.TITLES[name],
        description=tools.DESCRIPTIONS[name],
        input_schema=tools.schema(name),
        annotations=ToolAnnotations(
            read_only_hint=reads, destructive_hint=False, idempotent_hint=reads, open_world_hint=False
        ),
    )


def run(home: Path | None = None) -> None:
    """Serve one client on stdin and stdout until it closes them."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its lines quote what was asked
    anyio.run(_serve, home)


async def _serve(home: Path | None) -> None:
    door = Door(home)
    said = lines.Lines(lines.from_stdin())
    try:
        async with stdio_server(stdin=cast("Any", said)) as (reading, writing):
            said.answered(writing.send)
            await door.server.run(reading, writing, door.server.create_initialization_options())
    finally:
        door.close()
