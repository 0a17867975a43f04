"""Codex's config.toml: tables of ours are added at its end, and taken out again, whatever Codex wrote around them.

Codex moves and drops comments where it changes the file itself, so that our tables are known by what they say.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui_memory.errors import ConfigError
from tui_memory.surfaces.install import hooks_file, servers

# What Codex hands on of its environment to a server is otherwise only what a shell needs.
_VARIABLES = ["TUI_MEMORY_HOME", "TUI_MEMORY_CONFIG", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "OLLAMA_HOST"]
_HEADER = re.compile(r"[ \t]*\[\[?[ \t]*([^\]\n]+?)[ \t]*\]\]?[ \t]*(?:#.*)?\r?\n?\Z")
_SERVER = re.compile(r"mcp_servers[ \t]*\.[ \t]*([\"']?)tui-memory\1(?:[ \t]*\..*)?\Z")
_GROUP = re.compile(r"hooks\.\w+\Z")


@dataclass(slots=True)
class _Table:
    """One table: its header's name ('' for what is before the first), its lines, the blanks and comments behind."""

    name: str
    lines: list[str]
    tail: list[str]


def with_hooks(form: hooks_file.Form, text: str, file: Path) -> str:
    """The file's text with our hooks; unchanged where they are there as they should be."""
    value = _parsed(text, file)
    if hooks_file.is_installed(form, value):
        return text
    lines: list[str] = []
    for event, beside in form.events.items():
        lines += [f"[[hooks.{event}]]", *_pairs(beside), f"[[hooks.{event}.hooks]]", *_pairs(form.handler(event))]
    said = "hooks are written there as one value, to which none can be added; write them as [[hooks.EVENT]] tables"
    return _added(without_hooks(text, file), lines, file, said)


def without_hooks(text: str, file: Path) -> str:
    """The file's text without our hooks, and without the groups that are empty then."""
    _parsed(text, file)
    tables = _tables(text)
    ours: list[int] = []
    for at, table in enumerate(tables):
        if not _GROUP.match(table.name):
            continue
        inner = at + 1
        while inner < len(tables) and tables[inner].name == f"{table.name}.hooks":
            inner += 1
        mine = [number for number in range(at + 1, inner) if hooks_file.is_ours(_value(tables[number]))]
        ours += mine if len(mine) < inner - at - 1 or not mine else [at, *mine]
    return _without(tables, ours)


def with_server(text: str, file: Path) -> str:
    """The file's text with our MCP server; unchanged where it is listed as it should be."""
    listed = _parsed(text, file).get("mcp_servers", {})
    found = listed.get(servers.NAME) if isinstance(listed, dict) else None
    wanted = servers.standard() | {"env_vars": _VARIABLES}
    if servers.is_listed(found, wanted):
        return text
    if found is not None and not servers.is_ours(found):
        raise ConfigError(
            f"{file}: a server named {servers.NAME} that is not ours is listed there. Nothing was changed; rename it"
            " first."
        )
    said = "mcp_servers is written there as one value, to which none can be added; write it as [mcp_servers.NAME]"
    return _added(without_server(text, file), [f"[mcp_servers.{servers.NAME}]", *_pairs(wanted)], file, said)


def without_server(text: str, file: Path) -> str:
    """The file's text without our MCP server, and what a person has set of it."""
    listed = _parsed(text, file).get("mcp_servers", {})
    if not isinstance(listed, dict) or not servers.is_ours(listed.get(servers.NAME)):
        return text
    tables = _tables(text)
    return _without(tables, [at for at, table in enumerate(tables) if _SERVER.match(table.name)])


def _pairs(value: Any) -> list[str]:
    """Each member of an object as a line of TOML: of strings, numbers and lists of strings JSON is its subset."""
    return [f"{name} = {json.dumps(part, ensure_ascii=False)}" for name, part in value.items()]


def _added(rest: str, lines: list[str], file: Path, said: str) -> str:
    """The text with tables at its end. ConfigError where the file cannot have them."""
    newline = "\r\n" if "\r\n" in rest else "\n"
    gap = "" if not rest or rest.endswith("\n") else newline
    after = rest + gap + newline.join([*([""] if rest else []), *lines, ""])
    try:
        tomllib.loads(after.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: {said} ({error}). Nothing was changed.") from error
    return after


def _parsed(text: str, file: Path) -> dict[str, Any]:
    if text.startswith("\ufeff"):
        raise ConfigError(f"{file}, line 1: TOML knows no byte order mark. Nothing was changed; mend the file first.")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: {error}. Nothing was changed; mend the file and try again.") from error


def _tables(text: str) -> list[_Table]:
    """The text cut at its headers. A line of a text in several lines may look like one: that text is not ours."""
    tables = [_Table("", [], [])]
    for line in text.splitlines(keepends=True):
        if header := _HEADER.match(line):
            tables.append(_Table(header.group(1), [], []))
        tables[-1].lines.append(line)
    for table in tables:
        while len(table.lines) > (table.name != "") and table.lines[-1].lstrip()[:1] in ("", "#"):
            table.tail.insert(0, table.lines.pop())
    return tables


def _value(table: _Table) -> dict[str, Any]:
    """What a table says; {} where that cannot be told from it alone."""
    try:
        return tomllib.loads("".join(table.lines[1:]))
    except tomllib.TOMLDecodeError:
        return {}


def _without(tables: list[_Table], numbers: Sequence[int]) -> str:
    """The text without some of its tables and the blank line before each; comments behind them stay."""
    kept: list[str] = []
    for at, table in enumerate(tables):
        if at not in numbers:
            kept += table.lines
        elif kept and not kept[-1].strip():
            kept.pop()
        kept += table.tail
    return "".join(kept)
