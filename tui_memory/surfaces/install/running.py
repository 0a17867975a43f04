"""How an agent runs our hook: this interpreter, without site-packages, always by the same name."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path


def command(agent: str, *more: str) -> list[str]:
    """The program and its arguments."""
    hook = Path(__file__).resolve().parent.parent.parent / "hook.py"
    return [_interpreter(), "-I", "-S", str(hook), agent, *more]


def line(agent: str, *more: str) -> str:
    """The same for a shell."""
    return shlex.join(command(agent, *more))


def _interpreter() -> str:
    """This environment's Python by one name, whichever of its names was typed: a changed command loses its trust."""
    named = Path(sys.prefix) / "bin" / "python3"
    same = named.exists() and os.path.realpath(named) == os.path.realpath(sys.executable)
    return str(named) if same else sys.executable
