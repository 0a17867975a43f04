"""Which paths are never kept: as gitignore reads the patterns, which is looked up in git itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tui_memory.store import ignored


@pytest.mark.parametrize(
    ("path", "patterns", "expected"),
    [
        ("src/.env", (), True),
        (".env.local", (), True),
        (".env.example", (), False),
        ("src/environment.py", (), False),
        ("/home/dev/.ssh/config", (), True),
        ("src/keys.py", (), False),
        ("deploy/server.KEY", ("*.KEY",), True),
        ("secrets/a/b.txt", ("secrets/",), True),
        ("secrets", ("secrets/",), False),
        ("x/build/out.js", ("build/*.js",), True),
        ("x/build/deep/out.js", ("build/*.js",), False),
        ("x/build/deep/out.js", ("build/**/*.js",), True),
        ("C:\\work\\.env", (), True),
        (".env", ("!.env",), False),
    ],
)
def test_paths_are_ignored_as_gitignore_reads_patterns(path: str, patterns: tuple[str, ...], expected: bool) -> None:
    assert ignored.is_ignored(path, patterns) is expected


PATTERNS = (
    "plans/", "plans", "plans/**", "**/plans/**", "**/plans", "**/plans/", "plans/*", "**/plans/*.md", "plans/**/*.md",
    "a/**/z.md", "**/a/**", "*.m?", "[ab]*", "[!ab]*", "[a-c].md", "[^x].md", "[]x]", "[z-a].md", "pl*ns/", "pl**ns",
    "a***", r"\*.md", r"x\?", r"\[x\]", "My Plans/", "x[", "*", "**", "?", "*/*", "a/b/**/c/**",
)  # fmt: skip
PATHS = (
    "plans/x.md", "plans/deep/x.md", "a/plans/x.md", "a/plans/deep/x.md", "plans.md", "a/b.md", "a/z.md", "a/b/z.md",
    "a/b/c/z.md", "b/a", "a.md", "b.md", "c.md", "d.md", "x.md", "z.md", "*.md", "x?", "xy", "[x]", "]", "x[", "x",
    "My Plans/x.md", "plains/x", "a/b/c/d", "a/b/x/c/d",
)  # fmt: skip

OPEN = ("[z-a].md", "x[")
"""To git these match nothing; what somebody meant by them is rather not kept."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("ignoring")
    subprocess.run(["git", "init", "-q", str(made)], check=True)
    return made


@pytest.mark.parametrize("pattern", PATTERNS)
def test_git_leaves_out_the_same(folder: Path, pattern: str) -> None:
    (folder / ".gitignore").write_text(pattern + "\n")
    asked = subprocess.run(
        ["git", "-C", str(folder), "-c", "core.quotePath=off", "check-ignore", "--no-index", "--stdin"],
        input="\n".join(PATHS), capture_output=True, text=True,
    )  # fmt: skip
    ours = {path for path in PATHS if ignored.is_ignored(path, (pattern,))}
    theirs = set(asked.stdout.splitlines())
    tied = "/" in pattern.strip("/") and not pattern.startswith("**/")
    more = {path for path in ours - theirs if tied or pattern in OPEN}
    assert ours - more == theirs, "a pattern with a folder in it may begin at any folder: paths may be absolute"


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    assert not ignored.is_ignored("b/" + "a" * 4000, ("*a" * 12 + "*b",))
