"""Commits and merges, as our git hooks hand them over.

The payload is our own: {hook, cwd, branch, sha, parents, author, message, files: [{path, added, removed}], diff}.
"""

from __future__ import annotations

from typing import Any

from tui_memory.capture.shapes import clean, items, number, string
from tui_memory.model import Draft, Kind


def draft(payload: dict[str, Any], cwd: str, project_dir: str) -> Draft | None:
    """The draft of one commit; None for a hook without one (a checkout)."""
    sha = string(payload, "sha")
    if not sha:
        return None
    message = string(payload, "message").strip()
    files = [file for file in items(payload, "files") if isinstance(file, dict) and string(file, "path")]
    parents = [clean(parent) for parent in items(payload, "parents") if isinstance(parent, str)]
    subject = message.split("\n", 1)[0]
    detail: dict[str, Any] = {"event": string(payload, "hook") or "post-commit", "sha": sha, "subject": subject}
    detail |= {"parents": parents, "author": string(payload, "author")}
    for name, key in (("added", "added"), ("removed", "removed")):
        detail[name] = sum(number(file, key) or 0 for file in files)
    if amends := string(payload, "amends"):
        detail["amends"] = amends
    return Draft(
        kind=Kind.MERGE if len(parents) > 1 else Kind.COMMIT,
        agent="git",
        session=f"git-{sha[:12]}",
        text=_text(sha, message, files, string(payload, "diff")),
        cwd=string(payload, "cwd") or cwd,
        project_dir=project_dir,
        branch=string(payload, "branch"),
        files=[string(file, "path") for file in files],
        detail=detail,
        key=sha,
    )


def _text(sha: str, message: str, files: list[dict[str, Any]], diff: str) -> str:
    stats = [f"{string(file, 'path')} +{number(file, 'added') or 0} −{number(file, 'removed') or 0}" for file in files]
    return "\n".join(filter(None, (f"commit {sha[:12]}", message, *stats, diff.rstrip())))
