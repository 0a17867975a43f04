"""Looking for bytes in a store's files, and reading it, as other processes do."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_SEARCH = """
import sys
from pathlib import Path
home, *wanted = sys.argv[1:]
for path in sorted(Path(home).rglob("*")):
    if path.is_file():
        held = path.read_bytes()
        for text in wanted:
            if text.encode() in held or text.lower().encode() in held or text.encode("utf-16-le") in held:
                print(path.relative_to(home), text)
"""
_READER = """
import sqlite3, sys
reader = sqlite3.connect(sys.argv[1] + "/memory.db", isolation_level=None)
if sys.argv[2] == "open":
    reader.execute("BEGIN")
print(reader.execute("SELECT count(*) FROM memories").fetchone()[0], flush=True)
sys.stdin.read()
"""


def found(home: Path, *texts: str) -> list[str]:
    """Files of the store, with the text, that hold one of these; looked for by another process.

    In this one, closing a descriptor of the database would drop the locks of its connections.
    """
    done = subprocess.run(
        [sys.executable, "-c", _SEARCH, str(home), *texts], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@contextlib.contextmanager
def reader(home: Path, *, transaction: bool) -> Iterator[subprocess.Popen[str]]:
    """Another process with the store open, as the application has it; with `transaction` it does not let go."""
    how = "open" if transaction else "idle"
    command = [sys.executable, "-c", _READER, str(home), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        process.stdout.readline()
        yield process
        if not process.stdin.closed:
            process.stdin.close()
