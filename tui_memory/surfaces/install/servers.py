"""A JSON file in which an agent lists its MCP servers by name: ours is added at the end, and taken out again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui_memory.errors import ConfigError
from tui_memory.surfaces.install import jsontext, running

NAME = "tui-memory"
"""What our server is called in every agent's list."""
_MARKS = ("tui_memory", "tui-memory")


@dataclass(frozen=True, slots=True)
class Listing:
    """How one agent lists its servers in JSON."""

    agent: str
    """The agent's name for people."""
    value: Callable[[], dict[str, Any]]
    """What is listed under our name."""
    key: str = "mcpServers"
    comments: bool = False
    """Whether the agent reads comments in this file."""
    commas: bool = False
    """Whether it reads a comma after the last item, too."""

    def with_server(self, text: str, path: Path) -> str:
        """A file's text with our server; unchanged where it is listed as it should be. ConfigError for another's."""
        if not text.strip("\ufeff \t\r\n"):
            return json.dumps({self.key: {NAME: self.value()}}, indent=2, ensure_ascii=False) + "\n"
        found = self._listed(text, path).get(NAME)
        if is_listed(found, self.value()):
            return text
        if found is not None and not is_ours(found):
            raise ConfigError(
                f"{path}: a server named {NAME} that is not ours is listed there. Nothing was changed; rename it first."
            )
        text = self.without_server(text, path)
        root = jsontext.begin(text)
        servers = jsontext.find(text, root, self.key)
        if servers is None:
            return jsontext.append(text, root, {NAME: self.value()}, self.key)
        return jsontext.append(text, servers.value_start, self.value(), NAME)

    def without_server(self, text: str, path: Path) -> str:
        """A file's text without our server, and without the list where it is empty then."""
        if not text.strip("\ufeff \t\r\n") or not is_ours(self._listed(text, path).get(NAME)):
            return text
        root = jsontext.begin(text)
        servers = jsontext.find(text, root, self.key)
        assert servers is not None
        text = jsontext.without(text, servers.value_start, NAME)
        if jsontext.is_empty(text, servers.value_start):
            return jsontext.without(text, root, self.key)
        return text

    def _listed(self, text: str, path: Path) -> dict[str, Any]:
        """The servers of a file; ConfigError where it is not what the agent would read, with the line."""
        value = jsontext.read(text, path, comments=self.comments, commas=self.commas)
        listed = value.get(self.key, {}) if isinstance(value, dict) else None
        if not isinstance(listed, dict):
            raise ConfigError(
                f"{path}: `{self.key}` is not what {self.agent} reads (name → server). Nothing was changed; mend it"
                " first."
            )
        return listed


def standard() -> dict[str, Any]:
    """Our server as most agents list one: a program and its arguments."""
    program, *arguments = running.server()
    return {"command": program, "args": arguments}


def is_ours(value: Any) -> bool:
    """Whether a listed server is tui-memory, by whatever interpreter or command it was installed."""
    if not isinstance(value, dict):
        return False
    words = [value.get("command"), value.get("args")]
    said = " ".join(
        word for one in words for word in (one if isinstance(one, list) else [one]) if isinstance(word, str)
    )
    return any(mark in said.replace("\\", "/") for mark in _MARKS) and "mcp" in said.split()


def is_listed(found: Any, wanted: dict[str, Any]) -> bool:
    """Whether a listed server is ours as it would be written now; what a person has added to it may stay."""
    return isinstance(found, dict) and all(found.get(name) == value for name, value in wanted.items())
