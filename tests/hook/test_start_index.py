"""The index that a hook hands out without a worker: never raw, whoever wrote it, by whatever rules."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.hook.running import event, run
from tui_memory import config, places
from tui_memory.clock import now_ms
from tui_memory.store.db import Store

PASSWORD = "".join(("Tr0ub4dor", "Zx9", "kLm2"))


def written(home: Path, body: str, built: int) -> None:
    """An index of the project that the recorded session starts in."""
    run(home, event())
    with Store(home) as store, store.transaction() as connection:
        connection.execute("INSERT INTO projects (id, uid, name, created) VALUES (1, 'u', 'orderly', 0)")
        connection.execute("INSERT OR REPLACE INTO project_aliases VALUES ('path', '/home/dev/orderly', 1, 0)")
        connection.execute("INSERT INTO start_index VALUES (1, ?, 9, '[1]', ?)", (body, built))


def given(home: Path, session: str = "first") -> str:
    """What an agent is told at a session's start; '' for nothing. The same session again would be a redelivery."""
    said = run(home, event("SessionStart.subdirectory", session_id=session)).stdout
    return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said else ""


def test_what_an_older_program_wrote_is_masked(home: Path) -> None:
    written(home, f"#1 2d decision The password = {PASSWORD}", 0)
    assert given(home) == "#1 2d decision The password = [redacted:password]"


def test_with_rules_of_the_persons_own_only_one_built_since_they_are_is_given(home: Path) -> None:
    settings = places.config_file()
    settings.write_text("redact:\n  extra:\n    - {kind: acme-id, pattern: 'ACME-[0-9]+'}\n")
    written(home, "#1 About ACME-1", now_ms() - 60_000)
    config.compile_settings(config.load(), home)
    assert given(home) == ""
    long_ago = now_ms() / 1000 - 600
    os.utime(settings, (long_ago, long_ago))
    assert given(home, "second") == "#1 About ACME-1"  # the worker built it by these rules
