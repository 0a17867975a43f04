"""What our hook adds to a commit: `python -m tests.bench.bench_git_hook`. Medians of interleaved commits.

The commit waits for two small shells and one `git rev-parse`; the rest goes on behind it. Leaves with 1 where more
than BAR_MS is added.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.repositories import Repository
from tui_memory.surfaces.install import git

BAR_MS = 50.0


def commit(repository: Repository, number: int) -> float:
    """Seconds that one commit takes."""
    (repository.folder / "a.txt").write_text(f"{number}\n")
    repository.git("add", "a.txt")
    began = time.perf_counter()
    repository.git("commit", "--quiet", "-m", f"Step {number}")
    return time.perf_counter() - began


def measure(folder: Path, runs: int) -> tuple[float, float]:
    """Median seconds of a commit without and with the hook, each in a repository of its own."""
    bare, hooked = Repository.make(folder / "bare"), Repository.make(folder / "hooked")
    git.install(hooked.folder)
    found: tuple[list[float], list[float]] = ([], [])
    for number in range(runs + 2):
        for place, repository in enumerate((bare, hooked)):
            found[place].append(commit(repository, number))
        time.sleep(0.4)  # what goes on behind a commit must not be measured with the next one
    return statistics.median(found[0][2:]), statistics.median(found[1][2:])


def main() -> int:
    """Print both medians; 1 where the difference is over the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        os.environ |= {"TUI_MEMORY_HOME": str(folder / "store"), "TUI_MEMORY_CONFIG": str(folder / "config.yaml")}
        bare, hooked = measure(folder, runs)
        stop(folder / "store")
    added = (hooked - bare) * 1000
    print(f"a commit {bare * 1000:.1f} ms, with our hook {hooked * 1000:.1f} ms: {added:.1f} ms (bar {BAR_MS:.0f})")
    return int(added > BAR_MS)


def stop(home: Path) -> None:
    """Have the worker leave that the hooks started."""
    from tui_memory.engine import worker_client

    worker_client.stop(home)


if __name__ == "__main__":
    sys.exit(main())
