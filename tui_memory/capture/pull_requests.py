"""Pull and merge requests that an agent's calls show: `gh pr`, `glab mr`, and MCP tools. Standard library only.

Each is {number, title, description, url}, as far as the call says.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

from tui_memory.capture.shapes import items, mapping, string

_MOST = 30
_TITLE, _DESCRIPTION, _OUTPUT = 300, 2_000, 200_000
_CALL = re.compile(r"\b(?P<program>gh\s+pr|glab\s+mr)\s+(?P<verb>view|create|new|list|ls|show|edit|update|merge)\b")
_URL = re.compile(r"https?://[^\s\"'<>]+/(?:pull|merge_requests)/(\d{1,9})")
_FIELD = re.compile(r"^(title|number|url):[ \t]+(.*)$")
_LISTED = re.compile(r"^[#!]?(?P<number>\d{1,9})\t(?:[^\t]*[!#]\d+\t)?(?P<title>[^\t]+)\t")
_TOOL = re.compile(r"(?:pull|merge)_?request|(?:^|_)(?:pr|mr)(?:_|s?$)", re.IGNORECASE)
_OPTIONS = {"-t": "title", "--title": "title", "-b": "description", "--body": "description", "-d": "description",
            "--description": "description"}  # fmt: skip


def of_command(command: str, output: str) -> dict[str, Any]:
    """{"pull_requests": [...]} of a shell command that shows, makes or lists some; {} for any other."""
    call = _CALL.search(command)
    if call is None:
        return {}
    sign = "#" if call["program"].startswith("gh") else "!"
    output = output[:_OUTPUT]
    given = _given(command[call.end() :])
    if call["verb"] in ("view", "show", "list", "ls"):
        found = list(_of_json(output, sign)) or ([_viewed(output, sign)] if "view" in call["verb"] else [])
        found = [one for one in found if one] or list(_listed(output, sign))
    else:
        found = [_request(sign, given.get("title"), given.get("description"), *_number_and_url(output))]
    return _kept(found)


def of_tool(tool: str, given: dict[str, Any], said: str) -> dict[str, Any]:
    """{"pull_requests": [...]} of an MCP tool about pull or merge requests; {} for any other."""
    if not _TOOL.search(tool):
        return {}
    sign = "!" if "merge" in tool.lower() or "mr" in tool.lower().split("_") else "#"
    found = list(_of_json(said[:_OUTPUT], sign))
    title = string(given, "title")
    if not found and title:
        found = [_request(sign, title, string(given, "body", "description"), *_number_and_url(said))]
    return _kept(found)


def _kept(found: list[dict[str, str]]) -> dict[str, Any]:
    titled = [one for one in found if one.get("title")][:_MOST]
    return {"pull_requests": titled} if titled else {}


def _given(rest: str) -> dict[str, str]:
    """Title and description that a command line gives."""
    heredoc = re.search(r"<<-?\s*['\"]?(\w+)['\"]?\n(.*?)\n\s*\1\b", rest, re.DOTALL)
    try:
        words = shlex.split(rest)
    except ValueError:
        words = rest.split()
    found: dict[str, str] = {}
    for number, word in enumerate(words):
        name, has_value, value = word.partition("=")
        if name in _OPTIONS and (has_value or number + 1 < len(words)):
            found.setdefault(_OPTIONS[name], value if has_value else words[number + 1])
    if heredoc and "<<" in found.get("description", "<<"):
        found["description"] = heredoc[2]
    return found


def _of_json(output: str, sign: str) -> Iterator[dict[str, str]]:
    """The requests of a JSON answer: an object, a list, or a list under `items`."""
    text = output.strip()
    if text[:1] not in ("{", "["):
        return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    inner = value if isinstance(value, list) else items(value, "items") or items(value, "nodes") or [value]
    for one in inner[:_MOST]:
        if isinstance(one, dict):
            whole = mapping(one, "pull_request") if not string(one, "title") else one
            yield _request(
                sign, string(whole, "title"), string(whole, "body", "description"), string(whole, "iid", "number"),
                string(whole, "html_url", "web_url", "url"),
            )  # fmt: skip


def _viewed(output: str, sign: str) -> dict[str, str]:
    """What `view` prints where no terminal reads it: fields, a line of dashes, the description."""
    head, _, body = output.partition("\n--\n")
    fields = {match[1]: match[2].strip() for line in head.splitlines() if (match := _FIELD.match(line))}
    return _request(sign, fields.get("title"), body, fields.get("number", ""), fields.get("url", ""))


def _listed(output: str, sign: str) -> Iterator[dict[str, str]]:
    for line in output.splitlines():
        if match := _LISTED.match(line):
            yield _request(sign, match["title"], "", match["number"], "")


def _number_and_url(output: str) -> tuple[str, str]:
    match = _URL.search(output)
    return (match[1], match[0]) if match else ("", "")


def _request(sign: str, title: str | None, description: str | None, number: str, url: str) -> dict[str, str]:
    found = {
        "number": f"{sign}{number}" if number.isdigit() else "", "title": (title or "").strip()[:_TITLE],
        "description": (description or "").strip()[:_DESCRIPTION], "url": url[:500],
    }  # fmt: skip
    return {name: value for name, value in found.items() if value}
