"""A commit message's parts that capture keeps beside it: trailers, its pull request, whether a program wrote it."""

from __future__ import annotations

import re
from typing import Any

_TRAILER = re.compile(r"^([A-Za-z][A-Za-z0-9-]{1,40}): +(\S.{0,300})$")
_TRAILERS = 20
_DESCRIPTION = 2_000
# Each names the number and where the title is: below, or in the subject itself.
_MERGES = (
    re.compile(r"^Merge pull request #(?P<number>\d{1,9}) from \S+"),
    re.compile(r"^Merged in \S+ \(pull request #(?P<number>\d{1,9})\)"),
    re.compile(r"^Merge pull request #(?P<number>\d{1,9}) in \S+ from \S+ to \S+"),
    re.compile(r"^Merged PR (?P<number>\d{1,9}): (?P<title>\S.*)$"),
)
_SQUASH = re.compile(r"^(?P<title>\S.*?) \((?P<sign>[#!])(?P<number>\d{1,9})\)$")
_SEE_REQUEST = re.compile(r"^See merge request (?P<where>\S*)!(?P<number>\d{1,9})\s*$", re.MULTILINE)
_MERGED_BRANCH = re.compile(r"^Merge (?:remote-tracking )?branch ")
_BOT = re.compile(
    r"\[bot\]|^(?:dependabot|renovate|greenkeeper|snyk|pyup|mergify|github-actions|semantic-release|pre-commit-ci|"
    r"allcontributors|imgbot|weblate|transifex|crowdin|release-please|depfu|scala-steward|web-flow)\b|(?:-|^)bot$",
    re.IGNORECASE,
)


def trailers(message: str) -> dict[str, list[str]]:
    """The `Key: value` lines of a message's last paragraph, values by key in the order of the message."""
    paragraphs = re.split(r"\n[ \t]*\n", message.strip())
    lines = paragraphs[-1].splitlines() if len(paragraphs) > 1 else []
    matches = [_TRAILER.match(line) for line in lines if not line.startswith((" ", "\t"))]
    if not any(matches) or sum(match is None for match in matches) > len(matches) // 2:
        return {}
    found: dict[str, list[str]] = {}
    for match in [match for match in matches if match][:_TRAILERS]:
        found.setdefault(match[1], []).append(match[2].rstrip())
    return found


def pull_request(message: str) -> dict[str, Any]:
    """{number, title, description} of the pull or merge request that a merge or squash brought in; {} for none."""
    head, _, rest = message.strip().partition("\n")
    head, rest = head.strip(), rest.strip()
    for pattern in _MERGES:
        if match := pattern.match(head):
            title = match.groupdict().get("title") or ""
            return _request("#" + match["number"], title or rest.partition("\n")[0], rest if title else _below(rest))
    if see := _SEE_REQUEST.search(rest):
        body = _SEE_REQUEST.sub("", rest).strip()
        if _MERGED_BRANCH.match(head):
            return _request("!" + see["number"], body.partition("\n")[0], _below(body))
        return _request("!" + see["number"], head, body)
    if squash := _SQUASH.match(head):
        return _request(squash["sign"] + squash["number"], squash["title"], rest)
    return {}


def is_bot(author: str) -> bool:
    """Whether a program commits under this name (`name <address>`)."""
    name, _, address = author.partition("<")
    return bool(_BOT.search(name.strip()) or "[bot]@" in address)


def _below(text: str) -> str:
    return text.partition("\n")[2].strip()


def _request(number: str, title: str, description: str) -> dict[str, Any]:
    found = {"number": number, "title": title.strip()[:300], "description": description.strip()[:_DESCRIPTION]}
    return {name: value for name, value in found.items() if value}
