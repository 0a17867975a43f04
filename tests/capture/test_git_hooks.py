"""What git's hooks tell, completed from real repositories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.repositories import Repository
from tui_memory import capture
from tui_memory.capture import git_events, git_messages, git_paths, git_run
from tui_memory.model import Draft, Kind


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.make(tmp_path / "orderly")


def told(repository: Repository, event: str = "post-commit", **fields: Any) -> list[dict[str, Any]]:
    """The events that a hook's words become."""
    payload = {"hook_event_name": event, "sha": repository.head, "branch": "main"} | fields
    found = git_events.expand(payload, str(repository.folder), lambda path: path.endswith(".env"))
    return [event for event in found if isinstance(event, dict)]


def draft(repository: Repository, **fields: Any) -> Draft:
    (event,) = told(repository, **fields)
    made = capture.normalise("git", event, 7, cwd=str(repository.folder))
    assert made is not None
    return made


def test_a_commit_is_read_with_files_and_hunks(repository: Repository) -> None:
    repository.commit("Begin", {"src/a.py": "def f():\n    return 1\n"})
    sha = repository.commit("Return two\n\nOne was wrong.\n\nRefs: #7", {"src/a.py": "def f():\n    return 2\n"})
    made = draft(repository)
    assert (made.kind, made.key, made.branch, made.time) == (Kind.COMMIT, sha, "main", 7)
    assert made.text.startswith(f"commit {sha[:12]}\nReturn two\n\nOne was wrong.")
    assert "src/a.py +1 −1" in made.text and "-    return 1\n+    return 2" in made.text
    assert made.detail["hunks"] == [["src/a.py", "Python", 1, ""]] and made.detail["languages"] == {"Python": 2}
    assert made.detail["trailers"] == {"Refs": ["#7"]} and made.detail["subject"] == "Return two"


def test_the_first_commit_renames_and_odd_names_are_read(repository: Repository) -> None:
    repository.commit("Begin", {"old name.py": "x = 1\n" * 20, 'quo"te.txt': "a\n", "ä.md": "b\n"})
    assert sorted(draft(repository).files) == ["old name.py", 'quo"te.txt', "ä.md"]
    repository.git("mv", "old name.py", "new name.py")
    repository.commit("Rename", {"new name.py": "x = 1\n" * 20 + "y = 2\n"})
    made = draft(repository)
    assert made.files == ["new name.py"] and "+y = 2" in made.text


def test_generated_and_vendored_files_are_counted_only(repository: Repository) -> None:
    repository.commit("Add", {"package-lock.json": "secret lock\n" * 50, "dist/app.min.js": "x", "a.js": "let a = 1\n"})
    made = draft(repository)
    assert made.files == ["a.js"] and "package-lock.json +50 −0" in made.text
    assert "secret lock" not in made.text and "+let a = 1" in made.text


def test_ignored_files_are_not_even_named(repository: Repository) -> None:
    repository.commit("Add", {"prod.env": "A=1\n", "a.py": "b = 2\n"})
    made = draft(repository)
    assert made.files == ["a.py"] and "prod.env" not in made.text and "A=1" not in made.text


def test_a_huge_commit_is_bounded(repository: Repository) -> None:
    files = {f"m{n}.py": f"value = {n}\n" * 200 for n in range(120)}
    repository.commit("Add all", files | {"long.py": "z" * 3_000_000})
    made = draft(repository)
    assert len(made.text) < 16_000 and "files more +" in made.text and "lines more" in made.text
    assert made.detail["added"] == 120 * 200 + 1


def test_a_bots_commit_keeps_its_subject(repository: Repository) -> None:
    bot = "dependabot[bot] <1+dependabot[bot]@example.com>"
    repository.commit("Bump left-pad\n\nRelease notes …", {"a.py": "x = 1\n"}, author=bot)
    made = draft(repository)
    assert made.light and made.detail["bot"] and "Release notes" not in made.text and "x = 1" not in made.text


def test_a_real_merge_is_kept_and_a_fast_forward_is_not(repository: Repository) -> None:
    repository.commit("Begin")
    repository.git("switch", "--quiet", "-c", "side")
    repository.commit("Side", {"side.py": "s = 1\n"})
    assert capture.normalise("git", told(repository, "post-merge", argv=["0"])[0], 7) is None
    repository.git("switch", "--quiet", "main")
    repository.commit("Main", {"main.py": "m = 1\n"})
    repository.git("merge", "--quiet", "--no-ff", "-m", "Merge pull request #4 from x/side\n\nSide work", "side")
    made = draft(repository, event="post-merge", argv=["0"])
    assert made.kind == Kind.MERGE and made.detail["pull_request"] == {"number": "#4", "title": "Side work"}
    assert "side.py +1 −0" in made.text and "+s = 1" not in made.text


def test_an_amend_says_what_it_replaces(repository: Repository) -> None:
    old = repository.commit("Fix")
    repository.git("commit", "--quiet", "--amend", "-m", "Fix it all")
    made = draft(repository, event="post-rewrite", argv=["amend"], rewritten=[f"{old} {repository.head}"])
    assert made.detail["amends"] == [old] and made.key == repository.head


def test_a_rebase_moves_names_melts_squashes_and_finds_what_was_made_by_hand(repository: Repository) -> None:
    onto = repository.commit("Begin")
    melted, by_hand = repository.commit("Both"), repository.commit("Made in a break")
    events = told(
        repository, "post-rewrite", argv=["rebase"], onto=onto,
        rewritten=["a" * 40 + " " + "b" * 40, "c" * 40 + " " + melted, "d" * 40 + " " + melted],
    )  # fmt: skip
    assert events[0]["moved"] == [["a" * 40, "b" * 40]]
    assert [(one["sha"], one.get("amends")) for one in events[1:]] == [
        (melted, ["c" * 40, "d" * 40]),
        (by_hand, None),
    ]
    moved = capture.normalise("git", events[0], 7)
    assert moved and moved.kind == Kind.LIFECYCLE and "1 commit has a new name" in moved.text


@pytest.mark.parametrize(
    ("argv", "text"),
    [(["a" * 40, "b" * 40, "1"], "Switched to main"), (["0" * 40, "b" * 40, "1"], None), (["a" * 40, "b", "0"], None)],
)
def test_a_switch_is_a_word_beside_and_a_fresh_tree_none(
    repository: Repository, argv: list[str], text: str | None
) -> None:
    repository.commit("Begin")
    made = capture.normalise("git", told(repository, "post-checkout", argv=argv)[0], 7)
    assert (made and made.text) == text


@pytest.mark.parametrize("sha", ["", "--output=x", "f" * 40, "HEAD"])
def test_a_name_that_is_no_commit_gives_nothing(repository: Repository, sha: str) -> None:
    repository.commit("Begin")
    assert capture.normalise("git", told(repository, sha=sha)[0], 7) is None
    assert not (repository.folder / "x").exists()


def test_what_cannot_be_read_stays_as_it_came(tmp_path: Path) -> None:
    assert git_events.expand(b"{", str(tmp_path), lambda _: False) == [b"{"]
    assert git_events.expand(b"[]", str(tmp_path), lambda _: False) == [b"[]"]
    payload = {"hook_event_name": "post-commit", "sha": "a" * 40}
    assert git_events.expand(payload, str(tmp_path / "gone"), lambda _: False) == [payload]


def test_nothing_of_the_repository_is_run(repository: Repository, tmp_path: Path) -> None:
    trap, proof = tmp_path / "trap", tmp_path / "proof"
    trap.write_text(f"#!/bin/sh\ntouch {proof}\ncat\n")
    trap.chmod(0o755)
    repository.commit("Begin", {".gitattributes": "* diff=trap filter=trap\n", "a.py": "a = 1\n"})
    for name in ("core.fsmonitor", "diff.external", "diff.trap.textconv", "diff.trap.command", "gpg.program"):
        repository.git("config", name, str(trap))
    repository.git("config", "log.showSignature", "true")
    assert "+a = 1" in draft(repository).text
    assert not proof.exists()


def test_a_git_that_fails_says_so(tmp_path: Path) -> None:
    with pytest.raises(git_run.GitEnded), git_run.reading(str(tmp_path), "log", timeout=5) as stream:
        assert stream.read() == b""


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("VAT per rate (#12)\n\nWhy.", {"number": "#12", "title": "VAT per rate", "description": "Why."}),
        ("Merge branch 'v' into 'main'\n\nVAT\n\nWhy.\n\nSee merge request shop/o!7",
         {"number": "!7", "title": "VAT", "description": "Why."}),
        ("Merged in fix/vat (pull request #9)\n\nVAT", {"number": "#9", "title": "VAT"}),
        ("Merged PR 31: VAT\n\nWhy.", {"number": "#31", "title": "VAT", "description": "Why."}),
        ("Merge branch 'main' into vat", {}),
        ("Fix #12 at last", {}),
    ],
)  # fmt: skip
def test_pull_requests_are_read_out_of_messages(message: str, expected: dict[str, str]) -> None:
    assert git_messages.pull_request(message) == expected


def test_trailers_are_the_last_paragraph_only() -> None:
    message = "Subject: x\n\nNote: this is prose.\nIt goes on.\nAnd on.\n\nRefs: #1\nRefs: #2\nIncident: 2026-11"
    assert git_messages.trailers(message) == {"Refs": ["#1", "#2"], "Incident": ["2026-11"]}
    assert git_messages.trailers("Fix: it") == {}


@pytest.mark.parametrize("author", ["renovate[bot] <x@y.example>", "Renovate <r@y.example>", "a-bot <d@e.example>"])
def test_bots_are_known_by_their_names(author: str) -> None:
    assert git_messages.is_bot(author)


@pytest.mark.parametrize("author", ["Robin Abbot <r@example.com>", "Talbot <t@example.com>", "Boticelli <b@e.example>"])
def test_people_are_no_bots(author: str) -> None:
    assert not git_messages.is_bot(author)


@pytest.mark.parametrize(
    ("path", "light", "language"),
    [
        ("src/app.ts", False, "TypeScript"), ("yarn.lock", True, ""), ("web/vendor/x.go", True, "Go"),
        ("tests/__snapshots__/a.snap", True, ""), ("api_pb2.py", True, "Python"), ("Dockerfile", False, "Dockerfile"),
        ("docs/layout.md", False, "Markdown"), ("block/lockfile.py", False, "Python"),
    ],
)  # fmt: skip
def test_paths_tell_language_and_origin(path: str, light: bool, language: str) -> None:
    assert (git_paths.is_light(path), git_paths.language(path)) == (light, language)
