"""The user's own rules on the way of an event: masked by the worker, metadata only without one, or when they hang."""

from __future__ import annotations

from pathlib import Path

from tests.hook.running import event, no_worker, rows, run, until
from tests.store.erased import found
from tui_memory.engine import worker_client

RULES = "redact:\n  extra:\n    - {kind: acme-id, pattern: 'ACME-\\d{6}'}\n    - {kind: endless, pattern: '(a+)+$'}\n"
TEXTS = "SELECT text, reason FROM observations ORDER BY id"


def prompt(home: Path, text: str) -> None:
    run(home, event("UserPromptSubmit", prompt=text))


def test_the_worker_masks_by_them_and_keeps_metadata_where_they_hang(home: Path) -> None:
    (home.parent / "config.yaml").write_text(RULES)
    worker_client.start(home, idle=60)
    prompt(home, "Look at ACME-123456")
    prompt(home, "a" * 60 + "b quokkabolt41")
    prompt(home, "Look at ACME-654321")
    kept = rows(home, TEXTS)
    assert [kept[0], kept[2]] == [("Look at [redacted:acme-id]", "")] * 2
    assert kept[1][1] == "unscanned"
    assert found(home, "ACME-123456", "ACME-654321", "quokkabolt41") == []


def test_without_a_worker_only_metadata_is_kept(home: Path) -> None:
    (home.parent / "config.yaml").write_text(RULES)
    with no_worker(home):
        prompt(home, "Look at ACME-123456")
        assert [reason for _, reason in rows(home, TEXTS)] == ["unscanned"]
        assert found(home, "ACME-123456") == []


def test_a_rule_that_is_added_holds_from_the_next_look_on(worker: Path) -> None:
    prompt(worker, "Look at ACME-123456")
    (worker.parent / "config.yaml").write_text(RULES)
    worker_client.refresh(worker)
    prompt(worker, "And at ACME-654321")
    assert rows(worker, TEXTS)[-1][0] == "And at [redacted:acme-id]"
    assert until(lambda: "ACME-123456" not in str(rows(worker, TEXTS)))
    assert until(lambda: found(worker, "ACME-123456") == [])
