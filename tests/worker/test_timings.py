"""A search that found nothing to show is counted all the same, once the worker looks after its house."""

from __future__ import annotations

from pathlib import Path

from tests.hook.running import event, rows, run, silent, until
from tui_memory.engine import worker_client

COUNT = "SELECT coalesce(sum(value), 0) FROM counters WHERE name LIKE 'time:search:%' AND name NOT LIKE '%:us:%'"


def test_a_prompts_search_that_shows_nothing_is_counted_once(worker: Path) -> None:
    prompt = event(hook_event_name="UserPromptSubmit", prompt="Where is the invoice made?")
    assert silent(run(worker, prompt))

    def counted() -> bool:
        worker_client.refresh(worker)
        return bool(rows(worker, COUNT) == [(1,)])

    assert until(counted)
    worker_client.refresh(worker)
    worker_client.drain(worker)
    assert rows(worker, COUNT) == [(1,)]
