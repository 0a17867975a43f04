"""How an agent runs our hook and our server: this interpreter, always by the same name."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path


def command(agent: str, *more: str) -> list[str]:
    """The hook's program and its arguments, without site-packages."""
    hook = Path(__file__).resolve().parent.parent.parent / "hook.py"
    return [_interpreter(), "-I", "-S", str(hook), agent, *more]


def shell(words: list[str]) -> str:
    """A program and its arguments as one line for a shell."""
    return shlex.join(words)


def line(agent: str, *more: str) -> str:
    """The same for a shell."""
    return shell(command(agent, *more))


def guarded(agent: str, *more: str) -> str:
    """The same for a shell, in a file that others may read: quietly nothing on a machine without this program."""
    return f"if [ -x {shlex.quote(_interpreter())} ]; then {line(agent, *more)}; fi"


def server() -> list[str]:
    """The MCP server's program and its arguments; -P: no module of the project it is started in is taken for ours."""
    return [_interpreter(), "-P", "-m", "tui_memory", "mcp"]


def is_home(folder: Path) -> bool:
    """Whether a folder is the user's own: a project's file there is the user's."""
    return os.path.realpath(folder) == os.path.realpath(Path.home())


def _interpreter() -> str:
    """This environment's Python by one name, whichever of its names was typed: a changed command loses its trust."""
    named = Path(sys.prefix) / "bin" / "python3"
    same = named.exists() and os.path.realpath(named) == os.path.realpath(sys.executable)
    return str(named) if same else sys.executable
