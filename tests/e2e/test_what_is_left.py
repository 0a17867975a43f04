"""What a store holds after every surface was used on secrets, with an umask that keeps nothing private."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.engine.test_independent_scanner import PLANTED, reported
from tests.repositories import Repository
from tests.store.erased import found

EVERYTHING = Path(__file__).with_name("everything.py")
WORD = "quokkabolt41"
KNOWN = re.compile(
    r"memory\.db(-wal|-shm)?|vectors/(lock|[\w.-]+)|key|token|settings\.json|(worker|upkeep)\.lock|worker\.json|[\w-]*\.sock|ui\.json"
    r"|log/(worker|defects|hook|application)\.log(\.1)?|backups/memory-v\d+-\d+\.db|vectors|log|backups"
)
"""Every file that a store may have: docs/PRIVACY.md tells of each."""


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store after everything, its worker gone."""
    root = tmp_path_factory.mktemp("left")
    work = Repository.make(root / "orderly")
    work.commit(f"Begin with {PLANTED['GITHUB_TOKEN']}")
    lines = "\n".join(f"export {name}={value}" for name, value in PLANTED.items())
    environment = os.environ | {
        "TUI_MEMORY_HOME": str(root / "s"), "TUI_MEMORY_CONFIG": str(root / "config.yaml"), "HOME": str(root),
        "WORK": str(work.folder), "SAID": f"{WORD}: use\n{lines}",
    }  # fmt: skip
    (root / "config.yaml").write_text('compress:\n  routes: ["extractive"]\n')
    done = subprocess.run(
        [sys.executable, str(EVERYTHING)], env=environment, capture_output=True, text=True, timeout=500, umask=0
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)["worker stop"] == 0
    return root / "s"


def test_no_secret_is_in_any_file(used: Path) -> None:
    assert found(used, "[redacted:github-token"), "what was said is there"
    assert found(used, *PLANTED.values()) == []


def test_an_independent_scanner_finds_nothing_in_any_file(used: Path, tmp_path: Path) -> None:
    sdk = pytest.importorskip("kingfisher_sdk", reason="kingfisher-secret-scanner is not installed")
    scanner: Any = sdk.Scanner(sdk.Rules(cache=False))
    assert reported(scanner, tmp_path / "raw", [f"{name}={value}" for name, value in PLANTED.items()])
    for number, path in enumerate(path for path in sorted(used.rglob("*")) if path.is_file()):
        if path.name not in ("key", "token"):  # secrets of the store's own
            text = path.read_bytes().decode("utf-8", "replace")
            assert reported(scanner, tmp_path / str(number), [text]) == [], path.name


def test_everything_is_for_its_owner_alone(used: Path) -> None:
    modes = {str(path.relative_to(used)): stat.S_IMODE(path.lstat().st_mode) for path in [used, *used.rglob("*")]}
    files = {name: mode for name, mode in modes.items() if (used / name).is_file()}
    assert set(files.values()) == {0o600} and len(files) > 5
    assert {mode for name, mode in modes.items() if name not in files} == {0o700}


def test_every_file_is_one_that_the_documentation_tells_of(used: Path) -> None:
    names = [str(path.relative_to(used)) for path in used.rglob("*")]
    assert [name for name in names if not KNOWN.fullmatch(name)] == []


def test_the_logs_hold_no_word_of_it(used: Path) -> None:
    told = "".join(path.read_text("utf-8", "replace") for path in (used / "log").iterdir())
    assert told
    for word in (WORD, "Decimal", "retries", "deadline", "pytest -q", "orderly", "export", *PLANTED):
        assert word.lower() not in told.lower(), word
