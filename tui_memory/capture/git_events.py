"""What a git hook tells, completed: the hook passes names of commits, this reads them. Standard library only.

Reading takes git's time, so that it happens in the worker or in the hook's own child, never in the commit's way.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from tui_memory.capture import git_log, git_run
from tui_memory.capture.git_log import Ignored
from tui_memory.capture.shapes import items, string

TIMEOUT_S = 10.0
_PAIRS = 5_000
_NEW_COMMITS = 50
"""Commits made by hand while a rebase stood still that are taken."""


def expand(payload: bytes | dict[str, Any], cwd: str, ignored: Ignored) -> list[bytes | dict[str, Any]]:
    """The events of one git hook, each with what its commit says: one, or several where a rebase made several.

    `cwd`: where the hook ran. What cannot be read stays as it came: it is then counted as an event without a commit.
    """
    value = _mapping(payload)
    if value is None or "message" in value or "moved" in value:
        return [payload]
    folder = string(value, "cwd") or cwd
    event = string(value, "hook_event_name", "hook")
    pairs = [pair for pair in map(_pair, items(value, "rewritten")[:_PAIRS]) if pair]
    common = {"hook": event, "branch": string(value, "branch")}
    if event == "post-rewrite" and pairs:
        return _rewritten(folder, value, pairs, common, ignored) or [payload]
    if event not in ("post-commit", "post-merge"):
        return [payload]
    found = _read(folder, [string(value, "sha")], ignored)
    if not found or (event == "post-merge" and len(found[0]["parents"]) < 2):
        return [payload if not found else {"hook": event}]  # a fast-forward brings commits that others made
    return [found[0] | common]


def _rewritten(
    folder: str, value: dict[str, Any], pairs: list[tuple[str, str]], common: dict[str, Any], ignored: Ignored
) -> list[bytes | dict[str, Any]]:
    """An amend: the new commit, with what it replaces. A rebase: what got new names, and the commits it melted."""
    olds: dict[str, list[str]] = {}
    for old, new in pairs:
        olds.setdefault(new, []).append(old)
    amend = items(value, "argv")[:1] == ["amend"]
    melted = [new for new, replaced in olds.items() if amend or len(replaced) > 1]
    by_hand = [] if amend else _by_hand(folder, string(value, "onto"), value, set(olds))
    found: list[bytes | dict[str, Any]] = []
    moved = [[replaced[0], new] for new, replaced in olds.items() if len(replaced) == 1]
    if moved and not amend:
        found.append(common | {"moved": moved})
    for commit in _read(folder, [*melted, *by_hand], ignored):
        replaced = olds.get(commit["sha"], [])
        found.append(commit | common | ({"amends": replaced} if replaced else {}))
    return found


def _by_hand(folder: str, onto: str, value: dict[str, Any], known: set[str]) -> list[str]:
    """Commits that a rebase found made in its breaks: on the new branch, and of no old name."""
    sha = string(value, "sha")
    if not _is_name(onto) or not _is_name(sha):
        return []
    told = git_run.output(
        folder, "rev-list", "--reverse", "--no-merges", f"--max-count={len(known) + _NEW_COMMITS}", sha, f"^{onto}",
        "--", timeout=TIMEOUT_S,
    )  # fmt: skip
    return [name for name in (told or "").split() if name not in known][:_NEW_COMMITS]


def _read(folder: str, shas: list[str], ignored: Ignored) -> list[dict[str, Any]]:
    """The payloads of commits, without their time: a hook's event happened when it came."""
    names = [sha for sha in dict.fromkeys(shas) if _is_name(sha)]
    found: list[dict[str, Any]] = []
    # Git may be missing, too slow, or not know one of them: what was read until then is kept.
    with suppress(OSError, git_run.GitEnded):
        for start in range(0, len(names), git_log.BATCH):
            for commit in git_log.read(folder, names[start : start + git_log.BATCH], ignored, timeout=TIMEOUT_S):
                found.append(commit)
    for commit in found:
        del commit["time"]
    return found


def _is_name(text: str) -> bool:
    """Whether a text can be a commit's name, and nothing that git would take for something else."""
    return bool(text) and all(sign in "0123456789abcdef" for sign in text)


def _mapping(payload: bytes | dict[str, Any]) -> dict[str, Any] | None:
    if isinstance(payload, dict):
        return payload
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return None  # ingest counts it as unreadable
    return value if isinstance(value, dict) else None


def _pair(value: Any) -> tuple[str, str] | None:
    parts = value.split() if isinstance(value, str) else []
    return (parts[0], parts[1]) if len(parts) >= 2 else None
