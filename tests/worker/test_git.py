"""A git hook's event through a real worker: the hook names the commit, the worker reads it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.hook.running import counters, rows, run, until
from tests.repositories import Repository


def test_a_commit_is_read_by_the_worker_and_acknowledged(worker: Path, tmp_path: Path) -> None:
    repository = Repository.make(tmp_path / "orderly")
    message = "Retry webhooks three times\n\nThe bank drops every tenth call."
    sha = repository.commit(message, {"hooks.py": "TRIES = 3\n"})
    told = {"sha": sha, "branch": "main", "cwd": str(repository.folder), "argv": [], "rewritten": []}
    run(worker, told, "--event", "post-commit", agent="git")
    assert until(lambda: bool(rows(worker, "SELECT 1 FROM observations")))
    ((text, detail),) = rows(worker, "SELECT text, detail FROM observations")
    assert "Retry webhooks three times" in text and "+TRIES = 3" in text
    assert json.loads(detail)["sha"] == sha
    assert until(lambda: rows(worker, "SELECT count(*) FROM memories") == [(1,)])


def test_a_rebase_is_several_events_and_each_is_counted(worker: Path, tmp_path: Path) -> None:
    repository = Repository.make(tmp_path / "orderly")
    onto, melted, by_hand = (repository.commit(f"Step {number}") for number in range(3))
    pairs = [f"{'a' * 40} {melted}", f"{'b' * 40} {melted}"]
    told = {"sha": by_hand, "onto": onto, "cwd": str(repository.folder), "argv": ["rebase"], "rewritten": pairs}
    run(worker, told, "--event", "post-rewrite", agent="git")
    assert until(lambda: counters(worker).get("captured") == 2)
    assert rows(worker, "SELECT detail ->> 'sha' FROM observations ORDER BY id") == [(melted,), (by_hand,)]
    assert counters(worker)["stored"] == 2
