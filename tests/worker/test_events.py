"""What the worker acknowledges is in the store, once, whatever happens next; and what agents get back."""

from __future__ import annotations

import json
import os
import secrets
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.hook.running import counters, event, rows, run, silent, until
from tui_memory.engine import worker_client
from tui_memory.errors import WorkerError
from tui_memory.model import Body, NewMemory
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

FOLDER = "/home/dev/orderly"


def send(home: Path, payload: dict[str, Any], delivery: str = "", agent: str = "claude-code") -> bytes:
    """One event, as the hook sends it; what is to be printed."""
    fields = (agent, delivery or secrets.token_hex(16), FOLDER, "")
    return worker_client.ask(home, "event", fields, json.dumps(payload).encode())


def test_acknowledged_is_committed(worker: Path) -> None:
    for number in range(20):
        send(worker, event(tool_use_id=f"toolu_{number}"))
        assert rows(worker, "SELECT count(*) FROM observations") == [(number + 1,)]


def test_the_same_delivery_again_is_one(worker: Path) -> None:
    delivery = secrets.token_hex(16)
    for _ in range(3):
        send(worker, event("UserPromptSubmit.missing_optional"), delivery)
    assert counters(worker) == {"captured": 3, "stored": 1, "dropped:duplicate": 2}


def test_the_senders_own_secrets_are_masked(worker: Path) -> None:
    value = "".join(("Zq", "9", "f4Kx", "72", "LmPw", "83Ty"))
    run(worker, event(tool_response={"stdout": f"it said {value}."}), env={"SERVICE_TOKEN": value})
    assert value not in rows(worker, "SELECT text FROM observations")[0][0]
    assert value.encode() not in b"".join(path.read_bytes() for path in worker.glob("memory.db*"))


@pytest.mark.flaky(reruns=1)
def test_a_worker_that_slept_and_the_hooks_own_way_make_one(worker: Path) -> None:
    pid = worker_client.status(worker)["pid"]
    with sqlite3.connect(worker / "memory.db", isolation_level=None, timeout=30) as writing:
        writing.execute("BEGIN IMMEDIATE")  # whoever writes now, it is not the worker: it goes to sleep with no lock
        os.kill(pid, signal.SIGSTOP)
        writing.execute("ROLLBACK")
    writing.close()
    assert silent(run(worker, event("UserPromptSubmit.missing_optional")))
    assert until(lambda: counters(worker).get("stored") == 1)
    os.kill(pid, signal.SIGCONT)
    assert until(lambda: counters(worker) == {"captured": 2, "stored": 1, "dropped:duplicate": 1})


def test_two_events_without_an_id_that_happened_twice_are_two(worker: Path) -> None:
    for _ in range(2):
        send(worker, event("UserPromptSubmit.missing_optional"))
    assert counters(worker)["stored"] == 2


def test_a_reader_that_leaves_takes_nothing_with_it(worker: Path) -> None:
    """The last reader to close a database removes its journal, if it believes that nobody else is there."""
    look = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT 1 FROM meta').fetchall(); c.close()"
    )
    for number in range(4):
        send(worker, event(tool_use_id=f"toolu_{number}"))
        worker_client.status(worker)
        subprocess.run([sys.executable, "-c", look, str(worker / "memory.db")], check=True)
    assert rows(worker, "SELECT count(*) FROM observations") == [(4,)]


def test_eight_sessions_at_once_lose_nothing(worker: Path) -> None:
    def session(name: int) -> None:
        for number in range(25):
            send(worker, event(session_id=f"s{name}", tool_use_id=f"toolu_{name}_{number}"))

    threads = [threading.Thread(target=session, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counters(worker) == {"captured": 200, "stored": 200}
    assert rows(worker, "SELECT count(*), count(DISTINCT session_id) FROM observations") == [(200, 8)]


def test_nothing_acknowledged_is_lost_when_it_is_killed(worker: Path) -> None:
    acknowledged: list[str] = []
    killed = threading.Event()

    def session(name: int) -> None:
        for number in range(1000):
            key = f"toolu_{name}_{number}"
            try:
                send(worker, event(session_id=f"s{name}", tool_use_id=key))
            except WorkerError:
                return
            acknowledged.append(key)
            if len(acknowledged) > 60 and not killed.is_set():
                killed.set()
                os.kill(pid, signal.SIGKILL)

    pid = worker_client.status(worker)["pid"]
    threads = [threading.Thread(target=session, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stored = {
        key.rsplit("\x1f", 1)[1] for (key,) in rows(worker, "SELECT key FROM deliveries WHERE outcome = 'stored'")
    }
    assert len(acknowledged) > 60 and set(acknowledged) <= stored
    assert counters(worker)["captured"] == counters(worker)["stored"]
    assert silent(run(worker, event(tool_use_id="toolu_after"))) and until(lambda: worker_client.running(worker))


def test_a_session_becomes_memories_and_the_next_one_is_told(worker: Path) -> None:
    recorded = Path(__file__).parent.parent / "fixtures" / "recorded" / "claude-code.hooks.jsonl"
    for line in recorded.read_text().splitlines():
        send(worker, json.loads(line))
    assert worker_client.drain(worker) == {"queue": 0}
    title = rows(worker, "SELECT title FROM memories WHERE state = 'active' ORDER BY id")[0][0]
    assert rows(worker, "SELECT count(*) FROM vectors")[0][0] > 0

    start = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "next", "cwd": FOLDER}
    said = json.loads(send(worker, start))["hookSpecificOutput"]
    assert said["hookEventName"] == "SessionStart" and title in said["additionalContext"]
    assert send(worker, start | {"source": "resume"}) == b""
    assert send(worker, start | {"source": "compact"}) != b""
    assert rows(worker, "SELECT DISTINCT phase FROM disclosures") == [("start",)]


def test_a_prompt_is_answered_with_what_it_calls_up(worker: Path) -> None:
    notes = ["Money is Decimal everywhere", "CI runs on Python 3.12", "Webhooks are signed", "The staging host is slow"]
    with Store(worker) as store:
        Changes(store).add([NewMemory(Body(title, text=f"{title}.")) for title in notes])
    worker_client.drain(worker)
    prompt = {"hook_event_name": "UserPromptSubmit", "cwd": FOLDER}
    asked = prompt | {"prompt": "Should money be a Decimal or a float?"}
    assert until(lambda: b"Money is Decimal" in send(worker, asked | {"session_id": secrets.token_hex(4)}))
    once = [send(worker, asked | {"session_id": "one"}) for _ in range(2)]
    assert once[0] and not once[1]  # a session is told once
    assert send(worker, prompt | {"session_id": "two", "prompt": "zzz qqq"}) == b""


def test_copilots_prompt_is_rewritten_with_what_it_calls_up_and_only_once(worker: Path) -> None:
    notes = ["Money is Decimal everywhere", "CI runs on Python 3.12", "Webhooks are signed", "The staging host is slow"]
    with Store(worker) as store:
        Changes(store).add([NewMemory(Body(title, text=f"{title}.")) for title in notes])
    worker_client.drain(worker)
    question = "Should money be a Decimal or a float?"
    warm = {"hook_event_name": "UserPromptSubmit", "cwd": FOLDER, "prompt": question}
    assert until(lambda: b"Money is Decimal" in send(worker, warm | {"session_id": secrets.token_hex(4)}))
    before = counters(worker)["captured"]
    asked = {"sessionId": "c1", "cwd": FOLDER, "prompt": question, "timestamp": 1}
    whole = asked | {"transformedPrompt": f"<now/>\n\n{asked['prompt']}", "timestamp": 2}
    assert send(worker, asked, agent="copilot:userPromptSubmitted") == b""
    told = json.loads(send(worker, whole, agent="copilot:userPromptTransformed"))["modifiedTransformedPrompt"]
    assert told.startswith(whole["transformedPrompt"]) and "Money is Decimal" in told
    assert send(worker, whole, agent="copilot:userPromptTransformed") == b""  # through another configuration
    assert rows(worker, "SELECT kind FROM observations WHERE agent = 'copilot'") == [("prompt",)]
    dropped = {"dropped:ignored": 1, "dropped:duplicate": 1}
    assert counters(worker) == {"captured": before + 3, "stored": before + 1} | dropped


def test_a_prompt_that_was_not_kept_calls_up_nothing(worker: Path) -> None:
    whole = {"sessionId": "c2", "cwd": FOLDER, "prompt": "Should money be a Decimal?", "transformedPrompt": "x"}
    assert send(worker, whole | {"timestamp": 3}, agent="copilot:userPromptTransformed") == b""


def test_nothing_is_said_on_other_events(worker: Path) -> None:
    for name in ("Stop", "SessionEnd.other", "PostToolUse.Bash", "PreToolUse.Bash", "PreCompact.auto"):
        assert send(worker, event(name)) == b""


@pytest.mark.flaky(reruns=1)  # a model that takes half a minute to load says nothing about what is tested here
def test_what_another_process_adds_is_embedded_without_being_told(worker: Path) -> None:
    assert until(lambda: worker_client.status(worker)["model"], 30)
    with Store(worker) as store:
        Changes(store).add([NewMemory(Body("Money is Decimal", text="Never float."))])
    assert until(lambda: rows(worker, "SELECT count(*) FROM vectors")[0][0] == 1)


def test_a_store_that_cannot_be_written_is_an_answer_and_not_an_end(worker: Path) -> None:
    holder = sqlite3.connect(worker / "memory.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    assert silent(run(worker, event(), wait=False))
    holder.execute("ROLLBACK")
    holder.close()
    assert until(lambda: counters(worker).get("stored") == 1)
    assert worker_client.status(worker)["running"]


def test_wrong_settings_keep_only_metadata_until_they_are_right(home: Path) -> None:
    config = home.parent / "config.yaml"
    config.write_text("captrue: {}\n")
    worker_client.start(home)
    send(home, event())
    assert rows(home, "SELECT reason FROM observations") == [("unscanned",)]
    config.write_text("capture:\n  max_body: 500\n")
    worker_client.refresh(home)
    send(home, event(tool_use_id="toolu_next"))
    assert rows(home, "SELECT reason FROM observations ORDER BY id DESC LIMIT 1") == [("",)]
