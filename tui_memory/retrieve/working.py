"""Working memory's own lines: what the working tree has changed, and which runs still failed when they were last tried.

Assembled from the observations each time, never stored as memories.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tui_memory.clock import now_ms
from tui_memory.compress import outcome
from tui_memory.compress.turns import Turn
from tui_memory.retrieve.lines import age, harmless
from tui_memory.store import observations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui_memory.compress.outcome import Run
    from tui_memory.retrieve.tree import Tree
    from tui_memory.store.db import Store

_COMMANDS = 200  # of a session, the last so many are read
_OPEN = 5  # failing runs that are told
_FILES = 6  # changed files that are named
_DAYS = 14  # how old a failure may be that the next session is told of
_DAY_MS = 86_400_000
_SESSION = """
SELECT s.id FROM sessions s WHERE (s.id = ?1 OR (s.project_id = ?2 AND s.last_seen > ?3))
    AND EXISTS (SELECT 1 FROM observations o WHERE o.session_id = s.id AND o.kind IN ('command', 'error'))
ORDER BY s.id IS NOT ?1, s.last_seen DESC LIMIT 1
"""
_RUNNER = re.compile(r"^(?:(?:uv|poetry|pdm|pipenv|hatch) run|npx|bunx|(?:pnpm|bundle) exec|\S*python\S* -m) ")
_OPTION = re.compile(r"\s+(?=\S*[-/.:\"'=])")
_RAN = """
SELECT id FROM observations WHERE session_id = ? AND kind IN ('command', 'error') ORDER BY id DESC LIMIT ?
"""


def changes(tree: Tree) -> list[str]:
    """The working tree in one line: its branch, how many files are changed, and the first of them."""
    if not tree.files:
        return []
    named = ", ".join(harmless(name) for name in tree.files[:_FILES])
    more = f" and {len(tree.files) - _FILES} more" if len(tree.files) > _FILES else ""
    on = f"On branch {harmless(tree.branch)}, not" if tree.branch else "Not"
    return [f"{on} committed: {named}{more}"]


def open_errors(store: Store, project_id: int | None, session_id: int | None) -> list[str]:
    """The tests, builds and checks that failed when this session last ran them, newest first, a line each.

    Of a session that has run nothing yet: those of the project's last one that has.
    """
    now = now_ms()
    found = store.rows(_SESSION, (session_id, project_id, now - _DAYS * _DAY_MS))
    if not found:
        return []
    ids = [row[0] for row in store.rows(_RAN, (found[0][0], _COMMANDS))]
    ran = observations.get(store, ids[::-1])
    when = {item.id: item.time for item in ran}
    turn = Turn(found[0][0], 0, project_id, "", "", ran, 0, 0)
    failing = [run for run in _last(outcome.read(turn).runs) if not run.ok]
    return [_line(run, age(when[run.source], now)) for run in failing[::-1][:_OPEN]]


def _last(runs: Sequence[Run]) -> list[Run]:
    """The last run of each program, oldest first: a test that failed alone and passed with all others passed."""
    return sorted({_program(run.command): run for run in runs}.values(), key=lambda run: run.source)


def _program(command: str) -> str:
    """What a command runs, without its options and paths: `pytest`, `npm run lint`."""
    return _OPTION.split(_RUNNER.sub("", command), maxsplit=1)[0]


def _line(run: Run, when: str) -> str:
    return f"! {harmless(run.command)} failed{f': {harmless(run.error)}' if run.error else ''} ({when})"
