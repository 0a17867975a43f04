"""Pull and merge requests of a turn's commits: title and description from the message, and from calls that showed them.

A merge commit often names only a number and a branch; what it was about stood in `gh pr view` days before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tui_memory.compress import commits
from tui_memory.compress.commits import Message
from tui_memory.model import Kind, Observation
from tui_memory.store.guard import OVERSIZE, UNSCANNED

if TYPE_CHECKING:
    from tui_memory.store.db import Store

METADATA_ONLY = (UNSCANNED, OVERSIZE)
"""Reasons of observations whose text was not kept: they tell a compressor nothing."""
_BEFORE_MS, _AFTER_MS = 90 * 86_400_000, 30 * 86_400_000
"""How far from a commit its request is looked for: in a long history the whole project would be read for each."""
_MOST = 10
_UNTOLD = ("Merged in ", "Merged PR ", "Merge pull request ")
"""How hosts begin the first line of a merge: it names a branch, the title stands elsewhere."""
_MAKES = re.compile(r"\b(?:gh\s+pr|glab\s+mr)\s+(?:create|new)\b|create_(?:pull|merge)_?request", re.IGNORECASE)


def shown(store: Store, project: int | None, observations: list[Observation]) -> list[Observation]:
    """The calls, outside of a turn, that showed the requests which the turn's commits name; newest first."""
    named = [item for item in observations if _number(item)]
    if not named or project is None:
        return []
    numbers = {_number(item) for item in named}
    rows = store.rows(
        # The unary plus: by time, never through all of a project.
        "SELECT id FROM observations WHERE time BETWEEN ? AND ? AND +project_id IS ? AND kind IN (?, ?)"
        " AND instr(detail, '\"pull_requests\"') ORDER BY time DESC, id DESC LIMIT 200",
        (named[0].time - _BEFORE_MS, named[-1].time + _AFTER_MS, project, Kind.COMMAND, Kind.TOOL_USE),
    )
    if not rows:
        return []
    from tui_memory.store import observations as stored

    own = {item.id for item in observations}
    found = stored.get(store, [row["id"] for row in rows if row["id"] not in own])
    return [item for item in found if any(one.get("number") in numbers for one in of_call(item))][:_MOST]


def of_call(item: Observation) -> list[dict[str, Any]]:
    """The requests that a captured call showed: {number, title, description, url}, as far as it said."""
    told = item.detail.get("pull_requests")
    return [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []


def opened(items: Iterable[Observation]) -> list[tuple[int, str]]:
    """(observation, `number title. description`) of the requests that these calls themselves made."""
    return [
        (item.id, f"{' '.join(filter(None, (one.get('number'), one.get('title'))))}. {one['description']}")
        for item in items
        if _MAKES.search(str(item.detail.get("command") or item.tool))
        for one in of_call(item)[:1]
        if one.get("description")
    ]


def completed(message: Message, item: Observation, calls: Iterable[Observation]) -> tuple[Message, list[int]]:
    """A commit's message with the title and the description of its request, and the calls that either is from."""
    own, number = item.detail.get("pull_request"), _number(item)
    if not isinstance(own, dict) or not number:
        return message, []
    message = _with(message, own)
    if number not in message.numbers:
        message = replace(message, numbers=[number, *message.numbers])
    used = []
    for call in calls:
        for one in of_call(call):
            if one.get("number") == number and (fuller := _with(message, one)) != message:
                message = fuller
                used.append(call.id)
    return message, used


def _with(message: Message, request: dict[str, Any]) -> Message:
    """A merge takes the title of what it merges; a description is added where the body does not say it."""
    title, description = str(request.get("title") or ""), str(request.get("description") or "")
    if title and (not message.subject or message.subject.startswith(_UNTOLD)):
        read = commits.read(title)
        body = message.body.removeprefix(title).strip()
        kind, scope = message.type or read.type, message.scope or read.scope
        message = replace(message, subject=read.subject, type=kind, scope=scope, body=body, is_merge=True)
    said = " ".join(message.body.split())
    if description and " ".join(description.split()) not in said:
        message = replace(message, body=f"{message.body}\n\n{description}".strip())
    return message


def _number(item: Observation) -> str:
    told = item.detail.get("pull_request")
    return str(told.get("number") or "") if isinstance(told, dict) else ""
