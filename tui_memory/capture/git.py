"""Commits, merges, rebases and switches of branch, as our git hooks and the walk through a history hand them over.

The payload is our own: {hook, cwd, branch, sha, parents, author, message, files: [{path, added, removed, light?}],
more, diff, hunks, amends, moved, argv, time, authored}.
"""

from __future__ import annotations

from tui_memory.capture.shapes import clean, items, mapping, number, string
from tui_memory.light import TYPE_CHECKING
from tui_memory.model import Draft, Kind

if TYPE_CHECKING:
    from typing import Any

HISTORY = "history"
"""The hook's name in the payload of a commit that was found in a history, long after it was made."""
_SHOWN = 60
"""Files that are listed in a commit's text; more are counted."""
_HUNKS = 60


def draft(payload: dict[str, Any], cwd: str, project_dir: str) -> Draft | None:
    """The draft of one event; None where it carries nothing to keep."""
    made = Draft(
        kind=Kind.LIFECYCLE,
        agent="git",
        session="",
        text="",
        cwd=string(payload, "cwd") or cwd,
        project_dir=project_dir,
        branch=_branch(payload),
        light=True,
    )
    event = string(payload, "hook", "hook_event_name")
    sha = string(payload, "sha")
    if moved := [pair for pair in items(payload, "moved") if isinstance(pair, list) and len(pair) == 2]:
        made.text = f"Rebased: {len(moved)} {'commit has a new name' if len(moved) == 1 else 'commits have new names'}"
        made.detail = {"event": event, "moved": [[clean(str(name)) for name in pair] for pair in moved]}
        return made
    if event == "post-checkout":
        return _switch(made, payload)
    if not sha or not (string(payload, "message") or "files" in payload):
        return None
    return _commit(made, payload, event or "post-commit", sha)


def _branch(payload: dict[str, Any]) -> str:
    name = string(payload, "branch")
    return "" if name == "HEAD" else name


def _switch(made: Draft, payload: dict[str, Any]) -> Draft | None:
    """A switch to another branch; a fresh clone or worktree is none."""
    argv = [part for part in items(payload, "argv") if isinstance(part, str)]
    if len(argv) < 3 or argv[2] != "1" or not argv[0].strip("0"):
        return None
    made.text = f"Switched to {made.branch or argv[1][:12]}"
    made.detail = {"event": "post-checkout", "from": clean(argv[0]), "to": clean(argv[1])}
    return made


def _commit(made: Draft, payload: dict[str, Any], event: str, sha: str) -> Draft:
    from tui_memory.capture import git_messages  # its patterns are compiled for commits alone

    message, author = string(payload, "message").strip(), string(payload, "author")
    files = [file for file in items(payload, "files") if isinstance(file, dict) and string(file, "path")]
    parents = [clean(parent) for parent in items(payload, "parents") if isinstance(parent, str)]
    more = mapping(payload, "more")
    detail: dict[str, Any] = {"event": event, "sha": sha, "subject": message.split("\n", 1)[0]}
    detail |= {"parents": parents, "author": author}
    for key in ("added", "removed"):
        detail[key] = sum(number(file, key) or 0 for file in files) + (number(more, key) or 0)
    bot = git_messages.is_bot(author)
    detail |= {"bot": True} if bot else {}
    detail |= _more_facts(payload, message)
    made.kind = Kind.MERGE if len(parents) > 1 else Kind.COMMIT
    made.session, made.key, made.light = f"git-{sha[:12]}", sha, bot
    made.time = (number(payload, "time") or 0) if event == HISTORY else 0
    by_hand = [string(file, "path") for file in files if not file.get("light")]
    made.files = (by_hand or [string(file, "path") for file in files])[: _SHOWN * 2]
    made.text = _text(sha, message.split("\n", 1)[0] if bot else message, files, more, "" if bot else payload)
    made.detail = detail
    return made


def _more_facts(payload: dict[str, Any], message: str) -> dict[str, Any]:
    """Trailers, pull request, languages, hunks and what it replaces, where there are any."""
    from tui_memory.capture import git_messages, git_paths

    replaced = [clean(old) for old in items(payload, "amends") if isinstance(old, str)]
    hunks = [hunk for hunk in items(payload, "hunks") if isinstance(hunk, dict)]
    languages: dict[str, int] = {}
    for file in items(payload, "files"):
        name = "" if not isinstance(file, dict) or file.get("light") else git_paths.language(string(file, "path"))
        if name:
            languages[name] = languages.get(name, 0) + (number(file, "added") or 0) + (number(file, "removed") or 0)
    found = {
        "trailers": git_messages.trailers(message),
        "pull_request": git_messages.pull_request(message),
        "languages": languages,
        "hunks": [
            [string(hunk, "path"), string(hunk, "language"), number(hunk, "line") or 0, string(hunk, "heading")]
            for hunk in hunks[:_HUNKS]
        ],
        "amends": string(payload, "amends") or replaced,
        "authored": number(payload, "authored"),
    }
    return {name: value for name, value in found.items() if value}


def _text(sha: str, message: str, files: list[dict[str, Any]], more: dict[str, Any], payload: Any) -> str:
    """`commit SHA`, the message, a line a file (light ones last), and the diff."""
    ordered = sorted(files, key=lambda file: bool(file.get("light")))
    stats = [f"{string(file, 'path')} {_counts(file)}" for file in ordered[:_SHOWN]]
    rest = ordered[_SHOWN:]
    count = len(rest) + (number(more, "files") or 0)
    if count:
        totals = {key: sum(number(file, key) or 0 for file in [*rest, more]) for key in ("added", "removed")}
        stats.append(f"{count} files more {_counts(totals)}")
    return "\n".join(filter(None, (f"commit {sha[:12]}", message, *stats, string(payload, "diff").rstrip())))


def _counts(file: dict[str, Any]) -> str:
    return f"+{number(file, 'added') or 0} −{number(file, 'removed') or 0}"
