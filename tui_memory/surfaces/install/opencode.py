"""OpenCode's plugin: a file of our own that hands its events to the hook."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tui_memory.errors import ConfigError
from tui_memory.surfaces.install import running, servers

_MARK = "// tui-memory: "
_TEMPLATE = Path(__file__).parent / "opencode_plugin.js"
_COMMAND = '["tui-memory-hook"]'


def path(scope: str, project: Path) -> Path:
    """Our file of a scope (XDG_CONFIG_HOME counts)."""
    if scope == "project":
        return project / ".opencode" / "plugins" / "tui-memory.js"
    return home() / "plugins" / "tui-memory.js"


def home() -> Path:
    """OpenCode's own folder of settings (XDG_CONFIG_HOME counts)."""
    given = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(given) if os.path.isabs(given) else Path.home() / ".config") / "opencode"


def server_path(scope: str, project: Path) -> Path:
    """The settings in which a scope's MCP servers are listed: of those that OpenCode reads the one that is there."""
    folders = [project, project / ".opencode"] if scope == "project" else [home()]
    files = [folder / name for folder in folders for name in ("opencode.jsonc", "opencode.json")]
    return next((file for file in files if file.exists()), files[1])


def _server() -> dict[str, Any]:
    return {"type": "local", "command": running.server(), "enabled": True}


SERVERS = servers.Listing("OpenCode", _server, key="mcp", comments=True, commas=True)


def with_hooks(text: str, file: Path) -> str:
    """The plugin's text. ConfigError where the file is somebody else's."""
    _check(text, file)
    return _TEMPLATE.read_text(encoding="utf-8").replace(_COMMAND, json.dumps(running.command("opencode")))


def without_hooks(text: str, file: Path) -> str:
    """Nothing of it is left."""
    _check(text, file)
    return ""


def advice(_file: Path, *, changed: bool) -> str:
    """What a person must know after an installation."""
    return "" if not changed else "OpenCode loads it when it starts next."


def _check(text: str, file: Path) -> None:
    if text.strip() and not text.startswith(_MARK):
        raise ConfigError(f"{file}, line 1: that is no plugin of tui-memory. Nothing was changed; move it first.")
