"""A repository's history as memories: each commit once, whatever happens in between."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.repositories import Repository
from tui_memory import Memory
from tui_memory.engine.history import BATCH, HistoryProgress
from tui_memory.engine.importing import Importing
from tui_memory.errors import NotFoundError, RefusedError, UsageError
from tui_memory.model import EVERYTHING, Filters

ROOT = Path(__file__).parents[2]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.make(tmp_path / "orderly")
    made.commit("Keep money in cents\n\nFloats lost a cent in every hundredth order.", {"money.py": "CENT = 1\n"})
    made.commit("Retry webhooks three times\n\nThe bank drops every tenth call load.", {"hooks.py": "TRIES = 3\n"})
    return made


def titles(memory: Memory, state: str = "active") -> list[str]:
    return [one.title for one in memory.memories(EVERYTHING, state=state)]


def test_every_commit_is_an_observation_in_its_project_at_its_time(memory: Memory, repository: Repository) -> None:
    report = memory.index_git(repository.folder)
    assert (report.project, report.found, report.stored, report.memories) == ("orderly", 2, 2, 2)
    second, first = memory.observations(Filters(project="orderly"))
    assert (first.detail["subject"], second.detail["subject"]) == ("Keep money in cents", "Retry webhooks three times")
    made = int(repository.git("log", "-1", "--format=%ct"))
    assert second.time == made * 1000 and second.branch == "main" and second.files == ["hooks.py"]
    assert any("money in cents" in title for title in titles(memory))


def test_a_second_run_takes_only_what_is_new(memory: Memory, repository: Repository) -> None:
    memory.index_git(repository.folder)
    again = memory.index_git(repository.folder)
    assert (again.known, again.stored, again.memories) == (2, 0, 0)
    repository.commit("Drop the cache\n\nIt held prices of yesterday for a day.")
    assert (memory.index_git(repository.folder / ".").stored, len(titles(memory))) == (1, 3)


def test_a_commit_that_is_only_named_is_read(memory: Memory, repository: Repository) -> None:
    memory.capture("git", {"hook": "post-commit", "sha": repository.head, "cwd": str(repository.folder)})
    assert "+TRIES = 3" in memory.observations()[0].text


def test_what_a_hook_told_is_known(memory: Memory, repository: Repository) -> None:
    payload = {"hook": "post-commit", "sha": repository.head, "message": "Retry", "cwd": str(repository.folder)}
    assert memory.capture("git", payload) is not None
    report = memory.index_git(repository.folder)
    assert (report.known, report.stored) == (1, 1)


def test_it_stops_when_told_and_goes_on_later(memory: Memory, repository: Repository) -> None:
    for number in range(BATCH):
        repository.git("commit", "--quiet", "--allow-empty", "-m", f"Step {number} of the long way to the new store")
    seen: list[HistoryProgress] = []
    report = memory.index_git(repository.folder, on_progress=seen.append, cancelled=lambda: len(seen) > 30)
    assert report.cancelled and 0 < report.stored < report.found == BATCH + 2
    assert seen[-1].done <= seen[-1].of and [one.done for one in seen] == sorted(one.done for one in seen)
    rest = memory.index_git(repository.folder)
    assert rest.known == report.stored and rest.stored == BATCH + 2 - report.stored and not rest.cancelled
    assert memory.stats()["queue"].get("waiting", 0) == 0


def test_limit_takes_the_newest_and_since_the_later(memory: Memory, repository: Repository) -> None:
    assert memory.index_git(repository.folder, limit=1).stored == 1
    assert memory.observations()[0].detail["subject"] == "Retry webhooks three times"
    assert memory.index_git(repository.folder, since=4_000_000_000_000).found == 0


def test_a_revert_replaces_what_it_takes_back(memory: Memory, repository: Repository) -> None:
    repository.git("revert", "--no-edit", "HEAD")
    memory.index_git(repository.folder)
    assert any("Retry webhooks" in title for title in titles(memory, "superseded"))
    assert len(titles(memory)) == 2


def test_bots_are_kept_and_make_no_memory(memory: Memory, repository: Repository) -> None:
    repository.commit("Bump a to 2", {"a.lock": "2"}, author="renovate[bot] <r@example.com>")
    report = memory.index_git(repository.folder)
    newest = memory.observations()[0]
    assert (report.stored, report.memories) == (3, 2)
    assert (newest.state, newest.reason) == ("skipped", "a bot's commit")


def test_the_diff_is_redacted(memory: Memory, repository: Repository) -> None:
    token = "ghp_" + "a1B2" * 9
    repository.commit("Add a client for the shop", {"client.py": f'TOKEN = "{token}"\n'})
    memory.index_git(repository.folder)
    text = memory.observations()[0].text
    assert token not in text and "client.py +1" in text


def test_a_history_does_not_join_the_session_at_work(memory: Memory, repository: Repository) -> None:
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Do it"}
    prompt["cwd"] = str(repository.folder)
    memory.capture("claude-code", prompt)
    memory.index_git(repository.folder)
    assert {row.agent: row.observations for row in memory.sessions()} == {"claude-code": 1, "git": 1}


def test_an_empty_repository_has_no_history(memory: Memory, tmp_path: Path) -> None:
    report = memory.index_git(Repository.make(tmp_path / "empty").folder)
    assert (report.found, report.failed) == (0, [])


def test_a_shallow_clone_is_walked_as_far_as_it_goes(memory: Memory, repository: Repository, tmp_path: Path) -> None:
    repository.git("clone", "--quiet", "--depth", "1", f"file://{repository.folder}", str(tmp_path / "shallow"))
    assert memory.index_git(tmp_path / "shallow").stored == 1


def test_what_is_no_repository_is_refused(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(UsageError, match="no git repository"):
        memory.index_git(tmp_path / "plain")
    with pytest.raises(NotFoundError, match="no folder"):
        memory.index_git(tmp_path / "gone")


def test_a_pause_holds_it_off(memory: Memory, repository: Repository) -> None:
    from tui_memory.store import pauses

    pauses.put(memory.store, 4_000_000_000_000)
    with pytest.raises(RefusedError, match="paused"):
        memory.index_git(repository.folder)


def test_an_amended_commit_takes_the_place_of_its_old_self(memory: Memory, repository: Repository) -> None:
    memory.index_git(repository.folder)
    repository.git("commit", "--quiet", "--amend", "-m", "Retry webhooks five times\n\nThree were not enough.")
    report = memory.index_git(repository.folder)
    assert (report.known, report.stored) == (1, 1)
    assert len(titles(memory)) == 2 and not any("three times" in title for title in titles(memory))


def test_a_cherry_pick_leaves_the_first_one_alone(memory: Memory, repository: Repository) -> None:
    memory.index_git(repository.folder)
    repository.git("switch", "--quiet", "-c", "release", "HEAD~1")
    repository.commit("Release notes of the autumn are written down here", {"notes.md": "n"})
    repository.git("cherry-pick", "main")
    memory.index_git(repository.folder)
    assert not any("replaced_by" in one.detail for one in memory.observations())


def test_what_a_killed_walk_held_is_compressed_by_the_next_one_and_a_running_ones_is_left_alone(
    memory: Memory, repository: Repository, tmp_path: Path
) -> None:
    script = (
        "import os, sys\n"
        "from tui_memory import Memory\n"
        "from tui_memory.engine import held\n"
        "def stop(*_, **__):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
        "    os._exit(9)\n"
        "held.compress_held = stop\n"
        "with Memory(sys.argv[1], embedding='none') as memory:\n"
        "    memory.index_git(sys.argv[2])\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(memory.home), str(repository.folder)], stdin=PIPE, stdout=PIPE, cwd=ROOT
    ) as walk:
        assert walk.stdout is not None and walk.stdout.readline() == b"held\n"
        assert memory.index_git(repository.folder).memories == 0  # they are another's, who is at work on them
        assert Importing(memory).transcripts([tmp_path / "store"]).memories == 0
        walk.communicate(b"")
    assert walk.returncode == 9
    again = memory.index_git(repository.folder)
    assert (again.known, again.memories) == (2, 2) and memory.stats()["queue"] == {"done": 2}
