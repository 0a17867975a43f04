"""What a commit's message says: type, subject, reason, trailers, pull request, revert; and whether it is noise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_HEAD = re.compile(r"^(?P<type>[a-z]{2,10})(?:\((?P<scope>[\w./, -]{1,40})\))?(?P<breaking>!)?:\s+(?P<rest>\S.*)$")
_AREA = re.compile(r"^(?P<area>[a-z][\w/.-]{1,24}):\s+\S")
_TYPES = {
    "feat", "fix", "perf", "refactor", "docs", "doc", "test", "tests", "build", "ci", "chore", "style", "revert",
    "release", "security", "deps", "infra", "ops", "hotfix", "feature", "bugfix", "bug", "wip",
}  # fmt: skip
_TRAILER = re.compile(r"^(?P<key>[A-Z][A-Za-z-]{2,30}):\s+(?P<value>\S.*)$")
_PERSONAL = {
    "signed-off-by",
    "co-authored-by",
    "reviewed-by",
    "acked-by",
    "tested-by",
    "change-id",
    "cc",
    "reported-by",
}
_NUMBER = re.compile(r"\s*\(([#!]\d{1,7})\)\s*$")
_MERGED_REQUEST = re.compile(r"^Merge pull request (#\d{1,7}) from \S+")
_MERGED_BRANCH = re.compile(r"^Merge (?:remote-tracking )?(?:branch|tag|commit)\b")
_SEE_REQUEST = re.compile(r"^See merge request \S*(!\d{1,7})\s*$", re.MULTILINE)
_REVERT = re.compile(r'^Revert "(?P<subject>.+)"$')
_REVERTS = re.compile(r"\bThis reverts (?:commit|merge request)\s+([0-9a-f]{7,40}|\S+)")
_NOISE = re.compile(
    r"^(?:wip\b|fixup!|squash!|amend!|tmp\b|temp\b|checkpoint\b|auto-?save\b|bump\b.*|"
    r"update (?:changelog|deps|dependencies|"
    r"lock ?files?|version)\b.*|(?:fix |correct )?(?:a )?typos?\b.*|format(?:ting)?$|lint(?:ing)?(?: fix(?:es)?)?$|"
    r"(?:apply |run )?(?:black|ruff|prettier|gofmt|rustfmt)\b.*|v?\d+\.\d+[\w.]*$|initial commit$|first commit$|"
    r"more (?:changes|work)$|changes$|updates?$|cleanup$|save$|\.+$)",
    re.IGNORECASE,
)
_LOCKS = re.compile(
    r"(?:^|/)(?:[\w.-]*[.-]lock|[\w.-]*lock\.(?:json|ya?ml)|go\.sum|npm-shrinkwrap\.json|Pipfile\.lock|gradle\.lockfile)$"
)


@dataclass(slots=True)
class Message:
    """A commit's message, read. `subject` has neither type nor number (an area, `cli: …`, stays in it)."""

    subject: str
    type: str = ""
    scope: str = ""
    body: str = ""
    """Without personal trailers and those that only name a number."""
    numbers: list[str] = field(default_factory=list)
    """Issues and requests it names, as #12 or !12."""
    reverts: str = ""
    """The commit that it takes back, as far as it says."""
    is_revert: bool = False
    is_merge: bool = False


def read(text: str) -> Message:
    """The message of a commit, merge commits by the title of their pull request."""
    head, _, rest = text.strip().partition("\n")
    head, rest = head.strip(), rest.strip()
    numbers: list[str] = []
    is_merge = False
    if found := _MERGED_REQUEST.match(head):
        numbers.append(found.group(1))
        is_merge, (head, rest) = True, _first_line(rest)
    elif _MERGED_BRANCH.match(head):
        numbers += _SEE_REQUEST.findall(rest)
        is_merge, (head, rest) = True, _first_line(_SEE_REQUEST.sub("", rest).strip())
    message = _subject(head)
    message.is_merge = is_merge
    message.body, named = _body(rest)
    message.numbers = list(dict.fromkeys(numbers + message.numbers + named))
    if found := _REVERTS.search(rest):
        message.reverts, message.is_revert = found.group(1).rstrip("."), True
        message.body = "\n".join(line for line in message.body.split("\n") if not _REVERTS.search(line)).strip()
    return message


def _first_line(text: str) -> tuple[str, str]:
    head, _, rest = text.partition("\n")
    return head.strip(), rest.strip()


def _subject(head: str) -> Message:
    is_revert = False
    if found := _REVERT.match(head):
        head, is_revert = found.group("subject"), True
    numbers = []
    while found := _NUMBER.search(head):
        numbers.append(found.group(1))
        head = head[: found.start()]
    kind = scope = ""
    if (found := _HEAD.match(head)) and found.group("type") in _TYPES:
        kind, scope, head = found.group("type"), found.group("scope") or "", found.group("rest")
    elif found := _AREA.match(head):
        scope = found.group("area")
    return Message(head.strip(), kind, scope, numbers=numbers, is_revert=is_revert)


def _body(text: str) -> tuple[str, list[str]]:
    kept, numbers = [], []
    for line in text.split("\n"):
        trailer = _TRAILER.match(line.strip())
        if trailer and trailer.group("key").lower() in _PERSONAL:
            continue
        if trailer and trailer.group("key").lower() in {"fixes", "closes", "refs", "resolves", "see", "issue"}:
            numbers += re.findall(r"[#!]\d{1,7}", line)
            continue
        kept.append(line.rstrip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip(), numbers


def noise(message: Message, files: Sequence[str]) -> str:
    """Why a commit teaches nothing ("" where it does): a bump, a lock file, work in progress, a plain merge."""
    if message.is_merge and not message.subject:
        return "a merge without a title"
    if message.is_revert or len(message.body.split()) >= 12:
        return ""
    if files and all(_LOCKS.search(path) for path in files):
        return "only lock files"
    if _NOISE.match(message.subject) or message.type in {"wip", "style"} or not re.search(r"\w", message.subject):
        return "a commit that says nothing of its own"
    if message.type == "release" or (
        message.scope == "deps" and re.match(r"bump|update|upgrade", message.subject, re.I)
    ):
        return "a version was raised"
    return ""
