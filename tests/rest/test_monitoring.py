"""What a monitoring system reads: Prometheus' own conventions, the store's own counts, and doctor's own verdicts."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from tests.cli.shell import Shell
from tui_memory.clock import now_ms
from tui_memory.engine import reaching
from tui_memory.engine.memory import Memory
from tui_memory.store import marks, timings

DOCS = Path(__file__).parents[2] / "docs"
UNITS = ("_seconds", "_bytes", "_tokens", "_info", "_total")
COUNTS = {"refused_events", "queue_turns", "observations", "memories", "memories_limit", "sessions", "projects",
          "worker_up", "worker_model_loaded", "check_ok"}  # fmt: skip
"""Gauges of things, which have no unit but themselves."""
EVER = dict.fromkeys(("backup_done", "backup_failed", "backup_bytes", "sync_done", "sync_failed",
                      "hub_pushed", "hub_pulled", "hub_failed"), 1)  # fmt: skip
"""Marks of a store that was backed up, synced and shared, and where each of it failed once."""


def scraped(client: TestClient) -> dict[str, Metric]:
    """The families by name, read with Prometheus' own parser for Python."""
    answer = client.get("/metrics")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {family.name: family for family in text_string_to_metric_families(answer.text)}


def values(family: Metric, ending: str = "") -> dict[tuple[str, ...], float]:
    """A family's samples by their labels' values."""
    return {tuple(s.labels.values()): s.value for s in family.samples if s.name == family.name + ending}


def event(client: TestClient, agent: str = "claude-code", **more: Any) -> None:
    """One prompt of an agent."""
    body = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "hello", "cwd": "/x"} | more
    assert client.post(f"/v1/events/{agent}", json=body).status_code == 200


def test_names_end_in_their_unit_and_every_family_says_what_it_is(client: TestClient, memory: Memory) -> None:
    marks.put(memory.store, EVER)
    event(client)
    for name, family in scraped(client).items():
        said = name.removeprefix("tui_memory_")
        total = "_total" if family.type == "counter" else ""
        assert name.startswith("tui_memory_") and family.documentation, name
        assert (said + total).endswith(UNITS) or said in COUNTS, name
        assert family.type in ("counter", "gauge", "histogram"), name


def test_histograms_hold_each_event_search_and_turn_once(client: TestClient, memory: Memory) -> None:
    for n in range(3):
        event(client, prompt=f"hello {n}")
    memory.add(title="Money is Decimal")
    client.post("/v1/search", json={"query": "Decimal"})
    client.post("/v1/search", json={"query": "money"})
    client.post("/v1/events/claude-code", json={"hook_event_name": "Stop", "session_id": "s1", "cwd": "/x"})
    turns = memory.compress().turns
    found = scraped(client)
    assert values(found["tui_memory_hook_seconds"], "_count") == {("claude-code",): 4}
    assert values(found["tui_memory_search_seconds"], "_count") == {(): 2}
    assert turns and values(found["tui_memory_compress_seconds"], "_count") == {("extractive",): turns}
    for name in ("hook", "search", "compress"):
        family = found[f"tui_memory_{name}_seconds"]
        buckets = [s.value for s in family.samples if s.name.endswith("_bucket")]
        assert buckets == sorted(buckets) and sum(values(family, "_sum").values()) > 0
    again = scraped(client)
    assert values(again["tui_memory_search_seconds"], "_count") == {(): 2}, "what was written is not counted twice"


@pytest.mark.parametrize(
    ("seconds", "bound"), [(0.0, 0.001), (0.001, 0.001), (0.0011, 0.0025), (1.0, 1.0), (7.0, float("inf"))]
)
def test_a_duration_is_under_the_first_bound_that_it_does_not_exceed(seconds: float, bound: float) -> None:
    (durations,) = timings.read(timings.counted(timings.HOOK, "a:b", seconds))[timings.HOOK].values()
    assert durations.counts == {bound: 1} and durations.seconds == pytest.approx(seconds)


def test_an_agent_that_nobody_knows_is_only_another_one(client: TestClient, memory: Memory) -> None:
    from tui_memory.store import ingest

    stranger = ingest.Delivery("d" * 32, 'evil"} 1\nx', 5)
    ingest.receive(memory.store.connection, stranger, {}, None, b"k" * 32)
    assert "evil" not in client.get("/metrics").text
    assert values(scraped(client)["tui_memory_hook_seconds"], "_count") == {("other",): 1}


def test_texts_in_labels_are_escaped(client: TestClient, memory: Memory) -> None:
    with memory.store.transaction() as connection:
        connection.execute("INSERT INTO counters VALUES (?, 1)", ('dropped:a"b\\c\nd',))
    assert values(scraped(client)["tui_memory_dropped_events"], "_total") == {('a"b\\c\nd',): 1}


def test_a_back_up_has_an_age_once_there_was_one(client: TestClient, memory: Memory, tmp_path: Path) -> None:
    assert not [name for name in scraped(client) if "backup" in name]
    made = memory.backing_up.make(str(tmp_path / "disk"))
    found = scraped(client)
    assert values(found["tui_memory_backup_last_success_timestamp_seconds"]) == {(): made.manifest.made / 1000}
    assert values(found["tui_memory_backup_last_bytes"]) == {(): made.manifest.packed.bytes}


def paused(memory: Memory) -> None:
    """Capture is paused."""
    memory.pause()


def failed(memory: Memory) -> None:
    """The last back-up failed."""
    marks.put(memory.store, {"backup_done": 5, "backup_failed": 6})


def test_a_mistyped_address_is_no_trouble_after_a_good_back_up(memory: Memory) -> None:
    now = now_ms()
    marks.put(memory.store, {"backup_done": now - 2_000, "backup_failed": now})
    found = reaching.backup(memory.store)
    assert found.ok and "failed" in found.what
    marks.put(memory.store, {"backup_done": now - 25 * 3_600_000, "backup_failed": now})
    assert not reaching.backup(memory.store).ok


def grown_log(memory: Memory) -> None:
    """Nobody has folded the log for long: a file as large, without a byte of it on the disk."""
    memory.close()
    with open(memory.home / "memory.db-wal", "ab") as file:
        file.truncate(80 << 20)


@pytest.mark.parametrize(("breaks", "check"), [(paused, "capture"), (failed, "backup"), (grown_log, "log")])
def test_healthz_metrics_and_doctor_mean_the_same(
    client: TestClient, memory: Memory, shell: Shell, monkeypatch: pytest.MonkeyPatch,
    breaks: Callable[[Memory], None], check: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("TUI_MEMORY_HOME", str(memory.home))
    well = client.get("/healthz")
    assert well.status_code == 200 and well.json()["ok"] is True
    breaks(memory)
    answer = client.get("/healthz")
    assert answer.status_code == 503 and answer.json()["ok"] is False
    here = {one["id"]: one for one in answer.json()["checks"]}
    doctor = {one["id"]: one for one in memory.doctor()["checks"]}
    assert [name for name, one in here.items() if not one["ok"]] == [check] and here[check]["fix"]
    assert {name: one["ok"] for name, one in here.items()} == {name: doctor[name]["ok"] for name in here}
    assert set(doctor) - set(here) == {"store", "agents", "refused"}
    told = values(scraped(client)["tui_memory_check_ok"])
    assert told == {(name,): float(one["ok"]) for name, one in here.items()}


def test_a_store_that_cannot_be_read_is_not_well(client: TestClient, memory: Memory) -> None:
    assert client.get("/healthz").status_code == 200
    memory.close()
    (memory.home / "memory.db").write_bytes(b"no database" * 1000)
    for ending in ("-wal", "-shm"):
        (memory.home / f"memory.db{ending}").unlink(missing_ok=True)
    assert client.get("/healthz").status_code >= 500 and client.get("/metrics").status_code >= 500


@pytest.fixture
def shell() -> Shell:
    """The command line."""
    return Shell()


def rules() -> Iterator[dict[str, Any]]:
    """The example alerts."""
    for group in yaml.safe_load((DOCS / "alerts.yml").read_text())["groups"]:
        assert set(group) == {"name", "rules"}
        yield from group["rules"]


def test_every_alert_is_a_query_of_metrics_that_there_are(client: TestClient, memory: Memory) -> None:
    marks.put(memory.store, EVER)
    event(client)
    there = {sample.name for family in scraped(client).values() for sample in family.samples}
    found = list(rules())
    assert len({rule["alert"] for rule in found}) == len(found) >= 8
    for rule in found:
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in ("info", "warning", "critical")
        assert set(rule["annotations"]) == {"summary", "description"}
        assert re.fullmatch(r"(\d+[smhd])?", rule.get("for", ""))
        promql_parser.parse(rule["expr"])
        named = set(re.findall(r"tui_memory_\w+", rule["expr"]))
        named |= set(re.findall(r"tui_memory_\w+", rule["annotations"]["summary"]))
        assert named and named <= there | {"tui_memory_dropped_events_total"}, rule["alert"]


def test_every_metric_is_in_the_document(client: TestClient, memory: Memory) -> None:
    marks.put(memory.store, EVER)
    text = (DOCS / "MONITORING.md").read_text()
    said = set(re.findall(r"`(tui_memory_\w+)`", text))
    there = {name + ("_total" if family.type == "counter" else "") for name, family in scraped(client).items()}
    assert said == there


@pytest.mark.skipif(
    not shutil.which("promtool"), reason="promtool is not installed: it runs alerts against made-up series"
)
def test_alerts_fire_when_they_should_by_prometheus_own_tool(tmp_path: Path) -> None:
    cases = Path(__file__).with_name("alerts_test.yml").read_text()
    (tmp_path / "cases.yml").write_text(cases.replace("[ALERTS]", f"[{DOCS / 'alerts.yml'}]"))
    for words in (["check", "rules", str(DOCS / "alerts.yml")], ["test", "rules", str(tmp_path / "cases.yml")]):
        done = subprocess.run(["promtool", *words], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
