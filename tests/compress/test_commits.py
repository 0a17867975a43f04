"""What a commit's message says, and which commits teach nothing."""

from __future__ import annotations

import pytest

from tui_memory.compress import commits


def test_a_conventional_subject_gives_type_scope_and_number() -> None:
    message = commits.read(
        "fix(ws)!: a late leave keeps the new socket (#221)\n\nThe old one closes later.\n\nRefs: #219"
    )
    assert (message.type, message.scope, message.subject) == ("fix", "ws", "a late leave keeps the new socket")
    assert message.numbers == ["#221", "#219"]
    assert message.body == "The old one closes later."


def test_personal_trailers_are_not_kept_and_telling_ones_are() -> None:
    message = commits.read("fix: x y z\n\nWhy.\n\nSigned-off-by: A <a@b.example>\nIncident: 2026-11-03")
    assert message.body == "Why.\n\nIncident: 2026-11-03"


@pytest.mark.parametrize(
    ("text", "subject", "numbers"),
    [
        ("Merge pull request #234 from orderly/fix/vat\n\nVAT rounding: per rate", "VAT rounding: per rate", ["#234"]),
        (
            "Merge branch 'vat' into 'main'\n\nVAT rounding\n\nSee merge request shop/orderly!77",
            "VAT rounding",
            ["!77"],
        ),
        ("Merge branch 'main' into vat", "", []),
    ],
)
def test_a_merge_carries_the_title_of_its_request(text: str, subject: str, numbers: list[str]) -> None:
    message = commits.read(text)
    assert message.is_merge
    assert (message.subject, message.numbers) == (subject, numbers)


def test_a_revert_names_what_it_takes_back() -> None:
    message = commits.read('Revert "perf(api): orjson (#228)"\n\nThis reverts commit 2bbd33624862.\n\nNaN became null.')
    assert (message.is_revert, message.reverts, message.subject) == (True, "2bbd33624862", "orjson")
    assert message.body == "NaN became null."


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("wip", ["a.py"]),
        ("fixup! something else here", ["a.py"]),
        ("chore(deps): bump uvicorn to 0.41.2 (#214)\n\nDependabot.", ["pyproject.toml"]),
        ("Update things we use", ["uv.lock", "web/package-lock.json"]),
        ("Bump version to 1.2.3", ["pyproject.toml"]),
        ("v1.2.3", ["pyproject.toml"]),
        ("fix typo in readme", ["README.md"]),
        ("style: ruff", ["a.py"]),
        ("Merge branch 'main' into vat", []),
        ("release: 0.9.0", ["CHANGELOG.md"]),
    ],
)
def test_noise_is_told_from_news(text: str, files: list[str]) -> None:
    assert commits.noise(commits.read(text), files)


@pytest.mark.parametrize(
    "text", ["fix(ws): a late leave keeps the socket", 'Revert "wip"', "Add gift messages", "docs: how to release"]
)
def test_news_is_no_noise(text: str) -> None:
    assert commits.noise(commits.read(text), ["src/a.py"]) == ""


def test_a_bump_that_explains_itself_is_kept() -> None:
    body = "The new version closes idle connections by itself, so our own reaper can go away at last."
    assert commits.noise(commits.read(f"Bump httpx to 1.0\n\n{body}"), ["uv.lock"]) == ""
