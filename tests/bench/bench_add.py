"""How many memories of 400 characters are taken in a second, masked and findable by words, beside FTS5 alone.

    python -m tests.bench.bench_add [--memories 10000]

Embeddings are not counted. The texts are passages of Python's own library, each with a title and a file. A busy
machine changes what the clock says, not what a processor's second takes in: both are printed, and the same texts put
into a bare FTS5 table in the same run.
"""

from __future__ import annotations

import argparse
import sqlite3
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tui_memory import Memory

_LENGTH = 400
_WARM = 200  # memories added before the clock starts: patterns are compiled, tables are there


def items(count: int) -> list[dict[str, Any]]:
    """So many memories of 400 characters, no two the same."""
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py"))
    made: list[dict[str, Any]] = []
    for path in files:
        text = path.read_text("utf-8", errors="replace")
        for at in range(0, len(text) - _LENGTH, _LENGTH):
            said = text[at : at + _LENGTH]
            title = f"{path.stem} {at}: {' '.join(said.split())[:40]}"
            made.append(
                {"title": title, "text": said, "project": "orderly", "kind": "decision", "files": [f"src/{path.name}"]}
            )
            if len(made) == count:
                return made
    raise SystemExit(f"Python's library here has no more than {len(made)} passages.")


def timed(run: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the clock, and of this process's processor."""
    started, worked = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - started, time.process_time() - worked


def bare(folder: Path, given: list[dict[str, Any]]) -> None:
    """The same texts into a table of FTS5, as they are."""
    connection = sqlite3.connect(folder / "bare.db")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(title, body)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", ((item["title"], item["text"]) for item in given))
    connection.commit()
    connection.close()


def main() -> None:
    """Add them all, and say how quickly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    count = parser.parse_args().memories
    given = items(count + _WARM)
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "store") as memory:
        memory.add_many(given[:_WARM], embed=False)
        for name, (clock, processor) in (
            ("add_many", timed(lambda: memory.add_many(given[_WARM:], embed=False))),
            ("FTS5 alone", timed(lambda: bare(Path(folder), given[_WARM:]))),
        ):
            print(f"{name:<12} {count / clock:8.0f} a second   {count / processor:8.0f} a second of processor")


if __name__ == "__main__":
    main()
