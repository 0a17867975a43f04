"""Everything that must hold, in one command: style, types, the one-way flow, spelling, behaviour.

`python -m tests` runs all of it and leaves with the first failure's status; further arguments go to pytest.

A few tests that failed beside others are run once more by themselves: they start processes and wait for them, on a
machine that is busy with the rest of the suite. Which ones passed only then is printed at the end; each is to be looked
at, for it may be a fault that comes rarely.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
FAILED = 1
"""pytest's status where tests failed, and nothing else was wrong."""
FEW = 3

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
    tests = [sys.executable, "-m", "pytest", "-q"]
    how = arguments or ["-n", "2", "--cache-clear"]
    status = subprocess.run([*tests, *how], cwd=ROOT, env=environment).returncode
    if status == FAILED and not arguments:
        status = _alone(tests, environment)
    return status or worst


def _alone(tests: list[str], environment: dict[str, str]) -> int:
    """Run what failed once more, where that is little: pytest's status then."""
    kept = ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"
    failed = list(json.loads(kept.read_text())) if kept.exists() else []
    if not 0 < len(failed) <= FEW:
        return FAILED
    print(f"Once more, by themselves: {len(failed)} that failed", flush=True)
    status = subprocess.run([*tests, "-n0", *failed], cwd=ROOT, env=environment).returncode
    if status == 0:
        print("PASSED ONLY ALONE, and to be looked at:", *failed, sep="\n  ", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
