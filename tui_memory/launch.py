"""How a worker is started, by a hook or by a person: the same command and surroundings. Standard library only."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_NAMES = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "OLLAMA_HOST")
COMPILING = 15.0
_STARTS = ("LC_", "XDG_", "TUI_MEMORY_", "OMP_", "SSL_CERT")


def command(home: Path, idle: float | None = None) -> list[str]:
    """The command line of this very program's worker, wherever the package lies and whatever PYTHONPATH says.

    Not `-m` in the package's folder: that puts site-packages before the standard library.
    """
    parent = str(Path(__file__).resolve().parent.parent)
    boot = (
        "import os, sys, runpy; os.getsid(0) == os.getpid() or os.setsid(); "
        f"sys.path[:0] = [] if {parent!r} in sys.path else [{parent!r}]; "
        "runpy.run_module('tui_memory.surfaces.worker', run_name='__main__', alter_sys=True)"
    )
    waits = [] if idle is None else ["--idle", str(idle)]
    return [sys.executable, "-E", "-P", "-c", boot, "--home", os.fspath(home), *waits]


def environment() -> dict[str, str]:
    """What of the environment a worker needs: neither an agent's secrets nor its Python's settings."""
    return {name: value for name, value in os.environ.items() if name in _NAMES or name.startswith(_STARTS)}


def compile_settings(home: Path) -> None:
    """Have the settings read and compiled for hooks by a Python that has YAML; wrong ones stay as they are.

    Run while the agent is long gone on; a child that hangs is left after `COMPILING` seconds.
    """
    import subprocess

    parent = str(Path(__file__).resolve().parent.parent)
    code = (
        f"import sys; sys.path[:0] = [] if {parent!r} in sys.path else [{parent!r}]; "
        "from pathlib import Path; from tui_memory import config; "
        "config.compile_settings(config.load(), Path(sys.argv[1]))"
    )
    line = [sys.executable, "-E", "-P", "-c", code, os.fspath(home)]
    try:
        subprocess.run(
            line,
            env=environment(),
            timeout=COMPILING,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return  # metadata only, as with settings that are wrong
