"""Everything that must hold, in one command: style, types, the one-way flow, spelling, behaviour.

`python -m tests` runs all of it and leaves with the first failure's status; further arguments go to pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

CHECKS: list[tuple[str, list[str]]] = [
    ("style", [str(BIN / "ruff"), "check", "."]),
    ("format", [str(BIN / "ruff"), "format", "--check", "."]),
    ("types", [str(BIN / "mypy")]),
    ("one-way flow", [str(BIN / "lint-imports")]),
    (
        "spelling",
        [str(BIN / "codespell"), "tui_memory", "tests", "themes", "docs", "README.md", "CHANGELOG.md"],
    ),
]


def main(arguments: list[str]) -> int:
    """Run every check, then the tests: the first status that is not 0, or 0."""
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    worst = 0
    for name, command in CHECKS:
        started = time.monotonic()
        status = subprocess.run(command, cwd=ROOT, env=environment).returncode
        print(
            f"{name}: {'passed' if status == 0 else 'FAILED'} in {time.monotonic() - started:.1f} s",
            flush=True,
        )
        worst = worst or status
    tests = [sys.executable, "-m", "pytest", "-q", *(arguments or ["-n", "2"])]
    return subprocess.run(tests, cwd=ROOT, env=environment).returncode or worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
