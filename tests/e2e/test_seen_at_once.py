"""Whatever one process changes, all others have at once: the open application, an agent's server, the worker's REST.

Nobody is told and nothing is started anew: the next answer of each is by the store as it is.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.rest.asking import ask
from tests.terminal import Terminal
from tui_memory import Memory
from tui_memory.engine import worker_client
from tui_memory.surfaces.rest import door

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, "-m", "tui_memory"]


class Agent:
    """An agent's memory server over stdio."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._to, self._from, self._asked = process.stdin, process.stdout, 0
        start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        self._ask("initialize", start)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        self._to.write(json.dumps(message).encode() + b"\n")
        self._to.flush()

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        self._send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        while (answer := json.loads(self._from.readline())).get("id") != self._asked:
            pass
        found: dict[str, Any] = answer["result"]
        return found

    def search(self, query: str) -> set[int]:
        """The ids of the memories that a search finds."""
        told = self._ask("tools/call", {"name": "memory_search", "arguments": {"query": query}})
        return {int(id_) for id_ in re.findall(r"#(\d+)", told["content"][0]["text"])}


@contextmanager
def agent(folder: Path, environment: dict[str, str]) -> Iterator[Agent]:
    """An agent's server, running."""
    pipe = subprocess.PIPE
    with subprocess.Popen([*PROGRAM, "mcp"], cwd=folder, env=environment, stdin=pipe, stdout=pipe) as process:
        try:
            yield Agent(process)
        finally:
            process.communicate(timeout=60)


def rest(home: Path, query: str) -> set[int]:
    """What the worker finds, over its socket."""
    status, found = ask(door.path(worker_client.socket_path(home)), "POST", "/v1/search", {"query": query})
    assert status == 200, found
    return {int(hit["id"]) for hit in found["results"]}


def test_each_change_is_in_the_next_answer_of_every_process(tmp_path: Path) -> None:
    home, folder = tmp_path / "store", tmp_path / "orderly"
    folder.mkdir()
    environment = dict(os.environ) | {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "LANG": "C.UTF-8"}

    def run(*arguments: str) -> None:
        """A change by a process of its own."""
        done = subprocess.run([*PROGRAM, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    with Memory(home, embedding="worker") as memory:
        memory.start_worker()
        one, other = memory.add_many([
            {"title": "Zebra crossings are striped", "text": "Black and white.", "project": str(folder)},
            {"title": "Zebra crossings are painted", "text": "By night.", "project": str(folder)},
        ])  # fmt: skip
    terminal = Terminal(tmp_path / "tmux", [*PROGRAM, "ui"], environment, (120, 30))
    try:
        with agent(folder, environment) as asking, Memory(home, embedding="none") as memory:

            def all_see(*wanted: int) -> None:
                """Agent and worker in their very next answer, the application without a key being pressed."""
                assert asking.search("zebra crossings") & known == set(wanted)
                assert rest(home, "zebra crossings") & known == set(wanted)
                titles = [row.title for row in memory.get(list(wanted))]
                gone = [row.title for row in memory.get(sorted(known - set(wanted))) if row.title not in titles]
                terminal.until_seen(
                    lambda text: all(title in text for title in titles) and not any(title in text for title in gone),
                    what=(titles, gone),
                )

            known = {one, other}
            terminal.until("Live")
            terminal.press("2")
            terminal.until("Zebra crossings are striped")
            all_see(one, other)
            run("delete", str(one))
            all_see(other)
            run("undo")
            all_see(one, other)
            run("edit", str(one), "--title", "Zebra crossings are wide")
            all_see(one, other)
            run("merge", str(one), str(other), "--title", "Zebra crossings, both ways", "--yes")
            merged = memory.memories()[0].id
            known |= {merged}
            all_see(merged)
            run("split", str(merged))
            all_see(one, other)
            run("purge", "--id", str(one), "--yes")
            known -= {one}
            all_see(other)
    finally:
        terminal.press("q")
        terminal.end()
        worker_client.stop(home)
