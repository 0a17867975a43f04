"""What came of a turn, read from its events."""

from __future__ import annotations

from tests.compress.make import broke, commit, edited, prompt, ran, said, turn
from tui_memory.compress import outcome, scene


def test_a_failure_that_was_mended() -> None:
    came = outcome.read(
        turn(
            broke("uv run pytest -q tests/pay", "E  KeyError: 'id'\n1 failed", "KeyError: 'id'"),
            edited("src/pay.py", "x", "y"),
            ran("uv run pytest -q tests/pay", "....\n4 passed in 0.1s"),
        )
    )
    assert came.recovered
    assert not came.disproved
    assert came.sentences() == [
        "uv run pytest -q tests/pay failed: KeyError: 'id'.",
        "uv run pytest -q tests/pay then passed (4 passed).",
    ]


def test_an_edit_taken_back_by_git_disproves_the_attempt() -> None:
    came = outcome.read(turn(edited("deploy/a.yaml", "60", "300"), ran("git checkout -- deploy/a.yaml")))
    assert came.undone == ["deploy/a.yaml"]
    assert came.edited == []
    assert came.disproved


def test_everything_taken_back_at_once() -> None:
    came = outcome.read(turn(edited("a.py", "", "x"), edited("b.py", "", "x"), ran("git reset --hard HEAD")))
    assert came.undone == ["a.py", "b.py"]


def test_a_written_script_that_is_removed_again_is_undone() -> None:
    came = outcome.read(turn(edited("scripts/try.py", "", "x = 1"), ran("rm scripts/try.py")))
    assert came.undone == ["scripts/try.py"]


def test_a_commit_makes_an_attempt_stand() -> None:
    came = outcome.read(
        turn(edited("a.py", "", "x"), ran("git checkout -- a.py"), commit("fix: use the other way", "b.py"))
    )
    assert not came.disproved


def test_a_commit_seen_by_hook_and_by_command_counts_once_as_the_hooks() -> None:
    hook = commit("fix(ws): keep the new socket\n\nThe old one closes later.", "src/hub.py")
    line = 'git add -A && git commit -m "fix(ws): keep the new socket" -m "The old one closes later."'
    came = outcome.read(turn(ran(line, "[main 1a2b3c4] fix(ws): keep the new socket"), hook))
    assert [found.source for found in came.commits] == [hook.id]


def test_a_commit_in_a_command_is_read_with_its_body() -> None:
    heredoc = "git commit -m \"$(cat <<'EOF'\nfeat: one\n\nBecause of two.\nEOF\n)\""
    came = outcome.read(turn(ran(heredoc, "[main 1a2b3c4] feat: one")))
    assert [(found.message.subject, found.message.body, found.sha) for found in came.commits] == [
        ("one", "Because of two.", "1a2b3c4")
    ]


def test_a_commit_that_failed_is_none() -> None:
    assert outcome.read(turn(broke('git commit -m "feat: one"', "nothing to commit"))).commits == []


def test_the_agents_no_to_a_guess_disproves_it() -> None:
    seen = scene.lay_out(
        turn(prompt("Maybe it's xdist?"), said("Parallel workers are not the reason: it also fails with -n0."))
    )
    assert seen.outcome.disproved


def test_a_no_without_a_guess_disproves_nothing() -> None:
    seen = scene.lay_out(turn(prompt("Add a limit to the list."), said("The list is not longer than 200 rows now.")))
    assert not seen.outcome.disproved
