"""The entry point, run as the image's file says, on a root file system that nobody can write to; without an engine."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.durability.test_disks import NAMESPACE, can_mount
from tests.hook.running import ROOT, counters, event, run, silent, until
from tui_memory.engine import worker_client
from tui_memory.engine.memory import Memory

IMAGE = (ROOT / "Containerfile").read_text()
ENTRY = [sys.executable, *json.loads(re.findall(r"^ENTRYPOINT (.*)$", IMAGE, re.MULTILINE)[0])[1:]]

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The volume."""
    (tmp_path / "store").mkdir()
    return tmp_path / "store"


@pytest.fixture
def start(home: Path, tmp_path: Path) -> Iterator[Start]:
    """Start the entry point where only the volume and a scratch folder can be written; whatever runs is ended."""
    begun: list[subprocess.Popen[str]] = []
    scratch = tmp_path / "scratch"
    scratch.mkdir()

    def starting(*words: str, volume: str = "rw") -> subprocess.Popen[str]:
        binds = [f"mount --bind {shlex.quote(str(place))} {shlex.quote(str(place))}" for place in (home, scratch)]
        locked = [f"mount -o remount,bind,{volume} {shlex.quote(str(home))}", "mount -o remount,bind,ro /"]
        inside = f"{' && '.join(binds + locked)} && ! touch /made 2>/dev/null && exec {shlex.join([*ENTRY, *words])}"
        environment = {**os.environ, "HOME": str(scratch), "TMPDIR": str(scratch), "TUI_MEMORY_HOME": str(home),
                       "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)}  # fmt: skip
        process = subprocess.Popen(
            [*NAMESPACE, "sh", "-c", inside], cwd=scratch, env=environment, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        begun.append(process)
        return process

    yield starting
    for process in begun:
        if process.poll() is None:
            process.kill()
        process.communicate()


pytestmark = pytest.mark.skipif(not can_mount(), reason="no mount namespaces for this user")


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """What a process leaves behind."""
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_it_serves_answers_its_health_check_takes_events_and_leaves_when_told(home: Path, start: Start) -> None:
    code, _, err = ended(start("health"))
    assert code == 1 and "does not answer" in err
    worker = start()
    assert until(lambda: worker_client.running(home))
    code, out, _ = ended(start("health"))
    assert code == 0 and "answers" in out
    assert silent(run(home, event(tool_use_id="toolu_1")))
    assert until(lambda: counters(home).get("stored") == 1)
    worker.send_signal(signal.SIGTERM)
    code, _, err = ended(worker)
    assert code == 0 and f"serves the store at {home}" in err
    assert not worker_client.running(home) and not (home / "worker.json").exists()


def test_words_are_commands_on_the_same_store(home: Path, start: Start) -> None:
    with Memory(home, embedding="none") as memory:
        memory.add(title="Money is Decimal")
    code, out, err = ended(start("list", "--all-projects", "--json"))
    assert code == 0 and json.loads(out)["memories"][0]["title"] == "Money is Decimal", err
    assert ended(start("no-such-command"))[0] == 2


def test_a_volume_that_cannot_be_written_is_told(home: Path, start: Start) -> None:
    code, out, err = ended(start(volume="ro"))
    assert code == 5 and out == "" and str(home) in err and "Traceback" not in err


def test_a_second_worker_on_one_store_leaves_and_says_so(home: Path, start: Start) -> None:
    first = start()
    assert until(lambda: worker_client.running(home))
    code, _, err = ended(start())
    assert code == 5 and "Another worker" in err
    assert first.poll() is None and worker_client.running(home)


def test_a_store_of_a_newer_version_is_told(home: Path, start: Start) -> None:
    with Memory(home, embedding="none") as memory:
        memory.store.connection.execute("PRAGMA user_version = 99")
    code, _, err = ended(start())
    assert code == 5 and "newer version" in err
